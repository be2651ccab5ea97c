package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/tty"
)

func newReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "open the screen on a recording, or draw a moment of it",
		Long: "Open the screen on a recording. All panes work; keys play, pause and move in time. " +
			"With --picture, draw one moment into a file, without a terminal.",
		Example:           "hybridtop replay run.htr --at 'mark 2' --picture moment.svg",
		Args:              oneRecording,
		ValidArgsFunction: recordingFiles,
	}
	number := cmd.Flags().Int("run", 0, "run of the file; default: the last")
	at := cmd.Flags().String("at", "", "start: a time such as 12.5s, mark 2, or the text of a mark; default: the "+
		"beginning, for a picture the end")
	speed := cmd.Flags().Float64("speed", 1, "playing speed")
	paused := cmd.Flags().Bool("paused", false, "start paused")
	screen := &tui.Options{}
	cmd.Flags().StringVar(&screen.Theme, "theme", "", "colours; default: like the terminal: "+strings.Join(themes(), ", "))
	ascii := cmd.Flags().Bool("ascii", false, "draw only with ASCII; default: if the terminal or locale needs it")
	cmd.Flags().StringVar(&screen.Pane, "pane", "", "focused pane: "+strings.Join(tui.PaneNames(), ", "))
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
			begin, err = p.Find(*at, 0)
			if err != nil {
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
		if err := needTerminal("--picture FILE or hybridtop export"); err != nil {
			return err
		}
		r, err := recording.NewReplay(p, begin, *speed)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("ascii") {
			screen.ASCII = ascii
		}
		return play(cmd, r, *paused, screen)
	}
	return cmd
}

// play opens the screen on a recorded run.
func play(cmd *cobra.Command, r *recording.Replay, paused bool, screen *tui.Options) error {
	terminal, code := tty.Open()
	if terminal == nil { // the program ran in another process and has ended
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
	err := tui.Run(ctx, r, *screen)
	if code := interruption(ctx); code != 0 {
		code.say(cmd.ErrOrStderr())
		return code
	}
	return err
}
