package tui

import (
	"fmt"
	"io"
	"time"

	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/tui/export"
)

// CastOf says what of a recording becomes a cast.
type CastOf struct {
	W, H        int
	From, Until time.Duration // of the run; Until 0: to its end
	Title       string
}

// Bounds of a cast: screens a second at most, and in all, which a long recording spreads
// over its length.
const (
	castEvery  = 100 * time.Millisecond
	mostFrames = 6000
)

// castStep is the time between two screens of a cast of some length.
func castStep(length time.Duration) time.Duration {
	return max(castEvery, (length+mostFrames-1)/mostFrames)
}

// Cast writes a recording as the screen shows it, with a chapter at each mark.
func Cast(w io.Writer, p *recording.Player, of CastOf) error {
	from, until := max(of.From, p.Begin()), p.Length
	if of.Until > 0 {
		until = min(until, of.Until)
	}
	if until < from {
		return fmt.Errorf("from %v until %v: the recording is from %v to %v", of.From, until, p.Begin(), p.Length)
	}
	every := castStep(until - from)
	a, c := newApp(), export.NewCast(w, of.Title, of.W, of.H)
	var sc screen
	marks := p.Marks
	for len(marks) > 0 && marks[0].At < from {
		marks = marks[1:]
	}
	for at := from; ; {
		for len(marks) > 0 && marks[0].At <= at {
			c.Chapter(max(marks[0].At, from)-from, marks[0].Label)
			marks = marks[1:]
		}
		s, err := p.At(at)
		if err != nil {
			return err
		}
		a.load(s)
		for range latestFrame { // all that the panes would leave for later frames
			if sc.draw(a, of.W, of.H); !sc.late() {
				break
			}
		}
		c.Screen(at-from, &sc.g)
		next, more := p.Next(at)
		if !more || next > until {
			break
		}
		at = max(next, min(at+every, until))
	}
	return c.End(until - from)
}
