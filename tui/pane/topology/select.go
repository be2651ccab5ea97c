package topology

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Actions returns the actions that select a node, a rank, a thread, or the next one of them. In the
// matrix they also select the peer of the selected node.
func (t *Pane) Actions() []pane.Action {
	pick := func(f func(pane.Pick, *cluster.Layout) pane.Pick) func(*pane.Host) {
		return func(h *pane.Host) {
			l := &h.Snap.Layout
			h.Pick = f(h.Pick.Within(l), l)
		}
	}
	step := func(by int) func(*pane.Host) {
		return pick(func(p pane.Pick, l *cluster.Layout) pane.Pick { return p.Step(by, l) })
	}
	return []pane.Action{
		{Name: "row-down", Do: step(+1)},
		{Name: "row-up", Do: step(-1)},
		{Name: "crosshair-right", Do: func(h *pane.Host) { t.selectPeer(h, +1) }, Ready: isAlone},
		{Name: "crosshair-left", Do: func(h *pane.Host) { t.selectPeer(h, -1) }, Ready: isAlone},
		{Name: "unfold", Do: pick(func(p pane.Pick, l *cluster.Layout) pane.Pick { return p.Finer(l) })},
		{Name: "fold", Do: pick(func(p pane.Pick, _ *cluster.Layout) pane.Pick { return p.Coarser() })},
		{Name: "back", Do: func(h *pane.Host) { h.Pick = pane.Pick{} },
			Ready: func(h *pane.Host) bool { return h.Pick.Within(&h.Snap.Layout).Level != pane.Nothing }},
	}
}

// isAlone reports whether no other pane is on the screen. Otherwise the key is for the crosshair of
// that pane.
func isAlone(h *pane.Host) bool { return h.Alone }

// selectPeer selects the peer of the selected node, whose traffic is described.
func (t *Pane) selectPeer(h *pane.Host, by int) {
	if h.Snap.Layout.Nodes == 0 {
		return
	}
	per := max(h.Snap.Recent.Nodes, 1)
	blocks := (h.Snap.Layout.Nodes + per - 1) / per
	t.peer, t.peerSelected = ((t.peer/per+by)%blocks+blocks)%blocks*per, true
}

// spot is an area of the last drawn view that shows n ranks, from Pane.slots[first] on.
type spot struct {
	r        grid.Rect
	first, n int
}

// addSpot records which ranks a part of the view shows, as a spot.
func (t *Pane) addSpot(v grid.View, r grid.Rect, first, n int) {
	at := v.Rect()
	t.spots = append(t.spots, spot{
		r:     grid.Rect{X: at.X + r.X - t.origin.X, Y: at.Y + r.Y - t.origin.Y, W: r.W, H: r.H},
		first: first,
		n:     n,
	})
}

// Click selects the rank under the mouse, its node if the rank is already selected, or two nodes of
// the matrix.
func (t *Pane) Click(h *pane.Host, x, y int) bool {
	l := &h.Snap.Layout
	now := h.Pick.Within(l)
	for _, s := range t.spots {
		if !s.r.Contains(x, y) || s.first >= len(t.slots) {
			continue
		}
		rank := int(t.slots[s.first])
		p := pane.Pick{Level: pane.OneRank, Rank: rank}
		if s.n > 1 || now.Level == pane.OneRank && now.Rank == rank {
			p = pane.Pick{Level: pane.OneNode, Node: l.NodeOf(rank)}
		}
		h.Pick = p.Within(l)
		return true
	}
	if row, col, ok := t.heat.CellAt(x-t.heatAt.X, y-t.heatAt.Y); ok && !t.heatAt.Empty() {
		per := max(h.Snap.Recent.Nodes, 1)
		h.Pick = pane.Pick{Level: pane.OneNode, Node: row * per}.Within(l)
		t.peer, t.peerSelected = min(col*per, l.Nodes-1), true
		return true
	}
	return false
}

// highlight shows the selected ranks in reverse video.
func (t *Pane) highlight(v grid.View, snap *engine.Snapshot, p pane.Pick) {
	if p.Level == pane.Nothing {
		return
	}
	for _, s := range t.spots {
		for _, rank := range t.slots[min(s.first, len(t.slots)):min(s.first+s.n, len(t.slots))] {
			if p.Has(snap, int(rank), p.Thread) {
				v.Tint(s.r, grid.None, grid.Reverse|grid.Bold)
				break
			}
		}
	}
}

// highlightCross highlights the row of the selected node in the matrix, and the column of its peer.
func (t *Pane) highlightCross(v grid.View, p pane.Pick, per int) {
	if p.Level == pane.Nothing || p.Level >= pane.SomeRanks || per == 0 || t.heatAt.Empty() {
		return
	}
	in := v.Sub(t.heatAt)
	for y := range in.H() {
		for x := range in.W() {
			row, col, ok := t.heat.CellAt(x, y)
			if !ok {
				continue
			}
			rows, cols := t.heat.Folded()
			onRow := p.Node/per >= row && p.Node/per < row+rows
			onCol := t.peerSelected && t.peer/per >= col && t.peer/per < col+cols
			if onRow != onCol { // keep the colour of the cell where both cross
				in.Tint(grid.Rect{X: x, Y: y, W: 1, H: 1}, grid.None, grid.Reverse)
				if c := in.At(x, y); c.Rune == ' ' || c.Rune == 0 {
					r := '─'
					if onCol {
						r = '│'
					}
					in.Set(x, y, grid.Cell{Rune: r, Fg: c.Fg, Bg: c.Bg})
				}
			}
		}
	}
}

// exchange is the traffic between the selected node and another one.
type exchange struct {
	node              int
	out, in           int64 // bytes in the last second
	totalOut, totalIn int64 // bytes since the launch
}

// exchanges returns the traffic of a block of nodes with all others, most bytes first.
func (t *Pane) exchanges(snap *engine.Snapshot, block int) []exchange {
	r := &snap.Recent
	blocks := r.Blocks(t.layout.Nodes)
	if len(r.Pairs) != blocks*blocks {
		return nil
	}
	t.exchanged = t.exchanged[:0]
	for o := range blocks {
		one := exchange{node: o, out: r.Pairs[block*blocks+o], in: r.Pairs[o*blocks+block]}
		if len(snap.NodePairs) == blocks {
			one.totalOut, one.totalIn = snap.NodePairs[block][o], snap.NodePairs[o][block]
		}
		if o != block {
			t.exchanged = append(t.exchanged, one)
		}
	}
	slices.SortStableFunc(t.exchanged, func(a, b exchange) int { return cmp.Compare(b.out+b.in, a.out+a.in) })
	return t.exchanged
}

// maxExchanges is the maximum number of peers that are listed.
const maxExchanges = 3

// addSelection adds notes on the selection: its state and the traffic of its node.
func (t *Pane) addSelection(h *pane.Host, p pane.Pick) {
	snap, th := h.Snap, h.Theme
	t.addItem('▸', th.Focus, func(b []byte) []byte { return append(b, p.String()...) })
	if (p.Level == pane.OneRank || p.Level == pane.OneThread) && p.Rank < len(snap.Ranks) {
		v := &snap.Ranks[p.Rank]
		t.addItem(stateGlyphs[v.State], th.Text, func(b []byte) []byte { return append(b, v.State.String()...) })
	}
	var share [cluster.States]float64
	ranks := 0.0
	for rank := range snap.Ranks {
		if p.Has(snap, rank, p.Thread) {
			ranks++
			for s, x := range snap.Ranks[rank].Share {
				share[s] += x
			}
		}
	}
	for _, s := range shownStates {
		if x := share[s] / max(ranks, 1); x > 0 && !t.isShort {
			t.addItem(0, th.Text, func(b []byte) []byte {
				return grid.Share.Append(append(append(b, s.String()...), ' '), float64(int(100*x+0.5))/100, 4)
			})
		}
	}
	if p.Level >= pane.SomeRanks {
		t.addItem(0, th.Text, func(b []byte) []byte {
			return append(grid.Count.Append(b, ranks, 8), " ranks"...)
		})
		return
	}
	r := &snap.Recent
	if r.Nodes == 0 || t.layout.Nodes < 2 {
		return
	}
	block := p.Node / r.Nodes
	exchanged := t.exchanges(snap, block)
	if t.peerSelected {
		if i := slices.IndexFunc(exchanged, func(o exchange) bool { return o.node == t.peer/r.Nodes }); i >= 0 {
			exchanged = exchanged[i : i+1]
		}
	}
	st := th.Role(grid.RoleInterNode)
	limit := maxExchanges
	if t.isShort {
		limit = 1
	}
	for i := range exchanged[:min(len(exchanged), limit)] {
		o := &exchanged[i]
		if o.out+o.in+o.totalOut+o.totalIn == 0 && !t.peerSelected {
			continue
		}
		for _, direction := range [...]struct {
			symbol    rune
			last, all int64
		}{{'→', o.out, o.totalOut}, {'←', o.in, o.totalIn}} {
			t.addItem(direction.symbol, st, func(b []byte) []byte {
				b = strconv.AppendInt(append(b, 'n'), int64(o.node*r.Nodes), 10)
				b = h.Units.Rate().Append(append(b, ' '), rate(r, direction.last), 10)
				if len(snap.NodePairs) > 0 && !t.isShort {
					b = append(h.Units.Bytes().Append(append(b, ", "...), float64(direction.all), 9), " in total"...)
				}
				return b
			})
		}
	}
	if l := &snap.Latency[cluster.Remote]; l.Count > 0 && len(exchanged) > 0 && !t.isShort {
		t.addItem(0, th.Text, func(b []byte) []byte {
			return append(grid.Seconds.Append(append(b, "inter-node access "...), l.P50, 8), " (p50 of all ranks)"...)
		})
	}
}
