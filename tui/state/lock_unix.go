//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package state

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock locks a folder against other screens until unlock is called. It continues without a lock
// after a timeout, or if the file system has no locks: the file is still replaced atomically.
func lock(ctx context.Context, folder string) (unlock func()) {
	dir, err := os.Open(folder)
	if err != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := time.Millisecond; unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil; wait = min(2*wait,
		10*time.Millisecond) {
		select {
		case <-ctx.Done():
			_ = dir.Close()
			return func() {}
		case <-time.After(wait):
		}
	}
	return func() { _ = dir.Close() } // this releases the lock
}
