package ttytest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// patience is the longest time that a test waits for the expected output.
const patience = 2 * time.Minute

// Terminal is an emulated terminal with a program on it.
type Terminal struct {
	t      testing.TB
	master *os.File // the emulator's end
	slave  *os.File // the program's end, kept open to read its modes
	cmd    *exec.Cmd
	before unix.Termios

	mu       sync.Mutex
	came     sync.Cond
	em       *vt.Emulator
	modes    map[ansi.Mode]bool // last setting of each mode
	written  strings.Builder    // the complete output
	stalled  bool
	timedOut bool
}

// HearSignals makes programs started afterwards react to signals that the parent of the tests
// ignores, as nohup and shells without job control do.
var HearSignals = sync.OnceFunc(func() {
	for _, s := range []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a caught signal is not ignored after exec
		}
	}
})

// Start starts a command as the leader of a session on its own terminal. The terminal is its input,
// its output and, unless the command has another one, its standard error.
func Start(t testing.TB, columns, rows int, cmd *exec.Cmd) *Terminal {
	t.Helper()
	HearSignals()
	x := &Terminal{t: t, cmd: cmd, em: vt.NewEmulator(columns, rows), modes: map[ansi.Mode]bool{}}
	x.came.L = &x.mu
	x.em.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { x.modes[m] = true },
		DisableMode: func(m ansi.Mode) { x.modes[m] = false },
	})
	x.master, x.slave = Open(t, columns, rows)
	x.before = x.termios()
	cmd.Stdin, cmd.Stdout = x.slave, x.slave
	if cmd.Stderr == nil {
		cmd.Stderr = x.slave
	}
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.em.InputPipe().(io.Closer).Close() }) // ends answer
	go x.read()
	go x.answer()
	return x
}

// Open returns both ends of a new terminal: the emulator's and the program's.
func Open(t testing.TB, columns, rows int) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	var n int
	control(t, master, func(fd int) error {
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		if err != nil {
			return err
		}
		return unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	})
	SetSize(t, master, columns, rows)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// SetSize sets the size of the terminal with this emulator's end.
func SetSize(t testing.TB, master *os.File, columns, rows int) {
	t.Helper()
	size := &unix.Winsize{Row: uint16(rows), Col: uint16(columns)}
	control(t, master, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}

// read reads and draws the output of the program.
func (x *Terminal) read() {
	b := make([]byte, 4096)
	for {
		n, err := x.master.Read(b)
		x.mu.Lock()
		for x.stalled {
			x.came.Wait()
		}
		x.written.Write(b[:n])
		_, _ = x.em.Write(b[:n])
		x.came.Broadcast()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// answer passes the emulator's answers to the program.
func (x *Terminal) answer() {
	b := make([]byte, 256)
	for {
		n, err := x.em.Read(b)
		if _, writing := x.master.Write(b[:n]); err != nil || writing != nil {
			return
		}
	}
}

func (x *Terminal) termios() unix.Termios {
	x.t.Helper()
	now, err := unix.IoctlGetTermios(int(x.slave.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return *now
}

// control calls do with the emulator's end of the terminal.
func (x *Terminal) control(do func(fd int) error) {
	x.t.Helper()
	control(x.t, x.master, do)
}

// control calls do with an emulator's end. A hang-up can still interrupt that end.
func control(t testing.TB, master *os.File, do func(fd int) error) {
	t.Helper()
	raw, err := master.SyscallConn()
	if err == nil {
		var doing error
		err = errors.Join(raw.Control(func(fd uintptr) { doing = do(int(fd)) }), doing)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Resize changes the size of the terminal.
func (x *Terminal) Resize(columns, rows int) {
	x.t.Helper()
	x.mu.Lock()
	x.em.Resize(columns, rows)
	x.mu.Unlock()
	SetSize(x.t, x.master, columns, rows)
}

// Type sends keys to the program.
func (x *Terminal) Type(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// Pid returns the ID of the started process.
func (x *Terminal) Pid() int { return x.cmd.Process.Pid }

// Signal sends a signal to the started process.
func (x *Terminal) Signal(s syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// SignalForeground sends a signal to the job that has the terminal.
func (x *Terminal) SignalForeground(s syscall.Signal) {
	x.t.Helper()
	x.control(func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err != nil {
			return err
		}
		return unix.Kill(-group, s)
	})
}

// Text returns the text on the screen, one line per row.
func (x *Terminal) Text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text()
}

func (x *Terminal) text() string {
	var b strings.Builder
	for y := range x.em.Height() {
		for c := range x.em.Width() {
			if cell := x.em.CellAt(c, y); cell != nil && cell.Content != "" {
				b.WriteString(cell.Content)
			} else if cell == nil || cell.Width != 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Until waits until holds returns true for the text on the screen. It fails the test after a
// timeout.
func (x *Terminal) Until(what string, holds func(text string) bool) {
	x.t.Helper()
	x.until(what, func() string {
		if !holds(x.text()) {
			return "it does not show"
		}
		return ""
	})
}

// until waits until wrong returns "". Otherwise wrong returns what is missing.
func (x *Terminal) until(what string, wrong func() string) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	giveUp := time.AfterFunc(patience, func() {
		x.mu.Lock()
		x.timedOut = true
		x.mu.Unlock()
		x.came.Broadcast()
	})
	defer giveUp.Stop()
	tick := time.NewTicker(20 * time.Millisecond) // modes change without a byte
	defer tick.Stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-tick.C:
				x.came.Broadcast()
			case <-done:
				return
			}
		}
	}()
	for why := wrong(); why != ""; why = wrong() {
		if x.timedOut {
			x.t.Fatalf("%s: %s\n%s", what, why, x.text())
		}
		x.came.Wait()
	}
}

// Shows waits for a text on the screen.
func (x *Terminal) Shows(text string) {
	x.t.Helper()
	x.Until(text, func(all string) bool { return strings.Contains(all, text) })
}

// Wrote waits until a text was written, even if it has scrolled off the screen.
func (x *Terminal) Wrote(text string) {
	x.t.Helper()
	x.Written(1, text)
}

// Written waits until a text was written at least the given number of times.
func (x *Terminal) Written(times int, text string) {
	x.t.Helper()
	x.until(text, func() string {
		if n := strings.Count(x.written.String(), text); n < times {
			return fmt.Sprintf("it was written %d times, want %d", n, times)
		}
		return ""
	})
}

// Stall stops reading, and returns when the terminal is full and the program cannot write any more.
func (x *Terminal) Stall() {
	x.t.Helper()
	x.mu.Lock()
	x.stalled = true
	x.mu.Unlock()
	// Open the terminal again, so that the program's own descriptor still blocks.
	fill, err := unix.Open(x.slave.Name(), unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		x.t.Fatal(err)
	}
	defer unix.Close(fill)
	for junk := []byte(strings.Repeat("\x1b[1m", 64)); ; {
		_, err := unix.Write(fill, junk)
		if errors.Is(err, unix.EAGAIN) && len(junk) > 1 {
			junk = junk[:1] // fill the last byte
			continue
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// Read resumes reading.
func (x *Terminal) Read() {
	x.mu.Lock()
	x.stalled = false
	x.mu.Unlock()
	x.came.Broadcast()
}

// HangUp closes the terminal of the program.
func (x *Terminal) HangUp() {
	_ = x.master.Close()
}

// Ends waits until the process ends, and checks that its exit status is one of want. After signal n the status
// is 128 + n.
func (x *Terminal) Ends(want ...int) {
	x.t.Helper()
	giveUp := time.AfterFunc(patience, func() {
		x.t.Errorf("it does not end\n%s", x.Text())
		_ = unix.Kill(-x.cmd.Process.Pid, unix.SIGKILL)
	})
	defer giveUp.Stop()
	_ = x.cmd.Wait()
	got := x.cmd.ProcessState.ExitCode()
	if s := x.cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signaled() {
		got = 128 + int(s.Signal())
	}
	if !slices.Contains(want, got) {
		x.t.Errorf("it ended with %d, want one of %d\n%s", got, want, x.Text())
	}
}

// AsBefore waits until the terminal is as it was before the program: modes, main screen, cursor,
// mouse, title and keyboard.
func (x *Terminal) AsBefore() {
	x.t.Helper()
	x.until("the terminal is not as before", x.changed)
}

func (x *Terminal) changed() string {
	if now := x.termios(); now != x.before {
		return fmt.Sprintf("modes %+v, want %+v", now, x.before)
	}
	if x.em.IsAltScreen() {
		return "the alternate screen is shown"
	}
	for mode, set := range x.modes {
		usual := mode == ansi.ModeTextCursorEnable || mode == ansi.ModeAutoWrap
		if set != usual {
			return fmt.Sprintf("mode %v is set: %v", mode, set)
		}
	}
	for push, pop := range map[string]string{"\x1b[>1u": "\x1b[<1u", "\x1b[22;2t": "\x1b[23;2t",
		"\x1b[>4;2m": "\x1b[>4m"} {
		all := x.written.String()
		if strings.LastIndex(all, push) > strings.LastIndex(all, pop) {
			return fmt.Sprintf("%q is not taken back by %q", push, pop)
		}
	}
	return ""
}
