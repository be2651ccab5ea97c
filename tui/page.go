package tui

import (
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// page is a text over the panes that scrolls.
type page struct {
	kind        pageKind
	top         int
	rows, lines int // shown, and in all, when it was last drawn
}

type pageKind uint8

const (
	launchPage pageKind = iota
	idsPage
)

func (p *page) scroll(by int) { p.top = min(max(p.top+by, 0), max(0, p.lines-p.rows)) }

// togglePage opens a page, or closes it.
func (a *app) togglePage(k pageKind) {
	if a.over == pageOverlay && a.page.kind == k {
		a.closeOverlay()
		return
	}
	a.over, a.page = pageOverlay, page{kind: k}
}

func (s *screen) pageBox(a *app) {
	if a.page.kind == idsPage {
		s.idsPage(a)
		return
	}
	v := s.box(s.middle(100, 24), "Launch line", "L or esc closes", a.Theme)
	text := func(f *grid.Flow) {
		f.Text("What paper 1 would need to start this layout on a real cluster:", a.Theme.Dim)
		f.Y++
		f.Text(pane.Or(a.Snap.LaunchLine, "not known yet"), a.Theme.Text)
	}
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})}
	text(&measure)
	s.pageRows, s.pageLines = v.H(), measure.Y
	text(&grid.Flow{V: v, Y: -min(a.page.top, max(0, measure.Y-v.H()))})
	s.listHit(v, func(*app) {}, func(a *app, by int) { a.page.scroll(3 * by) })
}

// ids holds the MPI rank of every rank of a layout, −1 for none.
type ids struct {
	layout cluster.Layout
	mpi    []int32
}

func (d *ids) update(l *cluster.Layout) {
	if *l == d.layout {
		return
	}
	d.layout = *l
	d.mpi = d.mpi[:0]
	for range l.Ranks() {
		d.mpi = append(d.mpi, -1)
	}
	for mpi, rank := range l.World() {
		d.mpi[rank] = int32(mpi)
	}
}

// idsPage shows ID and N of paper 1, section 3, for every rank.
func (s *screen) idsPage(a *app) {
	th, l := a.Theme, &a.Snap.Layout
	v := s.box(s.middle(64, 40), "ID = ⟨group, UPC, MPI⟩", "i or esc closes", th)
	s.pageRows, s.pageLines = 0, 0
	if l.Nodes == 0 {
		v.TextIn(0, v.H()/2, v.W(), "starting…", grid.Center, th.Dim)
		return
	}
	s.ids.update(l)
	v.Text(0, 0, "N = "+l.N().String()+"  "+string(l.Model)+", "+string(l.Ranking), th.Title)
	v.Text(0, 1, "rank", th.Dim)
	v.Text(10, 1, "node", th.Dim)
	v.Text(20, 1, "ID", th.Dim)
	list := v.Sub(grid.Rect{Y: 2, W: v.W(), H: v.H() - 2})
	s.pageRows, s.pageLines = list.H(), len(s.ids.mpi)
	top := min(a.page.top, max(0, len(s.ids.mpi)-list.H()))
	for y := 0; y < list.H() && top+y < len(s.ids.mpi); y++ {
		rank := top + y
		id := cluster.Triple{Group: l.GroupOf(rank), UPC: l.UPCOf(rank), MPI: int(s.ids.mpi[rank])}
		st := th.SeriesStyle(id.Group)
		list.Text(0, y, strconv.Itoa(rank), th.Text)
		list.Text(10, y, "n"+strconv.Itoa(l.NodeOf(rank)), th.Text)
		n := list.Text(20, y, id.String(), st)
		if id.MPI < 0 {
			list.Text(22+n, y, "no MPI rank", th.Dim)
		}
	}
	s.listHit(v, func(*app) {}, func(a *app, by int) { a.page.scroll(3 * by) })
}
