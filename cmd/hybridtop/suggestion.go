package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/engine"
)

// suggest appends the most similar name to an error about an unknown word. It does not change
// other errors.
func suggest(err error, word string, names []string) error {
	if err == nil || slices.Contains(names, word) {
		return err
	}
	hint := engine.DidYouMean(word, names)
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w%s", err, hint)
}

// suggestCommand rejects arguments of a command that needs a subcommand, or none.
func suggestCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	err := fmt.Errorf("unknown command %q for %q: want one of %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	return suggest(err, args[0], names)
}

// suggestFlag completes an error about flags: the most similar flag, and where flags are listed.
func suggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		err = suggest(err, "--"+unknown.GetSpecifiedName(), names)
	}
	return fmt.Errorf("%w (%s --help lists the flags, hybridtop list knobs the knobs)", err, cmd.CommandPath())
}
