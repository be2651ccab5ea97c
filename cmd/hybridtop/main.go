package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

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
	var failure error
	keepErrors(root, &failure)
	err := fang.Execute(context.Background(), root, fang.WithErrorHandler(explain))
	if failure != nil {
		err = failure
		explain(stderr, fang.Styles{}, err)
	}
	var code status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	return 1
}

// keepErrors keeps what goes wrong in a command from fang, which asks the terminal
// for its background before it hands an error on, and waits for the answer.
func keepErrors(cmd *cobra.Command, failure *error) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*failure = run(cmd, args)
			return nil
		}
	}
	for _, c := range cmd.Commands() {
		keepErrors(c, failure)
	}
}

// explain prints an error, unless the command did so itself or nobody reads.
func explain(w io.Writer, styles fang.Styles, err error) {
	var code status
	if errors.As(err, &code) || errors.Is(err, syscall.EPIPE) {
		return
	}
	fmt.Fprintln(w, "hybridtop:", err)
}
