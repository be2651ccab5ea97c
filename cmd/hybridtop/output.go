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
	"github.com/hybridtop/hybridtop/tui/grid"
)

// format is how a command writes what it found.
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

// writeCSV writes a head and rows.
func writeCSV(w io.Writer, head []string, rows [][]string) error {
	c := csv.NewWriter(w)
	return errors.Join(c.Write(head), c.WriteAll(rows))
}

// units say how numbers of an SI unit are written for people.
var units = map[string]grid.Unit{
	"s": grid.Seconds, "B": grid.Bytes, "B/s": grid.BytesPerSecond, "1/s": grid.PerSecond, "flop/s": grid.Flops,
}

// text is a metric's value with its unit.
func text(m engine.Metric) string {
	u, known := units[m.Unit]
	switch {
	case known:
		return u.String(m.Value)
	case m.Unit == "1" && strings.HasSuffix(m.Name, "_share"):
		return fmt.Sprintf("%.4g %%", 100*m.Value)
	case m.Unit == "1" || m.Unit == "":
		return fmt.Sprintf("%.6g", m.Value)
	}
	return fmt.Sprintf("%.4g %s", m.Value, m.Unit)
}

// plain is a value for CSV: all its digits, or nothing for what is no number.
func plain(x float64) string {
	if engine.Finite(x) == nil {
		return ""
	}
	return fmt.Sprintf("%v", x)
}
