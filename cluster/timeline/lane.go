package timeline

import (
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// Activity is the activity of a thread during an interval (paper 2, figure 1).
type Activity uint8

// The activities. A thread sleeps while its rank has no parallel region, and while it waits for the
// other threads of a region.
const (
	ActivitySleep       Activity = iota
	ActivityCompute              // the program's own code, Compute
	ActivityCommunicate          // in the library, working
	ActivityCopy                 // in the library, moving bytes
	ActivityWait                 // in a call, waiting for another rank or for a resource of the machine
	ActivityLock                 // in a call, waiting for another thread of the rank to leave the library
)

// Activities is the number of activities.
const Activities = 6

var activityNames = [Activities]string{"sleep", "compute", "communicate", "copy", "wait", "lock"}

// String names the activity.
func (a Activity) String() string {
	if int(a) < len(activityNames) {
		return activityNames[a]
	}
	return "activity?"
}

// Interval is an interval of a lane with one activity.
type Interval struct {
	Begin, End cluster.Time
	Activity   Activity
	Call       cluster.Kind // call of the interval; KindNone: no call
	Peer       int32        // the other rank; NoPeer: none, several, or any
}

// NoPeer is the peer of a interval without a peer, or with several.
const NoPeer int32 = -1

// label is a interval without its times: activity, call and peer in one word.
type label uint64

func labelOf(a Activity, call cluster.Kind, peer int32) label {
	return label(a) | label(call)<<8 | label(uint32(peer))<<32
}

func (m label) activity() Activity { return Activity(m) }

func (m label) span(begin, end cluster.Time) Interval {
	return Interval{Begin: begin, End: end, Activity: m.activity(), Call: cluster.Kind(m >> 8), Peer: int32(m >> 32)}
}

// noLabel is a label that no interval has.
const noLabel = ^label(0)

// Sums is the total time of each activity.
type Sums [Activities]cluster.Time

// A lane stores intervals in chunks, with the sums before every block of them. The sums at a time
// can therefore be computed without all earlier intervals.
const (
	chunkLength = 256
	blockLength = 32
)

// chunk is a sequence of intervals. Each begins at the end of the previous one. A full chunk never
// changes. In the open chunk, the last of a lane, only the end of the last interval changes.
type chunk struct {
	first  uint64 // number of its first interval in the lane
	begin  cluster.Time
	begins [chunkLength / blockLength]cluster.Time // start of each block
	sums   [chunkLength / blockLength]Sums         // sums of the lane before each block
	labels [chunkLength]label
	ends   [chunkLength]cluster.Time // the end of the open interval is in the lane
}

// A Lane records the activities of one thread of a rank, or of one stream of its device, from the
// launch on. Only one goroutine at a time may write to it. View can read it meanwhile.
type Lane struct {
	rank, thread int32
	end          cluster.Time // of the last interval
	last         label
	shown        label
	n            uint32 // intervals in the current chunk
	sums         Sums
	cur          *chunk
	now          atomic.Uint64 // label of the current activity, since the last interval
	begun        atomic.Uint64 // intervals so far; publishes the chunks' content of all intervals before the last
	open         atomic.Int64  // current end of the last interval
	ring         []atomic.Pointer[chunk]
	_            [64]byte // different cores write to different lanes
}

// newLane returns a sleeping lane that keeps keep chunks.
func newLane(rank, thread, keep int) *Lane {
	l := &Lane{rank: int32(rank), thread: int32(thread), last: noLabel, shown: noLabel,
		ring: make([]atomic.Pointer[chunk], keep)}
	l.Now(ActivitySleep, cluster.KindNone, NoPeer)
	return l
}

// Until records that the thread had activity a from the end of the last interval until t, for a call
// with a peer. It does nothing if t is not later.
func (l *Lane) Until(t cluster.Time, a Activity, call cluster.Kind, peer int32) {
	span := t - l.end
	if span <= 0 {
		return
	}
	if m := labelOf(a, call, peer); m == l.last {
		l.open.Store(int64(t))
	} else {
		l.add(m, t)
	}
	l.sums[a] += span
	l.end = t
}

// add starts a interval; t is its current end. Concurrent readers must see the new interval before
// the end of the last one changes to this one's.
func (l *Lane) add(m label, t cluster.Time) {
	if l.n > 0 {
		l.cur.ends[l.n-1] = l.end
	}
	begun := l.begun.Load()
	if l.cur == nil || l.n == chunkLength {
		l.cur, l.n = &chunk{first: begun, begin: l.end}, 0
		l.ring[begun/chunkLength%uint64(len(l.ring))].Store(l.cur)
	}
	c, i := l.cur, l.n
	if i%blockLength == 0 {
		c.begins[i/blockLength], c.sums[i/blockLength] = l.end, l.sums
	}
	c.labels[i] = m
	l.last = m
	l.n++
	l.begun.Store(begun + 1)
	l.open.Store(int64(t))
}

// Now publishes the activity of the thread from the end of the last interval on, for concurrent
// readers.
func (l *Lane) Now(a Activity, call cluster.Kind, peer int32) {
	if m := labelOf(a, call, peer); m != l.shown {
		l.shown = m
		l.now.Store(uint64(m))
	}
}

// Unknown publishes that the activity from the end of the last interval on is not known yet.
func (l *Lane) Unknown() {
	if l.shown != noLabel {
		l.shown = noLabel
		l.now.Store(uint64(noLabel))
	}
}

// End returns the end of the last interval.
func (l *Lane) End() cluster.Time { return l.end }
