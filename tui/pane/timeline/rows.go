package timeline

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// laneRows are the rows of a timeline, and what their cells show. What was worked
// out for a frame and cannot change any more is kept for the next one.
type laneRows struct {
	all    []laneRow
	who    [][2]int32 // rank and thread, by lane
	order  []int32    // lanes, by node, rank and thread
	fold   fold
	of     *timeline.Recorder
	layout cluster.Layout
	lanes  int
	threaded,
	ranked bool // threads and ranks have columns in the labels
	streams bool // there are lanes of devices' streams

	origin cluster.Time    // of the first bin
	until  cluster.Time    // no bin shows what is later; 0: as far as all lanes tell
	column cluster.Time    // that the bins stand for
	made   [2]cluster.Time // origin and until that they were worked out for
	half   int
	acc    []timeline.Sums
	edges  [][2]timeline.Place // of each lane, where the frame before has begun and ended
	next   int                 // row that the frame before has left
}

// laneRow is one row: the lanes order[lo:hi].
type laneRow struct {
	node, rank, thread int
	newNode, newRank   bool // it is the first of them
	lo, hi             int

	first   int64   // number of the first bin
	bins    []uint8 // what each shows, + 1; 0: not known
	told    int64   // number of the first bin behind those that all lanes tell of
	settled int64   // bins before this number, that of a block's first one, cannot change any more
	sure    int64   // nor can the sums of those before this one, which stand in tail
	tail    [blockBins]timeline.Sums
	seen    *timeline.View // that the bins were worked out from last
}

// threadScreens is up to how many screenfuls of threads are not folded by themselves:
// what a rank's master does would not be seen beside its workers.
const threadScreens = 4

// arrange makes the rows, if they are others than those of the frame before.
func (r *laneRows) arrange(tl *timeline.View, want fold, h int) {
	same := r.of == tl.Of && r.lanes == len(tl.Lanes)
	f := want
	if f == foldAuto {
		f = foldThreads
		ranks := 0
		for i := range tl.Lanes {
			if tl.Lanes[i].Thread == 0 {
				ranks++
			}
		}
		if len(tl.Lanes) > threadScreens*h || ranks == len(tl.Lanes) && ranks > h {
			f = foldRanks
		}
		if f == foldRanks && ranks > h && tl.Layout.Nodes > 1 {
			f = foldNodes
		}
	}
	if same && f == r.fold {
		return
	}
	r.fold, r.of, r.layout, r.lanes = f, tl.Of, tl.Layout, len(tl.Lanes)
	r.order, r.who, r.streams = r.order[:0], r.who[:0], false
	r.edges = make([][2]timeline.Place, len(tl.Lanes))
	for i := range tl.Lanes {
		_, stream := tl.Lanes[i].Stream()
		if r.streams = r.streams || stream; !stream || f == foldThreads {
			r.order = append(r.order, int32(i))
		}
		r.who = append(r.who, [2]int32{int32(tl.Lanes[i].Rank), int32(tl.Lanes[i].Thread)})
	}
	node := func(i int32) int { return tl.Layout.NodeOf(tl.Lanes[i].Rank) }
	place := func(i int32) int { // a rank's threads, then its streams
		if number, stream := tl.Lanes[i].Stream(); stream {
			return 1<<30 + number
		}
		return tl.Lanes[i].Thread
	}
	slices.SortFunc(r.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(node(i), node(j)), cmp.Compare(tl.Lanes[i].Rank, tl.Lanes[j].Rank), cmp.Compare(place(i), place(j)))
	})
	r.all = r.all[:0]
	r.ranked, r.threaded = f != foldNodes, false
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
		r.threaded = r.threaded || f == foldThreads && at.thread != 0
		r.all = append(r.all, at)
	}
	r.column = 0
}

// Columns of the parts of a label.
func (r *laneRows) widths() (node, rank, thread int) {
	digits := func(n int) int { return 1 + len(strconv.Itoa(n)) }
	if len(r.all) == 0 {
		return 0, 0, 0
	}
	node = digits(r.layout.Nodes - 1)
	if r.ranked {
		rank = 1 + digits(r.layout.Ranks()-1)
	}
	if r.threaded {
		most := 0
		for i := range r.all {
			_, number := r.all[i].lane()
			most = max(most, number)
		}
		thread = 1 + digits(most)
	}
	return node, rank, thread
}

func (r *laneRows) labelWidth() int {
	node, rank, thread := r.widths()
	return node + rank + thread
}

// label writes the label of row i: in full, or what is new.
func (r *laneRows) label(dst []byte, i int, full bool) []byte {
	row := &r.all[i]
	node, rank, thread := r.widths()
	part := func(cols int, mark byte, n int, show bool) {
		from := len(dst)
		if show && cols > 0 {
			if from > 0 {
				dst = append(dst, ' ')
			}
			dst = strconv.AppendInt(append(dst, mark), int64(n), 10)
		}
		for len(dst) < from+cols {
			dst = append(dst, ' ')
		}
	}
	part(node, 'n', row.node, full || row.newNode)
	part(rank, 'r', row.rank, full || row.newRank || row.newNode)
	mark, number := row.lane()
	part(thread, mark, number, true)
	return dst
}

// lane is the mark and the number of the row's thread, or of its stream.
func (row *laneRow) lane() (mark byte, number int) {
	l := timeline.LaneView{Thread: row.thread}
	if number, ok := l.Stream(); ok {
		return 's', number
	}
	return 't', row.thread
}
