package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/state"
	"github.com/hybridtop/hybridtop/tui/tty"
)

// Session is the source of snapshots and the receiver of commands. Load never waits; Do waits until
// the session answers.
type Session interface {
	// Load returns the latest snapshot, or nil before the first one.
	Load() *engine.Snapshot
	// Do runs a command, or returns the reason why it cannot.
	Do(engine.Command) error
}

// Options configures the screen. The zero value suits a terminal.
type Options struct {
	Theme   string // name of the theme; "": by the terminal and NO_COLOR
	Units   string // name of the units of sizes and rates; "": the remembered ones
	ASCII   *bool  // draw only ASCII characters; nil: decide by terminal and locale
	NoMouse bool   // leave the mouse to the terminal
	FPS     int    // maximum number of frames per second; 0: 20, or 8 over SSH

	Pane     string            // name of the focused pane; "": the remembered one
	Scenario *presets.Scenario // the scenario that the session runs, for its text and first knob; nil: none
	Notice   string            // message in the status line until the first key
	Lesson   *Lesson           // lesson to open; nil: none

	// Store saves settings, and Kept holds the ones that it had. A nil Store saves nothing.
	Store *state.Store
	Kept  state.Kept
	Warn  func(error) // called if settings cannot be saved at the end

	// Machines holds the user's machines, in addition to the presets.
	Machines []cluster.Machine

	// Record records the session while it is on; nil: recording is not possible.
	Record *recording.Switch

	// Terminal is the terminal of the process; nil if Input and Output replace it.
	Terminal *tty.Terminal

	// Input, Output and Environ replace those of the process if they are set.
	Input   io.Reader
	Output  io.Writer
	Environ []string
	// Width and Height are the columns and rows of an Output that is not a terminal.
	Width, Height int
}

// Default and maximum numbers of frames per second.
const (
	localFPS  = 20
	remoteFPS = 8
	maxFPS    = 60
)

// Run shows the session until the user quits or the context ends. Then it restores the terminal.
func Run(ctx context.Context, s Session, o Options) error {
	p, screen, err := prepare(ctx, s, o)
	if err != nil {
		return err
	}
	err = play(ctx, screen, o)
	p.app.closeDesk()
	if saveErr := errors.Join(p.app.course.saveLast(ctx), p.keepLast(ctx)); saveErr != nil && o.Warn != nil {
		o.Warn(saveErr)
	}
	return err
}

// play runs the Bubble Tea program on its terminal.
func play(ctx context.Context, p *tea.Program, o Options) error {
	if t := o.Terminal; t != nil {
		over := make(chan struct{})
		defer close(over)
		go forward(p, t, over)
		t.Take()
	}
	_, err := p.Run()
	if o.Terminal != nil {
		o.Terminal.Leave()
	}
	if !errors.Is(err, tea.ErrProgramPanic) && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}

// stop asks the program to suspend itself. It is ignored if the program was suspended after the
// signal came.
type stop struct{ signalled time.Time }

// continued reports that the job was stopped and another program may have changed the terminal.
type continued struct{}

// forward passes requests to stop and to continue to the program.
func forward(p *tea.Program, t *tty.Terminal, over <-chan struct{}) {
	for {
		select {
		case <-t.Stops():
			p.Send(stop{time.Now()})
		case <-t.Resized():
			p.Send(sized(t.Size()))
		case <-t.Continued():
			p.Send(continued{})
		case <-over:
			return
		}
	}
}

// rendererTime is much longer than a renderer needs to end.
const rendererTime = 50 * time.Millisecond

// suspension leaves the terminal before the job stops, and takes it back when the job continues. It
// is a filter because it must run between two messages and before Bubble Tea, which would stop the
// job itself. A program without its own terminal ignores requests to suspend.
func suspension(p **tea.Program, t *tty.Terminal) func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time // when the job continued
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		suspend := t.Suspend
		switch msg := msg.(type) {
		case tea.SuspendMsg:
			if t == nil {
				return nil
			}
		case stop:
			if msg.signalled.Before(last) {
				return nil
			}
		case continued:
			suspend = func() {}
		case tea.WindowSizeMsg:
			return sized(msg.Width, msg.Height)
		default:
			return msg
		}
		if err := (*p).ReleaseTerminal(); err != nil {
			return nil // the terminal is gone
		}
		t.Leave()
		suspend()
		last = time.Now()
		// The released renderer may still be about to stop the ticker that it shares with the next
		// renderer.
		time.Sleep(rendererTime)
		t.Take()
		if err := (*p).RestoreTerminal(); err != nil {
			return nil
		}
		if t.Resized() != nil {
			go (*p).Send(sized(t.Size()))
		}
		return tea.ResumeMsg{}
	}
}

// prepare creates the model and its Bubble Tea program.
func prepare(ctx context.Context, s Session, o Options) (*program, *tea.Program, error) {
	p, err := newProgram(s, o)
	if err != nil {
		return nil, nil, err
	}
	p.ctx = ctx
	p.tea = wrap(ctx, p, o)
	return p, p.tea, nil
}

// wrap creates the Bubble Tea program of a model.
func wrap(ctx context.Context, m tea.Model, o Options) *tea.Program {
	// Signals end the context, or reach the program through its terminal.
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithEnvironment(o.environ()), tea.WithoutSignalHandler()}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	if t := o.Terminal; t != nil && t.Resized() != nil && o.Output == nil {
		// Bubble Tea allocates cells for the terminal's whole size, which may be any. It does not ask for
		// the size of an output that is not a file.
		size := sized(t.Size())
		options = append(options, tea.WithOutput(struct{ io.Writer }{os.Stdout}),
			tea.WithWindowSize(size.Width, size.Height),
			tea.WithColorProfile(colorprofile.Detect(os.Stdout, o.environ())))
	}
	if o.Width > 0 && o.Height > 0 {
		options = append(options, tea.WithWindowSize(o.Width, o.Height))
	}
	var program *tea.Program
	options = append(options, tea.WithFilter(suspension(&program, o.Terminal)))
	if t := o.Terminal; t != nil && t.Held() { // a panic ends the process, and the holder restores the terminal
		options = append(options, tea.WithoutCatchPanics())
	}
	program = tea.NewProgram(m, options...)
	return program
}

func newProgram(s Session, o Options) (*program, error) {
	a := newApp()
	a.ascii = o.UsesASCII()
	a.mouse = !o.NoMouse
	a.overHost.Machines = o.Machines
	name, left := o.Theme, o.Kept
	if name == "" && o.env("NO_COLOR") != "" {
		name = "mono"
	}
	if name != "" {
		left.Theme = ""
	}
	if o.NoMouse {
		left.Mouse = nil
	}
	if o.Units != "" {
		left.Units = o.Units
	}
	notes := a.restore(left)
	if name != "" && !a.chooseTheme(name) {
		var names []string
		for _, th := range grid.Themes() {
			names = append(names, th.Name)
		}
		return nil, fmt.Errorf("unknown theme %q: want one of %s", name, strings.Join(names, ", "))
	}
	if o.Scenario != nil {
		w, err := workload.Find(o.Scenario.Workload)
		if err != nil {
			return nil, err
		}
		a.first = o.Scenario.FirstKnob
		a.guide.show(o.Scenario, w.Name)
	}
	a.load(s.Load())
	if o.Pane != "" {
		if err := a.openPane(o.Pane); err != nil {
			return nil, err
		}
	}
	p := &program{session: s, app: a, fixed: a.chosen, since: time.Now(), store: o.Store, recorder: o.Record}
	if p.replay(); a.replay == nil {
		p.past = recording.NewPast()
		a.past = p.past.At
	}
	if o.Store != nil {
		notes = append(slices.Clone(o.Store.Warnings), notes...)
		w := a.workloads[a.latest.Scenario.Workload]
		w.Knobs = a.latest.Scenario.Values // from the command line; saved only when a knob changes
		a.workloads[a.latest.Scenario.Workload] = w
		o.Store.Began(a.kept())
	}
	a.course.opening = o.Lesson
	a.notice = o.Notice
	if len(notes) > 0 {
		a.notice = notes[0]
	}
	p.every = time.Second / time.Duration(o.fps())
	return p, nil
}

// fps returns the maximum frame rate. The default is lower over SSH.
func (o *Options) fps() int {
	switch {
	case o.FPS > 0:
		return min(o.FPS, maxFPS)
	case o.env("SSH_TTY") != "" || o.env("SSH_CONNECTION") != "":
		return remoteFPS
	}
	return localFPS
}

// The smallest screen with six panes.
const (
	FullColumns = sixW
	FullRows    = sixH
)

// UsesASCII reports whether the screen uses only ASCII characters. The Linux console has 256 or 512
// glyphs, a dumb terminal may have any, and a locale other than UTF-8 shows other bytes.
func (o *Options) UsesASCII() bool {
	if o.ASCII != nil {
		return *o.ASCII
	}
	if term := o.env("TERM"); term == "linux" || term == "dumb" {
		return true
	}
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first one that is set decides (POSIX)
		if locale := strings.ToUpper(o.env(name)); locale != "" {
			return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
		}
	}
	return false
}

func (o *Options) environ() []string {
	if o.Environ != nil {
		return o.Environ
	}
	return os.Environ()
}

// env returns the value of an environment variable.
func (o *Options) env(name string) string {
	for _, kv := range o.environ() {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}
