package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

func newModel() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "model",
		Short:   "evaluate the papers' formulas, and show the largest term",
		Long:    "Evaluate a cost model of the papers. Nothing runs: every number is computed from the flags.",
		Example: "hybridtop model epsilon --m 1 --n 8 --non-overlap 0.2",
		Args:    suggestCommand,
		RunE:    func(*cobra.Command, []string) error { return pflag.ErrHelp },
	}
	cmd.AddCommand(newModelEpsilon(), newModelAccess(), newModelLocality())
	return cmd
}

// modelled is the result of a model, as docs/json.md describes it.
type modelled struct {
	Schema  string                   `json:"schema"`
	Model   string                   `json:"model"`
	Paper   string                   `json:"paper"`
	Inputs  map[string]givenView     `json:"inputs"`
	Metrics map[string]engine.Metric `json:"metrics"`
	Rows    []modelRow               `json:"rows"`

	lines  []modelLine // the metrics, in order
	chart  string      // title of the chart of rows
	marker float64     // value of the line in the chart; 0: none
}

// givenView is a number that the user gave.
type givenView struct {
	Value *float64 `json:"value"`
	Unit  string   `json:"unit"`
}

// modelRow is one point of a model's curve.
type modelRow struct {
	At     map[string]any `json:"at"`
	Value  engine.Metric  `json:"value"`
	Terms  []termView     `json:"terms"`
	Ruling string         `json:"ruling"`

	cells []string // what the chart says before and behind the bar
	notes []string
}

type termView struct {
	Name string        `json:"name"`
	Max  bool          `json:"max"`
	Time engine.Metric `json:"time"`
}

// modelLine is a metric with its symbol.
type modelLine struct{ metric, symbol, note string }

func newModelled(model, paper string) *modelled {
	return &modelled{
		Schema: "hybridtop.model.v1", Model: model, Paper: paper,
		Inputs: make(map[string]givenView), Metrics: make(map[string]engine.Metric), Rows: []modelRow{},
	}
}

// input stores a number from a flag with its unit.
func (r *modelled) input(name string, value float64, unit string) {
	r.Inputs[name] = givenView{engine.Finite(value), unit}
}

// add stores a result of the model.
func (r *modelled) add(name string, value float64, unit, symbol, note string) {
	r.Metrics[name] = engine.Metric{Name: name, Value: value, Unit: unit, Kind: engine.Modelled}
	r.lines = append(r.lines, modelLine{metric: name, symbol: symbol, note: note})
}

// row stores a point with the terms of its prediction.
func (r *modelled) row(at map[string]any, metric string, p models.Prediction, cells []string, notes ...string) {
	row := modelRow{
		At: at, Value: engine.Metric{Name: metric, Value: p.Value, Unit: p.Unit, Kind: engine.Modelled},
		Terms: []termView{}, Ruling: ruling(p), cells: cells,
	}
	row.notes = append([]string{row.Ruling}, notes...)
	view := func(terms []models.Term, side bool) {
		for _, t := range terms {
			row.Terms = append(row.Terms, termView{
				Name: t.Name,
				Max:  side,
				Time: engine.Metric{Value: t.Value, Unit: t.Unit, Kind: engine.Modelled},
			})
		}
	}
	view(p.Sum, false)
	view(p.Max, true)
	r.Rows = append(r.Rows, row)
}

// ruling returns the name of the largest term, or "balanced".
func ruling(p models.Prediction) string {
	if p.Balanced() {
		return "balanced"
	}
	return p.Dominant().Name
}

func (r *modelled) write(w io.Writer, f *format) error {
	switch {
	case f.json:
		return writeJSON(w, r)
	case f.csv:
		var rows [][]string
		for _, l := range r.lines {
			m := r.Metrics[l.metric]
			rows = append(rows, []string{l.metric, plain(m.Value), m.Unit, string(m.Kind)})
		}
		return writeCSV(w, []string{"metric", "value", "unit", "kind"}, rows)
	}
	t := newTable(w)
	t.title(r.Model + ", modelled (" + r.Paper + ")")
	t.row()
	for _, l := range r.lines {
		t.row(l.symbol, modelText(r.Metrics[l.metric]), l.note)
	}
	return errors.Join(t.close(), r.draw(w))
}

// draw draws one bar per row, each with ╌ at the marker.
func (r *modelled) draw(w io.Writer) error {
	longest := r.marker
	for i := range r.Rows {
		longest = max(longest, r.Rows[i].Value.Value)
	}
	t := newTable(w)
	t.row()
	t.title(r.chart)
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := append(append([]string{}, row.cells...), bar(cell(row.Value.Value, longest), cell(r.marker, longest)-1),
			modelText(row.Value))
		t.row(append(cells, row.notes...)...)
	}
	return t.close()
}

// modelText formats a metric. Fractions are in percent, as in the paper.
func modelText(m engine.Metric) string {
	switch {
	case strings.HasPrefix(m.Name, "f_"):
		return fmt.Sprintf("%.3g %%", 100*m.Value)
	case strings.HasPrefix(m.Name, "epsilon"):
		return fmt.Sprintf("%.3f", m.Value)
	}
	return text(m)
}
