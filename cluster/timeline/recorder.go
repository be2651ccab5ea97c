package timeline

import (
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// Bounds of what a recorder keeps: stretches (of 18 B with their sums) of threads and of
// devices' streams, and lanes; ranks beyond have none.
const (
	maxStretches = 4 << 20
	maxKernels   = 1 << 20
	maxLanes     = 8192
	minChunks    = 2
	maxChunks    = 4096
)

// Recorder keeps what the threads of a launch did lately. Spec.Timeline hands it to
// the fabric, which finds it with Of.
type Recorder struct {
	layout cluster.Layout
	ranks  []atomic.Pointer[[]*Lane]
	keep   int // chunks a lane
	arrows *arrows
	parts  parts
	device streams
	clock  atomic.Pointer[func() cluster.Time] // what time it is; nil: as late as the latest lane
	closed atomic.Bool
}

// Of is the recorder of a launch; nil: nothing is recorded.
func Of(s *cluster.Spec) *Recorder {
	r, _ := s.Timeline.(*Recorder)
	return r
}

// NewRecorder is for one launch of a layout; with arrows it keeps messages as well.
func NewRecorder(l cluster.Layout, withArrows bool) *Recorder {
	threads := max(1, l.ThreadsPerRank)
	ranks := min(l.Ranks(), max(1, maxLanes/threads))
	r := &Recorder{layout: l, ranks: make([]atomic.Pointer[[]*Lane], ranks)}
	r.keep = min(max(maxStretches/chunkLength/(ranks*threads), minChunks), maxChunks)
	r.device.ranks = min(ranks, (maxLanes-ranks*threads)/cluster.Streams)
	r.device.keep = min(max(maxKernels/chunkLength/(ranks*cluster.Streams), minChunks), maxChunks)
	if withArrows {
		r.arrows = newArrows()
	}
	for rank := range ranks {
		r.Team(rank, threads)
	}
	return r
}

// Keep makes the recorder keep about n stretches a lane, before the launch.
func (r *Recorder) Keep(n int) {
	r.keep = max((n+chunkLength-1)/chunkLength+1, minChunks)
	for i := range r.ranks {
		for _, l := range *r.ranks[i].Load() {
			l.ring = make([]atomic.Pointer[chunk], r.keep)
		}
	}
}

// Clock gives the recorder the fabric's clock, before the ranks start.
func (r *Recorder) Clock(now func() cluster.Time) { r.clock.Store(&now) }

// Team gives the lanes of a rank's first n threads; nil where the rank has none. Only
// the rank's first thread calls it, outside of parallel regions.
func (r *Recorder) Team(rank, n int) []*Lane {
	if r == nil || rank >= len(r.ranks) {
		return nil
	}
	var lanes []*Lane
	if all := r.ranks[rank].Load(); all != nil {
		lanes = *all
	}
	if len(lanes) >= n {
		return lanes[:n]
	}
	lanes = append([]*Lane(nil), lanes...)
	for i := len(lanes); i < n; i++ {
		lanes = append(lanes, newLane(rank, i, r.keep))
	}
	r.ranks[rank].Store(&lanes)
	return lanes
}

// Close ends every lane at t, sleeping, once nobody writes to them any more.
func (r *Recorder) Close(t cluster.Time) {
	for i := range r.ranks {
		for _, l := range *r.ranks[i].Load() {
			l.Until(t, ActivitySleep, cluster.KindNone, NoPeer)
			l.Now(ActivitySleep, cluster.KindNone, NoPeer)
		}
	}
	r.device.close(t)
	r.closed.Store(true)
}
