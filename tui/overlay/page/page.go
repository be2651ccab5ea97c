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

// Launch is the registry entry of the page of launch lines.
var Launch = overlay.Spec{
	Open: pane.Action{Name: "launch-line", Keys: []string{"L"},
		Doc: "show launch commands for this layout: Open MPI, MPICH, Slurm, and paper 1's", Hint: "launch line"},
	Mode: mode, Page: true,
	New: func(h *overlay.Host) overlay.Overlay { return &page{h: h, draw: launch} },
}

// page is a text that can be scrolled. draw draws it.
type page struct {
	overlay.Plain
	h           *overlay.Host
	draw        func(*page, grid.View)
	top         int
	rows, lines int       // visible rows and all lines in the last drawing
	at          grid.Rect // position on the screen in the last drawing
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
		{Name: "line-down", Keys: []string{"down"}, Doc: "scroll down a line", Hint: "scroll", Both: "↑↓",
			Other: "line-up", Do: func(*pane.Host) { o.scroll(+1) }},
		{Name: "page-up", Keys: []string{"pgup"}, Doc: "scroll up a screenful", Do: func(*pane.Host) { o.scroll(-o.rows) }},
		{Name: "page-down", Keys: []string{"pgdown"}, Doc: "scroll down a screenful", Do: func(*pane.Host) {
			o.scroll(+o.rows)
		}},
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

// sized stores the visible rows and the number of lines, and returns the first visible line.
func (o *page) sized(v grid.View, rows, lines int) (top int) {
	o.at = v.Rect()
	o.rows = rows
	o.lines = lines
	o.top = min(o.top, max(0, lines-rows))
	return o.top
}

func launch(o *page, body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 100, 32), "Launch line", "L or esc close", th)
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})}
	launchers(&measure, o.h.Snap, th)
	launchers(&grid.Flow{V: v, Y: -o.sized(v, v.H(), measure.Y)}, o.h.Snap, th)
}

// launchers writes the commands of today's launchers, the parts of the layout that they do not
// support, and paper 1's command.
func launchers(f *grid.Flow, s *engine.Snapshot, th *grid.Theme) {
	l := &s.Layout
	if l.Nodes == 0 {
		f.Text("no layout yet", th.Dim)
		return
	}
	f.Text(fmt.Sprintf("For an allocation of %s with %s each, ranks %s:",
		count(l.Nodes, "node"), count(l.RanksPerNode*l.ThreadsPerRank, "core"), l.Ranking), th.Dim)
	for _, c := range engine.Launches(l, "myapp") {
		command(f, c.Title, c.Name, c.Command, th)
	}
	if l.Model != cluster.Flat || l.WorldSeed != 0 {
		f.Y++
	}
	if g := l.GroupSize(); l.Model != cluster.Flat {
		f.Text(fmt.Sprintf("A group is %s with consecutive numbers: MPI_Comm_split(MPI_COMM_WORLD, rank / %d, "+
			"rank, &group).", count(g, "rank"), g), th.Dim)
	}
	if l.Model == cluster.NestedFunneled {
		f.Text("These launchers let every rank call MPI. On the screen, only the first rank of each group may.", th.Dim)
	}
	if l.WorldSeed != 0 {
		f.Text("These launchers number MPI ranks in launch order. On the screen, MPI order "+strconv.FormatUint(l.WorldSeed,
			10)+" shuffles them.", th.Dim)
	}
	if s.LaunchLine != "" {
		command(f, "Only for paper 1's runtime", "paper", s.LaunchLine, th)
		f.Text("No current launcher supports UPC groups by upcrun, --ranks-per-proc, or ID and N (key i).", th.Dim)
	}
}

// command writes a launcher's command below its title and the command that copies it.
func command(f *grid.Flow, title, name, text string, th *grid.Theme) {
	f.Y++
	f.Pair(title, ":copy launch "+name, th.Title, th.Dim)
	f.Text(text, th.Text)
}

// count returns a number with a noun in the singular or plural.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
