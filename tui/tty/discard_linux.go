package tty

import "golang.org/x/sys/unix"

// discard throws away what a terminal's queue holds, as tcflush does.
func discard(fd, queue int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, queue) }
