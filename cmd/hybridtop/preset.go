package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// addPreset gives a command with knobs --preset.
func (f *knobFlags) addPreset(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.preset, "preset", "", "scenario to begin with, or its file: see hybridtop list scenarios; flags of knobs come first")
	must(cmd.RegisterFlagCompletionFunc("preset", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		all, _ := session.Presets()
		for _, p := range all {
			names = append(names, cobra.CompletionWithDesc(p.Name, p.Title))
		}
		return names, cobra.ShellCompDirectiveDefault // or a file
	}))
}

// begun reads the scenario that --preset names; nil: none is named. given is the
// workload that the command line has beside it; "": none.
func (f *knobFlags) begun(cmd *cobra.Command, given string) (*presets.Scenario, error) {
	if !cmd.Flags().Changed("preset") {
		return nil, nil
	}
	for _, s := range presets.SkippedScenarios() {
		if s.Name == f.preset && s.Shadowed {
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop: skipped:", s.Err)
		}
	}
	p, err := presets.FindScenario(f.preset)
	if err != nil {
		return nil, err
	}
	if given != "" && given != p.Workload {
		return nil, fmt.Errorf("--preset %s is of the workload %s, not of %s: leave out the workload, or take another preset", p.Name, p.Workload, given)
	}
	return &p, nil
}

// asked is what a command that runs a workload is asked for: the scenario, the knobs with
// several values, and what a session is to run it with.
func (f *knobFlags) asked(cmd *cobra.Command, args []string, limits *limitFlags) (engine.Scenario, []session.Axis, session.Options, error) {
	o := session.Options{Fabrics: session.Fabrics()}
	name := first(args)
	p, err := f.begun(cmd, name)
	if err != nil {
		return engine.Scenario{}, nil, o, err
	}
	sc, axes, own, err := f.scenario(cmd, name, p)
	if err != nil {
		return sc, nil, o, err
	}
	o.Machines = own
	o.Limits, err = limits.read(cmd)
	return sc, axes, o, err
}

// first is the first argument; "": there is none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// warnScenarios tells which of the user's scenarios a list leaves out.
func warnScenarios(w io.Writer) {
	_, skipped := session.Presets()
	for _, err := range skipped {
		fmt.Fprintln(w, "hybridtop: skipped:", err)
	}
}

func listScenarios() (listing, error) {
	l := listing{what: "scenarios", columns: []string{"name", "workload", "title", "paper"}}
	all, _ := session.Presets()
	for _, p := range all {
		knobs := []string{}
		for _, k := range p.Knobs {
			knobs = append(knobs, k.Name+"="+k.Value)
		}
		l.entries = append(l.entries, entry{
			{"name", p.Name}, {"workload", p.Workload}, {"title", p.Title}, {"paper", p.Paper},
			{"watch", p.Watch}, {"pane", p.Pane}, {"turn", p.Turn}, {"knobs", knobs}, {"built_in", presets.BuiltIn(p.Name)},
		})
	}
	return l, nil
}
