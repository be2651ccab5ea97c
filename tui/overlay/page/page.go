package page

import (
	"fmt"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

const mode = "on a page"

// Launch is the line of the registry for the page of launch lines.
var Launch = overlay.Spec{
	Open: pane.Action{Name: "launch-line", Keys: []string{"L"}, Doc: "show what launches this layout: Open MPI, MPICH, Slurm, and paper 1's line", Hint: "launch line"},
	Mode: mode, Page: true,
	New: func(h *overlay.Host) overlay.Overlay { return &page{h: h, draw: launch} },
}

// page scrolls what draw draws.
type page struct {
	overlay.Plain
	h           *overlay.Host
	draw        func(*page, grid.View)
	top         int
	rows, lines int       // shown, and in all, when it was last drawn
	at          grid.Rect // where, on the screen
	ids         ids
}

func (o *page) Open() bool {
	o.top = 0
	return true
}

func (o *page) Actions() []pane.Action {
	return []pane.Action{
		{Name: "close", Keys: []string{"esc"}, Doc: "close the page", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
		{Name: "line-up", Keys: []string{"up"}, Doc: "scroll up a line", Do: func(*pane.Host) { o.scroll(-1) }},
		{Name: "line-down", Keys: []string{"down"}, Doc: "scroll down a line", Hint: "scroll", Both: "↑↓", Other: "line-up", Do: func(*pane.Host) { o.scroll(+1) }},
		{Name: "page-up", Keys: []string{"pgup"}, Doc: "scroll up a screenful", Do: func(*pane.Host) { o.scroll(-o.rows) }},
		{Name: "page-down", Keys: []string{"pgdown"}, Doc: "scroll down a screenful", Do: func(*pane.Host) { o.scroll(+o.rows) }},
		{Name: "top", Keys: []string{"home"}, Doc: "scroll to the beginning", Do: func(*pane.Host) { o.scroll(-o.lines) }},
		{Name: "bottom", Keys: []string{"end"}, Doc: "scroll to the end", Do: func(*pane.Host) { o.scroll(+o.lines) }},
	}
}

func (o *page) scroll(by int) { o.top = min(max(o.top+by, 0), max(0, o.lines-o.rows)) }

func (o *page) Wheel(x, y, by int) {
	if o.at.Contains(x, y) {
		o.scroll(-3 * by)
	}
}

func (o *page) Draw(body grid.View) { o.draw(o, body) }

// sized notes how much there is, and gives the first line that is shown.
func (o *page) sized(v grid.View, rows, lines int) (top int) {
	o.at, o.rows, o.lines = v.Rect(), rows, lines
	o.top = min(o.top, max(0, lines-rows))
	return o.top
}

func launch(o *page, body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 100, 32), "Launch line", "L or esc closes", th)
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})}
	launchers(&measure, o.h.Snap, th)
	launchers(&grid.Flow{V: v, Y: -o.sized(v, v.H(), measure.Y)}, o.h.Snap, th)
}

// launchers writes the commands of today's launchers, what they do not do of the
// layout, and paper 1's.
func launchers(f *grid.Flow, s *engine.Snapshot, th *grid.Theme) {
	l := &s.Layout
	if l.Nodes == 0 {
		f.Text("not known yet", th.Dim)
		return
	}
	f.Text(fmt.Sprintf("In an allocation of %s with %s each, ranks %s:",
		count(l.Nodes, "node"), count(l.RanksPerNode*l.ThreadsPerRank, "core"), l.Ranking), th.Dim)
	for _, c := range engine.Launches(l, "myapp") {
		command(f, c.Title, c.Name, c.Command, th)
	}
	if l.Model != cluster.Flat || l.WorldSeed != 0 {
		f.Y++
	}
	if g := l.GroupSize(); l.Model != cluster.Flat {
		f.Text(fmt.Sprintf("A group is %s in a row: MPI_Comm_split(MPI_COMM_WORLD, rank / %d, rank, &group).", count(g, "rank"), g), th.Dim)
	}
	if l.Model == cluster.NestedFunneled {
		f.Text("Here every rank may call MPI; on the screen only the first of a group may.", th.Dim)
	}
	if l.WorldSeed != 0 {
		f.Text("Here MPI's ranks are in launch order; on the screen MPI order "+strconv.FormatUint(l.WorldSeed, 10)+" shuffles them.", th.Dim)
	}
	if s.LaunchLine != "" {
		command(f, "Paper 1's runtime only", "paper", s.LaunchLine, th)
		f.Text("UPC groups by upcrun, --ranks-per-proc, and the ID and N of i: no launcher of today has them.", th.Dim)
	}
}

// command writes a launcher's command below its title, and how it is copied.
func command(f *grid.Flow, title, name, text string, th *grid.Theme) {
	f.Y++
	f.Pair(title, ":copy launch "+name, th.Title, th.Dim)
	f.Text(text, th.Text)
}

// count writes how many there are of a noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
