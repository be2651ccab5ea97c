package timeline

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
)

// streams are the lanes of devices' streams, in the order of their first kernels.
type streams struct {
	ranks, keep int // number of ranks with such lanes, and chunks per lane
	mu          sync.Mutex
	list        []*Lane
	at          map[[2]int32]*Lane // by rank and stream
}

// threadOf returns the thread number that represents a stream. It is negative.
func threadOf(stream int) int { return -1 - stream }

// Stream returns the number of the device stream of the lane. It returns false for the lane of a
// thread.
func (v *LaneView) Stream() (number int, ok bool) { return threadOf(v.Thread), v.Thread < 0 }

// Kernel records that a stream of a rank's device ran a kernel from begin to end, after it had
// waited for the device since ready. A kernel's end can be in the future; a view only shows time
// that has passed.
func (r *Recorder) Kernel(rank, stream int32, ready, begin, end cluster.Time) {
	s := &r.device
	if int(rank) >= s.ranks {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.at[[2]int32{rank, stream}]
	if l == nil {
		if s.at == nil {
			s.at = make(map[[2]int32]*Lane)
		}
		l = newLane(int(rank), threadOf(int(stream)), s.keep)
		s.at[[2]int32{rank, stream}] = l
		s.list = append(s.list, l)
	}
	l.Until(ready, ActivitySleep, cluster.KindNone, NoPeer)
	l.Until(begin, ActivityWait, cluster.KindLaunch, NoPeer)
	l.Until(end, ActivityCompute, cluster.KindLaunch, NoPeer)
}

// lanes returns the existing lanes.
func (s *streams) lanes() []*Lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[:len(s.list):len(s.list)]
}

// close ends every lane at t, sleeping.
func (s *streams) close(t cluster.Time) {
	for _, l := range s.lanes() {
		l.Until(t, ActivitySleep, cluster.KindNone, NoPeer)
	}
}

// cut removes times after the view's time from the lane.
func (v *LaneView) cut() {
	for len(v.chunks) > 0 && v.beginOfLast() >= v.to {
		v.dropLast()
		v.now = labelOf(ActivitySleep, cluster.KindNone, NoPeer)
	}
	v.end = min(v.end, v.to)
}

// beginOfLast returns the start of the newest interval.
func (v *LaneView) beginOfLast() cluster.Time {
	last := v.chunks[len(v.chunks)-1]
	if v.n < 2 {
		return last.begin
	}
	return last.ends[v.n-2]
}
