package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	_ "github.com/hybridtop/hybridtop/internal/addressspace"
	"github.com/hybridtop/hybridtop/internal/build"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

func main() { os.Exit(command(os.Args[1:], os.Stdout, os.Stderr)) }

// status is an exit status whose reason is already printed.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// command runs one command line and returns its exit status.
func command(args []string, stdout, stderr io.Writer) int {
	if os.Getenv("NO_COLOR") != "" {
		// Any value counts (no-color.org), but the library only accepts some.
		os.Setenv("NO_COLOR", "1")
	}
	args = expandJoint(args)
	out, errs := safetext.NewWriter(stdout), safetext.NewWriter(stderr)
	root := newRoot()
	root.SetArgs(args)
	if slices.ContainsFunc(args, func(a string) bool { return a == "--help" || a == "-h" || a == "help" }) {
		if cmd, rest, err := root.Find(slices.DeleteFunc(slices.Clone(args), func(a string) bool {
			return a == "help"
		})); err == nil {
			prepareHelp(cmd, rest, stdout)
		}
	}
	root.SetOut(stdout) // colours of help reach a terminal
	root.SetErr(errs)
	help := &trimmed{w: out}
	if _, ok := terminalFile(stdout); !ok {
		root.SetOut(help)
	}
	var failure error
	keep(root, out, &failure)
	err := fang.Execute(context.Background(), root, fang.WithVersion(build.This().String()),
		fang.WithErrorHandler(printError), fang.WithColorSchemeFunc(helpColors))
	err = errors.Join(err, help.close(), out.Close())
	if failure != nil {
		err = failure
		printError(errs, fang.Styles{}, err)
	}
	_ = errs.Close()
	var code status
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	return 1
}

// keep restores the unfiltered output for commands: only help is trimmed. It also hides errors of
// commands from fang. Before fang reports an error, it queries the terminal's background and waits
// for the answer.
func keep(cmd *cobra.Command, stdout io.Writer, failure *error) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			help := cmd.Root().OutOrStdout()
			cmd.Root().SetOut(stdout)
			*failure = run(cmd, args)
			if errors.Is(*failure, pflag.ErrHelp) { // the command needs a subcommand
				cmd.Root().SetOut(help)
				prepareHelp(cmd, nil, stdout)
				*failure = nil
				return pflag.ErrHelp
			}
			return nil
		}
	}
	for _, c := range cmd.Commands() {
		keep(c, stdout, failure)
	}
}

// printError prints an error, unless the command has printed it or the pipe is closed.
func printError(w io.Writer, styles fang.Styles, err error) {
	var code status
	if errors.As(err, &code) || errors.Is(err, syscall.EPIPE) {
		return
	}
	fmt.Fprintln(w, "hybridtop:", err)
}
