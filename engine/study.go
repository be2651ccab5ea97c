package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Study is a small table of what runs are compared by, and charts that are
// projections of it. A workload declares its studies; package study folds their rows
// over the runs of a session or a sweep.
type Study struct {
	Form
	// Apart are the knobs that runs of one table may differ by, beside those of the
	// role View.
	Apart []string
	// Adds says that the sums (Row.Raw) of runs with the same key add up; else the
	// later run takes the place of the earlier one.
	Adds bool
	// Untimed gives what no clock has told of the sums (Row.Raw) of a run whose times
	// are late; nil: there is nothing such.
	Untimed func(raw []float64) []float64
	// Timeless is what holds of a run whatever its times are: it is told while they are
	// late. May be nil.
	Timeless func(*Snapshot) string
	// Frame is what is known before anything runs, and what the model says of numbers of
	// the kind that the run will give; once a launch. May be nil.
	Frame func(*Scenario, *cluster.Machine, Kind) StudyView
	// Observe gives the rows of the present run; the first of them is where the knobs
	// stand.
	Observe func(*Snapshot) []Row
	// Complete fills in what follows from all rows together: cells made of sums, flags,
	// plots and words. May be nil.
	Complete func(*StudyView, *Snapshot)
	// Fit fits a law to the runs of a sweep (nil: one that did not run); the error says
	// what is missing. May be nil.
	Fit func([]*Snapshot) (*Fit, error)
}

// Form is what does not change of a study: plain data.
type Form struct {
	Name    string // "locality"
	Title   string // "Locality": of its pane
	Caption string // what is compared: "ε = T_masteronly / T_scheme"
	Of      string // what a ratio of times compares: "an access", "an iteration"
	Item    string // what a row is: "group"
	Columns []Column
	Charts  []Chart
	Brief   Brief    // a row in a line
	Metric  string   // that a sweep charts; "": the workload's first
	Chooses []string // knobs whose choice has a name, StudyView.Scheme
	Listed  bool     // rows tell more than the metrics of their run do: results list them
	Absent  string   // what is said of a WORKLOAD that does not have the study
}

// Column is a column of a study's table.
type Column struct {
	Name   string // "access_time"
	Title  string // heading of the table; "": it does not stand there
	Unit   string // SI base: s, B, B/s, 1/s, 1; % for a share
	Wide   int    // columns of the screen
	Kind   Kind   // of its numbers; "": the row's
	Legend string // in a chart; "": it needs none
	Short  string // the same where there is little room
}

// Brief words a row in a line: "G 4: 2 MiB/node".
type Brief struct {
	Before string
	Column int
	After  string
}

// Shape is how a chart shows the rows.
type Shape string

// The shapes.
const (
	Curve Shape = "curve" // a point a row, over column X
	Bars  Shape = "bars"  // a bar a row
	Stack Shape = "stack" // a bar a row, made of several columns
	Heat  Shape = "heat"  // a cell a row: its series down, column X across
)

// Chart is a projection of the rows.
type Chart struct {
	Shape Shape
	X     int   // column
	Y     []int // columns
	XLog  int   // base of the axis, 2 or 10; 0: linear
	YLog  int
	Join  bool  // points of a series are joined
	Same  []int // columns in which a row equals the present one, to be shown brightly
}

// Flag marks a row.
type Flag string

// The flags.
const (
	Best    Flag = "best"
	Unfit   Flag = "unfit"   // it cannot be run
	Late    Flag = "late"    // the host could not keep the machine's times
	Passing Flag = "passing" // shown while its run is, and not kept
)

// Row is what a run gave, or what is known of one.
type Row struct {
	Key    string    // what was run; the kind of number belongs to it
	Label  string    // for the table: "4"
	Series string    // rows that belong together; "": all do
	Kind   Kind      // of the cells, but for columns with a kind of their own
	Cells  []float64 // by column; NaN: not known
	Raw    []float64 // sums that cells are made of, where the study adds
	Flag   Flag
}

// StudyView is a study at one moment: plain data, shared and never written after it is
// published.
type StudyView struct {
	Form
	Rows    []Row
	Now     int    // row where the knobs stand; −1: none
	Plots   []Plot // by chart: what it shows beside the rows
	Facts   []Note // of the present row
	Missing []Hint // why there is nothing to show, and what to do
	Why     string // what rules, and what another choice would give
	Glance  string // the result in a few words

	Drawings []Drawing // for panes that draw what this type does not have, by name; see Draw

	// For what turning a knob has done (Snapshot.Change): the time that counts and that
	// of the reference in the same run, s; 0: the iteration's, and none.
	Time, Reference float64
	Scheme          string // name of what the knobs Form.Chooses choose: "multiple, m = 1"
	Gain            string // what else to say of it: "3.15 ms of 4.00 ms communication now hidden"
}

// Plot is what a chart shows beside the rows.
type Plot struct {
	Title  string
	XRange Range
	YRange Range
	Lines  []Line
	Marks  []Marker
	Rules  []Rule
}

// Range is of an axis; the zero Range follows the data.
type Range struct{ Min, Max float64 }

// Line is a curve that stands beside the points.
type Line struct {
	Name   string // in the legend; "": none
	Label  string // above the place (LabelX, LabelY)
	LabelX float64
	LabelY float64
	Kind   Kind
	Look   Look
	X, Y   []float64
}

// Look is how a line is drawn.
type Look string

// The looks.
const (
	Plain  Look = ""       // in the colour of its kind
	Dashed Look = "dashed" // likewise
	Faint  Look = "faint"  // dashed, in the background
)

// Glyph is the shape of a mark.
type Glyph string

// The glyphs.
const (
	OfKind  Glyph = ""      // the kind's own
	AtBest  Glyph = "best"  // where the model has its best
	AtEqual Glyph = "equal" // where it makes no difference
	AtModel Glyph = "model" // the model at the present place
	Dash    Glyph = "dash"  // there is none
	NoGlyph Glyph = "none"
)

// Marker is a single point with a meaning; a place that is not known is not drawn.
type Marker struct {
	X, Y  float64
	Glyph Glyph
	Kind  Kind
	Text  string // in the legend; "": none
	Under bool   // points lie over it
}

// Rule is a threshold across a chart.
type Rule struct {
	At       float64
	Vertical bool
	Label    string
	Wide     string // the same where there is room
	Minor    bool   // in the background
}

// Note is a few words with the look of a number's kind.
type Note struct {
	Text  string
	Glyph Glyph
	Kind  Kind
	Now   bool // of the present point
	Dim   bool
}

// Hint says what is missing, or what to do about it: Text, and the command that does.
type Hint struct{ Text, Command string }

// Rest is a scenario without what the rows of one table may differ by: runs of one
// rest compare.
func (st *Study) Rest(s *Scenario) string {
	var b strings.Builder
	b.WriteString(s.Workload)
	for i := range s.Table {
		if k := &s.Table[i]; k.Role != View && !slices.Contains(st.Apart, k.Name) {
			fmt.Fprintf(&b, " %s=%s", k.Name, s.Values[k.Name])
		}
	}
	return b.String()
}

// Cell is a row's number in a column; NaN: there is no such row.
func (v *StudyView) Cell(row, column int) float64 {
	if row < 0 || row >= len(v.Rows) || column >= len(v.Rows[row].Cells) {
		return math.NaN()
	}
	return v.Rows[row].Cells[column]
}

// Present is the row where the knobs stand; nil: none.
func (v *StudyView) Present() *Row {
	if v.Now < 0 || v.Now >= len(v.Rows) {
		return nil
	}
	return &v.Rows[v.Now]
}

// Study finds a study by name; nil: the workload has none of that name.
func (s *Snapshot) Study(name string) *StudyView {
	for i := range s.Studies {
		if s.Studies[i].Name == name {
			return &s.Studies[i]
		}
	}
	return nil
}

// Metric finds a metric by name.
func (s *Snapshot) Metric(name string) (Metric, bool) {
	for _, m := range s.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// Fit is a law that was fitted to some rows of a sweep, and what it says of all.
type Fit struct {
	Formula     string
	Constants   []Metric // fitted
	Share       string   // symbol of the share that the law is over
	Within      string   // what local means: "node", or "rank" where there is one node
	Metric      string   // that the law predicts
	Predictions []Prediction
}

// Prediction is the law at one point of a sweep.
type Prediction struct {
	Row       int     // of the sweep
	Share     float64 // the law's
	Predicted float64 // s
	Measured  float64 // s
	Error     float64 // relative: (predicted − measured) / measured
	Fitted    bool    // the fit rests on this row
}
