package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/presets"
)

func newTuneRegret() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "regret LIBRARY COLLECTIVE...",
		Short: "compare an MPI library's choices with the fastest",
		Long: "Time the algorithm that an MPI library selects by its own rules, and the candidates of hybridtop. The map has " +
			"the regret for each team and size: the time of the library's choice relative to the fastest one. If hybridtop " +
			"has not the library's algorithm, it runs a similar one.",
		Example: "hybridtop tune regret openmpi-4.1 allreduce --machine lumi-c --ranks 16..256 --ranks-per-node 16",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("tune regret: want one of %s, and collectives", strings.Join(algorithm.Libraries(), ", "))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return algorithm.Libraries(), cobra.ShellCompDirectiveNoFileComp
			}
			return collectiveNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	where := addSiteFlags(cmd)
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		library, err := presets.FindLibrary(args[0])
		if err != nil {
			return suggest(err, args[0], algorithm.Libraries())
		}
		o, err := where.options(args[1:])
		if err != nil {
			return err
		}
		line := newLine(cmd.ErrOrStderr())
		if line != nil {
			o.Progress = func(p tuner.Progress) { line.show(fmt.Sprintf("[%d/%d]  %s", p.Done, p.Total, p.At)) }
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		misses, result, err := tuner.Misses(ctx, o, o.Library(library.Name))
		if line != nil {
			line.show("")
		}
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			return err
		}
		if len(misses) == 0 {
			return errors.New("tune regret: " + library.Title + " has no rules for " + strings.Join(args[1:], ", "))
		}
		return writeMisses(cmd, &o, library, result, misses, out)
	}
	return cmd
}

func writeMisses(cmd *cobra.Command, o *tuner.Options, library *presets.Library, result *tuner.Result,
	misses []tuner.Miss, out *format) error {
	w := cmd.OutOrStdout()
	switch {
	case out.json:
		return writeJSON(w, map[string]any{"schema": "hybridtop.regret.v1", "library": library.Name, "title": library.Title,
			"source": library.Source, "fabric": o.Fabric.Name(), "machine": o.Machine.Name, "kind": o.Kind(),
			"tuples": result.Tuples, "mean_regret": tuner.Mean(misses), "misses": missesJSON(misses)})
	case out.csv:
		l := &listing{what: "misses", columns: []string{"collective", "ranks", "ranks_per_node", "size", "chosen", "chosen_time",
			"best", "best_time", "regret"}}
		for i := range misses {
			m := &misses[i]
			l.entries = append(l.entries, entry{{"collective", m.At.Collective.String()}, {"ranks", int(m.At.Ranks)},
				{"ranks_per_node", int(m.At.PerNode)}, {"size", m.At.Bytes}, {"chosen", m.Chosen.String()},
				{"chosen_time", m.Took.Seconds()}, {"best", m.Best.String()}, {"best_time", m.Least.Seconds()},
				{"regret", m.Regret()}})
		}
		return l.write(w, out)
	}
	if _, err := fmt.Fprintf(w, "%s on %s: time of its choice relative to the fastest (%s)\n\n", library.Title,
		o.Machine.Name, o.Kind()); err != nil {
		return err
	}
	return tuner.WriteMisses(w, misses)
}
