package pane

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/shapes"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Forecasts has modelled rows of a workload's first study, for values of a knob.
type Forecasts struct {
	Workload string
	Rows     []engine.Row
}

// Host is a pane's view of the screen, and its interface to it. The screen creates one and keeps it
// up to date.
type Host struct {
	Snap    *engine.Snapshot // the snapshot that is shown; never nil
	Theme   *grid.Theme
	Units   grid.Units   // for sizes and rates
	Markers grid.Markers // for curves
	Alone   bool         // no other pane is shown
	Picture bool         // for an exported picture: charts over time show the whole run
	Pick    Pick         // the selected part of the cluster
	Moment  Moment       // the time that crosshairs mark
	Window  Window       // the span of time that panes show
	Held    bool         // ctrl, alt or shift is held with the mouse wheel
	Panel   Panel        // the knobs with the values that the user requested

	Base     *engine.Against // Snap compared with the baseline; nil: no baseline
	Assumed  []string        // keys of the assumed numbers of the machine, if it is a sketch
	Absolute bool            // heat maps show numbers instead of ratios to the baseline

	Predicted *Prediction // a student's prediction for the run; nil: none

	Explained *explain.Answer // the explanation of the run; nil: not requested
	Inquiry   *Inquiry        // the question about the run; nil: none

	Forecasts *Forecasts // modelled rows of the first study; nil: none

	// WhatIf explains the run, and what changes of its machine would change.
	WhatIf func([]presets.Change)
	// Say shows a text in the status line until the next key.
	Say func(string)
	// Idle returns the reason why a change of the knob has no effect now, or "" if it has one.
	Idle func(knob string) string
	// Keys returns the keys of an action as shown on the screen.
	Keys func(action string) string
}

// Forecast returns the modelled rows that have no run in the study. Only the first study has modelled rows.
func (h *Host) Forecast(s *engine.StudyView) []engine.Row {
	if h.Forecasts == nil || h.Forecasts.Workload != h.Snap.Scenario.Workload || len(h.Snap.Studies) == 0 || s != &h.Snap.Studies[0] {
		return nil
	}
	var all []engine.Row
	for _, f := range h.Forecasts.Rows {
		if !slices.ContainsFunc(s.Rows, func(r engine.Row) bool { return r.Key == f.Key }) {
			all = append(all, f)
		}
	}
	return all
}

// An Inquiry is a question about the run that simulations answer in the background. It never changes.
type Inquiry struct {
	Action      string // that asks the question, and ends it
	Pane        string // name of the pane that shows the answer
	Title       string // in its border
	Scenario    engine.Scenario
	Done, Total int                  // simulations that have ended, and their number; Total 0: unknown
	Map         *explain.DecisionMap // the answers; nil: another question, or not simulated yet
	Pairs       *pairs.Result
	Advice      *advise.Advice
	Shapes      *shapes.Report
	Regret      *tuner.LibraryMap
	Failure     string // reason for a missing answer; "": none
}

// InquiryOf returns the question whose answer a pane shows, or nil.
func (h *Host) InquiryOf(pane string) *Inquiry {
	if h.Inquiry == nil || h.Inquiry.Pane != pane {
		return nil
	}
	return h.Inquiry
}

// WriteProgress writes the progress of a question without an answer, or the reason why it has none. The key of action
// cancels it.
func (h *Host) WriteProgress(v grid.View, q *Inquiry, action string) {
	text := "simulating…"
	switch {
	case q.Failure != "":
		h.WriteMessage(v, h.Units.Text(q.Failure), "Press "+h.Keys(action)+" to close it.")
		return
	case q.Total > 0:
		text = fmt.Sprintf("simulating: %d of %d", q.Done, q.Total)
	}
	h.WriteMessage(v, text, "Press "+h.Keys(action)+" to cancel.")
}

// Prediction is a predicted value of a metric, in SI base units. Charts with this metric on an axis show it.
type Prediction struct {
	Metric string
	Value  float64
}

// PredictionGlyph marks a prediction.
const PredictionGlyph = 'P'

// Requested returns the knob's value that the user requested last. The snapshot may still have an
// older value.
func (h *Host) Requested(knob string) string { return h.Panel.Value(knob) }

// Set requests a new value of a knob from the session. It reports whether the knob accepts the
// value.
func (h *Host) Set(knob, value string) bool { return h.Panel.Set(knob, value) }

// Typed returns a command as the user types it, including the key that opens the command line.
func (h *Host) Typed(command string) string { return h.Keys("command") + command }
