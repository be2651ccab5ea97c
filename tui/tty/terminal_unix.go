//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// Terminal is the program's side of the terminal.
type Terminal struct {
	device
	link            *os.File // socket to the holder; nil: no holder
	taken           atomic.Bool
	away            atomic.Bool // in Suspend
	stops           chan os.Signal
	resized         chan os.Signal
	backFromSuspend chan struct{} // continued while away
	continued       chan struct{} // continued otherwise
	gone            chan struct{}
}

// Messages between the program and its holder, one byte each.
const (
	takes   = 't' // to the holder: the terminal is about to be changed
	leaves  = 'l' // to the holder: the terminal is restored
	resumes = 'r' // from the holder: the job continues
)

// newTerminal returns the program's side of the terminal. link is nil without a holder.
func newTerminal(d device, link *os.File) *Terminal {
	t := &Terminal{
		device: d, link: link,
		stops:           make(chan os.Signal, 1),
		resized:         make(chan os.Signal, 1),
		backFromSuspend: make(chan struct{}, 1),
		continued:       make(chan struct{}, 1),
		gone:            make(chan struct{}),
	}
	signal.Notify(t.stops, unix.SIGTSTP)
	signal.Notify(t.resized, unix.SIGWINCH)
	lost := make(chan struct{}, 2)
	go t.listen(lost)
	go t.watch(lost)
	go func() {
		<-lost
		// The shell may have taken the terminal already. Further writes must not stop the process.
		signal.Ignore(unix.SIGTTOU)
		close(t.gone)
	}()
	return t
}

// listen waits for messages that the job continues after a stop.
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
	to := t.continued
	if t.away.Load() {
		to = t.backFromSuspend
	}
	select {
	case to <- struct{}{}:
	default:
	}
}

// watch checks every second whether the terminal still exists. Under nohup there is no signal.
func (t *Terminal) watch(lost chan<- struct{}) {
	for range time.Tick(time.Second) {
		if !t.alive() {
			lost <- struct{}{}
			return
		}
	}
}

// Held reports whether another process restores the terminal when this one dies.
func (t *Terminal) Held() bool { return t.link != nil }

// Stops returns a channel that receives a value when the program should suspend.
func (t *Terminal) Stops() <-chan os.Signal { return t.stops }

// Resized returns a channel that receives a value when the terminal may have another size.
func (t *Terminal) Resized() <-chan os.Signal { return t.resized }

// Size returns the columns and rows of the terminal, 0 if they are unknown.
func (t *Terminal) Size() (columns, rows int) {
	columns, rows, _ = term.GetSize(t.out.Fd())
	return
}

// Continued returns a channel that receives a value when the job continues after a stop without
// Suspend. Another program may have changed the terminal in between.
func (t *Terminal) Continued() <-chan struct{} { return t.continued }

// Lost returns a channel that is closed when the terminal or its holder is gone.
func (t *Terminal) Lost() <-chan struct{} { return t.gone }

// Take reports to the holder that the program is about to change the terminal, and saves its title.
func (t *Terminal) Take() {
	t.taken.Store(true)
	t.notify(takes)
	_, _ = io.WriteString(t.out, pushTitle)
}

// Leave restores the title, and reports to the holder that the terminal's modes are restored.
func (t *Terminal) Leave() {
	_, _ = io.WriteString(t.out, popTitle)
	t.notify(leaves)
	t.taken.Store(false)
}

func (t *Terminal) notify(b byte) {
	if t.link != nil {
		_, _ = t.link.Write([]byte{b}) // if the holder is gone, t.gone is closed
	}
}

// Suspend stops the job, and returns when it continues. Call Leave before.
func (t *Terminal) Suspend() {
	t.away.Store(true)
	if t.link != nil {
		_ = unix.Kill(unix.Getpid(), unix.SIGSTOP) // the holder sees it and stops the job
		select {
		case <-t.backFromSuspend:
		case <-t.gone:
		}
	} else {
		stopJob(t.backFromSuspend)
	}
	t.away.Store(false)
	drain(t.stops)
}

// Restore restores the terminal at any point of the program, unless a holder will do so. It does
// not wait for a terminal that does not read.
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

// stopJob stops the whole process group until it is continued, as Ctrl-Z does. The system does not
// stop a group that no shell could continue.
func stopJob[T any](continued <-chan T) {
	drain(continued)
	// A Go program that has caught SIGTSTP cannot restore its default action. SIGTTIN also stops by
	// default.
	_ = unix.Kill(0, unix.SIGTTIN)
	select {
	case <-continued:
	case <-time.After(200 * time.Millisecond): // the group kept running, so it was not stopped
	}
}

// drain removes the pending values of a channel.
func drain[T any](c <-chan T) {
	for {
		select {
		case <-c:
		default:
			return
		}
	}
}
