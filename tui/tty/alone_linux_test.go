package tty

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"testing"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

func TestMain(m *testing.M) {
	if os.Getenv("ALONE") != "" {
		alone()
	}
	os.Exit(m.Run())
}

const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[>1u\x1b[>4;2m\x1b[?7l\x1b[4h\x1b[2;3r"
	leave = "\x1b[r\x1b[4l\x1b[?7h\x1b[>4m\x1b[<1u\x1b[?1049l\x1b[?25h\x1b[?1002l\x1b[?1006l\x1b[?1004l\x1b[?2004l"
)

// alone is a program without a holder.
func alone() {
	t := newTerminal(newDevice(os.Stdin, os.Stdout), nil)
	end := make(chan os.Signal, 1)
	signal.Notify(end, unix.SIGTERM)
	take := func() *term.State {
		t.Take()
		old, err := term.MakeRaw(os.Stdin.Fd())
		if err != nil {
			os.Exit(1)
		}
		fmt.Print(enter, "drawn")
		return old
	}
	before := take()
	for {
		select {
		case <-t.Stops():
			fmt.Print(leave)
			if term.Restore(os.Stdin.Fd(), before) != nil {
				os.Exit(1)
			}
			t.Leave()
			t.Suspend()
			take()
		case <-end:
			t.Restore()
			os.Exit(3)
		case <-t.Lost():
			os.Exit(4)
		}
	}
}

func startAlone(t *testing.T, args ...string) *ttytest.Terminal {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "ALONE=yes")
	return ttytest.Start(t, 80, 24, cmd)
}

// A program without a holder restores the terminal in the middle of a frame, and also if the
// terminal does not read.
func TestAlone(t *testing.T) {
	for _, stalled := range []bool{false, true} {
		x := startAlone(t, os.Args[0])
		x.Shows("drawn")
		if stalled {
			x.Stall()
		}
		x.Signal(unix.SIGTERM)
		x.Ends(3)
		x.Read()
		x.AsBefore()
	}
}

func TestAloneWithoutATerminal(t *testing.T) {
	x := startAlone(t, "sh", "-c", "trap '' HUP; exec "+os.Args[0])
	x.Shows("drawn")
	x.HangUp()
	x.Ends(4)
}

// It stops as a job of its shell. A job that no shell could continue does not stop.
func TestAloneStops(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	x := startAlone(t, bash, "--norc", "--noprofile", "--noediting", "-i")
	x.Type("PS1='at$? '\r")
	x.Shows("at0")
	x.Type("clear; " + os.Args[0] + "\r")
	for range 2 {
		x.Shows("drawn")
		x.SignalForeground(unix.SIGTSTP)
		x.Shows("Stopped")
		x.AsBefore()
		x.Type("clear; fg\r")
	}
	x.Shows("drawn")
	x.SignalForeground(unix.SIGTERM)
	x.Shows("at3")
	x.Type("exit 0\r")
	x.Ends(0)

	x = startAlone(t, os.Args[0]) // is the leader of its session
	x.Shows("drawn")
	x.Signal(unix.SIGTSTP)
	x.Written(2, "drawn")
	x.Signal(unix.SIGTERM)
	x.Ends(3)
	x.AsBefore()
}
