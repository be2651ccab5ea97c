package timeline

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// laneRows are the rows of a timeline and the contents of their cells. Results that cannot change
// any more are kept for the next frame.
type laneRows struct {
	all        []laneRow
	threads    [][2]int32 // rank and thread of each lane
	order      []int32    // lanes, sorted by node, rank and thread
	fold       fold
	recorder   *timeline.Recorder
	layout     cluster.Layout
	laneCount  int
	hasThreads bool // labels have a column for threads
	hasRanks   bool // labels have a column for ranks
	hasStreams bool // there are lanes of device streams

	origin      cluster.Time    // start of the first bin
	until       cluster.Time    // end of the last bin; 0: as far as all lanes are known
	column      cluster.Time    // time of a cell for which the bins were computed
	computedFor [2]cluster.Time // origin and until for which the bins were computed
	binsPerCell int
	acc         []timeline.Sums
	edges       [][2]timeline.Cursor // start and end of the previous frame in each lane
	firstLeft   int                  // first row that the previous frame left
}

// laneRow is one row: the lanes order[lo:hi].
type laneRow struct {
	node, rank, thread int
	newNode, newRank   bool // first row of its node, of its rank
	lo, hi             int

	first      int64   // number of the first bin
	bins       []uint8 // activity of each bin plus 1; 0: unknown
	knownEnd   int64   // number of the first bin after the time that all lanes know
	settledEnd int64   // bins before this one, the first of a block, cannot change any more
	sumsEnd    int64   // the sums of bins before this one cannot change any more either; they are in tail
	tail       [blockBins]timeline.Sums
	lastView   *timeline.View // the view from which the bins were computed last
}

// arrange makes the rows, unless they are the same as in the previous frame.
func (r *laneRows) arrange(tl *timeline.View, want fold, h int) {
	same := r.recorder == tl.Of && r.laneCount == len(tl.Lanes)
	f := want
	if f == foldAuto {
		f = foldThreads
		ranks := 0
		for i := range tl.Lanes {
			if tl.Lanes[i].Thread == 0 {
				ranks++
			}
		}
		// Threads of a rank are never folded automatically. In a folded row, sleeping workers would hide the
		// communication of their master.
		if ranks == len(tl.Lanes) && ranks > h {
			f = foldRanks
			if tl.Layout.Nodes > 1 {
				f = foldNodes
			}
		}
	}
	if same && f == r.fold {
		return
	}
	r.fold = f
	r.recorder = tl.Of
	r.layout = tl.Layout
	r.laneCount = len(tl.Lanes)
	r.order = r.order[:0]
	r.threads = r.threads[:0]
	r.hasStreams = false
	r.edges = make([][2]timeline.Cursor, len(tl.Lanes))
	for i := range tl.Lanes {
		_, stream := tl.Lanes[i].Stream()
		r.hasStreams = r.hasStreams || stream
		if !stream || f == foldThreads {
			r.order = append(r.order, int32(i))
		}
		r.threads = append(r.threads, [2]int32{int32(tl.Lanes[i].Rank), int32(tl.Lanes[i].Thread)})
	}
	node := func(i int32) int { return tl.Layout.NodeOf(tl.Lanes[i].Rank) }
	position := func(i int32) int { // the threads of a rank, then its streams
		if number, stream := tl.Lanes[i].Stream(); stream {
			return 1<<30 + number
		}
		return tl.Lanes[i].Thread
	}
	slices.SortFunc(r.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(node(i), node(j)), cmp.Compare(tl.Lanes[i].Rank, tl.Lanes[j].Rank),
			cmp.Compare(position(i), position(j)))
	})
	r.all = r.all[:0]
	r.hasRanks, r.hasThreads = f != foldNodes, false
	for k, i := range r.order {
		l := &tl.Lanes[i]
		at := laneRow{node: node(i), rank: l.Rank, thread: l.Thread, lo: k, hi: k + 1}
		if n := len(r.all); n > 0 {
			last := &r.all[n-1]
			at.newNode, at.newRank = last.node != at.node, last.rank != at.rank
			if f == foldNodes && !at.newNode || f == foldRanks && !at.newRank {
				last.hi++
				continue
			}
		} else {
			at.newNode, at.newRank = true, true
		}
		r.hasThreads = r.hasThreads || f == foldThreads && at.thread != 0
		r.all = append(r.all, at)
	}
	r.column = 0
}

// widths returns the width of the parts of a label.
func (r *laneRows) widths() (node, rank, thread int) {
	digits := func(n int) int { return 1 + len(strconv.Itoa(n)) }
	if len(r.all) == 0 {
		return 0, 0, 0
	}
	node = digits(r.layout.Nodes - 1)
	if r.hasRanks {
		rank = 1 + digits(r.layout.Ranks()-1)
	}
	if r.hasThreads {
		maxNumber := 0
		for i := range r.all {
			_, number := r.all[i].letterAndNumber()
			maxNumber = max(maxNumber, number)
		}
		thread = 1 + digits(maxNumber)
	}
	return node, rank, thread
}

func (r *laneRows) labelWidth() int {
	node, rank, thread := r.widths()
	return node + rank + thread
}

// appendLabel appends the label of row i: complete, or only the parts that changed.
func (r *laneRows) appendLabel(dst []byte, i int, full bool) []byte {
	row := &r.all[i]
	node, rank, thread := r.widths()
	part := func(cols int, letter byte, n int, show bool) {
		from := len(dst)
		if show && cols > 0 {
			if from > 0 {
				dst = append(dst, ' ')
			}
			dst = strconv.AppendInt(append(dst, letter), int64(n), 10)
		}
		for len(dst) < from+cols {
			dst = append(dst, ' ')
		}
	}
	part(node, 'n', row.node, full || row.newNode)
	part(rank, 'r', row.rank, full || row.newRank || row.newNode)
	letter, number := row.letterAndNumber()
	part(thread, letter, number, true)
	return dst
}

// letterAndNumber returns the letter and the number of the row's thread or stream.
func (row *laneRow) letterAndNumber() (letter byte, number int) {
	l := timeline.LaneView{Thread: row.thread}
	if number, ok := l.Stream(); ok {
		return 's', number
	}
	return 't', row.thread
}
