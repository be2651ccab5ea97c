package tui

import (
	"fmt"
	"io"
	"time"

	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// CastOf selects the part of a recording to write as a film.
type CastOf struct {
	W, H        int
	From, Until time.Duration // since the start of the run; Until 0: to its end
	Title       string
}

// Limits of a cast: the shortest time between two screens, and the number of screens. In a long
// recording the screens are spread over its length.
const (
	castEvery = 100 * time.Millisecond
	maxFrames = 6000
)

// castStep returns the time between two screens of a cast of the given length.
func castStep(length time.Duration) time.Duration {
	return max(castEvery, (length+maxFrames-1)/maxFrames)
}

// maxAnimated is the number of screens of an animated SVG: two per second of the first minute.
const maxAnimated = 60

// film is a format for screens over time.
type film interface {
	Screen(at time.Duration, g *grid.Grid)
	Chapter(at time.Duration, label string)
	End(at time.Duration) error
}

// Cast writes a recording as an asciicast of the screen, with a chapter at each marker.
func Cast(w io.Writer, p *recording.Player, of CastOf) error {
	return filmOf(export.NewCast(w, of.Title, of.W, of.H), p, of, castStep)
}

// Animation writes a recording as an SVG that repeats.
func Animation(w io.Writer, p *recording.Player, of CastOf) error {
	a := export.NewAnimation(w, export.Themed(of.Title, newApp().Theme))
	return filmOf(a, p, of, func(length time.Duration) time.Duration {
		return max(castEvery, (length+maxAnimated-1)/maxAnimated)
	})
}

// filmOf draws the screens of a recording. step returns the time between two screens of a film of some length.
func filmOf(c film, p *recording.Player, of CastOf, step func(length time.Duration) time.Duration) error {
	from, until := max(of.From, p.Begin()), p.Length
	if of.Until > 0 {
		until = min(until, of.Until)
	}
	if until < from {
		return fmt.Errorf("no such interval: from %v until %v, the recording lasts from %v to %v", of.From, until,
			p.Begin(), p.Length)
	}
	every := step(until - from)
	a := newApp()
	var sc screen
	markers := p.Marks
	for len(markers) > 0 && markers[0].At < from {
		markers = markers[1:]
	}
	for at := from; ; {
		for len(markers) > 0 && markers[0].At <= at {
			c.Chapter(max(markers[0].At, from)-from, markers[0].Label)
			markers = markers[1:]
		}
		s, err := p.At(at)
		if err != nil {
			return err
		}
		a.load(s)
		for range latestFrame { // finish what the panes leave for later frames
			if sc.draw(a, of.W, of.H); !sc.incomplete() {
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
