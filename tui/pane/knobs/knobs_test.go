package knobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/all" // every workload's knobs
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// host returns a host of the demo run with a knob selected.
func host(knob string) *pane.Host {
	h := panetest.Host(panetest.Demo(4, 4, 4))
	h.Panel.Select(knob)
	return h
}

func TestKnobsLookLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "a run", nil, panetest.Demo(4, 4, 4))
	draw := func(name string, h *pane.Host, l panetest.Look) {
		golden.Text(t, name, panetest.Draw(&Pane{}, h, l))
	}
	requested := host("nodes")
	requested.Set("model", "flat")
	requested.Set("nodes", "8")
	requested.Panel.Select("machine")
	draw("values that were asked for", requested, panetest.Look{W: 49, H: 30, Styles: true})
	refused := host("group")
	refused.Panel.ShowError("group", errors.New("group = 3 does not divide 16 ranks: use 2 or 4"))
	draw("a refused value", refused, panetest.Look{W: 27, H: 17})
	typed := host("group")
	typed.Panel.Typed = &grid.Line{}
	typed.Panel.Typed.Put("16")
	draw("a value that is typed", typed, panetest.Look{W: 32, H: 12, Styles: true})
	idle := panetest.Demo(4, 4, 4)
	idle.Scenario.Values["model"] = "flat"
	without := panetest.Host(idle)
	without.Panel.Select("group")
	draw("a knob without effect", without, panetest.Look{W: 49, H: 15})
	bytes := host("n")
	bytes.Units = grid.DecimalUnits
	draw("decimal units", bytes, panetest.Look{W: 49, H: 12})
	draw("no snapshot", panetest.Host(&engine.Snapshot{Phase: engine.Starting}), panetest.Look{W: 32, H: 8})
	for _, name := range []string{"collective", "multigrid", "spmv"} {
		w, err := workload.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		sc := w.Scenario([]string{"demo"})
		draw("workload "+name, panetest.Host(&engine.Snapshot{Scenario: sc, Layout: sc.Layout()}),
			panetest.Look{W: 40, H: 40})
	}
}

// The selected knob is shown exactly once, with its value, for every knob of every workload and at
// every size. Symbols on the border show that there are knobs above or below.
func TestTheSelectedKnobIsShown(t *testing.T) {
	for _, w := range workload.All() {
		sc := w.Scenario([]string{"demo"})
		h := panetest.Host(&engine.Snapshot{Scenario: sc, Layout: sc.Layout()})
		for i := range sc.Table {
			h.Panel.Select(sc.Table[i].Name)
			for _, size := range [][2]int{{27, 17}, {32, 8}, {40, 3}, {49, 15}, {76, 19}, {196, 55}} {
				selectedIsShown(t, h, size[0], size[1])
			}
		}
	}
}

func selectedIsShown(t *testing.T, h *pane.Host, cols, rows int) {
	t.Helper()
	p := &Pane{}
	all := h.Panel.Scenario.Table
	k := h.Panel.Knob()
	g := grid.New(cols, rows)
	b := p.Draw(g.All(), h)
	row := ""
	for line := range strings.Lines(g.PlainText()) {
		if strings.HasPrefix(line, "▸") {
			row += line
		}
	}
	value := string(appendValue(nil, k, h.Panel.Value(k.Name), h.Units))
	label, rest, short := strings.Cut(strings.TrimPrefix(row, "▸"), "…")
	if !short {
		label, rest, _ = strings.Cut(label, k.Label)
	}
	if strings.Count(row, "\n") != 1 || !strings.HasPrefix(k.Label, label) ||
		!strings.Contains(rest, " "+value+" ") && !strings.Contains(rest, " "+value+"\n") {
		t.Fatalf("%d×%d: the row of %s = %s is %q:\n%s", cols, rows, k.Name, value, row, g.PlainText())
	}
	n := len(slices.DeleteFunc(slices.Clone(p.spots), func(s spot) bool { return s.change != 0 }))
	if b.Above != (p.top > 0) || b.Below != (p.top+n < len(all)) {
		t.Errorf("%d×%d: knobs %d to %d of %d are shown, but the border is %+v", cols, rows, p.top, p.top+n, len(all), b)
	}
}

// A click selects the knob of its row. A click on an arrow of the selected knob changes it.
func TestClicksSelectAndTurn(t *testing.T) {
	h, p := host("group"), &Pane{}
	var sent []engine.Command
	h.Panel.Send = func(c engine.Command) { sent = append(sent, c) }
	draw := func() *grid.Grid {
		g := grid.New(40, 40)
		p.Draw(g.All(), h)
		return g
	}
	g := draw()
	for y := range h.Panel.Scenario.Table {
		k := &h.Panel.Scenario.Table[y]
		if !p.Click(h, 2, y) || h.Panel.Selected != k.Name {
			t.Errorf("a click on row %d selects %s, want %s:\n%s", y, h.Panel.Selected, k.Name, g.PlainText())
		}
		draw()
	}
	if p.Click(h, 2, 39) || len(sent) > 0 {
		t.Errorf("clicks on rows send %v, want no command", sent)
	}
	h.Panel.Select("group")
	g = draw()
	y := h.Panel.At()
	for _, c := range []struct {
		arrow rune
		want  string
	}{{'▸', "8"}, {'◂', "4"}} {
		for x := 2; x < g.W; x++ {
			if g.At(x, y).Rune == c.arrow {
				p.Click(h, x, y)
			}
		}
		if n := len(sent); n == 0 || sent[n-1].Value != c.want {
			t.Errorf("a click on %c sends %v, want group %s", c.arrow, sent, c.want)
		}
	}
}

// The wheel selects the knob above or below and stops at both ends. With ctrl, alt or shift held,
// it changes the knob under the mouse.
func TestTheWheelSelectsAndTurns(t *testing.T) {
	h, p := host("group"), &Pane{}
	var sent []engine.Command
	h.Panel.Send = func(c engine.Command) { sent = append(sent, c) }
	all := h.Panel.Scenario.Table
	p.Draw(grid.New(40, 40).All(), h)
	for range all {
		p.Wheel(h, 0, 0, +1)
	}
	if h.Panel.Selected != all[0].Name || p.Wheel(h, 0, 0, +1) {
		t.Errorf("after the wheel up, knob %s is selected; want the first one, with no further step", h.Panel.Selected)
	}
	for range all {
		p.Wheel(h, 0, 0, -1)
	}
	if h.Panel.Selected != all[len(all)-1].Name || p.Wheel(h, 0, 0, -1) {
		t.Errorf("after the wheel down, knob %s is selected; want the last one, with no further step", h.Panel.Selected)
	}
	h.Held = true
	y := slices.IndexFunc(all, func(k engine.Knob) bool { return k.Name == "group" })
	if !p.Wheel(h, 5, y, +1) ||
		fmt.Sprint(sent) != fmt.Sprint([]engine.Command{{Verb: engine.Set, Knob: "group", Value: "8"}}) {
		t.Errorf("the wheel with a key held over the group sends %v, want group 8", sent)
	}
	if p.Wheel(h, 5, 39, +1) {
		t.Error("the wheel with a key held below the list changes a knob")
	}
}

// Values have the largest prefix with which they are integers.
func TestValuesHaveTheirUnit(t *testing.T) {
	size := &engine.Knob{Type: engine.Size, Unit: "B"}
	seconds := &engine.Knob{Type: engine.Real, Unit: "s"}
	for _, c := range []struct {
		k     *engine.Knob
		value string
		u     grid.Units
		want  string
	}{
		{size, "0", grid.MixedUnits, "0 B"}, {size, "65536", grid.MixedUnits, "64 KiB"},
		{size, "65537", grid.MixedUnits, "65537 B"},
		{size, "65536", grid.DecimalUnits, "65536 B"}, {size, "2000000", grid.DecimalUnits, "2 MB"},
		{size, "auto", grid.MixedUnits, "auto"},
		{seconds, "1e-6", grid.MixedUnits, "1 µs"}, {&engine.Knob{}, "12", grid.MixedUnits, "12"},
		{&engine.Knob{Unit: "%"}, "12", grid.MixedUnits, "12 %"},
	} {
		if got := string(appendValue(nil, c.k, c.value, c.u)); got != c.want {
			t.Errorf("value %s in %v units is %q, want %q", c.value, c.u, got, c.want)
		}
	}
}
