package engine

// Flow is how the messages of a collective go: plain data, by the model or by a run.
type Flow struct {
	Of    string // "bcast"
	Name  string // "bcast by knomial, radix 2"
	Kind  Kind   // of its times
	Ranks int
	Root  int  // −1: none
	Tree  bool // messages run along a tree
	Up    bool // to its root
	Span  float64
	Hops  []Hop // in the order of sending; none where there are too many to draw

	// Of a large team: messages under way, by block of ranks and by span of time, row
	// after row.
	Folds  []int64
	Blocks int // rows of Folds

	Ends     []float64 // s, when each rank is done; of a block of ranks their mean
	Done     []float64 // s, what the run measured for the same, of kind DoneKind; nil: nothing yet
	DoneKind Kind
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

// Term is one cost on the path that takes longest: so many times, or bytes, and the time
// of all.
type Term struct {
	Name  string // "L"
	Doc   string // "latency"
	Count float64
	Time  float64 // s
}

// Field says who wins where: a cell for each place X across and Y up.
type Field struct {
	Of     string // what wins: "algorithm of a bcast"
	X, Y   []float64
	XTitle string
	YTitle string
	XUnit  string
	Names  []string
	Made   []string // by name: what its modelled time at the present place is made of; nil: not known
	Cells  []Winner // row after row, Y by Y
	NowX   int      // where the knobs stand; −1: beside all cells
	NowY   int
}

// Winner is who wins in one cell.
type Winner struct {
	Best  int     // of Names; −1: nobody
	Time  float64 // s
	Lead  float64 // the second best's time over it; 0: there is none
	Kind  Kind
	Model int // who wins by the model, where Best is of a run; −1: not known
}

// At is the cell of a column and a row.
func (f *Field) At(x, y int) *Winner { return &f.Cells[y*len(f.X)+x] }
