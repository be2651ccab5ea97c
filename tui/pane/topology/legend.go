package topology

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// legendW is the width of the legend in one row.
const legendW = 48

// drawLegend writes the shades and their share of the last second: with words, or only with numbers
// if the words do not fit.
func (t *Pane) drawLegend(v grid.View, snap *engine.Snapshot, th *grid.Theme) {
	sh := sharesOf(snap)
	words := sh.total == 0 || t.drawShades(v.Sub(grid.Rect{W: v.W()}), snap, &sh, true, th) <= v.H()
	t.drawShades(v, snap, &sh, words, th)
}

// stateShares are the shares of time in each state, summed over ranks, and their total.
type stateShares struct {
	sum   [cluster.States]float64
	total float64
}

func sharesOf(snap *engine.Snapshot) (sh stateShares) {
	for i := range snap.Ranks {
		for s, x := range snap.Ranks[i].Share {
			sh.sum[s] += x
			sh.total += x
		}
	}
	return sh
}

// drawShades writes the legend and returns the number of rows.
func (t *Pane) drawShades(v grid.View, snap *engine.Snapshot, sh *stateShares, words bool, th *grid.Theme) int {
	x := 0
	y := 0
	gap := 2
	if !words {
		gap = 1
	}
	for _, s := range shownStates {
		if sh.total == 0 && !slices.ContainsFunc(snap.Ranks, func(r engine.RankView) bool { return r.State == s }) {
			continue // no rank is in this state
		}
		t.text = t.text[:0]
		if words {
			t.text = append(t.text, s.String()...)
		}
		if sh.total > 0 {
			if words {
				t.text = append(t.text, ' ')
			}
			t.text = grid.Share.Append(t.text, float64(int(100*sh.sum[s]/sh.total+0.5))/100, 4)
		}
		n := 2 + grid.Width(string(t.text))
		if x+n > v.W() {
			x, y = 0, y+1
		}
		v.Rune(x, y, stateGlyphs[s], th.Text)
		v.Bytes(x+2, y, t.text, th.Dim)
		x += n + gap
	}
	return y + 1
}
