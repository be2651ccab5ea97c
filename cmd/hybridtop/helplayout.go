package main

import (
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Columns of help: its maximum width, and the indentations of the library that prints it.
const (
	helpWidth  = 100
	textIndent = 2
	keyIndent  = 4
	keyGap     = 2
)

// briefFlags are the flags in the help of the root command, briefKnobs the knobs in the help of
// a command that runs a workload. Help with a workload lists all flags.
var (
	briefFlags = []string{"workload", "preset", "machine", "fabric", "nodes", "ranks-per-node", "group", "help",
		"version"}
	briefKnobs = []string{"machine", "fabric", "nodes", "ranks-per-node", "model", "group"}
)

// prepareHelp prepares the help of a command for its arguments: which flags it lists, and lines
// that fit into the terminal. The library wraps only the description. It is called only before
// help is printed, because completion and the manual need all flags.
func prepareHelp(cmd *cobra.Command, args []string, stdout io.Writer) {
	cmd.InitDefaultHelpFlag()
	if !adaptHelp(cmd, args) {
		hideFlags(cmd)
	}
	width := helpWidth
	if f, ok := terminalFile(stdout); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			width = min(width, w)
		}
	}
	fitHelp(cmd, width)
}

// hideFlags hides the flags that are only listed together with a workload.
func hideFlags(cmd *cobra.Command) {
	machine := cmd.Flags().Lookup("machine")
	if machine == nil {
		return
	}
	knob, ok := machine.Value.(*knobValue)
	if !ok {
		return
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !cmd.HasParent() {
			f.Hidden = !slices.Contains(briefFlags, f.Name)
		} else if knob.of.values[f.Name] != nil || f.Name == "front" || f.Name == "apart" {
			f.Hidden = !slices.Contains(briefKnobs, f.Name)
		}
	})
}

// fitHelp wraps the texts of a command to a width.
func fitHelp(cmd *cobra.Command, width int) {
	if cmd.Long == "" {
		cmd.Long = cmd.Short
	}
	cmd.Long = wrapWords(cmd.Long, width-textIndent)
	column := 0
	for _, c := range cmd.Commands() {
		if !cmd.HasParent() {
			c.Use = c.Name() // its own help has the arguments
		}
		key := c.Use
		if c.HasAvailableSubCommands() {
			key += " [command]"
		}
		column = max(column, lipgloss.Width(key+" [--flags]"))
	}
	visible := func(do func(*pflag.Flag)) {
		all := func(f *pflag.Flag) {
			if !f.Hidden {
				do(f)
			}
		}
		cmd.Flags().VisitAll(all)
		cmd.InheritedFlags().VisitAll(all)
	}
	visible(func(f *pflag.Flag) {
		key := "--" + f.Name
		if f.Shorthand != "" {
			key = "-" + f.Shorthand + " " + key
		}
		column = max(column, lipgloss.Width(key))
	})
	wrapped := map[*pflag.Flag]bool{} // inherited flags are in both sets
	visible(func(f *pflag.Flag) {
		if wrapped[f] {
			return
		}
		wrapped[f] = true
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			f.Usage += " (" + f.DefValue + ")"
		}
		f.DefValue = "" // part of the text now, so that it wraps
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
		f.Usage = wrapWords(f.Usage, max(width-keyIndent-column-keyGap, 20))
	})
}

// wrapWords wraps lines between words. Unlike lipgloss.Wrap it does not break at hyphens, which
// are part of names here. Indented lines are lists and stay as they are.
func wrapWords(s string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		column := 0
		if strings.HasPrefix(line, " ") {
			b.WriteString(line)
			continue
		}
		for _, word := range strings.Fields(line) {
			w := lipgloss.Width(word)
			switch {
			case column == 0:
			case column+1+w > width:
				b.WriteByte('\n')
				column = 0
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += w
		}
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
