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

// interruptible gives a context that ends at a signal that asks the program to
// end; a second one ends it at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := notified()
	go func() {
		select {
		case s := <-signals:
			cancel(interrupted{s})
		case <-ctx.Done():
		}
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}

// notified gives the signals that end the program, but for those that it was
// started to ignore (nohup).
func notified() chan os.Signal {
	signals := make(chan os.Signal, 1)
	for _, s := range endings {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// interruption is the exit status that a signal asks for; 0: there was none.
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

// firstSignal is where the exit statuses of signals begin.
const firstSignal = 128

// say names the signal that has ended a command.
func (s status) say(w io.Writer) {
	fmt.Fprintln(w, "hybridtop: interrupted by", signalName(syscall.Signal(s-firstSignal)))
}

// endTime is how long the screen may take to end after a signal: a terminal that
// does not read, or a rank that does not listen, must not keep it.
const endTime = 800 * time.Millisecond

// endable gives a context that ends at a signal, and with the terminal. The
// process ends soon after the context, whatever hangs.
func endable(ctx context.Context, t *tty.Terminal, stderr io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := notified()
	go func() {
		var s os.Signal
		select {
		case s = <-signals:
		case <-t.Gone():
			s = syscall.SIGHUP
		case <-ctx.Done():
			return
		}
		cancel(interrupted{s})
		time.Sleep(endTime)
		code := interruption(ctx)
		t.Restore()
		if t.Held() { // and standard error is read
			code.say(stderr)
		}
		os.Exit(int(code))
	}()
	return ctx, func() { cancel(nil) }
}
