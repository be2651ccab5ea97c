package collective

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

func init() {
	engine.RegisterDrawing[Flow]("flow")
	engine.RegisterDrawing[Flows]("flows")
	engine.RegisterDrawing[Map]("field")
}

// A Flow has the messages of a call, as the cost model predicts them or as a run recorded them.
type Flow struct {
	Of    string      // "bcast"
	Name  string      // "bcast by knomial, radix 2"
	Kind  engine.Kind // kind of the times
	Ranks int
	Root  int  // −1: none
	Tree  bool // messages follow a tree
	Up    bool // towards the root
	Span  float64
	Hops  []Hop // in the order of sending; none if there are too many to draw

	// Folds has, for a large team, the number of messages in flight by block of ranks and interval
	// of time, row by row.
	Folds  []int64
	Blocks int // rows of Folds

	Ends     []float64 // s, end of each rank, or the mean over each block of ranks
	Done     []float64 // s, the same from the run, of kind DoneKind; nil: nothing yet
	DoneKind engine.Kind
	Terms    []Term // the terms of Span
	Messages int64
	Loads    bool // messages are loads from other ranks' memory
	Bytes    int64
	Steps    int // if a rank sends and receives one message per step
}

// Flows has the flow of each algorithm that online tuning tries.
type Flows struct {
	Names []string // values of the knob algorithm
	Flows []Flow
}

// chosen returns the flow of a value of the knob algorithm, or other if it has none.
func (f *Flows) chosen(name string, other *Flow) *Flow {
	if i := slices.Index(f.Names, name); i >= 0 {
		return &f.Flows[i]
	}
	return other
}

// A Hop is one message.
type Hop struct {
	From, To int
	Bytes    int64
	Step     int
	Sent     float64 // s, departure of the first byte
	Arrived  float64 // s, arrival of the last byte
}

// A Term is one cost on the longest path: its count, or its number of bytes, and the resulting
// time.
type Term struct {
	Name  string // "L"
	Doc   string // "latency"
	Count float64
	Time  float64 // s
}

// A Map is the decision map of the fastest algorithms, with one cell per X (across) and Y (up).
type Map struct {
	Of     string // what Names are: "algorithm of a bcast"
	X, Y   []float64
	XTitle string
	YTitle string
	XUnit  string
	Names  []string
	Terms  []string // by name: terms of its modelled time in the present cell; nil: unknown
	Cells  []Winner // row by row
	NowX   int      // the cell of the present knobs; −1: none
	NowY   int
}

// A Winner is the fastest algorithm of one cell.
type Winner struct {
	Best  int         // index of Names; −1: unknown
	Time  float64     // s
	Lead  float64     // the second best time divided by Time; 0: no second
	Kind  engine.Kind // modelled without a winner: the model is computed now
	Model int         // the model's winner if Best is from a run; −1: unknown
}

// At returns the cell of a column and a row.
func (f *Map) At(x, y int) *Winner { return &f.Cells[y*len(f.X)+x] }

// Elements of lists for the codec.
var (
	hops    = codec.PartOf((*Hop).fields)
	costs   = codec.PartOf((*Term).fields)
	winners = codec.PartOf((*Winner).fields)
	flows   = codec.PartOf((*Flow).Fields)
	names   = codec.PartOf(func(p *string, c *codec.Walk) { codec.Text(c, p) })
)

// Fields walks over all fields.
func (f *Flow) Fields(c *codec.Walk) {
	codec.Text(c, &f.Of)
	codec.Text(c, &f.Name)
	codec.Text(c, &f.Kind)
	codec.Integer(c, &f.Ranks)
	codec.Integer(c, &f.Root)
	c.Flag(&f.Tree)
	c.Flag(&f.Up)
	c.Float(&f.Span)
	codec.List(c, &f.Hops, hops)
	codec.IntegerList(&f.Folds, c)
	if codec.Integer(c, &f.Blocks); f.Blocks < 0 || (f.Blocks == 0) != (len(f.Folds) == 0) ||
		f.Blocks > 0 && len(f.Folds)%f.Blocks != 0 {
		c.Fail(fmt.Errorf("flow %q of %d blocks has %d counts", f.Name, f.Blocks, len(f.Folds)))
	}
	c.FloatList(&f.Ends)
	c.FloatList(&f.Done)
	codec.Text(c, &f.DoneKind)
	codec.List(c, &f.Terms, costs)
	codec.Integer(c, &f.Messages)
	c.Flag(&f.Loads)
	codec.Integer(c, &f.Bytes)
	codec.Integer(c, &f.Steps)
}

func (h *Hop) fields(c *codec.Walk) {
	codec.Integer(c, &h.From)
	codec.Integer(c, &h.To)
	codec.Integer(c, &h.Bytes)
	codec.Integer(c, &h.Step)
	c.Float(&h.Sent)
	c.Float(&h.Arrived)
}

func (t *Term) fields(c *codec.Walk) {
	codec.Text(c, &t.Name)
	codec.Text(c, &t.Doc)
	c.Float(&t.Count)
	c.Float(&t.Time)
}

// Fields walks over all fields.
func (f *Flows) Fields(c *codec.Walk) {
	codec.List(c, &f.Names, names)
	if codec.List(c, &f.Flows, flows); len(f.Flows) != len(f.Names) {
		c.Fail(fmt.Errorf("%d flows of %d algorithms", len(f.Flows), len(f.Names)))
	}
}

// Fields walks over all fields.
func (f *Map) Fields(c *codec.Walk) {
	codec.Text(c, &f.Of)
	c.FloatList(&f.X)
	c.FloatList(&f.Y)
	codec.Text(c, &f.XTitle)
	codec.Text(c, &f.YTitle)
	codec.Text(c, &f.XUnit)
	codec.List(c, &f.Names, names)
	codec.List(c, &f.Terms, names)
	if codec.List(c, &f.Cells, winners); len(f.Cells) != len(f.X)*len(f.Y) {
		c.Fail(fmt.Errorf("field of %d × %d has %d cells", len(f.X), len(f.Y), len(f.Cells)))
	}
	codec.Integer(c, &f.NowX)
	codec.Integer(c, &f.NowY)
}

func (w *Winner) fields(c *codec.Walk) {
	codec.Integer(c, &w.Best)
	c.Float(&w.Time)
	c.Float(&w.Lead)
	codec.Text(c, &w.Kind)
	codec.Integer(c, &w.Model)
}
