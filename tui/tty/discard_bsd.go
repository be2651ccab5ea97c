//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package tty

import "golang.org/x/sys/unix"

// discard empties a queue of the terminal, as tcflush does.
func discard(fd, queue int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, queue) }
