package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// follow shows how a session gets on in one line of w, if that is a terminal,
// until the session is over.
func follow(w io.Writer, s *session.Session, prefix string) {
	file, ok := w.(term.File)
	if !ok || !term.IsTerminal(file.Fd()) {
		return
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-s.Done():
			fmt.Fprint(w, "\r\x1b[K")
			return
		case <-ticker.C:
			width, _, err := term.GetSize(file.Fd())
			if err != nil || width < 2 {
				width = 80
			}
			fmt.Fprint(w, "\r\x1b[K"+cutTo(prefix+line(s.Load()), width-1))
		}
	}
}

// line says in few words how far a session is.
func line(s *engine.Snapshot) string {
	parts := []string{s.Scenario.Workload, string(s.Phase), fmt.Sprintf("%.1f s", s.Elapsed.Seconds()), fmt.Sprintf("%d iterations", s.Iteration)}
	if n := len(s.Series); n > 0 {
		rate := 0.0
		for _, r := range s.Series[n-1].Rate {
			rate += r
		}
		parts = append(parts, grid.BytesPerSecond.String(rate)+" "+string(s.Kind))
		if engine.Finite(s.Series[n-1].Access) != nil {
			parts = append(parts, grid.Seconds.String(s.Series[n-1].Access)+" an access")
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
