//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package state

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock keeps other screens from a folder until the function that it gives is called.
// A lock that does not come in time, or that the file system does not have, is done
// without: the file is still replaced as a whole.
func lock(ctx context.Context, folder string) (unlock func()) {
	dir, err := os.Open(folder)
	if err != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := time.Millisecond; unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil; wait = min(2*wait, 10*time.Millisecond) {
		select {
		case <-ctx.Done():
			_ = dir.Close()
			return func() {}
		case <-time.After(wait):
		}
	}
	return func() { _ = dir.Close() } // the lock goes with it
}
