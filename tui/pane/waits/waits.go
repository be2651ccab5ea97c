package waits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "waits", Title: "Who waits for whom", Doc: "the wait-for graph of a deadlock", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return s.Deadlock != nil },
	New:     func() pane.Pane { return &Pane{} },
}

// Pane is the scroll position of the drawing.
type Pane struct {
	top      int
	deadlock *engine.Deadlock
}

// Inputs returns the snapshot.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap} }

// Actions returns the actions that scroll.
func (p *Pane) Actions() []pane.Action {
	return []pane.Action{
		{Name: "scroll-up", Do: func(*pane.Host) { p.scroll(-4) }},
		{Name: "scroll-down", Do: func(*pane.Host) { p.scroll(+4) }},
		{Name: "row-up", Do: func(*pane.Host) { p.scroll(-1) }},
		{Name: "row-down", Do: func(*pane.Host) { p.scroll(+1) }},
	}
}

// Wheel scrolls by one row.
func (p *Pane) Wheel(_ *pane.Host, _, _, by int) bool {
	p.scroll(-by)
	return true
}

// scroll moves the drawing. Draw limits it to the end.
func (p *Pane) scroll(by int) { p.top = max(0, p.top+by) }

// Draw draws the cycle, the hint that ends it, and the other waiting ranks.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	d := h.Snap.Deadlock
	if d == nil {
		h.WriteMessage(v, "No deadlock.", "If ranks deadlock, this pane shows each waiting rank, its call, and the "+
			"ranks that it waits for.")
		return pane.Border{}
	}
	if p.deadlock != nil && d != p.deadlock {
		p.top = 0
	}
	p.deadlock = d
	boxes := true
	draw := func(v grid.View, y int) int {
		s := drawing{v: v, y: y, h: h, d: d, boxes: boxes}
		s.drawAll()
		return s.y - y
	}
	measure := v.Sub(grid.Rect{W: v.W()}) // the same width, but no rows: only measures
	rows := draw(measure, 0)
	if rows > v.H() {
		boxes = false
		rows = draw(measure, 0)
	}
	limit := max(0, rows-v.H())
	p.top = min(p.top, limit)
	draw(v, -p.top)
	return pane.Border{Right: countWords(d), Above: p.top > 0, Below: p.top < limit}
}

// countWords describes the number of waiting ranks.
func countWords(d *engine.Deadlock) string {
	ranks := map[int]bool{}
	for i := range d.Waits {
		ranks[d.Waits[i].Rank] = true
	}
	n := len(ranks)
	if d.More > 0 {
		return fmt.Sprintf("at least %d ranks", n)
	}
	if n == 1 {
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", n)
}

// drawing draws one row after the other.
type drawing struct {
	v     grid.View
	y     int
	h     *pane.Host
	d     *engine.Deadlock
	boxes bool
}

// These are the columns of the chain.
const (
	back  = 0 // the arrow back to the first rank
	chain = 3 // the boxes
	arrow = 6 // the arrows between them
)

// maxDrawn is the maximum number of ranks of a cycle that are drawn: the first ones and the last.
const maxDrawn = 64

func (s *drawing) drawAll() {
	th := s.h.Theme
	f := grid.Flow{V: s.v, Y: s.y}
	if n := len(s.d.Cycle); n > 1 {
		f.Text(fmt.Sprintf("deadlock: a cycle of %d ranks.", n), th.Error)
	} else if n == 1 {
		f.Text(fmt.Sprintf("deadlock: rank %d waits for itself.", s.d.Cycle[0]), th.Error)
	} else {
		f.Text("deadlock: no running rank can end these waits.", th.Error)
	}
	s.y = f.Y
	if len(s.d.Cycle) > 0 {
		s.drawCycle()
	}
	if s.d.Hint != "" {
		f.Y = s.y
		f.Text(capitalize(s.d.Hint)+".", th.Accent)
		s.y = f.Y
	}
	s.listOthers()
}

// capitalize makes the first letter upper case.
func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// drawCycle draws the chain and the arrow back to its first rank.
func (s *drawing) drawCycle() {
	th, d := s.h.Theme, s.d
	first := s.y
	n := len(d.Cycle)
	for i, rank := range d.Cycle {
		if left := n - maxDrawn; left > 0 && i >= maxDrawn-1 && i < n-1 {
			if i == maxDrawn-1 {
				s.v.Rune(arrow, s.y, '┆', th.Error)
				s.v.TextIn(arrow+2, s.y, s.v.W()-arrow-2, fmt.Sprintf("%d more ranks in the cycle", left), grid.Left, th.Dim)
				s.y++
			}
			continue
		}
		s.drawRank(rank)
		_, w := d.Next(rank)
		if i == n-1 {
			break
		}
		s.v.Rune(arrow, s.y, '▼', th.Error)
		s.writeCall(w)
	}
	top := first
	if s.boxes {
		top++
	}
	for x := back + 1; x < arrow; x++ {
		s.v.Rune(x, s.y, '─', th.Error)
	}
	s.v.Rune(back, s.y, '╰', th.Error)
	s.v.Rune(arrow, s.y, '╯', th.Error)
	for y := top + 1; y < s.y; y++ {
		s.v.Rune(back, y, '│', th.Error)
	}
	s.v.Rune(back, top, '╭', th.Error)
	s.v.Rune(back+1, top, '─', th.Error)
	s.v.Rune(back+2, top, '▶', th.Error)
	_, w := d.Next(d.Cycle[n-1])
	s.writeCall(w)
}

// drawRank draws a rank of the chain.
func (s *drawing) drawRank(rank int) {
	th := s.h.Theme
	name := s.name(rank)
	if !s.boxes {
		s.v.TextIn(chain, s.y, s.v.W()-chain, name, grid.Left, th.Title)
		s.y++
		return
	}
	wide := max(grid.Width(name)+4, 16)
	r := grid.Rect{X: chain, Y: s.y, W: wide, H: 3}
	edge := func(y int, left, right rune) {
		s.v.Rune(r.X, y, left, th.Error)
		for x := r.X + 1; x < r.X+wide-1; x++ {
			s.v.Rune(x, y, '─', th.Error)
		}
		s.v.Rune(r.X+wide-1, y, right, th.Error)
	}
	edge(s.y, '╭', '╮')
	s.v.Rune(r.X, s.y+1, '│', th.Error)
	s.v.TextIn(r.X+2, s.y+1, wide-4, name, grid.Left, th.Title)
	s.v.Rune(r.X+wide-1, s.y+1, '│', th.Error)
	edge(s.y+2, '╰', '╯')
	s.v.Rune(arrow, s.y+2, '┬', th.Error)
	s.y += 3
}

// name returns the name of a rank, with its node.
func (s *drawing) name(rank int) string {
	if rank < len(s.h.Snap.Ranks) {
		return fmt.Sprintf("rank %d, n%d", rank, s.h.Snap.Ranks[rank].Node)
	}
	return fmt.Sprintf("rank %d", rank)
}

// writeCall writes the call in which a rank waits next to its arrow.
func (s *drawing) writeCall(w *engine.Wait) {
	text := "waits"
	if w != nil {
		text = w.Call
	}
	s.v.TextIn(arrow+2, s.y, s.v.W()-arrow-2, text, grid.Left, s.h.Theme.Text)
	s.y++
}

// listOthers lists the waiting ranks outside the cycle, grouped by call.
func (s *drawing) listOthers() {
	th := s.h.Theme
	type kind struct {
		call  string
		whom  string
		ranks []int
	}
	var kinds []kind
	for i := range s.d.Waits {
		w := &s.d.Waits[i]
		if slices.Contains(s.d.Cycle, w.Rank) {
			continue
		}
		k := kind{call: w.Call, whom: targets(w)}
		at := slices.IndexFunc(kinds, func(o kind) bool { return o.call == k.call && o.whom == k.whom })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, k)
		}
		if all := &kinds[at].ranks; !slices.Contains(*all, w.Rank) {
			*all = append(*all, w.Rank)
		}
	}
	if len(kinds) == 0 && s.d.More == 0 {
		return
	}
	f := grid.Flow{V: s.v, Y: s.y}
	if len(s.d.Cycle) > 0 {
		f.Y++
		f.Text("Other waiting ranks:", th.Dim)
	}
	for _, k := range kinds {
		f.Text(fmt.Sprintf("%s ─▶ %s: %s", ranks(k.ranks), k.whom, k.call), th.Text)
	}
	if s.d.More > 0 {
		f.Text(fmt.Sprintf("and %d more waits", s.d.More), th.Dim)
	}
	s.y = f.Y
}

// targets describes the ranks that a wait is for.
func targets(w *engine.Wait) string {
	if len(w.For) == 0 {
		return "no particular rank"
	}
	if w.Any && len(w.For) > 1 {
		return "any of " + ranks(w.For)
	}
	return ranks(w.For)
}

// ranks formats rank numbers as ranges: "ranks 2-15, 17".
func ranks(all []int) string {
	if len(all) == 1 {
		return fmt.Sprintf("rank %d", all[0])
	}
	all = slices.Sorted(slices.Values(all))
	var parts []string
	for i := 0; i < len(all); {
		j := i
		for j+1 < len(all) && all[j+1] == all[j]+1 {
			j++
		}
		if part := fmt.Sprint(all[i]); j == i {
			parts = append(parts, part)
		} else {
			parts = append(parts, fmt.Sprintf("%s-%d", part, all[j]))
		}
		i = j + 1
	}
	if len(parts) > 6 {
		parts = append(parts[:6], "…")
	}
	return "ranks " + strings.Join(parts, ", ")
}
