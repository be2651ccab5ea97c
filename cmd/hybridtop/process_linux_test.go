package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// program is this test binary under the name that makes it the command.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ttytest.HearSignals()
	path, err := exec.LookPath("hybridtop")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	folder := t.TempDir() // the tester's own files are none of a test's
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+folder, "XDG_STATE_HOME="+folder)
	return cmd
}

// Output into a closed pipe ends the command without a message.
func TestAClosedPipe(t *testing.T) {
	if race.Enabled {
		t.Skip("each program starts ten times slower")
	}
	for _, args := range [][]string{
		{"list", "knobs"},
		{"list", "machines", "--json"},
		{"run", "dot", "--machine", "this-host", "--iterations", "1"},
		{"sweep", "dot", "--machine", "this-host", "--iterations", "1", "--csv"},
		{"run", "--help"},
	} {
		t.Run(args[0]+" "+args[len(args)-1], func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			var stderr bytes.Buffer
			cmd := program(t, args...)
			cmd.Stdout, cmd.Stderr = w, &stderr
			err = cmd.Run()
			w.Close()
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("it ended with %v, want a failure", err)
			}
			if s := exit.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGPIPE {
				if s.ExitStatus() != 1 {
					t.Errorf("it ended with %v", err)
				}
			}
			if stderr.Len() > 0 {
				t.Errorf("it was not quiet:\n%s", &stderr)
			}
		})
	}
}

// terminal returns the two ends of a pseudo-terminal of 200 columns and 50 rows.
func terminal(t *testing.T) (master, slave *os.File) {
	return terminalOf(t, 200, 50)
}

func terminalOf(t *testing.T, columns, rows uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// Ctrl-C ends a run or a sweep. The command prints the recorded values, leaves a clean line on the
// terminal, and exits with 130.
func TestCtrlC(t *testing.T) {
	for _, args := range [][]string{
		{"run", "randomaccess", "--machine", "this-host", "--for", "1h"},
		{"sweep", "randomaccess", "--machine", "this-host", "--for", "1h", "--group", "1,4"},
	} {
		t.Run(args[0], func(t *testing.T) {
			master, slave := terminal(t)
			var stdout bytes.Buffer
			cmd := program(t, args...)
			cmd.Stdout, cmd.Stderr = &stdout, slave
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			slave.Close()
			var screen strings.Builder
			buf := make([]byte, 4096)
			for sent := false; ; {
				n, err := master.Read(buf)
				screen.Write(buf[:n])
				if err != nil {
					break // the other end is closed
				}
				// The progress line shows that accesses were recorded.
				if !sent && strings.Contains(screen.String(), "per access") {
					sent = true
					if err := cmd.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("it ended with %v, want exit status 130", err)
			}
			if !strings.Contains(stdout.String(), "access_time_mean") {
				t.Errorf("what was recorded is not printed:\n%s", &stdout)
			}
			if !strings.HasSuffix(screen.String(), "\r\x1b[Khybridtop: interrupted by SIGINT\r\n") {
				t.Errorf("the terminal is left as %q", screen.String())
			}
		})
	}
}

// colour is an escape sequence that sets a foreground or a background.
var colour = regexp.MustCompile(`\x1b\[([0-9;]*;)?([34][0-8]|9[0-7]|10[0-7])[;m]`)

// NO_COLOR with any non-empty value disables colours on a terminal.
func TestNoColor(t *testing.T) {
	for value, want := range map[string]bool{"": true, "1": false, "yes": false} {
		master, slave := terminal(t)
		cmd := program(t, "list", "--help")
		cmd.Env = append(os.Environ(), "NO_COLOR="+value, "TERM=xterm-256color", "COLORTERM=truecolor")
		cmd.Stdout = slave
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		var screen bytes.Buffer
		_, _ = screen.ReadFrom(master) // ends with an error when the other end closes
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		s := screen.String()
		if !strings.Contains(s, "USAGE") {
			t.Errorf("NO_COLOR=%s: no help:\n%q", value, s)
		}
		if got := colour.MatchString(s); got != want {
			t.Errorf("NO_COLOR=%q: colours %v, want %v:\n%q", value, got, want, s)
		}
	}
}
