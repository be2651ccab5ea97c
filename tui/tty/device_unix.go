//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// patience is the time that a terminal has to read the restoring sequence.
const patience = 200 * time.Millisecond

const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// undo resets everything that the screen may have set, at any point of a frame: CAN ends an
// incomplete sequence. State of the alternate screen (keyboard flags, margins) is reset before
// leaving it.
const undo = "\x18\x1b\\" +
	"\x1b[?2026l" + // synchronized output
	"\x1b]8;;\x1b\\\x1b[m" + // hyperlink, style
	"\x1b[4l\x1b[?7h\x1b[r" + // insert mode, line wrap, margins
	"\x1b[>4m\x1b[<1u" + // keyboard enhancements
	"\x1b[?1049l\x1b[?25h" + // alternate screen, cursor
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l" + // mouse
	"\x1b[?1004l\x1b[?2004l\x1b[?2027l" + // focus, pasting, clusters
	popTitle

// device is a terminal and its modes before the screen took it.
type device struct {
	out    *os.File
	files  []*os.File
	states []*term.State
}

// newDevice reads the modes of the files that are terminals. out must be a terminal.
func newDevice(in, out *os.File) device {
	d := device{out: out}
	for _, f := range []*os.File{in, out} {
		if s, err := term.GetState(f.Fd()); err == nil {
			d.files = append(d.files, f)
			d.states = append(d.states, s)
		}
	}
	return d
}

// alive reports whether the terminal still exists.
func (d *device) alive() bool {
	_, err := term.GetState(d.out.Fd())
	return err == nil || err == unix.EINTR
}

// foreground reports whether this process group may change the terminal. It is true without job
// control.
func (d *device) foreground() bool {
	group, err := unix.IoctlGetInt(int(d.out.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// restore restores the terminal. It discards output that the terminal does not read, and keys and
// mouse events for the screen.
func (d *device) restore() {
	fd := int(d.out.Fd())
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if n, err := unix.Poll(poll, int(patience.Milliseconds())); n == 0 && err == nil {
		discard(fd, unix.TCOFLUSH)
	}
	written := make(chan struct{})
	go func() {
		_, _ = io.WriteString(d.out, undo)
		close(written)
	}()
	select {
	case <-written:
	case <-time.After(patience):
	}
	if d.foreground() {
		discard(fd, unix.TCIFLUSH)
		for i, f := range d.files {
			_ = term.Restore(f.Fd(), d.states[i])
		}
	}
}
