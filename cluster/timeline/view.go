package timeline

import (
	"iter"

	"github.com/hybridtop/hybridtop/cluster"
)

// View is what a recorder had at one moment. It does not change any more.
type View struct {
	Of     *Recorder // whose it is
	Layout cluster.Layout
	From   cluster.Time // the earliest time of which anything is kept
	To     cluster.Time // of the moment
	Edge   cluster.Time // up to which every lane tells what its thread does
	Lanes  []LaneView
	Ranks  int     // that have lanes; others are beyond what is kept
	Arrows []Arrow // in the order of their receipt; nil: not recorded
	Parts  []Part  // of iterations, in the order in which they were begun

	messages uint64 // so far, of which Arrows are the latest
}

// LaneView is a lane at one moment.
type LaneView struct {
	Rank, Thread int // a thread below 0 stands for a stream: see Stream
	chunks       []*chunk
	n            uint32       // stretches in the last one
	end          cluster.Time // of the last stretch
	to           cluster.Time
	now          label // of what goes on from end to to
}

// View takes the lanes as they are. Any goroutine may, and no rank waits for it.
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
	for _, l := range streams { // behind the threads', so that lanes keep their places
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

// clip finds the edge.
func (v *View) clip() {
	v.Edge = v.To
	for i := range v.Lanes {
		v.Edge = min(v.Edge, v.Lanes[i].told())
	}
}

// viewTries is how often a look at a lane begins anew because a stretch was added
// meanwhile; the last one leaves the newest stretch out.
const viewTries = 4

// view takes the lane as it is, though its thread goes on writing.
func (l *Lane) view() LaneView {
	v := LaneView{Rank: int(l.rank), Thread: int(l.thread)}
	keep := uint64(len(l.ring))
	for try := 1; ; try++ {
		now, begun := l.now.Load(), l.begun.Load()
		v.now, v.chunks, v.n = label(now), v.chunks[:0], 0
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
			v.leaveOut()
			return v
		}
	}
}

// leaveOut drops the newest stretch, whose end may be another's. What was before it
// does not change any more.
func (v *LaneView) leaveOut() {
	v.now = noLabel
	last := len(v.chunks) - 1
	if v.n--; v.n > 0 {
		v.end = v.chunks[last].ends[v.n-1]
		return
	}
	v.end = v.chunks[last].begin
	if v.chunks = v.chunks[:last]; last > 0 {
		v.n = chunkLength
	}
}

// From is the earliest time that the lane tells of.
func (v *LaneView) From() cluster.Time {
	if len(v.chunks) == 0 {
		return 0
	}
	return v.chunks[0].begin
}

// To is the time of the view, where the lane ends.
func (v *LaneView) To() cluster.Time { return v.to }

// Settled is the time up to which the lane is as it will stay: a later view tells the
// same of what was before. A lane on which nothing happened yet sleeps.
func (v *LaneView) Settled() cluster.Time {
	if len(v.chunks) == 0 && v.now != noLabel {
		return v.to
	}
	return v.end
}

// told is the time up to which the lane tells anything.
func (v *LaneView) told() cluster.Time {
	if v.now != noLabel {
		return v.to
	}
	return v.end
}

// count is the stretches of chunk k.
func (v *LaneView) count(k int) int {
	if k == len(v.chunks)-1 {
		return int(v.n)
	}
	return chunkLength
}

// endOf is the end of stretch i of chunk k.
func (v *LaneView) endOf(k, i int) cluster.Time {
	if k == len(v.chunks)-1 && i == int(v.n)-1 {
		return v.end
	}
	return v.chunks[k].ends[i]
}

// find gives the chunk and the stretch that hold t, looking from a place on; false: t
// is before what is kept, or after the last stretch.
func (v *LaneView) find(t cluster.Time, from *Place) (k, i int, ok bool) {
	all := v.chunks
	if len(all) == 0 || t < all[0].begin || t >= v.end {
		return 0, 0, false
	}
	// all[lo] begins at t or before, all[hi] after it.
	lo, hi := 0, len(all)
	if from.chunk < hi && all[from.chunk].begin <= t {
		lo = from.chunk
		for step := max(from.step, 1); lo+step < hi; step *= 2 {
			if all[lo+step].begin > t {
				hi = lo + step
				break
			}
			lo += step
		}
	}
	for lo+1 < hi {
		if middle := lo + (hi-lo)/2; all[middle].begin <= t {
			lo = middle
		} else {
			hi = middle
		}
	}
	from.step = max(lo-from.chunk, 1)
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

// At is the stretch that holds t; false: the lane does not tell of that time.
func (v *LaneView) At(t cluster.Time) (Stretch, bool) {
	if k, i, ok := v.find(t, &Place{}); ok {
		return v.span(k, i), true
	}
	if v.now != noLabel && t >= v.end && t < v.to {
		return v.now.span(v.end, v.to), true
	}
	return Stretch{}, false
}

func (v *LaneView) span(k, i int) Stretch {
	begin := v.chunks[k].begin
	if i > 0 {
		begin = v.endOf(k, i-1)
	}
	return v.chunks[k].labels[i].span(begin, v.endOf(k, i))
}

// Place remembers where in a lane Sums looked last, for those that look at one time
// after another.
type Place struct{ chunk, step int }

// Sums is the time by activity from the launch to t. What was before From is not
// told apart by time: Sums of an earlier time is that of From.
func (v *LaneView) Sums(t cluster.Time, at *Place) Sums {
	if len(v.chunks) == 0 {
		var s Sums
		v.going(&s, t)
		return s
	}
	if t <= v.chunks[0].begin {
		return v.chunks[0].sums[0]
	}
	k, i, ok := v.find(t, at)
	if !ok { // after the last stretch
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
	v.going(&s, t)
	return s
}

// going adds the time up to t of what goes on since the last stretch.
func (v *LaneView) going(s *Sums, t cluster.Time) {
	if v.now != noLabel {
		s[v.now.activity()] += max(min(t, v.to)-v.end, 0)
	}
}

// Stretches gives what the lane did from a time to another, in order; the first and the
// last one are whole.
func (v *LaneView) Stretches(from, to cluster.Time) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		k, i, ok := v.find(max(from, v.From()), &Place{})
		for ; ok && k < len(v.chunks); k, i = k+1, 0 {
			for ; i < v.count(k); i++ {
				s := v.span(k, i)
				if s.Begin >= to {
					return
				}
				if s.Begin < s.End && !yield(s) { // one that begins this moment has no end yet
					return
				}
			}
		}
		if v.now != noLabel && v.end < min(to, v.to) && v.to > from {
			yield(v.now.span(v.end, v.to))
		}
	}
}
