package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui"
	"github.com/hybridtop/hybridtop/tui/tty"
)

// openScreen runs a scenario on the screen until the user quits.
func openScreen(cmd *cobra.Command, sc engine.Scenario, options session.Options, screen *tui.Options, paused bool) error {
	terminal, code := tty.Open()
	if terminal == nil { // the program ran in another process and has ended
		return status(code)
	}
	if screen.Store != nil {
		for _, w := range screen.Store.Warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", w) // visible after the screen closes
		}
	}
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
	screen.Terminal, screen.Machines = terminal, options.Machines
	screen.Warn = func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", err) }
	err = tui.Run(ctx, s, *screen)
	stopSession(s, endTime)
	_ = screen.Record.Stop()
	switch code := interruption(ctx); {
	case code != 0:
		code.say(cmd.ErrOrStderr())
		return code
	case err != nil && !term.IsTerminal(os.Stdout.Fd()): // the terminal closed before it was noticed
		return firstSignal + status(syscall.SIGHUP)
	}
	return err
}
