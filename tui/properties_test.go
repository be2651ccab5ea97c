package tui

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	overlayreg "github.com/hybridtop/hybridtop/tui/overlay/all"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// watched is a pane whose texts are watched. It keeps its border of the last drawing.
type watched struct {
	pane.Pane
	on     **panetest.Watch // that texts go to
	watch  panetest.Watch
	border pane.Border
}

func (w *watched) Draw(v grid.View, h *pane.Host) pane.Border {
	before := *w.on
	*w.on = &w.watch
	w.watch.Reset()
	w.border = w.Pane.Draw(v, h)
	*w.on = before
	return w.border
}

// watching is a screen all of whose texts are watched.
type watching struct {
	screen
	a      *app
	now    *panetest.Watch
	chrome panetest.Watch
}

func watch(a *app) *watching {
	w := &watching{a: a}
	w.now = &w.chrome
	for i, p := range a.panes {
		a.panes[i] = &watched{Pane: p, on: &w.now}
	}
	w.g.Watch = func(x grid.Written) { w.now.Add(x) }
	return w
}

// faults draws all of the screen and describes its faults, by pane.
func (w *watching) faults(cols, rows int) map[string][]string {
	all := map[string][]string{}
	for again := true; again; again = w.incomplete() {
		w.chrome.Reset()
		w.draw(w.a, cols, rows)
	}
	add := func(who string, what []string) {
		if len(what) > 0 {
			all[who] = append(all[who], what...)
		}
	}
	add("screen", w.chrome.Faults(&w.g, false))
	for p := range w.a.specs {
		at := w.at.pane(p, w.a.specs)
		if at.Empty() {
			continue
		}
		one := w.a.panes[p].(*watched)
		add(w.a.specs[p].Name, one.watch.Faults(&w.g, one.border.Above || one.border.Below))
		add(w.a.specs[p].Name, borderFaults(&w.g, at, w.a.specs[p].Title, one.border))
	}
	return all
}

// borderFaults describes the faults of a pane's border. The border is whole and has the
// pane's title. At its right is at least the beginning of its text, or the symbol of a kind.
func borderFaults(g *grid.Grid, at grid.Rect, title string, b pane.Border) (all []string) {
	shown := func(s string) string {
		if !g.ASCII {
			return s
		}
		return strings.Map(grid.ASCIIRune, s)
	}
	is := func(x, y int, runes string) {
		if r := g.At(x, y).Rune; !strings.ContainsRune(shown(runes), r) {
			all = append(all, fmt.Sprintf("%q is on the border at %d,%d", r, x, y))
		}
	}
	top := at.Y
	right := at.X + at.W - 1
	bottom := at.Y + at.H - 1
	is(at.X, top, "╭")
	is(right, top, "╮")
	is(at.X, bottom, "╰")
	is(right, bottom, "╯")
	for x := at.X + 1; x < right; x++ {
		is(x, bottom, "─")
	}
	for y := top + 1; y < bottom; y++ {
		is(at.X, y, "│")
		switch {
		case b.Above && y == top+1:
			is(right, y, "▴")
		case b.Below && y == bottom-1:
			is(right, y, "▾")
		default:
			is(right, y, "│")
		}
	}
	line := ""
	for x := at.X; x <= right; x++ {
		if r := g.At(x, top).Rune; r != grid.Continued {
			line += string(r)
		}
	}
	if want := shown(pane.Or(b.Title, title)); !strings.Contains(line, want+" ") {
		all = append(all, fmt.Sprintf("its title %q is not in %s", want, line))
	}
	kind, _, _ := strings.Cut(b.Right, ", ")
	if symbol, _, ok := strings.Cut(kind, " "); ok && utf8.RuneCountInString(symbol) == 1 {
		kind = symbol
	}
	kind = shown(kind)
	if !strings.Contains(line, " "+kind) {
		all = append(all, fmt.Sprintf("%q is not in %s", kind, line))
	}
	return all
}

// subject is a screen drawn at all sizes, or at one of several.
type subject struct {
	name string
	some int
	make func() *app
}

// some is the number of sizes of which one is drawn, for screens without a workload.
const some = 9

// subjects are the run of every registered workload, also next to a baseline unless the
// test is short, and snapshots that no run of a workload returns. Workloads come first.
func subjects(t *testing.T) (all []subject) {
	t.Helper()
	run := runs.Of
	if testing.Short() {
		run = runs.Last
	}
	for _, name := range runs.Workloads() {
		s := run(name).On(t, "demo")
		all = append(all, subject{name: name, some: 1, make: func() *app { return shownApp(s) }})
	}
	if !testing.Short() {
		for _, name := range runs.Workloads() {
			s, base := runs.Of(name).On(t, "demo"), runs.Of(name).On(t, "osc-ibm1350")
			all = append(all,
				subject{name: name + " next to a baseline", some: some, make: func() *app { return against(base, s) }})
		}
	}
	all = append(all,
		subject{name: "next to a baseline", some: some, make: func() *app {
			return against(panetest.Slower(demo(4, 4, 4), 1.6), demo(4, 4, 8))
		}})
	failed := demo(4, 4, 4)
	failed.Phase, failed.Failure = engine.Failed, deadlock
	for _, c := range []struct {
		name string
		s    *engine.Snapshot
	}{
		{"4 nodes", demo(4, 4, 16)}, {"1024 nodes", demo(1024, 4, 256)}, {"1024 ranks", demo(64, 16, 16)},
		{"simulated", simulated()},
		{"schemes", scheme(1, 8)}, {"first scheme", firstScheme(1, 8)}, {"timeline", recorded(4, 2, 4, 8, true)},
		{"timeline of 1024 ranks", recorded(64, 16, 1, 8, false)},
		{"deadlock", deadlocked(2)}, {"deadlock of 16 ranks", deadlocked(16)}, {"failed", failed}, {"starting", nothing},
	} {
		all = append(all, subject{name: c.name, some: some, make: func() *app { return shownApp(c.s) }})
	}
	return all
}

// draws finds the faults of a subject at sizes.
type draws struct {
	t *testing.T
	w *watching
	n int
}

// at draws the screen, or one pane that takes all of it if zoomed is not negative. The
// size decides how the terminal looks.
func (d *draws) at(cols, rows, zoomed int) {
	d.t.Helper()
	a := d.w.a
	a.zoomed = zoomed >= 0
	if a.zoomed {
		a.focus = zoomed
	} else {
		a.focus = a.home(pane.Rates)
	}
	look := (7*cols + rows) % 3
	a.ascii = look == 1
	a.Theme, _ = grid.ThemeByName([]string{"dark", "dark", "mono"}[look])
	faults := d.w.faults(cols, rows)
	for _, who := range slices.Sorted(maps.Keys(faults)) {
		for _, what := range faults[who] {
			if d.n++; d.n < 20 {
				d.t.Errorf("%d×%d, pane %d zoomed, ASCII %v, %s: %s: %s", cols, rows, zoomed, a.ascii, a.Theme.Name, who, what)
			}
		}
	}
}

// The sizes of screens that show panes in full.
const (
	minW, maxW = 80, 300
	minH, maxH = 24, 90
)

// TestNothingIsCutOffOrDrawnOver: every text of every pane, header and footer is whole on screens from 80×24 to 300×90.
// Nothing cuts it off, nothing is drawn over it, and an ellipsis never replaces a part of a
// number. Borders are whole and have the title and the kind of the numbers. The short test
// draws some sizes, the whole test one of three, and half of the zoomed panes. CONFORM=1 draws all sizes and all panes.
func TestNothingIsCutOffOrDrawnOver(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	each, fewer := 2*len(runs.Workloads()), 3
	if os.Getenv("CONFORM") != "" {
		each, fewer = 1, 1
	}
	for n, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			d := &draws{t: t, w: watch(s.make())}
			if testing.Short() {
				rng := rand.New(rand.NewPCG(seed, uint64(n)))
				size := func() (int, int) { return minW + rng.IntN(maxW-minW+1), minH + rng.IntN(maxH-minH+1) }
				for p := range d.w.a.panes {
					w, h := size()
					d.at(w, h, p)
					if p%8 == 0 {
						d.at(w, h, -1)
					}
				}
				return
			}
			d.everySize(s.some*fewer, int(seed%uint64(fewer))*s.some, n, each)
		})
	}
}

// covering is an overlay; only its texts are watched.
type covering struct {
	overlay.Overlay
	w *panetest.Watch
}

func (o covering) Draw(v grid.View) {
	o.w.Reset()
	o.Overlay.Draw(v)
}

// Texts of overlays are complete at every width, too.
func TestOverlaysAreNotCutOff(t *testing.T) {
	for i := range overlayreg.Overlays {
		name := overlayreg.Overlays[i].Open.Name
		if overlayreg.Overlays[i].Inside {
			continue // its pane draws it
		}
		a := shownApp(demo(4, 4, 4))
		a.toggle(i)
		if a.over == nil {
			t.Errorf("%s does not open", name)
			continue
		}
		w := watch(a)
		a.over = covering{a.over, &w.chrome}
		step := 1
		if testing.Short() {
			step = 7
		}
		for cols := minW; cols <= maxW; cols += step {
			rows := minH + cols%(maxH-minH+1)
			w.draw(a, cols, rows)
			if faults := w.chrome.Faults(&w.g, true); len(faults) > 0 {
				t.Fatalf("%d×%d, %s: %v", cols, rows, name, faults)
			}
		}
	}
}

// everySize draws at all sizes, or at one of some, from size start. It draws the screen if a pane has a new
// size, and one of several zoomed panes.
func (d *draws) everySize(some, start, first, each int) {
	type paneSize struct{ pane, w, h int }
	seen := map[paneSize]bool{}
	a := d.w.a
	k := first
	for n := start; n < (maxW-minW+1)*(maxH-minH+1); n += some {
		w, h := minW+n%(maxW-minW+1), minH+n/(maxW-minW+1)
		a.zoomed, a.focus = false, a.home(pane.Rates)
		at, fresh := arrange(w, h, a), h == minH
		for p := range a.panes {
			if r := at.pane(p, a.specs); !r.Empty() && !seen[paneSize{pane: p, w: r.W, h: r.H}] {
				seen[paneSize{pane: p, w: r.W, h: r.H}], fresh = true, true
			}
		}
		if fresh {
			d.at(w, h, -1)
		}
		for p := range a.panes {
			if k++; k%each == 0 {
				d.at(w, h, p)
			}
		}
	}
}
