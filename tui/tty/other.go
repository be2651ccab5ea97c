//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package tty

import "os"

// Terminal is the terminal of the program. There is no holder on this system.
type Terminal struct{}

// Open returns the terminal of this process.
func Open() (*Terminal, int) { return &Terminal{}, 0 }

// Held reports whether another process restores the terminal when this one dies.
func (*Terminal) Held() bool { return false }

// Stops returns nil, because this system has no job control.
func (*Terminal) Stops() <-chan os.Signal { return nil }

// Resized returns nil, because the console reports its size as an event.
func (*Terminal) Resized() <-chan os.Signal { return nil }

// Size returns 0, because it is not needed without Resized.
func (*Terminal) Size() (columns, rows int) { return 0, 0 }

// Continued returns nil.
func (*Terminal) Continued() <-chan struct{} { return nil }

// Lost returns nil.
func (*Terminal) Lost() <-chan struct{} { return nil }

// Take does nothing.
func (*Terminal) Take() {}

// Leave does nothing.
func (*Terminal) Leave() {}

// Suspend does nothing.
func (*Terminal) Suspend() {}

// Restore does nothing.
func (*Terminal) Restore() {}
