package timeline

import (
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// Limits of a recorder: intervals (18 B each, with their sums) of threads and of streams, and
// lanes. Ranks beyond the last lane have none.
const (
	maxStretches = 4 << 20
	maxKernels   = 1 << 20
	maxLanes     = 8192
	minChunks    = 2
	maxChunks    = 4096
)

// A Recorder records the recent activities of the threads of a launch. Spec.Timeline passes it to
// the fabric, which finds it with Of.
type Recorder struct {
	layout cluster.Layout
	ranks  []atomic.Pointer[[]*Lane]
	keep   int // chunks per lane
	arrows *arrows
	parts  parts
	device streams
	clock  atomic.Pointer[func() cluster.Time] // returns the time; nil: the latest end of a lane
	closed atomic.Bool
}

// Of returns the recorder of a launch, or nil if nothing is recorded.
func Of(s *cluster.Spec) *Recorder {
	r, _ := s.Timeline.(*Recorder)
	return r
}

// NewRecorder returns a recorder for one launch of a layout. With withArrows it also records
// messages.
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

// Keep sets the number of intervals per lane to about n. It must be called before the launch.
func (r *Recorder) Keep(n int) {
	r.keep = max((n+chunkLength-1)/chunkLength+1, minChunks)
	for i := range r.ranks {
		for _, l := range *r.ranks[i].Load() {
			l.ring = make([]atomic.Pointer[chunk], r.keep)
		}
	}
}

// Clock sets the fabric's clock. It must be called before the ranks start.
func (r *Recorder) Clock(now func() cluster.Time) { r.clock.Store(&now) }

// Team returns the lanes of a rank's first n threads, or nil if the rank has none. Only the rank's
// first thread may call it, outside parallel regions.
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

// Close ends every lane at t, sleeping. No thread may write to a lane any more.
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
