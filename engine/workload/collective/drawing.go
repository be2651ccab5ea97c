package collective

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

func init() {
	engine.RegisterDrawing[Flow]("flow")
	engine.RegisterDrawing[Field]("field")
}

// Flow has the messages of a call, as the model predicts them or as a run recorded them.
type Flow struct {
	Of    string      // "bcast"
	Name  string      // "bcast by knomial, radix 2"
	Kind  engine.Kind // of its times
	Ranks int
	Root  int  // −1: none
	Tree  bool // messages run along a tree
	Up    bool // to its root
	Span  float64
	Hops  []Hop // in the order of sending; none where there are too many to draw

	// Of a large team: messages in flight, by block of ranks and by span of time, row
	// after row.
	Folds  []int64
	Blocks int // rows of Folds

	Ends     []float64 // s, when each rank is done; of a block of ranks their mean
	Done     []float64 // s, what the run measured for the same, of kind DoneKind; nil: nothing yet
	DoneKind engine.Kind
	Terms    []Term // what Span is made of
	Messages int64
	Loads    bool // they are loads of each other's memory
	Bytes    int64
	Steps    int // where a rank sends one message at a time and receives one
}

// Hop is one message.
type Hop struct {
	From, To int
	Bytes    int64
	Step     int
	Sent     float64 // s, when its first byte leaves
	Arrived  float64 // s, when all of it is there
}

// Term is one cost on the longest path: its number of times, or of bytes, and their time.
type Term struct {
	Name  string // "L"
	Doc   string // "latency"
	Count float64
	Time  float64 // s
}

// Field is a map of the fastest algorithms: a cell for each place X across and Y up.
type Field struct {
	Of     string // what wins: "algorithm of a bcast"
	X, Y   []float64
	XTitle string
	YTitle string
	XUnit  string
	Names  []string
	Made   []string // by name: what its modelled time at the present place is made of; nil: not known
	Cells  []Winner // row after row, Y by Y
	NowX   int      // the cell of the present knobs; −1: none
	NowY   int
}

// Winner is the fastest algorithm of one cell.
type Winner struct {
	Best  int     // of Names; −1: not known
	Time  float64 // s
	Lead  float64 // the second best's time over it; 0: there is none
	Kind  engine.Kind
	Model int // who wins by the model, where Best is of a run; −1: not known
}

// At is the cell of a column and a row.
func (f *Field) At(x, y int) *Winner { return &f.Cells[y*len(f.X)+x] }

// Parts of lists.
var (
	hops    = codec.PartOf((*Hop).fields)
	costs   = codec.PartOf((*Term).fields)
	winners = codec.PartOf((*Winner).fields)
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
	if codec.Integer(c, &f.Blocks); f.Blocks < 0 || (f.Blocks == 0) != (len(f.Folds) == 0) || f.Blocks > 0 && len(f.Folds)%f.Blocks != 0 {
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
func (f *Field) Fields(c *codec.Walk) {
	codec.Text(c, &f.Of)
	c.FloatList(&f.X)
	c.FloatList(&f.Y)
	codec.Text(c, &f.XTitle)
	codec.Text(c, &f.YTitle)
	codec.Text(c, &f.XUnit)
	codec.List(c, &f.Names, names)
	codec.List(c, &f.Made, names)
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
