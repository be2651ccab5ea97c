package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/state"
)

// needTerminal returns an error if the screen cannot open. instead is a command without a screen.
func needTerminal(instead string) error {
	switch {
	case !term.IsTerminal(os.Stdout.Fd()):
		return errors.New("standard output is not a terminal, but the screen needs one: use " + instead)
	case os.Getenv("TERM") == "dumb":
		return errors.New("TERM is dumb, but the screen moves the cursor: export TERM=xterm-256color, or use " + instead)
	}
	return nil
}

// newRoot returns the complete command line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hybridtop",
		Short: "see why one way of programming a cluster is faster than another",
		Long: "Hybridtop runs real SPMD programs on a cluster: live, emulated or simulated. Without a command it opens " +
			"the screen. For all flags, name a workload: hybridtop --workload dot --help.",
		Example: "hybridtop --workload randomaccess --group 4",
		Args:    suggestCommand,
	}
	screen := &tui.Options{}
	var name string
	var fresh, paused bool
	f := root.Flags()
	f.StringVar(&name, "workload", "randomaccess", "program to run (see hybridtop list workloads)")
	f.StringVar(&screen.Theme, "theme", "", "colours; default: like the terminal: "+strings.Join(themes(), ", "))
	ascii := f.Bool("ascii", false, "draw only with ASCII; default: if the terminal or locale needs it")
	f.IntVar(&screen.FPS, "fps", 0, "maximum frames per second; default: 20, over SSH 8")
	var until time.Duration
	addUntil(root, &until, "the session pauses")
	f.BoolVar(&screen.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
	f.StringVar(&screen.Pane, "pane", "",
		"focused pane; default: as on the last screen: "+strings.Join(tui.PaneNames(), ", "))
	f.BoolVar(&paused, "paused", false, "pause before the first iteration")
	f.BoolVar(&fresh, "fresh", false, "start with defaults; neither use nor change stored settings")
	complete := func(flag string, words func() []string) {
		must(root.RegisterFlagCompletionFunc(flag,
			func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return words(), cobra.ShellCompDirectiveNoFileComp
			}))
	}
	complete("workload", workloadNames)
	complete("theme", themes)
	complete("pane", tui.PaneNames)
	units := addUnits(root)
	knobs := addKnobs(root, false)
	knobs.addLauncher(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkPane(screen.Pane); err != nil {
			return err
		}
		fabrics, err := knobs.fabrics()
		if err != nil {
			return err
		}
		options := session.Options{Fabrics: fabrics, Linger: true}
		if !fresh {
			screen.Store, screen.Kept = state.Open(xdg.Config(), xdg.State())
		}
		given := ""
		if cmd.Flags().Changed("workload") {
			given = name
		}
		p, err := knobs.findPreset(cmd, given)
		if err != nil {
			return err
		}
		var sc engine.Scenario
		var differs, notes []string
		if p != nil {
			sc, _, options.Machines, err = knobs.scenario(cmd, p.Workload, p)
			if err == nil && screen.Pane == "" {
				screen.Pane, err = p.Pane, checkPreset(p)
			}
			screen.Scenario = p
		} else {
			kept := screen.Kept.Workloads[name].Knobs
			opens := len(kept) == 0 && isOpening(cmd)
			if opens {
				kept = opening
			}
			if sc, differs, notes, err = knobs.stored(cmd, name, kept, &options); opens {
				differs = nil
			}
		}
		if err != nil {
			return err
		}
		if err := needTerminal("hybridtop run " + name); err != nil {
			return err
		}
		at, err := readUntil(cmd, until)
		if err != nil {
			return err
		}
		if len(differs) > 0 {
			screen.Notice = "settings of the last screen: " + strings.Join(differs, ", ") + "; use --fresh for defaults"
		}
		if screen.Store != nil {
			screen.Store.Warnings = append(screen.Store.Warnings, notes...)
		}
		options.Limits.Until = at
		screen.Units = *units
		if cmd.Flags().Changed("ascii") {
			screen.ASCII = ascii
		}
		return openScreen(cmd, sc, options, screen, paused)
	}
	root.SetFlagErrorFunc(suggestFlag)
	root.AddCommand(newRun(), newSweep(), newRecord(), newReplay(), newVerify(), newCompare(), newExplain(), newAdvise(), newShapes(),
		newExport(), newLesson(), newTour(), newQuestions(), newList(), newShow(), newMachine(), newBench(), newModel(), newCalibrate(), newTune(), newReproduce(), newDoctor())
	root.CompletionOptions.HiddenDefaultCmd = true // so that the help fits on a screen; README names it
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Hidden = true // every command has --help
	}
	return root
}

// opening has the knobs of the first screen that differ from the defaults. Groups of two nodes send half of the
// accesses over the network. More accesses, with less computing, show the effect of the next group size clearly.
var opening = map[string]string{"group": "8", "accesses": "256", "flops": "100"}

// isOpening reports whether a command line names no workload, machine or layout of ranks.
func isOpening(cmd *cobra.Command) bool {
	return !slices.ContainsFunc([]string{"workload", "machine", "group", "model", "nodes", "ranks-per-node"},
		cmd.Flags().Changed)
}

// checkPreset returns an error if the preset opens an unknown pane.
func checkPreset(p *presets.Scenario) error {
	if err := checkPane(p.Pane); err != nil {
		return p.Wrong("pane", err)
	}
	return nil
}

// checkPane returns an error if name is not a pane; "" is allowed.
func checkPane(name string) error {
	if name == "" {
		return nil
	}
	return suggest(tui.CheckPane(name), name, tui.PaneNames())
}

func themes() []string {
	var names []string
	for _, t := range grid.Themes() {
		names = append(names, t.Name)
	}
	return names
}
