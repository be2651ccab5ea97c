package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"charm.land/fang/v2"

	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

func main() { os.Exit(command(os.Args[1:], os.Stdout, os.Stderr)) }

// status is an exit status whose reason stands on the screen already.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// command runs one command line and gives its exit status.
func command(args []string, stdout, stderr io.Writer) int {
	if os.Getenv("NO_COLOR") != "" {
		// Any value counts (no-color.org); the library knows fewer.
		os.Setenv("NO_COLOR", "1")
	}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := fang.Execute(context.Background(), root, fang.WithErrorHandler(explain))
	var code status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	return 1
}

// explain prints an error, unless the command did so itself or nobody reads.
func explain(w io.Writer, styles fang.Styles, err error) {
	var code status
	if errors.As(err, &code) || errors.Is(err, syscall.EPIPE) {
		return
	}
	fmt.Fprintln(w, "hybridtop:", err)
}

// interrupted is the cause of a context that a signal has ended.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return i.signal.String() }

// interruptible gives a context that ends at Ctrl-C or a request to terminate; a
// second one ends the program at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
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

// interruption is the exit status that a signal asks for; 0: there was none.
func interruption(ctx context.Context) status {
	var i interrupted
	if !errors.As(context.Cause(ctx), &i) {
		return 0
	}
	if n, ok := i.signal.(syscall.Signal); ok {
		return status(128 + int(n))
	}
	return 130
}
