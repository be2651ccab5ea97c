package main

import (
	"fmt"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/state"
)

// onTerminal reports whether the screen can open: input and output are a terminal.
func onTerminal() bool {
	return term.IsTerminal(os.Stdin.Fd()) && needTerminal("") == nil
}

// openLesson opens the screen with a lesson. The session runs the first program that the lesson shows. Only colours, units and
// the mouse are remembered from the last screen, and nothing is remembered for the next one.
func openLesson(cmd *cobra.Command, l *presets.Lesson, of tui.Lesson, screen *tui.Options) error {
	if len(l.Runs) == 0 {
		return fmt.Errorf("lesson %s has no run, which the screen needs (use --text)", l.Name)
	}
	r := &l.Runs[0]
	for i := range l.Steps {
		if s := l.Steps[i].Show; s != nil {
			r = l.Run(s.Run)
			break
		}
	}
	sc, err := lesson.Scenario(l, r)
	if err != nil {
		return err
	}
	_, kept := state.Open(xdg.Config(), xdg.State())
	screen.Kept = state.Kept{Theme: kept.Theme, Units: kept.Units, Mouse: kept.Mouse}
	screen.Lesson = &of
	return openScreen(cmd, sc, session.Options{Fabrics: session.Fabrics(), Linger: true}, screen, false)
}

// addScreenFlags adds the flags of a lesson's screen.
func addScreenFlags(cmd *cobra.Command) func() *tui.Options {
	screen := &tui.Options{}
	f := cmd.Flags()
	f.StringVar(&screen.Theme, "theme", "", "colours; default: like the terminal")
	f.BoolVar(&screen.NoMouse, "no-mouse", false, "leave the mouse to the terminal")
	ascii := f.Bool("ascii", false, "draw only with ASCII; default: if the terminal or locale needs it")
	return func() *tui.Options {
		if cmd.Flags().Changed("ascii") {
			screen.ASCII = ascii
		}
		return screen
	}
}

// tourName is the lesson that hybridtop tour plays.
const tourName = "tour"

func newTour() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "show what the screen can do, in three minutes",
		Long: "Show what the screen can do. The tour is a lesson without questions. Its steps advance by themselves. A key press " +
			"stops this and gives control to you: N continues, H returns to the step before.",
		Example: "hybridtop tour",
		Args:    cobra.NoArgs,
	}
	screen := addScreenFlags(cmd)
	all := cmd.Flags().Duration("time", 3*time.Minute, "time of the whole tour")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *all < time.Second || *all > time.Hour {
			return fmt.Errorf("--time %s: want 1s to 1h", *all)
		}
		l, err := presets.FindLesson(tourName)
		if err != nil {
			return err
		}
		if err := needTerminal("hybridtop lesson tour --text"); err != nil {
			return err
		}
		return openLesson(cmd, &l, tui.Lesson{Name: tourName, Every: *all / time.Duration(len(l.Steps))}, screen())
	}
	return cmd
}
