package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// typedText returns the text of the input line.
func typedText(a *app) string { return a.over.Line().String() }

// keys presses keys. A word in quotes is typed.
func keys(a *app, all ...string) {
	for _, k := range all {
		if text, ok := strings.CutPrefix(k, "'"); ok {
			for _, r := range text {
				a.press(string(r), string(r))
			}
			continue
		}
		text := ""
		if len(k) == 1 {
			text = k
		}
		a.press(k, text)
	}
}

// Keys send the right commands.
func TestKeysSendCommands(t *testing.T) {
	set := func(knob, value string) engine.Command {
		return engine.Command{Verb: engine.Set, Knob: knob, Value: value}
	}
	for _, c := range []struct {
		name  string
		keys  []string
		phase engine.Phase
		want  []engine.Command
	}{
		{"space pauses", []string{"space"}, engine.Running, []engine.Command{{Verb: engine.Pause}}},
		{"space goes on", []string{"space"}, engine.Paused, []engine.Command{{Verb: engine.Resume}}},
		{"space restarts a failed run", []string{"space"}, engine.Failed, []engine.Command{set("n", "65536")}},
		{"space restarts a run that has ended", []string{"space"}, engine.Ended, []engine.Command{set("n", "65536")}},
		{"n steps", []string{"n"}, engine.Paused, []engine.Command{{Verb: engine.Step}}},
		{"r resets", []string{"r"}, engine.Running, []engine.Command{{Verb: engine.Reset}}},
		{"u undoes", []string{"right", "u"}, engine.Running, []engine.Command{set("group", "8"), {Verb: engine.Undo}}},
		{"U redoes", []string{"U"}, engine.Running, []engine.Command{{Verb: engine.Redo}}},
		{"backspace turns to the default", []string{"backspace", "down", "delete"}, engine.Running,
			[]engine.Command{{Verb: engine.Default, Knob: "group"}, {Verb: engine.Default, Knob: "n"}}},
		{"reset turns all to their defaults", []string{":", "'reset", "enter"}, engine.Running,
			[]engine.Command{{Verb: engine.Default}}},
		{"right turns up", []string{"right"}, engine.Running, []engine.Command{set("group", "8")}},
		{"left turns down", []string{"left"}, engine.Running, []engine.Command{set("group", "2")}},
		{"turns before the answer count on", []string{"right", "right"}, engine.Running,
			[]engine.Command{set("group", "16")}},
		{"an end is an end", []string{"left", "left", "left", "left"}, engine.Running, []engine.Command{set("group", "1")}},
		{"down selects another knob", []string{"down", "right"}, engine.Running, []engine.Command{set("n", "1048576")}},
		{"a folded group is skipped", []string{"up", "F", "up", "right"}, engine.Running,
			[]engine.Command{set("dilation", "10")}},
		{"down and up again", []string{"down", "up", "tab", "shift+tab", "right"}, engine.Running,
			[]engine.Command{set("group", "8")}},
		{"a value is typed", []string{"enter", "'16", "enter"}, engine.Running, []engine.Command{set("group", "16")}},
		{"a value is corrected", []string{"=", "'17", "backspace", "'6", "enter"}, engine.Running,
			[]engine.Command{set("group", "16")}},
		{"esc leaves the value", []string{"enter", "'16", "esc"}, engine.Running, nil},
		{"nonsense is not sent", []string{"enter", "'many", "enter"}, engine.Running, nil},
		{"w takes the next workload", []string{"w"}, engine.Running, []engine.Command{set("workload", "demo-dot")}},
		{"palette sets", []string{":", "'set group 8", "enter"}, engine.Running, []engine.Command{set("group", "8")}},
		{"palette needs no set", []string{":", "'group 8", "enter"}, engine.Running, []engine.Command{set("group", "8")}},
		{"palette reads =", []string{":", "'eager-limit=4KiB", "enter"}, engine.Running,
			[]engine.Command{set("eager-limit", "4096")}},
		{"palette finds an action", []string{":", "'pau", "enter"}, engine.Running, []engine.Command{{Verb: engine.Pause}}},
		{"palette takes a workload", []string{":", "'workload demo-dot", "enter"}, engine.Running,
			[]engine.Command{set("workload", "demo-dot")}},
		{"palette completes a value without set", []string{":", "'threading fun", "enter"}, engine.Running,
			[]engine.Command{set("threading", "funneled")}},
		{"palette knows other names of knobs", []string{":", "'threads 2", "enter"}, engine.Running,
			[]engine.Command{set("threads-per-rank", "2")}},
		{"palette runs no guess", []string{":", "'iter", "enter", "esc"}, engine.Running, nil},
		{"palette runs none of several", []string{":", "'zoo", "enter", "esc"}, engine.Running, nil},
		{"a guess is chosen by hand", []string{":", "'tep", "down", "enter"}, engine.Running,
			[]engine.Command{{Verb: engine.Step}}},
		{"tab completes to the value", []string{":", "'set gro", "tab", "'2", "enter"}, engine.Running,
			[]engine.Command{set("group", "2")}},
		{"the second offer", []string{":", "'set group ", "down", "enter"}, engine.Running,
			[]engine.Command{set("group", "1")}},
		{"o chooses a machine", []string{"o", "down", "down", "enter"}, engine.Running,
			[]engine.Command{set("machine", "xc30-edison")}},
		{"the list is narrowed by typing", []string{"o", "'nersc", "enter"}, engine.Running,
			[]engine.Command{set("machine", "xc30-edison")}},
		{"esc leaves the machine", []string{"o", "down", "esc"}, engine.Running, nil},
		{"no machine is none", []string{"o", "'abacus", "enter", "esc"}, engine.Running, nil},
		{"help runs an action", []string{"?", "'iteration, then pause", "enter"}, engine.Running,
			[]engine.Command{{Verb: engine.Step}}},
		{"typing q in a line does not quit", []string{":", "'q", "esc"}, engine.Running, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := demo(4, 4, 4)
			s.Phase = c.phase
			a := shownApp(s)
			keys(a, c.keys...)
			if diff := cmp.Diff(c.want, a.out); diff != "" {
				t.Error(diff)
			}
			if a.quit {
				t.Error("the program quits")
			}
		})
	}
}

// Enter on the knob machine opens the list with the current machine selected.
func TestPickerOfTheMachineKnob(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	a.Set("machine", "xc30-edison")
	a.Panel.Select("machine")
	keys(a, "enter")
	var s screen
	text := s.draw(a, 80, 24).PlainText()
	for _, want := range []string{"▸xc30-edison", "5,576 nodes", "paper 3, section VI: two 12-core", "▾"} {
		if !strings.Contains(text, want) {
			t.Errorf("not on the screen: %q\n%s", want, text)
		}
	}
	a.overHost.Machines = []cluster.Machine{{Name: "xc30-edison", Title: "My own", Progress: cluster.ProgressCall}}
	keys(a, "esc", "enter")
	if text := s.draw(a, 80, 24).PlainText(); !strings.Contains(text, "My own") {
		t.Errorf("the user's own machine is not shown:\n%s", text)
	}
}

// A machine that arrives while the list is open is added to the list.
func TestPickerOfAGrowingList(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	a.Panel.Select("machine")
	keys(a, "enter")
	grown := demo(4, 4, 4)
	for i := range grown.Scenario.Table {
		if k := &grown.Scenario.Table[i]; k.Name == "machine" {
			k.Choices = append(slices.Clone(k.Choices), "sr8000")
		}
	}
	a.load(grown)
	keys(a, "s", "r", "8")
	var s screen
	if text := s.draw(a, 80, 24).PlainText(); !strings.Contains(text, "▸sr8000") {
		t.Errorf("the new machine is not shown:\n%s", text)
	}
}

// After scrolling by any amount, the last facts stay on the screen.
func TestScrollingFacts(t *testing.T) {
	p, err := newProgram(&player{snap: demo(4, 4, 4)}, Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.w, p.h = 80, 24
	keys(p.app, "o", "down", "down")
	for range 100 {
		keys(p.app, "pgdown")
	}
	p.draw()
	end := p.screen.g.PlainText()
	if !strings.Contains(end, "▴") || strings.Contains(end, "▾") {
		t.Errorf("this is not the end:\n%s", end)
	}
	keys(p.app, "pgup")
	p.draw()
	if p.screen.g.PlainText() == end {
		t.Error("pgup does not leave the end")
	}
}

func TestHistoryOfThePalette(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, ":", "'group 8", "enter", ":", "'theme mono", "enter", ":", "ctrl+p", "ctrl+p")
	if got := typedText(a); got != "set group 8" {
		t.Errorf("two back is %q", got)
	}
	keys(a, "ctrl+n")
	if got := typedText(a); got != "theme mono" {
		t.Errorf("one forward is %q", got)
	}
	keys(a, "ctrl+n")
	if got := typedText(a); got != "" {
		t.Errorf("behind the last is %q", got)
	}
}

func TestPaletteSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"set gruop 8":   `unknown knob "gruop"`,
		"set group big": `group = "big": want a whole number`,
		"xyzzy":         "unknown command",
	} {
		a := shownApp(demo(4, 4, 4))
		keys(a, ":", "'"+text, "enter")
		if a.over == nil || !strings.Contains(a.over.Offer(), want) {
			t.Errorf("%s: the command line does not say %q", text, want)
		}
		if len(a.out) != 0 {
			t.Errorf("%s: sends %v", text, a.out)
		}
	}
}

// A refused value is reset, and its knob shows the reason.
func TestRefusedValue(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "enter", "'3", "enter", "down")
	if a.Requested("group") != "3" {
		t.Fatalf("shown is %s", a.Requested("group"))
	}
	a.Panel.HandleResult(a.out[0], errors.New("group = 3 does not divide 16 ranks: use 2 or 4"))
	if a.Requested("group") != "4" || a.Panel.Selected != "group" || !strings.Contains(a.Panel.Fault.Text, "use 2 or 4") {
		t.Errorf("shown is %s, selected %s, said %q", a.Requested("group"), a.Panel.Selected, a.Panel.Fault.Text)
	}
	var s screen
	if text := s.draw(a, 120, 40).PlainText(); !strings.Contains(text, "✗ group = 3 does not") {
		t.Errorf("the reason is not on the screen:\n%s", text)
	}
}

// A requested value is shown at once and stays until a snapshot has it.
func TestAskedValue(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "right")
	a.Panel.HandleResult(a.out[0], nil)
	a.load(demo(4, 4, 4))
	if a.Requested("group") != "8" {
		t.Errorf("before the session has it: %s", a.Requested("group"))
	}
	a.load(demo(4, 4, 8))
	if a.Panel.Pending("group") || a.Requested("group") != "8" {
		t.Errorf("after: %v, %s", a.Panel.Pending("group"), a.Requested("group"))
	}
}

// After an undo, earlier requests are no longer pending, and a refusal is shown.
func TestAskedValueThatIsUndone(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "right", "u")
	if a.Panel.Pending("group") || a.Requested("group") != "4" {
		t.Errorf("shown is %s, waited for: %v", a.Requested("group"), a.Panel.Pending("group"))
	}
	a.Panel.HandleResult(a.out[0], nil)
	a.Panel.HandleResult(a.out[1], errors.New("there is nothing to undo"))
	if a.notice != "there is nothing to undo" {
		t.Errorf("said %q", a.notice)
	}
}

func TestFreezeStopsTheScreenAlone(t *testing.T) {
	first, second := demo(4, 4, 4), demo(4, 4, 8)
	a := shownApp(first)
	keys(a, "f")
	if a.load(second); a.Snap != first || a.latest != second {
		t.Error("the screen moves while frozen, or the run is not followed")
	}
	keys(a, "f")
	if a.Snap != second {
		t.Error("thawed, the screen is old")
	}
}

func TestZoomFocusAndBack(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "4")
	if !a.zoomed || a.focus != localityPane {
		t.Fatal("4 does not zoom the locality")
	}
	if p := arrange(200, 60, a); p.shown != 1 || p.pane(localityPane, a.specs).Empty() {
		t.Errorf("zoomed shows %d panes", p.shown)
	}
	keys(a, "4")
	if a.zoomed {
		t.Error("4 again does not leave the zoom")
	}
	keys(a, "4", "c", "2") // the chart is hidden, so no pane handles c
	if _, back := a.findAction("back"); back.Do != nil {
		t.Error("c acts on a hidden pane")
	}
	keys(a, "c", "esc")
	if _, back := a.findAction("back"); back.Do != nil || !a.zoomed {
		t.Error("esc leaves more than the crosshair")
	}
	keys(a, "esc", "f", "esc")
	if a.zoomed || a.frozen {
		t.Error("esc leaves neither zoom nor freeze")
	}
}

// At every size something is visible, panes never overlap, and the focused pane is visible if any
// pane is.
func TestArrange(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	a := shownApp(demo(4, 4, 4))
	step := 1
	if testing.Short() {
		step = 3 // a third of the widths for each pane, another third for the next one
	}
	for _, phase := range []engine.Phase{engine.Running, engine.Failed} {
		a.Snap.Phase = phase
		for focus := range a.panes {
			a.focus = focus
			for w := focus % step; w < 210; w += step {
				for h := range 70 {
					checkPlaces(t, arrange(w, h, a), a, w, h)
				}
			}
		}
	}
}

func checkPlaces(t *testing.T, p arrangement, a *app, w, h int) {
	t.Helper()
	all := append(p.at[:], p.header, p.status, p.footer, p.why, p.lines)
	for _, b := range p.extra {
		all = append(all, b.at)
	}
	area := 0
	for i, r := range all {
		area += r.W * r.H
		if !r.Empty() && (r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h) {
			t.Fatalf("%d×%d: %v leaves the screen", w, h, r)
		}
		for _, o := range all[:i] {
			if !r.Intersect(o).Empty() {
				t.Fatalf("%d×%d: %v and %v overlap", w, h, r, o)
			}
		}
	}
	if area != w*h {
		t.Fatalf("%d×%d: %d cells of %d are used", w, h, area, w*h)
	}
	if a.Snap.Phase != engine.Failed && p.lines.Empty() && w > 0 && h > 0 && p.pane(a.focus, a.specs).Empty() {
		t.Fatalf("%d×%d: the focused pane is not shown", w, h)
	}
	if a.Snap.Phase == engine.Failed && p.lines.Empty() && w > 0 && h > 0 && p.pane(whyPane, a.specs).Empty() {
		t.Fatalf("%d×%d: the failure is not shown", w, h)
	}
}

// Texts of a session never reach the terminal as commands.
func TestNoControlCharacters(t *testing.T) {
	bad := "\x1b[2J\x07\x9b31m\r\n\u202e"
	s := demo(4, 4, 4)
	s.Why = bad
	s.Change = bad
	s.Failure = bad
	s.Machine = bad
	s.LaunchLine = bad
	s.Marks[0].Label, s.Verification.Detail = bad, bad
	s.Warnings = []string{bad}
	s.Metrics[0].Name, s.Metrics[1].Unit = bad, bad
	for _, phase := range []engine.Phase{engine.Running, engine.Failed} {
		s.Phase = phase
		a := shownApp(s)
		a.notice = bad
		a.Panel.ShowError("group", errors.New(bad))
		for _, size := range [][2]int{{20, 5}, {80, 24}, {200, 60}} {
			var sc screen
			for _, r := range sc.draw(a, size[0], size[1]).PlainText() {
				if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e) {
					t.Fatalf("%v: %U is on the screen", size, r)
				}
			}
		}
	}
}

// Every theme and every odd snapshot can be drawn at every size.
func TestDrawsAnything(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	odd := []*engine.Snapshot{nothing, demo(1, 1, 1), demo(3, 5, 15), demo(200, 30, 1), scheme(1, 2), scheme(63, 64),
		wildScheme()}
	odd = append(odd,
		&engine.Snapshot{Phase: engine.Running, Layout: cluster.Layout{Nodes: 7, RanksPerNode: 3, Model: cluster.Flat}})
	for i, s := range odd {
		for k, th := range grid.Themes() {
			if testing.Short() && k%3 != i%3 {
				continue // combine each theme with some snapshots and each snapshot with some themes
			}
			a := shownApp(s)
			a.chooseTheme(th.Name)
			if s.Study(study.EpsilonName) != nil {
				a.focus = epsilonPane
			}
			var sc screen
			for over := range len(a.overlays) + 1 {
				if a.closeOverlay(); over > 0 {
					a.toggle(over - 1)
				}
				for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 9}, {31, 9}, {33, 8}, {61, 17}, {101, 29}, {140, 28},
					{320, 100}} {
					g := sc.draw(a, size[0], size[1])
					if g.W != size[0] || g.H != size[1] {
						t.Fatalf("snapshot %d, %s: %d×%d, want %v", i, th.Name, g.W, g.H, size)
					}
				}
			}
		}
	}
}

func TestMessagesOfOtherCommands(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	a.Panel.HandleResult(engine.Command{Verb: engine.Step}, fmt.Errorf("the session has ended"))
	if a.notice != "the session has ended" || a.Panel.Fault.Text != "" {
		t.Errorf("notice %q, wrong %q", a.notice, a.Panel.Fault.Text)
	}
	a.Panel.HandleResult(engine.Command{Verb: engine.Set, Knob: "workload", Value: "x"},
		fmt.Errorf("this session keeps its workload"))
	if a.notice != "this session keeps its workload" {
		t.Errorf("notice %q", a.notice)
	}
}
