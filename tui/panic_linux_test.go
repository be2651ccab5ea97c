package tui

import (
	"context"
	"os"
	"os/exec"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/tty"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

func TestMain(m *testing.M) {
	if how := os.Getenv("BREAK"); how != "" {
		os.Exit(breaking(how))
	}
	os.Exit(m.Run())
}

// bomb is the screen with a bug, which the key B triggers.
type bomb struct {
	*program
	how string
}

func (b bomb) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "B" {
		switch b.how {
		case "draw":
			b.app.Theme = nil
		case "export":
			_, _ = encode("screen.svg", nil, b.app.Theme)
		case "command":
			return b, func() tea.Msg { panic("a bug in a command") }
		}
	}
	_, cmd := b.program.Update(msg)
	return b, cmd
}

// breaking opens the screen with a bug.
func breaking(how string) int {
	t, status := tty.Open()
	if t == nil {
		return status
	}
	s := running()
	s.do = func(engine.Command) error { panic("a bug in the session") }
	o := Options{Terminal: t}
	p, err := newProgram(s, o)
	if err != nil {
		return 1
	}
	if err := play(context.Background(), wrap(context.Background(), bomb{p, how}, o), o); err != nil {
		return 1
	}
	return 0
}

// A panic in any part of the screen ends the process and restores the terminal.
func TestPanicLeavesTheTerminal(t *testing.T) {
	for _, c := range []struct{ how, key, says string }{
		{"draw", "B", "hybridtop/tui."},
		{"export", "B", "tui/export.SVG"},
		{"command", "B", "panic: a bug in a command"},
		{"session", " ", "panic: a bug in the session"},
		{"nothing", "q", ""},
	} {
		t.Run(c.how, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), "BREAK="+c.how)
			x := ttytest.Start(t, 120, 40, cmd)
			x.Shows("1 Cluster")
			x.Type(c.key)
			if c.how == "nothing" {
				x.Ends(0)
			} else {
				x.Ends(2)
			}
			x.Wrote(c.says)
			x.AsBefore()
		})
	}
}
