package tui

import (
	"context"
	"errors"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/hybridtop/hybridtop/engine"
)

func TestProgramOpensAndQuits(t *testing.T) {
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	x.shows("▸ running")
	x.mu.Lock()
	if !x.em.IsAltScreen() {
		t.Error("the screen is not the alternate one")
	}
	x.mu.Unlock()
	x.press("q")
	x.ends(nil)
}

func TestProgramTurnsAKnob(t *testing.T) {
	p := running()
	p.do = func(c engine.Command) error {
		p.snap = demo(4, 4, 8) // the player's lock is held
		return nil
	}
	x := open(t, p, nil)
	x.shows("◂ 4 ▸")
	x.key(uv.KeyRight)
	x.shows("◂ 8 ▸")
	x.shows("groups of 8")
	p.wants(t, 1, set("group", "8"))
}

func TestProgramKeepsOrder(t *testing.T) {
	p := running()
	x := open(t, p, nil)
	x.shows("◂ 4 ▸")
	x.press(" ")
	x.press("nnnr")
	x.press(":group 2\r")
	p.wants(t, 6, engine.Command{Verb: engine.Pause}, stepCommand, stepCommand, stepCommand, resetCommand,
		set("group", "2"))
}

func TestProgramRefusal(t *testing.T) {
	p := running()
	p.do = func(engine.Command) error { return errors.New("the machine has 4 nodes: use fewer") }
	x := open(t, p, nil)
	x.shows("◂ 4 ▸")
	x.press("=2\r")
	x.shows("✗ the machine has 4")
	x.shows("◂ 4 ▸")
}

func TestProgramHelpAndPalette(t *testing.T) {
	p := running()
	x := open(t, p, nil)
	x.shows("1 Cluster")
	x.press("?")
	x.shows("type to search, enter run")
	x.press("zoom-latency\r")
	x.hides("1 Cluster")
	x.shows("3 Latency")
	x.press(":")
	x.shows("tab complete, enter run")
	x.press("zoom-lat")
	x.key(uv.KeyTab)
	x.shows(": zoom-latency")
	x.key(uv.KeyEnter)
	x.shows("1 Cluster")
	x.press(":no such thing\r")
	x.shows("unknown command")
	x.key(uv.KeyEscape)
	x.hides("unknown command")
}

// The steps of a user who wants to know whether overlap pays: leave a program with a single scheme,
// start one that compares schemes, open its pane, choose another level, and read the result.
func TestProgramComparesSchemes(t *testing.T) {
	p := running()
	p.do = func(c engine.Command) error { // the player's lock is held
		switch {
		case c == set("workload", "demo-product"):
			s := scheme(1, 8, masteronly)
			s.Why, s.Change = "All threads except one are idle during communication", ""
			p.snap = s
		case c == set("threading", "multiple"):
			p.snap = scheme(1, 8)
		}
		return nil
	}
	x := open(t, p, nil)
	x.shows("1 Cluster")
	x.press(":zoom-overlap\r") // it has no number, because this program has no data for it
	x.shows("ε compares threading schemes, but demo-access has only one.")
	x.shows("type :workload demo-product, or press w")
	x.press(":workload demo-product\r")
	x.shows("4 Overlap ε")
	x.press("4")
	x.shows("no ε of masteronly")
	x.shows("All threads except one are idle")
	x.press(":threading multiple\r")
	x.shows("◆ ε 1.26 simulated  ◇ 1.30 modelled")
	x.shows("Computation is the bottleneck: the reserved thread is idle 43% of the time")
	x.shows("1.72 ms of 3.53 ms communication now")
	x.press("4")
	x.shows("1 Cluster")
	x.shows("4 Overlap ε") // replaces locality, because this program compares no group sizes
	x.hides("4 Locality")
	x.press(":zoom-locality\r")
	x.shows("this workload has no group sizes to compare")
	x.press("?")
	x.press("zoom-overlap")
	x.shows("show the gain from overlapping communication (ε)")
	x.key(uv.KeyEnter)
	x.shows("△ ε_max 1.73 at 48%")
}

func TestProgramFreezes(t *testing.T) {
	p := running()
	x := open(t, p, nil)
	x.shows("groups of 4")
	x.press("f")
	x.shows("FROZEN")
	next := demo(4, 4, 8)
	next.Iteration = 5678
	p.publish(next)
	x.shows("iteration 5678") // the run continues
	x.shows("groups of 4")    // the frozen screen does not change
	x.press("f")
	x.shows("groups of 8")
}

func TestProgramResizes(t *testing.T) {
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	resize := func(w, h int) {
		x.mu.Lock()
		x.em.Resize(w, h)
		x.mu.Unlock()
		x.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
	}
	resize(20, 5)
	x.shows("20×5, needs 30×8")
	resize(120, 40)
	x.shows("1 Cluster")
	x.shows("6 Why")
	resize(20, 5)
	x.shows("q quit")
	x.press("q")
	x.ends(nil)
}

func TestProgramMouse(t *testing.T) {
	p := running()
	x := open(t, p, nil)
	x.shows("mouse on")

	x.click(x.at("ranks/node ")) // selects the knob
	x.shows("▸ranks/node")
	x.click(x.at("◂ 4"))
	p.wants(t, 1, set("ranks-per-node", "2"))

	col, row := x.at("│  nodes")
	x.wheel(col+3, row, uv.MouseWheelDown, 0) // selects the next one
	x.shows("▸threads/rank")
	x.wheel(col+3, row, uv.MouseWheelUp, uv.ModCtrl)
	p.wants(t, 1, set("ranks-per-node", "2"), set("nodes", "8"))

	col, row = x.at("pause")
	x.click(col, row)
	p.wants(t, 1, set("ranks-per-node", "2"), set("nodes", "8"), engine.Command{Verb: engine.Pause})

	col, row = x.at("3 Latency")
	x.click(col, row) // focuses
	x.click(col, row) // zooms
	x.hides("1 Cluster")
	x.press("3")
	x.shows("1 Cluster")

	x.press("M")
	x.shows("mouse off")
	x.click(x.at("6 Why")) // goes only to the terminal
	x.press("M")
	x.shows("mouse on")
	p.wants(t, 0, set("ranks-per-node", "2"), set("nodes", "8"), engine.Command{Verb: engine.Pause})
}

// A click or a number selects a rank, and another click selects its node. An unknown rank stays on
// the input line.
func TestProgramSelects(t *testing.T) {
	p := running()
	x := open(t, p, nil)
	x.shows("│ n2 ")
	col, row := x.at("n2 ")
	x.click(col+4, row) // its second rank
	x.shows("▸ rank 9 of node 2")
	x.click(col+4, row)
	x.shows("▸ node 2")
	x.press("/rank 40")
	x.key('\r')
	x.shows("✗ no such node, rank, thread or state")
	x.ctrl('u')
	x.press("node 1")
	x.key('\r')
	x.shows("▸ node 1")
	x.press("/3-6")
	x.key('\r')
	x.shows("▸ ranks 3 to 6 4 ranks")
	x.press("/wait")
	x.key('\r')
	x.shows("▸ ranks that wait")
	x.press("/")
	x.shows("╭ Find")
	x.key('\r') // nothing
	x.hides("▸ node 1")
}

func TestProgramShowsAFailure(t *testing.T) {
	p := running()
	x := open(t, p, nil)
	x.shows("▸ running")
	s := demo(4, 4, 4)
	s.Phase, s.Failure = engine.Failed, deadlock
	p.publish(s)
	x.shows("FAILED")
	x.shows("rank 0 waits in send to 1 tag 7")
}

func TestProgramBeforeTheFirstSnapshot(t *testing.T) {
	p := &player{came: make(chan struct{}, 100)}
	x := open(t, p, nil)
	x.shows("starting…")
	p.publish(demo(4, 4, 4))
	x.shows("▸ running")
}

// A program on another terminal does not stop its process on Ctrl-Z.
func TestProgramDoesNotStopItsHost(t *testing.T) {
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	x.ctrl('z')
	x.press(":typing")
	x.shows(": typing")
}

func TestProgramEndsByCtrlC(t *testing.T) {
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	x.press(":typing")
	x.ctrl('c')
	x.ends(nil)
}

func TestProgramEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	x := openContext(ctx, t, running(), nil)
	x.shows("1 Cluster")
	cancel()
	x.ends(context.Canceled)
}

// A panic in the session after a command ends the program and restores the terminal.
func TestProgramPanic(t *testing.T) {
	p := running()
	p.do = func(engine.Command) error { panic("a bug in the session") }
	x := open(t, p, nil)
	x.shows("1 Cluster")
	x.press(" ")
	x.ends(tea.ErrProgramPanic)
}

func TestThemeFollowsTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name    string
		options func(*Options)
		message tea.Msg
		want    string
	}{
		{"NO_COLOR", func(o *Options) { o.Environ = []string{"TERM=xterm-256color", "NO_COLOR=yes"} }, nil, "mono"},
		{"empty NO_COLOR", func(o *Options) { o.Environ = []string{"NO_COLOR="} }, nil, "dark"},
		{"chosen", func(o *Options) { o.Theme = "high-contrast" }, nil, "high-contrast"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o Options
			c.options(&o)
			p, err := newProgram(running(), o)
			if err != nil {
				t.Fatal(err)
			}
			if p.app.Theme.Name != c.want {
				t.Errorf("theme %s, want %s", p.app.Theme.Name, c.want)
			}
		})
	}
	if _, err := newProgram(running(), Options{Theme: "neon"}); err == nil || !strings.Contains(err.Error(), "dark") {
		t.Errorf("an unknown theme: %v", err)
	}
}

// ASCII replaces braille and rounded boxes if the terminal cannot show them. --ascii overrides
// this.
func TestASCIIFollowsTheEnvironment(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		environ string
		chosen  *bool
		want    bool
	}{
		{"TERM=xterm-256color", nil, false},
		{"TERM=xterm-256color LANG=C.UTF-8", nil, false},
		{"TERM=xterm-256color LANG=de_DE.utf8", nil, false},
		{"TERM=linux LANG=C.UTF-8", nil, true},
		{"TERM=dumb", nil, true},
		{"TERM=xterm LANG=de_DE.ISO-8859-1", nil, true},
		{"TERM=xterm LANG=C", nil, true},
		{"TERM=xterm LC_ALL=POSIX LANG=en_US.UTF-8", nil, true},
		{"TERM=xterm LC_ALL=en_US.UTF-8 LANG=C", nil, false},
		{"TERM=xterm LC_ALL= LC_CTYPE=en_US.UTF-8 LANG=C", nil, false},
		{"TERM=linux", &no, false},
		{"TERM=xterm LANG=C.UTF-8", &yes, true},
	} {
		p, err := newProgram(running(), Options{Environ: strings.Fields(c.environ), ASCII: c.chosen})
		if err != nil {
			t.Fatal(err)
		}
		p.w, p.h = 80, 24
		p.draw()
		beyond := strings.ContainsAny(p.frame.Content, "╭╮╰╯│─⣀⠤")
		if beyond == c.want {
			t.Errorf("%s: ASCII alone is %v, want %v", c.environ, !beyond, c.want)
		}
	}
}

func TestFrameRate(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want int
	}{
		{Options{Environ: []string{}}, localFPS},
		{Options{Environ: []string{"SSH_TTY=/dev/pts/1"}}, remoteFPS},
		{Options{Environ: []string{"SSH_CONNECTION=a b c d"}}, remoteFPS},
		{Options{Environ: []string{"SSH_TTY=/dev/pts/1"}, FPS: 30}, 30},
		{Options{FPS: 1000}, maxFPS},
	} {
		if got := c.o.fps(); got != c.want {
			t.Errorf("%+v: %d frames a second, want %d", c.o, got, c.want)
		}
	}
}

// TestPaste checks that a paste types text without its control characters, and that line breaks become blanks.
func TestPaste(t *testing.T) {
	p, err := newProgram(running(), Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.Update(tea.PasteMsg{Content: "nobody asked"})
	keys(p.app, ":")
	p.Update(tea.PasteMsg{Content: "set \x1b[31mgroup\r\n 8"})
	if got := typedText(p.app); got != "set [31mgroup   8" {
		t.Errorf("typed %q", got)
	}
}

// The theme follows the background and the colours of the terminal until the user chooses one.
func TestThemeFollowsWhatTheTerminalTells(t *testing.T) {
	p, err := newProgram(running(), Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		msg  tea.Msg
		want string
	}{
		{tea.BackgroundColorMsg{Color: color.White}, "light"},
		{tea.BackgroundColorMsg{Color: color.Black}, "dark"},
		{tea.ColorProfileMsg{Profile: colorprofile.ANSI}, "sixteen"},
		{tea.ColorProfileMsg{Profile: colorprofile.ASCII}, "mono"},
		{tea.KeyPressMsg{Code: 't', Text: "t"}, "dark"},
		{tea.BackgroundColorMsg{Color: color.White}, "dark"},
	} {
		p.Update(step.msg)
		if p.app.Theme.Name != step.want {
			t.Errorf("after %T: %s, want %s", step.msg, p.app.Theme.Name, step.want)
		}
	}
}

// A terminal without focus gets no frame. With the focus, it gets the latest one.
func TestNothingIsDrawnWithoutFocus(t *testing.T) {
	player := running()
	p, err := newProgram(player, Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if !p.View().ReportFocus {
		t.Fatal("the screen asks for no focus reports")
	}
	for _, back := range []tea.Msg{tea.FocusMsg{}, tea.KeyPressMsg{Code: 'z', Text: "z"}} {
		p.Update(tea.BlurMsg{})
		before := p.drawn
		for group := range 5 {
			player.snap = demo(4, 4, 1<<(group%3))
			p.Update(tick{at: p.since, chain: p.chain})
		}
		if p.drawn != before || !p.resting {
			t.Errorf("%d frames were drawn without focus, resting %v", p.drawn-before, p.resting)
		}
		if p.Update(back); p.drawn == before || p.resting {
			t.Errorf("after %T: %d frames, resting %v", back, p.drawn-before, p.resting)
		}
	}
}

// A screen of a paused session rests until a key comes or the session publishes. Only one chain of ticks
// goes on.
func TestPausedScreenRests(t *testing.T) {
	player := running()
	p, err := newProgram(player, Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	later := func() tick { return tick{at: p.news.Add(2 * restAfter), chain: p.chain} }
	if p.Update(later()); p.resting {
		t.Error("the screen of a running session rests")
	}
	paused := *demo(4, 4, 4)
	paused.Phase = engine.Paused
	player.snap = &paused
	p.Update(later()) // news
	old := later()
	if p.Update(old); !p.resting {
		t.Fatal("the screen of a paused session does not rest")
	}
	p.Update(tea.KeyPressMsg{Code: 'z', Text: "z"})
	if p.resting {
		t.Error("the screen rests after a key")
	}
	if _, cmd := p.Update(old); cmd != nil {
		t.Error("the tick from before the key starts a second chain")
	}
	p.Update(later())
	next := paused
	player.snap = &next
	if p.Update(later()); p.resting {
		t.Error("the screen rests after a new snapshot")
	}
}

// A terminal without a size counts as 80×24. The screen draws a part of a huge one.
func TestSized(t *testing.T) {
	for _, c := range []struct{ columns, rows, w, h int }{
		{0, 0, 80, 24}, {0, 30, 80, 24}, {120, 40, 120, 40}, {10000, 10000, maxColumns, maxRows}, {10000, 3, maxColumns, 3},
	} {
		if got, want := sized(c.columns, c.rows), (tea.WindowSizeMsg{Width: c.w, Height: c.h}); got != want {
			t.Errorf("a terminal of %d×%d: %v, want %v", c.columns, c.rows, got, want)
		}
	}
}

// An idle program draws nothing until something changes.
func TestNothingNewIsNotDrawn(t *testing.T) {
	p, err := newProgram(running(), Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	before := p.drawn
	for range 10 {
		p.Update(tick{at: p.since})
	}
	if p.drawn != before {
		t.Errorf("%d frames were drawn of nothing new", p.drawn-before)
	}
}
