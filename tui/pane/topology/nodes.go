package topology

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// drawNodes draws a block of cells per node, as large as possible, or one cell for several nodes if
// there is less room. The shade is the share of time in which the ranks compute or call.
func (t *Pane) drawNodes(v, legend grid.View, snap *engine.Snapshot, th *grid.Theme) {
	l := &t.layout
	area := v.W() * v.H()
	if area <= 0 {
		return
	}
	per := (l.Nodes + area - 1) / area
	blocks := (l.Nodes + per - 1) / per
	t.sumBusyShares(snap, per, blocks)
	w, h, gap := blockSize(blocks, v.W(), v.H())
	cols := v.W() / (w + gap)
	for b := range blocks {
		nodes := min(per, l.Nodes-b*per)
		i := int(t.share[b] / float64(nodes*l.RanksPerNode) * float64(len(busyShades)))
		at := grid.Rect{X: b % cols * (w + gap), Y: b / cols * h, W: w, H: h}
		st := t.group(int(t.slots[b*per*l.RanksPerNode]), th)
		t.addSpot(v, at, b*per*l.RanksPerNode, nodes*l.RanksPerNode)
		v.Fill(at, grid.Cell{Rune: busyShades[min(max(i, 0), len(busyShades)-1)], Fg: th.Text.Fg, Bg: th.Background, Attr: st.Attr})
	}
	x := 0
	for i, r := range busyShades {
		legend.Rune(x+i, 0, r, th.Text)
	}
	t.text = append(t.text[:0], "working 0-100%, block = "...)
	t.text = append(grid.Count.Append(t.text, float64(per), 6), " node"...)
	if per > 1 {
		t.text = append(t.text, 's')
	}
	x += len(busyShades) + 1
	if grid.Width(string(t.text)) > legend.W()-x {
		legend.Text(x, 0, "working 0-100%", th.Dim)
		if legend.H() > 1 {
			legend.Bytes(0, 1, t.text[len("working 0-100%, "):], th.Dim)
		}
		return
	}
	legend.Bytes(x, 0, t.text, th.Dim)
}

var busyShades = [...]rune{'░', '▒', '▓', '█'}

// sumBusyShares sums for each block the shares of time in which its ranks compute or call.
func (t *Pane) sumBusyShares(snap *engine.Snapshot, per, blocks int) {
	if cap(t.share) < blocks {
		t.share = make([]float64, blocks)
	}
	t.share = t.share[:blocks]
	clear(t.share)
	for i, rank := range t.slots {
		if int(rank) < len(snap.Ranks) {
			s := &snap.Ranks[rank].Share
			t.share[i/t.layout.RanksPerNode/per] += s[cluster.Computing] + s[cluster.Calling]
		}
	}
}

// blockSize returns the largest block, about square on the screen, of which n fit into w×h cells,
// and the gap between two blocks.
func blockSize(n, w, h int) (bw, bh, gap int) {
	for bw = 10; bw > 1; bw-- {
		bh = (bw + 1) / 3
		if cols := w / (bw + 1); bh > 0 && cols > 0 && (n+cols-1)/cols*bh <= h {
			return bw, bh, 1
		}
	}
	return 1, 1, 0
}
