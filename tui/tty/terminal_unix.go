//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is the terminal as the program has it.
type Terminal struct {
	device
	link  *os.File // to the holder; nil: there is none
	taken atomic.Bool
	away  atomic.Bool // in Suspend
	stops chan os.Signal
	back  chan struct{} // continued while away
	again chan struct{} // continued otherwise
	gone  chan struct{}
}

// What the program and its holder tell each other, a byte each.
const (
	takes   = 't' // to the holder: the terminal is about to be changed
	leaves  = 'l' // to the holder: the terminal is as it was
	resumes = 'r' // from the holder: the job goes on
)

// newTerminal is the program's side, with a holder or without one.
func newTerminal(d device, link *os.File) *Terminal {
	t := &Terminal{
		device: d, link: link,
		stops: make(chan os.Signal, 1),
		back:  make(chan struct{}, 1),
		again: make(chan struct{}, 1),
		gone:  make(chan struct{}),
	}
	signal.Notify(t.stops, unix.SIGTSTP)
	lost := make(chan struct{}, 2)
	go t.listen(lost)
	go t.watch(lost)
	go func() {
		<-lost
		// The shell may have taken the terminal already: what is left to write
		// must not stop the process.
		signal.Ignore(unix.SIGTTOU)
		close(t.gone)
	}()
	return t
}

// listen hears that the job goes on after a stop.
func (t *Terminal) listen(lost chan<- struct{}) {
	if t.link == nil {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, unix.SIGCONT)
		for range continued {
			t.resumed()
		}
	}
	var b [1]byte
	for {
		if _, err := t.link.Read(b[:]); err != nil {
			lost <- struct{}{}
			return
		}
		t.resumed()
	}
}

func (t *Terminal) resumed() {
	to := t.again
	if t.away.Load() {
		to = t.back
	}
	select {
	case to <- struct{}{}:
	default:
	}
}

// watch looks every second whether the terminal is still there: under nohup no
// signal tells.
func (t *Terminal) watch(lost chan<- struct{}) {
	for range time.Tick(time.Second) {
		if !t.alive() {
			lost <- struct{}{}
			return
		}
	}
}

// Held tells whether another process restores the terminal when this one dies.
func (t *Terminal) Held() bool { return t.link != nil }

// Stops gives a value when the program is asked to suspend.
func (t *Terminal) Stops() <-chan os.Signal { return t.stops }

// Again gives a value when the job was stopped without Suspend and goes on:
// whoever had the terminal in between has changed it.
func (t *Terminal) Again() <-chan struct{} { return t.again }

// Gone is closed when the terminal or its holder is gone.
func (t *Terminal) Gone() <-chan struct{} { return t.gone }

// Take says that the terminal is about to be changed, and puts its title aside.
func (t *Terminal) Take() {
	t.taken.Store(true)
	t.tell(takes)
	_, _ = io.WriteString(t.out, pushTitle)
}

// Leave says that the terminal's modes are as they were, and brings its title back.
func (t *Terminal) Leave() {
	_, _ = io.WriteString(t.out, popTitle)
	t.tell(leaves)
	t.taken.Store(false)
}

func (t *Terminal) tell(b byte) {
	if t.link != nil {
		_, _ = t.link.Write([]byte{b}) // a holder that is gone closes t.gone
	}
}

// Suspend stops the job, and returns when it goes on. The terminal is left before.
func (t *Terminal) Suspend() {
	t.away.Store(true)
	if t.link != nil {
		_ = unix.Kill(unix.Getpid(), unix.SIGSTOP) // the holder sees it and stops the job
		select {
		case <-t.back:
		case <-t.gone:
		}
	} else {
		stopJob(t.back)
	}
	t.away.Store(false)
	drain(t.stops)
}

// Restore brings the terminal back from wherever the program is, unless a holder
// does so after its end. It does not wait for a terminal that does not read.
func (t *Terminal) Restore() {
	if t.link != nil {
		select {
		case <-t.gone:
		default:
			return
		}
	}
	if t.taken.Load() {
		t.restore()
	}
}

// stopJob stops the whole process group as Ctrl-Z does, until it is continued. A
// group that no shell could continue is not stopped by the system.
func stopJob[T any](continued <-chan T) {
	drain(continued)
	// Once a Go program has caught SIGTSTP it cannot give it back its default, so
	// another signal that stops by default takes its place.
	_ = unix.Kill(0, unix.SIGTTIN)
	select {
	case <-continued:
	case <-time.After(200 * time.Millisecond): // of running: it was not stopped
	}
}

// drain takes what has come so far.
func drain[T any](c <-chan T) {
	for {
		select {
		case <-c:
		default:
			return
		}
	}
}
