package tui

import (
	"context"
	"image/color"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/tui/state"
)

// program connects Bubble Tea, the session and the app. It turns messages into calls of the app,
// sends the app's commands one by one, and keeps the last frame.
type program struct {
	ctx     context.Context // ends with the screen and cancels writing of files
	session Session
	app     *app
	screen  screen
	w, h    int
	every   time.Duration // interval of reading the session
	fixed   bool          // the theme does not follow the terminal

	buf     []byte
	frame   tea.View
	stale   bool // the frame is out of date
	sending bool // a command is in progress

	past     *recording.Past   // history of a live session; nil in a replay
	recorder *recording.Switch // records the session; nil: recording is not possible

	store      *state.Store // remembers settings and layouts; nil: none
	keeping    bool         // store is being written
	reading    bool         // the file of a composition is being read
	previewing bool         // a preview is being computed
	read       time.Time    // start of the last read
	kept       time.Time    // start of the last write

	tea     *tea.Program // runs the program; nil in tests
	chain   int          // number of the current chain of ticks
	news    time.Time    // time of the last event or new snapshot
	resting bool
	blurred bool // the terminal has no focus

	drawn int       // frames since the time since
	since time.Time // start of the count of frames
}

// tick triggers reading the session again, if it belongs to the current chain.
type tick struct {
	at    time.Time
	chain int
}

// answer is the result of a command.
type answer struct {
	command engine.Command
	err     error
}

func (p *program) Init() tea.Cmd {
	if p.fixed {
		return p.next()
	}
	return tea.Batch(p.next(), tea.RequestBackgroundColor)
}

func (p *program) next() tea.Cmd {
	every, chain := p.every, p.chain
	if p.resting {
		every = max(every, restEvery)
	}
	return tea.Tick(every, func(t time.Time) tea.Msg { return tick{t, chain} })
}

func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd, woken tea.Cmd
	if isEvent(msg) {
		woken = p.wake()
	}
	switch msg := msg.(type) {
	case tick:
		if msg.chain != p.chain {
			return p, nil
		}
		if p.app.load(p.session.Load()) {
			p.stale = true
			if p.past != nil {
				p.past.Add(p.app.latest)
			}
		}
		p.stale = p.replay() || p.stale
		p.stale = p.app.watchHost(msg.at) || p.stale
		p.stale = p.app.followExplained() || p.stale
		p.stale = p.app.followInquiry() || p.stale
		p.stale = p.app.course.isDue(msg.at) && p.app.advanceTour(msg.at) || p.stale
		if p.app.capturing != "" && p.recorder.Failed() {
			p.app.capture = true
		}
		p.stale = p.stale || p.screen.incomplete()
		p.count(msg.at)
		next := tea.Cmd(nil)
		if p.stale && !p.blurred {
			next = p.wake()
		}
		if p.mayRest(msg.at) {
			p.rest()
		}
		if next == nil {
			next = p.next()
		}
		cmd = tea.Batch(next, p.keep(msg.at), p.rereadComposition(msg.at), p.preview(), p.readClass(msg.at))
	case tea.FocusMsg:
		p.blurred = false
	case tea.BlurMsg:
		p.blurred = true
	case reread:
		p.reading, p.stale = false, true
		p.app.recompose(msg)
	case remembered:
		p.keeping = false
		if msg.err != nil {
			p.app.notice, p.stale = msg.err.Error(), true
		}
	case answer:
		p.sending = false
		p.app.Panel.HandleResult(msg.command, msg.err)
		if msg.err != nil {
			p.app.restoring = ""
		}
		p.stale = true
	case lessonOpened:
		p.app.lessonOpened(msg)
		p.stale = true
	case classRead:
		p.stale = p.app.classRead(msg, time.Now()) || p.stale
	case answered:
		p.app.showAnswer(msg)
		p.stale = true
	case lessonSaved:
		p.stale = true
		if msg.err != nil {
			p.app.notice = msg.err.Error()
		}
	case previewed:
		p.previewing, p.stale = false, true
		p.app.previewed, p.app.Forecasts = preview(msg), msg.forecasts
	case captured:
		p.app.captured(msg)
		p.stale = true
	case pictured:
		p.app.notice, p.stale = "picture written to "+msg.file, true
		if msg.err != nil {
			p.app.notice = msg.err.Error()
		}
	case saved:
		p.app.notice, p.stale = "saved to "+msg.file+": load it with "+p.app.Typed("load "+msg.name), true
		if msg.err != nil {
			p.app.notice = msg.err.Error()
		}
	case tea.WindowSizeMsg:
		p.w = msg.Width
		p.h = msg.Height
		p.stale = true
	case tea.KeyPressMsg:
		p.blurred = false // a terminal that sends keys has the focus
		p.app.press(msg.String(), msg.Key().Text)
		p.stale = true
	case tea.PasteMsg:
		p.app.insert(msg.Content)
		p.stale = true
	case tea.MouseClickMsg:
		p.click(msg)
	case tea.MouseWheelMsg:
		p.wheel(msg)
	case tea.BackgroundColorMsg:
		p.background(msg.Color, msg.IsDark())
	case tea.ColorProfileMsg:
		p.profile(msg.Profile)
	}
	if p.app.quit {
		return p, tea.Quit
	}
	if p.app.suspend {
		p.app.suspend = false
		cmd = tea.Batch(cmd, tea.Suspend)
	}
	if p.app.saving != nil {
		cmd = tea.Batch(cmd, p.saveScenario())
	}
	if p.app.copied != "" {
		cmd = tea.Batch(cmd, tea.SetClipboard(p.app.copied))
		p.app.copied = ""
	}
	if p.app.capture {
		cmd = tea.Batch(cmd, p.capture())
		p.stale = true
	}
	if p.app.course.opening != nil {
		cmd = tea.Batch(cmd, p.openLesson())
		p.stale = true
	}
	if p.app.inquiring.asked != nil {
		cmd = tea.Batch(cmd, p.startInquiry())
	}
	if p.app.course.save {
		cmd = tea.Batch(cmd, p.saveLesson())
	}
	if p.app.picture != nil {
		cmd = tea.Batch(cmd, p.takePicture())
	}
	if p.stale && !p.blurred {
		p.draw()
	}
	return p, tea.Batch(woken, cmd, p.send())
}

// send returns the next command for the session. Only one is in progress at a time, so that
// commands arrive in order.
func (p *program) send() tea.Cmd {
	if p.sending || len(p.app.out) == 0 {
		return nil
	}
	c := p.app.out[0]
	p.app.out = p.app.out[1:]
	p.sending = true
	return func() tea.Msg { return answer{c, p.session.Do(c)} }
}

func (p *program) click(msg tea.MouseClickMsg) {
	if h, ok := p.screen.hitAt(p.app, msg.X, msg.Y); ok && p.app.mouse && msg.Button == tea.MouseLeft {
		p.app.notice = ""
		h.press(p.app)
		p.stale = true
	}
}

func (p *program) wheel(msg tea.MouseWheelMsg) {
	by, ok := map[tea.MouseButton]int{tea.MouseWheelUp: +1, tea.MouseWheelDown: -1}[msg.Button]
	if h, hit := p.screen.hitAt(p.app, msg.X, msg.Y); ok && hit && h.wheel != nil && p.app.mouse {
		p.app.Held = msg.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModShift) != 0
		h.wheel(p.app, by)
		p.app.Held = false
		p.stale = true
	}
}

// background selects the dark or the light theme by the terminal's background, unless the user
// chose a theme.
func (p *program) background(_ color.Color, dark bool) {
	if p.app.chosen || p.app.Theme.Name != "dark" && p.app.Theme.Name != "light" {
		return
	}
	name := "light"
	if dark {
		name = "dark"
	}
	p.app.chooseTheme(name)
	p.app.chosen, p.stale = false, true
}

// profile selects a theme for terminals with few colours or none.
func (p *program) profile(c colorprofile.Profile) {
	name := ""
	switch {
	case p.app.chosen:
	case c == colorprofile.ANSI:
		name = "sixteen"
	case c < colorprofile.ANSI:
		name = "mono"
	}
	if name != "" {
		p.app.chooseTheme(name)
		p.app.chosen, p.stale = false, true
	}
}

// count updates the number of frames per second.
func (p *program) count(now time.Time) {
	if d := now.Sub(p.since); d >= time.Second {
		p.app.fps = int(float64(p.drawn)/d.Seconds() + 0.5)
		p.drawn, p.since = 0, now
	}
}

// draw draws the frame that View returns until the next call.
func (p *program) draw() {
	p.stale = false
	if p.w <= 0 || p.h <= 0 {
		return
	}
	p.drawn++
	g := p.screen.draw(p.app, p.w, p.h)
	p.buf = g.AppendANSI(p.buf[:0])
	p.frame = tea.NewView(string(p.buf))
	p.frame.AltScreen = true
	p.frame.WindowTitle = "hybridtop"
	p.frame.ReportFocus = true
	if p.app.mouse {
		p.frame.MouseMode = tea.MouseModeCellMotion
	}
}

// View returns the last frame.
func (p *program) View() tea.View { return p.frame }
