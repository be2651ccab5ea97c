package timeline

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
)

// streams are the lanes of devices' streams, in the order in which each ran its first
// kernel.
type streams struct {
	ranks, keep int // ranks that have such lanes, and chunks of each
	mu          sync.Mutex
	list        []*Lane
	at          map[[2]int32]*Lane // by rank and stream
}

// threadOf is what stands for a stream where lanes go by the number of a thread.
func threadOf(stream int) int { return -1 - stream }

// Stream is the stream of the rank's device whose lane it is; false: it is a thread's.
func (v *LaneView) Stream() (number int, ok bool) { return threadOf(v.Thread), v.Thread < 0 }

// Kernel says that a stream of a rank's device ran a kernel from begin to end, and had
// waited for the device since it was ready. A kernel's end may lie ahead of the time: a
// view tells no more of it than has passed.
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

// lanes are those that there are.
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

// cut leaves out what the lane tells of times after the view's.
func (v *LaneView) cut() {
	for len(v.chunks) > 0 && v.beginOfLast() >= v.to {
		v.leaveOut()
		v.now = labelOf(ActivitySleep, cluster.KindNone, NoPeer)
	}
	v.end = min(v.end, v.to)
}

// beginOfLast is where the newest stretch begins.
func (v *LaneView) beginOfLast() cluster.Time {
	last := v.chunks[len(v.chunks)-1]
	if v.n < 2 {
		return last.begin
	}
	return last.ends[v.n-2]
}
