package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// addPreset adds --preset to a command with knobs.
func (f *knobFlags) addPreset(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.preset, "preset", "", "scenario to start with, or its file (see hybridtop list scenarios)")
	must(cmd.RegisterFlagCompletionFunc("preset",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			all, _ := session.Presets()
			for _, p := range all {
				names = append(names, cobra.CompletionWithDesc(p.Name, p.Title))
			}
			return names, cobra.ShellCompDirectiveDefault // or a file
		}))
}

// presetNames returns the names of all presets that can be read.
func presetNames() []string {
	var names []string
	all, _ := session.Presets()
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}

// findPreset returns the scenario of --preset, or nil without the flag. given is the workload of the
// command line, or "".
func (f *knobFlags) findPreset(cmd *cobra.Command, given string) (*presets.Scenario, error) {
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
		return nil, suggest(err, f.preset, presetNames())
	}
	if given != "" && given != p.Workload {
		return nil, fmt.Errorf("--preset %s: belongs to workload %s, not %s (omit the workload, or use "+
			"another preset)", p.Name, p.Workload, given)
	}
	return &p, nil
}

// request returns the request of a command line that runs a workload: the scenario, the knobs with
// several values, and the options of the session.
func (f *knobFlags) request(cmd *cobra.Command, args []string,
	limits *limitFlags) (engine.Scenario, []session.Axis, session.Options, error) {
	fabrics, err := f.fabrics()
	o := session.Options{Fabrics: fabrics}
	if err != nil {
		return engine.Scenario{}, nil, o, err
	}
	name := first(args)
	p, err := f.findPreset(cmd, name)
	if err != nil {
		return engine.Scenario{}, nil, o, err
	}
	sc, axes, userMachines, err := f.scenario(cmd, name, p)
	if err != nil {
		return sc, nil, o, err
	}
	o.Machines = userMachines
	o.Limits, err = limits.read(cmd)
	return sc, axes, o, err
}

// first returns the first argument, or "".
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// warnScenarios reports the user's scenarios that a list leaves out.
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
			{"watch", p.Text()}, {"steps", p.Steps}, {"pane", p.Pane}, {"turn", p.FirstKnob}, {"knobs", knobs}, {"expect", expectationTexts(p.Expect)},
			{"built_in", presets.BuiltIn(p.Name)},
		})
	}
	return l, nil
}

func listCompositions() (listing, error) {
	l := listing{what: "compositions", columns: []string{"name", "collective", "parts", "title"}}
	for _, name := range presets.Compositions() {
		c, err := presets.FindComposition(name)
		if err != nil {
			return l, err
		}
		l.entries = append(l.entries, entry{{"name", c.Name}, {"collective", c.Collective}, {"parts", c.Text()},
			{"title", c.Title}, {"paper", c.Paper}})
	}
	return l, nil
}
