package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/internal/xdg"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/state"
)

// format is the output format of a command.
type format struct{ json, csv, lines bool }

func addFormat(cmd *cobra.Command) *format {
	f := &format{}
	cmd.Flags().BoolVar(&f.json, "json", false, "write JSON, in SI base units (docs/json.md)")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "write CSV, in SI base units")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	return f
}

// writeJSON writes v, indented.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeCSV writes a header and rows. Texts are safe for spreadsheets.
func writeCSV(w io.Writer, head []string, rows [][]string) error {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = safetext.Cell(cell)
		}
	}
	c := csv.NewWriter(w)
	return errors.Join(c.Write(head), c.WriteAll(rows))
}

// inUnits is the unit system of bytes in text: from --units, or from the last screen. JSON and CSV
// always have SI base units.
var inUnits grid.Units

// addUnits adds --units to all commands.
func addUnits(root *cobra.Command) *string {
	name := root.PersistentFlags().String("units", "",
		"units of sizes and rates in text; default: as on the last screen, or mixed: "+strings.Join(grid.UnitsNames(), ", "))
	must(root.RegisterFlagCompletionFunc("units",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return grid.UnitsNames(), cobra.ShellCompDirectiveNoFileComp
		}))
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkFlags(cmd.Flags()); err != nil {
			return err
		}
		ok := true
		inUnits = grid.MixedUnits
		if *name != "" {
			inUnits, ok = grid.UnitsByName(*name)
		} else if _, kept := state.Open(xdg.Config(), ""); kept.Units != "" {
			inUnits, _ = grid.UnitsByName(kept.Units) // the screen reports a broken file
		}
		if !ok {
			err := fmt.Errorf("--units %s: want one of %s", *name, strings.Join(grid.UnitsNames(), ", "))
			return suggest(err, *name, grid.UnitsNames())
		}
		return nil
	}
	return name
}

// siUnits are the units that get prefixes.
var siUnits = map[string]bool{"s": true, "B": true, "B/s": true, "1/s": true, "flop/s": true}

// isShare reports whether a metric is a share of 1, which is written in percent. This includes the
// predictions of a law or model for it.
func isShare(metric string) bool {
	return strings.HasSuffix(metric, "_share") || strings.Contains(metric, "_share_")
}

// text returns a metric's value with its unit.
func text(m engine.Metric) string {
	switch {
	case siUnits[m.Unit]:
		return inUnits.Of(m.Unit).String(m.Value)
	case m.Unit == "1" && isShare(m.Name):
		return fmt.Sprintf("%.4g %%", 100*m.Value)
	case m.Unit == "1" || m.Unit == "":
		return fmt.Sprintf("%.6g", m.Value)
	}
	return fmt.Sprintf("%.4g %s", m.Value, m.Unit)
}

// plain returns a value for CSV with all digits, or "" for NaN and infinity.
func plain(x float64) string {
	if engine.Finite(x) == nil {
		return ""
	}
	return fmt.Sprintf("%v", x)
}
