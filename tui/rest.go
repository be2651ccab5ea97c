package tui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
)

// A program rests if nothing on its screen changes by itself: the session is paused or has ended,
// or the terminal has no focus. It then reads the session once per restEvery, and Bubble Tea's
// renderer, which otherwise looks at the frame 60 times per second, stops. A key, an event or a new
// snapshot ends the rest.
const (
	restAfter = time.Second
	restEvery = 2 * time.Second
)

// mayRest reports whether the screen changes only by events.
func (p *program) mayRest(now time.Time) bool {
	if p.blurred {
		return true
	}
	if p.stale || p.sending || p.app.isExplaining() || now.Sub(p.news) < restAfter {
		return false
	}
	if p.app.replay != nil {
		return !p.app.replay.Playing
	}
	switch p.app.latest.Phase {
	case engine.Paused, engine.Ended, engine.Failed:
		return true
	}
	return false
}

// rest stops the renderer until wake.
func (p *program) rest() {
	if !p.resting {
		p.resting = true
		if t := p.rendererTicker(); t != nil {
			t.Stop()
		}
	}
}

// wake ends a rest. It returns the command that reads the session again, if there was a rest.
func (p *program) wake() tea.Cmd {
	p.news = time.Now()
	if !p.resting {
		return nil
	}
	p.resting = false
	if t := p.rendererTicker(); t != nil {
		t.Reset(time.Second / maxFPS)
	}
	p.chain++ // the pending tick is out of date
	return p.next()
}

// rendererTicker returns the ticker of Bubble Tea's renderer, or nil. Bubble Tea has no call to stop
// it.
func (p *program) rendererTicker() *time.Ticker {
	if p.tea == nil {
		return nil
	}
	f := reflect.ValueOf(p.tea).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}

// isEvent reports whether a message changes the screen, or may.
func isEvent(msg tea.Msg) bool {
	switch msg.(type) {
	case tick, reread, remembered, classRead, tea.BlurMsg:
		return false
	}
	return true
}
