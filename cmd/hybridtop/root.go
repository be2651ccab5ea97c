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

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/grid"
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
	f := root.Flags()
	f.StringVar(&name, "workload", "randomaccess", "what to run: "+strings.Join(workloadNames(), ", "))
	f.StringVar(&screen.Theme, "theme", "", "colours (follows the terminal): "+strings.Join(themes(), ", "))
	f.BoolVar(&screen.ASCII, "ascii", false, "draw with ASCII alone")
	f.IntVar(&screen.FPS, "fps", 0, "frames a second at most (20, over SSH 8)")
	var until time.Duration
	addUntil(root, &until, "the session pauses")
	f.BoolVar(&screen.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
	complete := func(flag string, words func() []string) {
		must(root.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return words(), cobra.ShellCompDirectiveNoFileComp
		}))
	}
	complete("workload", workloadNames)
	complete("theme", themes)
	knobs := addKnobs(root, false)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		sc, _, own, err := knobs.scenario(cmd, name)
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
		s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Machines: own, Limits: session.Limits{Until: at}, Linger: true})
		if err != nil {
			return err
		}
		ctx, done := endable(cmd.Context(), terminal, cmd.ErrOrStderr())
		defer done()
		s.Start(cmd.Context())
		screen.Terminal, screen.Machines = terminal, own
		err = tui.Run(ctx, s, *screen)
		_ = s.Stop() // the screen has shown why a run failed
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
	root.AddCommand(newRun(), newSweep(), newList(), newMachine(), newBench(), newModel(), newCalibrate(), newReproduce())
	return root
}

func themes() []string {
	var names []string
	for _, t := range grid.Themes() {
		names = append(names, t.Name)
	}
	return names
}
