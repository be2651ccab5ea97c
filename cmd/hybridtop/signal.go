package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/tty"
)

// interrupted is the cause of a context that a signal has ended.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string {
	if n, ok := i.signal.(syscall.Signal); ok {
		return "interrupted by " + signalName(n)
	}
	return "interrupted by " + i.signal.String()
}

// interruptible returns a context that ends at a termination signal. The process ends soon after
// the context, even if ranks hang or take long to unwind. A second signal ends it at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := notified()
	running, end := context.WithCancel(context.Background())
	go func() {
		select {
		case s := <-signals:
			cancel(interrupted{s})
		case <-ctx.Done():
		}
		signal.Stop(signals)
		code := interruption(ctx)
		if code == 0 {
			return
		}
		select {
		case <-running.Done():
		case <-time.After(endTime):
			code.say(os.Stderr)
			os.Exit(int(code))
		}
	}()
	return ctx, func() { cancel(nil); end() }
}

// stopSession ends a session. It does not wait longer than a limit for its ranks.
func stopSession(s *session.Session, limit time.Duration) {
	stopped := make(chan struct{})
	go func() {
		_ = s.Stop() // the screen has shown the failure
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(limit):
	}
}

// notified returns a channel of termination signals, without the signals that the parent process
// has set to be ignored (nohup).
func notified() chan os.Signal {
	signals := make(chan os.Signal, 1)
	for _, s := range endings {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// interruption returns the exit status for the signal that ended ctx, or 0.
func interruption(ctx context.Context) status {
	var i interrupted
	if !errors.As(context.Cause(ctx), &i) {
		return 0
	}
	if n, ok := i.signal.(syscall.Signal); ok {
		return firstSignal + status(n)
	}
	return firstSignal + status(syscall.SIGINT)
}

// firstSignal is added to a signal's number for the exit status.
const firstSignal = 128

// say prints the name of the signal that ended a command.
func (s status) say(w io.Writer) {
	fmt.Fprintln(w, "hybridtop: interrupted by", signalName(syscall.Signal(s-firstSignal)))
}

// endTime is the time limit for the screen to end after a signal, or for a command to write its results.
// Without it, a terminal that does not read or a rank that hangs could block the end. A recording is
// committed three times in this time. The kernel then needs another second to free a million ranks.
const endTime = 800 * time.Millisecond

// endable returns a context that ends at a signal, or when the terminal closes. The process ends
// soon after the context, even if something hangs.
func endable(ctx context.Context, t *tty.Terminal, stderr io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := notified()
	go func() {
		var s os.Signal
		select {
		case s = <-signals:
		case <-t.Lost():
			s = syscall.SIGHUP
		case <-ctx.Done():
			return
		}
		cancel(interrupted{s})
		time.Sleep(endTime)
		code := interruption(ctx)
		t.Restore()
		if t.Held() { // and standard error is readable
			code.say(stderr)
		}
		os.Exit(int(code))
	}()
	return ctx, func() { cancel(nil) }
}
