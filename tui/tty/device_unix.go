//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// patience is how long a terminal may take to read what restores it.
const patience = 200 * time.Millisecond

const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// undo takes back whatever the screen may have set, from any point of a frame
// on: CAN ends a sequence that was cut. What belongs to the alternate screen (the
// keyboard's flags, the margins) goes before it is left.
const undo = "\x18\x1b\\" +
	"\x1b[?2026l" + // synchronized output
	"\x1b]8;;\x1b\\\x1b[m" + // hyperlink, style
	"\x1b[4l\x1b[?7h\x1b[r" + // insert mode, line wrap, margins
	"\x1b[>4m\x1b[<1u" + // keyboard enhancements
	"\x1b[?1049l\x1b[?25h" + // alternate screen, cursor
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l" + // mouse
	"\x1b[?1004l\x1b[?2004l\x1b[?2027l" + // focus, pasting, clusters
	popTitle

// device is a terminal and what it was set to before the screen took it.
type device struct {
	out    *os.File
	files  []*os.File
	states []*term.State
}

// newDevice reads the modes of those files that are terminals; out is one.
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

// alive tells whether the terminal is still there.
func (d *device) alive() bool {
	_, err := term.GetState(d.out.Fd())
	return err == nil || err == unix.EINTR
}

// foreground tells whether this process group may change the terminal. Where
// there are no jobs, each may.
func (d *device) foreground() bool {
	group, err := unix.IoctlGetInt(int(d.out.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// restore brings the terminal back to what it was. Output that it does not read
// is thrown away, as are keys and mouse events meant for the screen.
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
