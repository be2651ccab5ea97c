//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package tty

import "os"

// Terminal is the terminal as the program has it; here it has it alone.
type Terminal struct{}

// Open gives the terminal to this process.
func Open() (*Terminal, int) { return &Terminal{}, 0 }

// Held tells whether another process restores the terminal when this one dies.
func (*Terminal) Held() bool { return false }

// Stops never gives a value: there are no jobs.
func (*Terminal) Stops() <-chan os.Signal { return nil }

// Again never gives a value.
func (*Terminal) Again() <-chan struct{} { return nil }

// Gone is never closed.
func (*Terminal) Gone() <-chan struct{} { return nil }

// Take does nothing.
func (*Terminal) Take() {}

// Leave does nothing.
func (*Terminal) Leave() {}

// Suspend does nothing.
func (*Terminal) Suspend() {}

// Restore does nothing.
func (*Terminal) Restore() {}
