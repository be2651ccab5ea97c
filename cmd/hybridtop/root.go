package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/state"
	"github.com/hybridtop/hybridtop/tui/tty"
)

// newRoot is the whole command line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hybridtop",
		Short: "see why one way of programming a cluster of SMP nodes beats another",
		Long: "Hybridtop runs real SPMD programs on a cluster, real or emulated, and shows bandwidth, latency and locality " +
			"while you change execution model, group size, nodes and ranks. Without a command it opens the screen.",
		Example: "hybridtop --workload randomaccess --group 4",
		Args:    cobra.NoArgs,
	}
	screen := &tui.Options{}
	var name string
	var fresh, paused bool
	f := root.Flags()
	f.StringVar(&name, "workload", "randomaccess", "what to run: "+strings.Join(workloadNames(), ", "))
	f.StringVar(&screen.Theme, "theme", "", "colours (follows the terminal): "+strings.Join(themes(), ", "))
	ascii := f.Bool("ascii", false, "draw with ASCII alone (where the terminal or the locale has no more)")
	f.IntVar(&screen.FPS, "fps", 0, "frames a second at most (20, over SSH 8)")
	var until time.Duration
	addUntil(root, &until, "the session pauses")
	f.BoolVar(&screen.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
	f.StringVar(&screen.Pane, "pane", "", "the pane that has the focus (as it was left): "+strings.Join(tui.PaneNames(), ", "))
	f.BoolVar(&paused, "paused", false, "pause before the first iteration")
	f.BoolVar(&fresh, "fresh", false, "begin with defaults: what is remembered is neither used nor changed")
	complete := func(flag string, words func() []string) {
		must(root.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return words(), cobra.ShellCompDirectiveNoFileComp
		}))
	}
	complete("workload", workloadNames)
	complete("theme", themes)
	complete("pane", tui.PaneNames)
	units := addUnits(root)
	knobs := addKnobs(root, false)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkPane(screen.Pane); err != nil {
			return err
		}
		options := session.Options{Fabrics: session.Fabrics(), Linger: true}
		if !fresh {
			screen.Store, screen.Kept = state.Open(xdg.Config(), xdg.State())
		}
		given := ""
		if cmd.Flags().Changed("workload") {
			given = name
		}
		p, err := knobs.begun(cmd, given)
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
			screen.Knob = p.Turn
			if p.Watch != "" {
				screen.Notice = "watch: " + p.Watch
			}
		} else {
			sc, differs, notes, err = knobs.asLeft(cmd, name, screen.Kept.Workloads[name].Knobs, &options)
		}
		if err != nil {
			return err
		}
		if !term.IsTerminal(os.Stdout.Fd()) {
			return errors.New("the screen needs a terminal, and standard output is none: use hybridtop run " + name)
		}
		at, err := readUntil(cmd, until)
		if err != nil {
			return err
		}
		terminal, code := tty.Open()
		if terminal == nil { // the program was another process, which has ended
			return status(code)
		}
		if len(differs) > 0 {
			screen.Notice = "as you left it: " + strings.Join(differs, ", ") + "; --fresh has the defaults"
		}
		if screen.Store != nil {
			screen.Store.Warnings = append(screen.Store.Warnings, notes...)
			for _, w := range screen.Store.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", w) // it is read when the screen has gone
			}
		}
		options.Limits.Until = at
		screen.Record = new(recording.Switch)
		options.Observer = screen.Record
		s, err := session.New(sc, options)
		if err != nil {
			return err
		}
		if paused {
			if err := s.Do(engine.Command{Verb: engine.Pause}); err != nil {
				return err
			}
		}
		ctx, done := endable(cmd.Context(), terminal, cmd.ErrOrStderr())
		defer done()
		s.Start(cmd.Context())
		screen.Units = *units
		screen.Terminal, screen.Machines = terminal, options.Machines
		screen.Warn = func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", err) }
		if cmd.Flags().Changed("ascii") {
			screen.ASCII = ascii
		}
		err = tui.Run(ctx, s, *screen)
		_ = s.Stop() // the screen has shown why a run failed
		_ = screen.Record.Stop()
		switch code := interruption(ctx); {
		case code != 0:
			code.say(cmd.ErrOrStderr())
			return code
		case err != nil && !term.IsTerminal(os.Stdout.Fd()): // it went before that was noticed
			return firstSignal + status(syscall.SIGHUP)
		}
		return err
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; %s --help has the flags, hybridtop list knobs what each knob takes", err, cmd.CommandPath())
	})
	root.AddCommand(newRun(), newSweep(), newRecord(), newReplay(), newVerify(), newCompare(), newExport(), newList(), newShow(), newMachine(), newBench(), newModel(), newCalibrate(), newTune(), newReproduce())
	return root
}

// checkPreset refuses a preset that opens what is no pane.
func checkPreset(p *presets.Scenario) error {
	if err := checkPane(p.Pane); err != nil {
		return p.Wrong("pane", err)
	}
	return nil
}

// checkPane refuses what is no pane's name; "" is none that is asked for.
func checkPane(name string) error {
	if name == "" {
		return nil
	}
	return tui.CheckPane(name)
}

func themes() []string {
	var names []string
	for _, t := range grid.Themes() {
		names = append(names, t.Name)
	}
	return names
}
