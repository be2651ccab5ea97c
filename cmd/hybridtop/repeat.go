package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// once lists the flags that do not affect the results of a run.
var once = []string{"for", "iterations", "until", "chart", "json", "csv", "picture", "picture-pane", "picture-size",
	"timeline-last", "baseline", "json-stream", "to", "out", "together"}

// repeats returns the command that repeats the iterations of a simulation that the wall clock has
// ended, by --for or an interruption. It returns nil if the wall clock has not ended it, or stopped
// it inside an iteration. at has the knobs of a point of a sweep.
func repeats(cmd *cobra.Command, snap *engine.Snapshot, at []session.Setting) *string {
	if v := snap.Virtual; v == nil || !v.Timed || !v.Whole || snap.Iteration == 0 {
		return nil
	}
	words := []string{"hybridtop run", snap.Scenario.Workload}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		swept := slices.ContainsFunc(at, func(s session.Setting) bool { return s.Knob == f.Name })
		if !swept && !slices.Contains(once, f.Name) {
			words = append(words, "--"+f.Name, quoted(f.Value.String()))
		}
	})
	for _, s := range at {
		words = append(words, "--"+s.Knob, quoted(s.Value))
	}
	line := strings.Join(append(words, fmt.Sprintf("--iterations %d", snap.Iteration)), " ")
	return &line
}

// quoted returns a word in quotes for a shell, if needed.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool {
		return !strings.ContainsRune("+,-./:=@_", c) && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
