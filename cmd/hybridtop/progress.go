package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// follow shows the progress of a session in one line of w until the session ends. It does nothing
// if w is not a terminal.
func follow(w io.Writer, s *session.Session) {
	p := newLine(w)
	if p == nil {
		return
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-s.Done():
			p.show("")
			return
		case <-ticker.C:
			text := line(s.Load())
			if left := s.Left(); left > 0 {
				text += "  about " + pane.Roughly(left) + " left"
			}
			p.show(text)
		}
	}
}

// newSweepLine returns a function that shows the progress of a sweep in one line of w, or nil if w
// is not a terminal.
func newSweepLine(w io.Writer) func(*session.Progress) {
	p := newLine(w)
	if p == nil {
		return nil
	}
	return func(now *session.Progress) {
		if now.Done == now.Total || len(now.Running) == 0 {
			p.show("")
			return
		}
		p.show(sweepLine(now))
	}
}

// sweepLine returns the progress of a sweep: points done, time left, and running points.
func sweepLine(p *session.Progress) string {
	parts := []string{fmt.Sprintf("[%d/%d]", p.Done, p.Total)}
	if p.Left > 0 {
		parts = append(parts, "about "+pane.Roughly(p.Left)+" left")
	}
	if len(p.Running) == 1 {
		r := &p.Running[0]
		return strings.Join(append(parts, r.Row.Name(), line(r.Session.Load())), "  ")
	}
	parts = append(parts, fmt.Sprintf("%d at once:", len(p.Running)))
	for _, r := range p.Running {
		s := r.Session.Load()
		how := fmt.Sprintf("%d iterations", s.Iteration)
		if text := pane.Progress(s); text != "" {
			how = text
		}
		parts = append(parts, r.Row.Name()+" ("+how+")")
	}
	return strings.Join(parts, "  ")
}

// terminalLine is one line of a terminal that is rewritten.
type terminalLine struct{ file term.File }

// newLine returns a line of w, or nil if w is not a terminal.
func newLine(w io.Writer) *terminalLine {
	file, ok := terminalFile(w)
	if !ok {
		return nil
	}
	return &terminalLine{file}
}

// show replaces the line.
func (l *terminalLine) show(text string) {
	width, _, err := term.GetSize(l.file.Fd())
	if err != nil || width < 2 {
		width = 80
	}
	fmt.Fprint(l.file, "\r\x1b[K"+cutTo(safetext.Clean(text), width-1))
}

// line returns a short text about the progress of a session.
func line(s *engine.Snapshot) string {
	parts := []string{s.Scenario.Workload, string(s.Phase), fmt.Sprintf("%.1f s", s.Elapsed.Seconds()),
		fmt.Sprintf("%d iterations", s.Iteration)}
	if text := pane.Progress(s); text != "" {
		parts[len(parts)-1] = text
	}
	if n := len(s.Series); n > 0 {
		rate := 0.0
		for _, r := range s.Series[n-1].Rate {
			rate += r
		}
		parts = append(parts, inUnits.Rate().String(rate)+" "+string(s.Kind))
		if engine.Finite(s.Series[n-1].Access) != nil {
			parts = append(parts, grid.Seconds.String(s.Series[n-1].Access)+" per access")
		}
	}
	return strings.Join(parts, "  ")
}

func cutTo(s string, cells int) string {
	if r := []rune(s); len(r) > cells {
		return string(r[:cells])
	}
	return s
}
