package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Study compares runs: a small table, and charts of its columns. A workload declares its
// studies. Package study combines their rows over the runs of a session or a sweep.
type Study struct {
	Form
	// Varying lists the knobs that may differ between runs of one table, in addition to the knobs
	// of the role View.
	Varying []string
	// Adds is true if the sums (Row.Raw) of runs with the same key are added. Otherwise a later
	// run replaces an earlier one.
	Adds bool
	// ClockFree returns the sums (Row.Raw) that do not depend on a clock, for runs in which the host
	// fell behind. May be nil: all sums depend on it.
	ClockFree func(raw []float64) []float64
	// Timeless returns an explanation that does not depend on times. It is shown while the host is
	// behind. May be nil.
	Timeless func(*Snapshot) string
	// Frame returns the study before the run, with the model's predictions for the run's kind of
	// number. It is called once per launch. May be nil.
	Frame func(*Scenario, *cluster.Machine, Kind) StudyView
	// Slow returns all of Frame, and predictions that take up to seconds. A simulation runs meanwhile. The result
	// replaces the frame. May be nil.
	Slow func(*Scenario, *cluster.Machine, Kind) StudyView
	// Observe returns the rows of the current run. The first row belongs to the current knobs.
	Observe func(*Snapshot) []Row
	// Complete computes what depends on all rows together: cells made of sums, flags, plots and
	// texts. May be nil.
	Complete func(*StudyView, *Snapshot)
	// Fit fits a law to the runs of a sweep. A nil run did not run. The error names the missing data.
	// May be nil.
	Fit func([]*Snapshot) (*Fit, error)
}

// Form is the constant part of a study, as plain data.
type Form struct {
	Name    string // "locality"
	Title   string // title of its pane: "Locality"
	Caption string // compared quantity: "ε = T_masteronly / T_scheme"
	Of      string // subject of a ratio of times: "an access", "an iteration"
	Item    string // meaning of a row: "group"
	Columns []Column
	Charts  []Chart
	Brief   Brief    // a row as one line of text
	Metric  string   // chart of a sweep; "": the workload's first metric
	Chooses []string // knobs whose values are named by StudyView.Scheme
	Listed  bool     // rows have more than the metrics of their run, so results list them
	Absent  string   // text for a WORKLOAD without the study
}

// A Column is a column of a study's table.
type Column struct {
	Name   string // "access_time"
	Title  string // heading in the table; "": not in the table
	Unit   string // SI base: s, B, B/s, 1/s, 1; % for a share
	Wide   int    // width in cells
	Kind   Kind   // of its numbers; "": the row's
	Legend string // in a chart; "": none
	Short  string // legend for small charts
}

// Brief is the format of a row as one line of text: "G 4: 2 MiB/node".
type Brief struct {
	Before string
	Column int
	After  string
}

// Shape is the form of a chart.
type Shape string

// The shapes.
const (
	Curve Shape = "curve" // one point per row, over column X
	Bars  Shape = "bars"  // one bar per row
	Stack Shape = "stack" // one bar per row, stacked from several columns
	Heat  Shape = "heat"  // one cell per row: series down, column X across
)

// A Chart shows columns of the rows.
type Chart struct {
	Shape Shape
	X     int   // column
	Y     []int // columns
	XLog  int   // base of the axis, 2 or 10; 0: linear
	YLog  int
	Join  bool  // points of a series are joined
	Same  []int // columns that must equal the current row's for a bright point
}

// Flag is a property of a row that is shown.
type Flag string

// The flags.
const (
	Best    Flag = "best"
	Unfit   Flag = "unfit"   // it cannot be run
	Late    Flag = "late"    // the host fell behind the emulated machine
	Passing Flag = "passing" // only shown during its run, not stored
)

// A Row is the result of a run, or a prediction of it.
type Row struct {
	Key    string    // identifies the run, including the kind of number
	Label  string    // for the table: "4"
	Series string    // group of rows; "": all rows
	Kind   Kind      // of the cells in columns without their own kind
	Cells  []float64 // by column; NaN: unknown
	Raw    []float64 // sums from which cells are computed, if Study.Adds
	Flag   Flag
}

// A StudyView is the state of a study at one moment. It is plain data, shared, and immutable after
// it is published.
type StudyView struct {
	Form
	Rows    []Row
	Now     int    // row of the current knobs; −1: none
	Plots   []Plot // by chart: additional elements
	Facts   []Note // of the current row
	Missing []Hint // why data are missing, and what to do
	Why     string // result, cause, what to try
	Glance  string // the result as a phrase

	Drawings []Drawing // special data of panes, sorted by name; see Draw

	// For Snapshot.Change: the relevant time, and the reference time in the same run, in s. A Time
	// of 0 stands for the iteration time; a Reference of 0 means none.
	Time, Reference float64
	Scheme          string // name of the values of the knobs Form.Chooses: "multiple, m = 1"
	Gain            string // additional phrase: "3.15 ms of 4.00 ms communication now hidden"
}

// A Plot holds the elements of a chart that are not rows.
type Plot struct {
	Title  string
	XRange Range
	YRange Range
	Lines  []Line
	Marks  []Marker
	Rules  []Rule
}

// Range is the range of an axis. The zero Range follows the data.
type Range struct{ Min, Max float64 }

// A Line is a curve in addition to the points.
type Line struct {
	Name   string // in the legend; "": none
	Label  string // above the position (LabelX, LabelY)
	LabelX float64
	LabelY float64
	Kind   Kind
	Look   Look
	X, Y   []float64
}

// Look is the style of a line.
type Look string

// The looks.
const (
	Plain  Look = ""       // solid, in the colour of its kind
	Dashed Look = "dashed" // in the colour of its kind
	Faint  Look = "faint"  // dashed, in the background
)

// Glyph is the shape of a marker.
type Glyph string

// The glyphs.
const (
	OfKind  Glyph = ""      // shape of its kind
	AtBest  Glyph = "best"  // best point by the model
	AtEqual Glyph = "equal" // point where the choice makes no difference
	AtModel Glyph = "model" // the model at the current point
	Dash    Glyph = "dash"  // no value
	NoGlyph Glyph = "none"
)

// A Marker is a single point with a meaning. It is not drawn if its position is NaN.
type Marker struct {
	X, Y  float64
	Glyph Glyph
	Kind  Kind
	Text  string // in the legend; "": none
	Under bool   // drawn below the points
}

// A Rule is a threshold line across a chart.
type Rule struct {
	At       float64
	Vertical bool
	Label    string
	Wide     string // longer label for large charts
	Minor    bool   // in the background
}

// A Note is a short text in the style of a kind of number.
type Note struct {
	Text  string
	Glyph Glyph
	Kind  Kind
	Now   bool // of the current point
	Dim   bool
}

// A Hint is a remark about missing data, or advice with the Command that follows it.
type Hint struct{ Text, Command string }

// Rest returns the scenario as text without the knobs that may differ between rows of one table.
// Runs with the same rest can be compared.
func (st *Study) Rest(s *Scenario) string {
	var b strings.Builder
	b.WriteString(s.Workload)
	for i := range s.Table {
		if k := &s.Table[i]; k.Role != View && !slices.Contains(st.Varying, k.Name) {
			fmt.Fprintf(&b, " %s=%s", k.Name, s.Values[k.Name])
		}
	}
	return b.String()
}

// Cell returns a row's number in a column, or NaN if there is no such cell.
func (v *StudyView) Cell(row, column int) float64 {
	if row < 0 || row >= len(v.Rows) || column >= len(v.Rows[row].Cells) {
		return math.NaN()
	}
	return v.Rows[row].Cells[column]
}

// Present returns the row of the current knobs, or nil.
func (v *StudyView) Present() *Row {
	if v.Now < 0 || v.Now >= len(v.Rows) {
		return nil
	}
	return &v.Rows[v.Now]
}

// Study returns the study with this name, or nil.
func (s *Snapshot) Study(name string) *StudyView {
	for i := range s.Studies {
		if s.Studies[i].Name == name {
			return &s.Studies[i]
		}
	}
	return nil
}

// Metric returns the metric with this name; false: there is none.
func (s *Snapshot) Metric(name string) (Metric, bool) {
	for _, m := range s.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// A Fit is a law that was fitted to some rows of a sweep, with its predictions for all rows.
type Fit struct {
	Formula     string
	Constants   []Metric // fitted
	Share       string   // symbol of the law's variable, a share
	Within      string   // meaning of local: "node", or "rank" if there is one node
	Metric      string   // predicted by the law
	Predictions []Prediction
}

// A Prediction is the law's value at one point of a sweep.
type Prediction struct {
	Row       int     // of the sweep
	Share     float64 // variable of the law
	Predicted float64 // s
	Measured  float64 // s
	Error     float64 // relative: (predicted − measured) / measured
	Fitted    bool    // the fit used this row
}
