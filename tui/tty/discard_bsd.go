//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package tty

import "golang.org/x/sys/unix"

// discard throws away what a terminal's queue holds, as tcflush does.
func discard(fd, queue int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, queue) }
