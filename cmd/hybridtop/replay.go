package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/tty"
)

func newReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "open the screen on a recording, or draw a moment of it",
		Long: "Show a recording as it was shown when it ran: all panes work, and keys play, pause and move in it. " +
			"With --picture a moment of it is drawn into a file, without a terminal.",
		Example:           "hybridtop replay run.htr --at 'mark 2' --picture moment.svg",
		Args:              oneRecording,
		ValidArgsFunction: recordingFiles,
	}
	number := cmd.Flags().Int("run", 0, "which run of the file (the last)")
	at := cmd.Flags().String("at", "", "where to begin: a time such as 12.5s, mark 2, or the words of a mark (the beginning; of a picture the end)")
	speed := cmd.Flags().Float64("speed", 1, "how fast to play")
	paused := cmd.Flags().Bool("paused", false, "do not play at once")
	screen := &tui.Options{}
	cmd.Flags().StringVar(&screen.Theme, "theme", "", "colours (follows the terminal): "+strings.Join(themes(), ", "))
	ascii := cmd.Flags().Bool("ascii", false, "draw with ASCII alone (where the terminal or the locale has no more)")
	cmd.Flags().StringVar(&screen.Pane, "pane", "", "the pane that has the focus: "+strings.Join(tui.PaneNames(), ", "))
	picture := addPicture(cmd, " or at the time of --at")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkPane(screen.Pane); err != nil {
			return err
		}
		of, err := picture.read()
		if err != nil {
			return err
		}
		f, err := recording.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		run, err := runOf(f, *number)
		if err != nil {
			return err
		}
		p, err := f.Player(run.ID)
		if err != nil {
			return err
		}
		begin := p.Begin()
		if of != nil {
			begin = p.Length
		}
		if *at != "" {
			if begin, err = p.Find(*at, 0); err != nil {
				return fmt.Errorf("--at %w", err)
			}
		}
		if of != nil {
			snap, err := p.At(begin)
			if err != nil {
				return err
			}
			ctx, done := interruptible(cmd.Context())
			defer done()
			return writePicture(ctx, cmd.ErrOrStderr(), of, snap)
		}
		if !term.IsTerminal(os.Stdout.Fd()) {
			return errors.New("the screen needs a terminal, and standard output is none: --picture FILE draws a moment, hybridtop export has the numbers")
		}
		return play(cmd, p, begin, *speed, *paused, screen, ascii)
	}
	return cmd
}

// play opens the screen on a run.
func play(cmd *cobra.Command, p *recording.Player, at time.Duration, speed float64, paused bool, screen *tui.Options, ascii *bool) error {
	r, err := recording.NewReplay(p, at, speed)
	if err != nil {
		return err
	}
	terminal, code := tty.Open()
	if terminal == nil { // the program was another process, which has ended
		return status(code)
	}
	ctx, done := endable(cmd.Context(), terminal, cmd.ErrOrStderr())
	defer done()
	if !paused {
		r.Start(ctx)
	} else {
		r.Run(ctx)
	}
	screen.Terminal, screen.Units = terminal, inUnits.String()
	if cmd.Flags().Changed("ascii") {
		screen.ASCII = ascii
	}
	err = tui.Run(ctx, r, *screen)
	if code := interruption(ctx); code != 0 {
		code.say(cmd.ErrOrStderr())
		return code
	}
	return err
}
