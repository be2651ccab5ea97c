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
	order  []int32 // lanes, by node, rank and thread
	fold   fold
	of     *timeline.Recorder
	layout cluster.Layout
	lanes  int
	threaded,
	ranked bool // threads and ranks have columns in the labels

	column cluster.Time // that the bins stand for
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

	first   int64          // number of the first bin
	bins    []uint8        // activity that holds most of the time of each, + 1; 0: not known
	settled int64          // bins before this number cannot change any more
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
	r.order = r.order[:0]
	r.edges = make([][2]timeline.Place, len(tl.Lanes))
	for i := range tl.Lanes {
		r.order = append(r.order, int32(i))
	}
	node := func(i int32) int { return tl.Layout.NodeOf(tl.Lanes[i].Rank) }
	slices.SortStableFunc(r.order, func(i, j int32) int { return cmp.Compare(node(i), node(j)) })
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
		r.threaded = r.threaded || f == foldThreads && at.thread > 0
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
			most = max(most, r.all[i].thread)
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
	part(thread, 't', row.thread, true)
	return dst
}

// looksAFrame bounds how often a frame looks into lanes; rows beyond it are left for
// the next one.
const looksAFrame = 4_000

// compute brings the bins of the rows that are shown up to date, half of them a
// cell; false: not all of them yet.
func (r *laneRows) compute(tl *timeline.View, s *shownLanes, half int) bool {
	if r.column != s.column || r.half != half {
		for i := range r.all {
			r.all[i].bins, r.all[i].settled, r.all[i].seen = r.all[i].bins[:0], 0, nil
		}
		r.column, r.half = s.column, half
	}
	looks, skip := 0, 0
	if r.next > s.top && r.next < s.top+s.rows {
		skip = r.next - s.top
	}
	for k := range s.rows {
		i := s.top + (skip+k)%s.rows
		if looks > looksAFrame {
			r.next = i
			return false
		}
		looks += r.all[i].compute(tl, r, s)
	}
	return true
}

// edge is the time at which bin n begins.
func (r *laneRows) edge(n int64) cluster.Time {
	return cluster.Time(n/int64(r.half))*r.column + cluster.Time(n%int64(r.half))*r.column/cluster.Time(r.half)
}

// compute works out the bins of a row that are new or may have changed, and gives
// how often it looked into lanes.
func (row *laneRow) compute(tl *timeline.View, r *laneRows, s *shownLanes) int {
	first := int64(s.begin/s.column) * int64(r.half)
	n := s.columns * r.half
	last := first + int64(n)
	if row.seen == tl && row.first == first && len(row.bins) == n {
		return 0
	}
	row.seen = tl
	// Keep what overlaps and is settled.
	keep, from := row.bins[:0], first
	if old := row.first + int64(len(row.bins)); len(row.bins) > 0 && row.first <= first && old > first && row.settled > first {
		until := min(old, row.settled, last)
		keep = append(keep, row.bins[first-row.first:until-row.first]...)
		from = until
	}
	row.bins, row.first = slices.Grow(keep, n)[:n], first
	row.settled = row.known(tl, r, last)
	fresh := int(last - from)
	if fresh == 0 {
		return 0
	}
	r.acc = slices.Grow(r.acc[:0], fresh)[:fresh]
	clear(r.acc)
	for _, i := range r.order[row.lo:row.hi] {
		at := r.edges[i][0]
		if from > first {
			at = r.edges[i][1]
		}
		l := &tl.Lanes[i]
		before := l.Sums(r.edge(from), &at)
		for k := range fresh {
			next := l.Sums(r.edge(from+int64(k)+1), &at)
			for a := range next {
				r.acc[k][a] += next[a] - before[a]
			}
			before = next
		}
	}
	out := row.bins[from-first:]
	for k := range fresh {
		out[k] = most(&r.acc[k])
	}
	return (fresh + 1) * (row.hi - row.lo)
}

// known is the number of the first bin, up to last, that may still change.
func (row *laneRow) known(tl *timeline.View, r *laneRows, last int64) int64 {
	end := tl.To
	for _, i := range r.order[row.lo:row.hi] {
		end = min(end, tl.Lanes[i].Settled())
	}
	n := int64(end/r.column) * int64(r.half)
	return min(n, last)
}

// most is the activity with the most time, + 1; 0: there is no time.
func most(s *timeline.Sums) uint8 {
	best, at := cluster.Time(0), uint8(0)
	for a, t := range s {
		if t > best {
			best, at = t, uint8(a)+1
		}
	}
	return at
}

// bins are those of row i that are shown; none if they are not worked out yet.
func (r *laneRows) bins(i int, s *shownLanes, half int) []uint8 {
	row := &r.all[i]
	if len(row.bins) != s.columns*half || row.first != int64(s.begin/s.column)*int64(half) {
		return nil
	}
	return row.bins
}

// sums is the time by activity of row i between two times.
func (r *laneRows) sums(tl *timeline.View, i int, from, to cluster.Time) (s timeline.Sums) {
	for _, k := range r.order[r.all[i].lo:r.all[i].hi] {
		l := &tl.Lanes[k]
		a, b := l.Sums(from, &r.edges[k][0]), l.Sums(to, &r.edges[k][1])
		for x := range s {
			s[x] += b[x] - a[x]
		}
	}
	return s
}
