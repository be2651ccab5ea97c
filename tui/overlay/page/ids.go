package page

import (
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// IDs is the registry entry of the page with ID and N of paper 1, section 3.
var IDs = overlay.Spec{
	Open: pane.Action{Name: "ids", Keys: []string{"i"},
		Doc: "show the ID triple ⟨group, UPC, MPI⟩ of every rank, and N", Hint: "ids"},
	Mode: mode, Page: true,
	New: func(h *overlay.Host) overlay.Overlay { return &page{h: h, draw: triples} },
}

// ids holds the MPI rank of every rank of a layout, or −1.
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

func triples(o *page, body grid.View) {
	th, l := o.h.Theme, &o.h.Snap.Layout
	v := overlay.Box(body, overlay.Middle(body, 64, 40), "ID = ⟨group, UPC, MPI⟩", "i or esc close", th)
	if l.Nodes == 0 {
		o.sized(v, 0, 0)
		v.TextIn(0, v.H()/2, v.W(), "starting…", grid.Center, th.Dim)
		return
	}
	o.ids.update(l)
	v.Text(0, 0, "N = "+l.N().String()+"  "+string(l.Model)+", "+string(l.Ranking), th.Title)
	v.Text(0, 1, "rank", th.Dim)
	v.Text(10, 1, "node", th.Dim)
	v.Text(20, 1, "ID", th.Dim)
	list := v.Sub(grid.Rect{Y: 2, W: v.W(), H: v.H() - 2})
	top := o.sized(v, list.H(), len(o.ids.mpi))
	for y := 0; y < list.H() && top+y < len(o.ids.mpi); y++ {
		rank := top + y
		id := cluster.Triple{Group: l.GroupOf(rank), UPC: l.UPCOf(rank), MPI: int(o.ids.mpi[rank])}
		st := th.Group(id.Group)
		list.Text(0, y, strconv.Itoa(rank), th.Text)
		list.Text(10, y, "n"+strconv.Itoa(l.NodeOf(rank)), th.Text)
		n := list.Text(20, y, id.String(), st)
		if id.MPI < 0 {
			list.Text(22+n, y, "no MPI rank", th.Dim)
		}
	}
}
