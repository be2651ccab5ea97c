package timeline

import (
	"iter"

	"github.com/hybridtop/hybridtop/cluster"
)

// A View is the content of a recorder at one time. It never changes.
type View struct {
	Of     *Recorder // the recorder
	Layout cluster.Layout
	From   cluster.Time // the earliest recorded time
	To     cluster.Time // time of the view
	Edge   cluster.Time // the time up to which all lanes are known
	Lanes  []LaneView
	Ranks  int     // number of ranks with lanes; other ranks are not recorded
	Arrows []Arrow // in the order of receipt; nil: not recorded
	Parts  []Part  // of iterations, in the order of their start

	messages uint64 // number of messages so far
}

// A LaneView is a lane at one time.
type LaneView struct {
	Rank, Thread int // a thread below 0 represents a stream: see Stream
	chunks       []*chunk
	n            uint32       // intervals in the last chunk
	end          cluster.Time // of the last interval
	to           cluster.Time
	now          label // activity from end to to
}

// View returns the current state of the lanes. Any goroutine can call it, and no rank waits for it.
func (r *Recorder) View() *View {
	v := &View{Of: r, Layout: r.layout, Ranks: len(r.ranks)}
	if r.arrows != nil {
		v.Arrows, v.messages = r.arrows.view()
	}
	count := 0
	for i := range r.ranks {
		count += len(*r.ranks[i].Load())
	}
	streams := r.device.lanes()
	v.Lanes = make([]LaneView, 0, count+len(streams))
	for i := range r.ranks {
		for _, l := range *r.ranks[i].Load() {
			v.Lanes = append(v.Lanes, l.view())
		}
	}
	for i := range v.Lanes {
		v.To = max(v.To, v.Lanes[i].end)
	}
	for _, l := range streams { // after the lanes of threads, whose positions must not change
		v.Lanes = append(v.Lanes, l.view())
	}
	if now := r.clock.Load(); now != nil && !r.closed.Load() {
		v.To = max(v.To, (*now)())
	}
	v.From = v.To
	for i := range v.Lanes {
		v.Lanes[i].to = v.To
		if i >= count {
			v.Lanes[i].cut()
		}
		v.From = min(v.From, v.Lanes[i].From())
	}
	v.clip()
	v.Parts = r.parts.view(r.closed.Load())
	return v
}

// clip computes the edge.
func (v *View) clip() {
	v.Edge = v.To
	for i := range v.Lanes {
		v.Edge = min(v.Edge, v.Lanes[i].knownUntil())
	}
}

// viewTries is the maximum number of attempts to read a lane while intervals are added. The last
// attempt omits the newest interval.
const viewTries = 4

// view reads the lane while its thread continues to write.
func (l *Lane) view() LaneView {
	v := LaneView{Rank: int(l.rank), Thread: int(l.thread)}
	keep := uint64(len(l.ring))
	for try := 1; ; try++ {
		now, begun := l.now.Load(), l.begun.Load()
		v.now = label(now)
		v.chunks = v.chunks[:0]
		v.n = 0
		if begun == 0 {
			if l.begun.Load() == 0 && l.now.Load() == now || try >= viewTries {
				return v
			}
			continue
		}
		k := (begun - 1) / chunkLength
		last := l.ring[k%keep].Load()
		v.end = cluster.Time(l.open.Load())
		if last.first != k*chunkLength {
			continue // it was dropped meanwhile
		}
		v.n = uint32(begun - last.first)
		for j := k - min(k, keep-1); j < k; j++ {
			if c := l.ring[j%keep].Load(); c.first == j*chunkLength {
				v.chunks = append(v.chunks, c)
			} else {
				v.chunks = v.chunks[:0] // it was dropped meanwhile, and all before it
			}
		}
		v.chunks = append(v.chunks, last)
		if l.begun.Load() == begun && l.now.Load() == now {
			return v
		}
		if try >= viewTries {
			v.dropLast()
			return v
		}
	}
}

// dropLast removes the newest interval, whose end can belong to another interval. The earlier ones
// never change.
func (v *LaneView) dropLast() {
	v.now = noLabel
	last := len(v.chunks) - 1
	if v.n--; v.n > 0 {
		v.end = v.chunks[last].ends[v.n-1]
		return
	}
	v.end = v.chunks[last].begin
	v.chunks = v.chunks[:last]
	if last > 0 {
		v.n = chunkLength
	}
}

// From returns the earliest time of the lane.
func (v *LaneView) From() cluster.Time {
	if len(v.chunks) == 0 {
		return 0
	}
	return v.chunks[0].begin
}

// To returns the time of the view, at which the lane ends.
func (v *LaneView) To() cluster.Time { return v.to }

// Settled returns the time up to which the lane is final: later views are equal up to it. A lane
// without activity sleeps.
func (v *LaneView) Settled() cluster.Time {
	if len(v.chunks) == 0 && v.now != noLabel {
		return v.to
	}
	return v.end
}

// knownUntil returns the time up to which the lane's activity is known.
func (v *LaneView) knownUntil() cluster.Time {
	if v.now != noLabel {
		return v.to
	}
	return v.end
}

// count returns the number of intervals of chunk k.
func (v *LaneView) count(k int) int {
	if k == len(v.chunks)-1 {
		return int(v.n)
	}
	return chunkLength
}

// endOf returns the end of interval i of chunk k.
func (v *LaneView) endOf(k, i int) cluster.Time {
	if k == len(v.chunks)-1 && i == int(v.n)-1 {
		return v.end
	}
	return v.chunks[k].ends[i]
}

// find returns the chunk and the interval that contain t. It starts the search at from. It returns
// false if t is before the first kept interval or after the last one.
func (v *LaneView) find(t cluster.Time, from *Cursor) (k, i int, ok bool) {
	all := v.chunks
	if len(all) == 0 || t < all[0].begin || t >= v.end {
		return 0, 0, false
	}
	// all[lo] begins at t or before; all[hi] begins after t.
	lo, hi := 0, len(all)
	if from.chunk < hi && all[from.chunk].begin <= t {
		lo = from.chunk
		for stride := max(from.stride, 1); lo+stride < hi; stride *= 2 {
			if all[lo+stride].begin > t {
				hi = lo + stride
				break
			}
			lo += stride
		}
	}
	for lo+1 < hi {
		if middle := lo + (hi-lo)/2; all[middle].begin <= t {
			lo = middle
		} else {
			hi = middle
		}
	}
	from.stride = max(lo-from.chunk, 1)
	from.chunk = lo
	c, n := all[lo], v.count(lo)
	for i+blockLength < n && c.begins[i/blockLength+1] <= t {
		i += blockLength
	}
	for i < n-1 && v.endOf(lo, i) <= t {
		i++
	}
	return lo, i, true
}

// At returns the interval that contains t. It returns false if the lane does not know that time.
func (v *LaneView) At(t cluster.Time) (Interval, bool) {
	if k, i, ok := v.find(t, &Cursor{}); ok {
		return v.span(k, i), true
	}
	if v.now != noLabel && t >= v.end && t < v.to {
		return v.now.span(v.end, v.to), true
	}
	return Interval{}, false
}

func (v *LaneView) span(k, i int) Interval {
	begin := v.chunks[k].begin
	if i > 0 {
		begin = v.endOf(k, i-1)
	}
	return v.chunks[k].labels[i].span(begin, v.endOf(k, i))
}

// A Cursor stores the position of the last search in a lane. It makes searches at consecutive times
// fast.
type Cursor struct{ chunk, stride int }

// Sums returns the time per activity from the launch to t. Time before From is only known in total:
// for an earlier t, Sums returns the sums at From.
func (v *LaneView) Sums(t cluster.Time, at *Cursor) Sums {
	if len(v.chunks) == 0 {
		var s Sums
		v.addCurrent(&s, t)
		return s
	}
	if t <= v.chunks[0].begin {
		return v.chunks[0].sums[0]
	}
	k, i, ok := v.find(t, at)
	if !ok { // after the last interval
		k, i = len(v.chunks)-1, int(v.n)-1
	}
	c, first := v.chunks[k], i/blockLength*blockLength
	s, begin := c.sums[first/blockLength], c.begins[first/blockLength]
	for j := first; j < i; j++ {
		end := c.ends[j]
		s[c.labels[j].activity()] += end - begin
		begin = end
	}
	if ok {
		s[c.labels[i].activity()] += t - begin
		return s
	}
	s[c.labels[i].activity()] += v.end - begin
	v.addCurrent(&s, t)
	return s
}

// addCurrent adds the current activity from the last interval to t.
func (v *LaneView) addCurrent(s *Sums, t cluster.Time) {
	if v.now != noLabel {
		s[v.now.activity()] += max(min(t, v.to)-v.end, 0)
	}
}

// Intervals returns the intervals of the lane between two times, in order. The first and the last
// one are not cut.
func (v *LaneView) Intervals(from, to cluster.Time) iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		k, i, ok := v.find(max(from, v.From()), &Cursor{})
		for ; ok && k < len(v.chunks); k, i = k+1, 0 {
			for ; i < v.count(k); i++ {
				s := v.span(k, i)
				if s.Begin >= to {
					return
				}
				if s.Begin < s.End && !yield(s) { // a interval that begins now has no end yet
					return
				}
			}
		}
		if v.now != noLabel && v.end < min(to, v.to) && v.to > from {
			yield(v.now.span(v.end, v.to))
		}
	}
}
