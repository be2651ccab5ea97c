package timeline

import (
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// Activity is what a thread does for a while (paper 2, figure 1).
type Activity uint8

// The activities. A thread sleeps while its rank has no parallel region, and while
// it waits for the other threads of one.
const (
	ActivitySleep       Activity = iota
	ActivityCompute              // the program's own code, Compute
	ActivityCommunicate          // in the library, working
	ActivityCopy                 // in the library, moving bytes
	ActivityWait                 // in a call, for another rank or for a part of the machine
	ActivityLock                 // in a call, for another thread of the rank to leave the library
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

// Stretch is a part of a lane in which a thread did one thing.
type Stretch struct {
	Begin, End cluster.Time
	Activity   Activity
	Call       cluster.Kind // that it belongs to; KindNone: to none
	Peer       int32        // the other rank; NoPeer: none, several, or any
}

// NoPeer is the peer of a stretch that has none, or several.
const NoPeer int32 = -1

// label is a stretch without its times: activity, call and peer in one word.
type label uint64

func labelOf(a Activity, call cluster.Kind, peer int32) label {
	return label(a) | label(call)<<8 | label(uint32(peer))<<32
}

func (m label) activity() Activity { return Activity(m) }

func (m label) span(begin, end cluster.Time) Stretch {
	return Stretch{Begin: begin, End: end, Activity: m.activity(), Call: cluster.Kind(m >> 8), Peer: int32(m >> 32)}
}

// noLabel is the label of no stretch.
const noLabel = ^label(0)

// Sums is time by activity.
type Sums [Activities]cluster.Time

// Stretches stand in chunks, with the sums before every block of them, so that the sums
// up to a time are found without a walk over what was before.
const (
	chunkLength = 256
	blockLength = 32
)

// chunk is a run of stretches, each of which begins where the one before it ends. One
// that is full does not change any more. Of the open one, the last of a lane, all but
// the end of the last stretch stays as it is.
type chunk struct {
	first  uint64 // number of its first stretch in the lane
	begin  cluster.Time
	begins [chunkLength / blockLength]cluster.Time // of each block
	sums   [chunkLength / blockLength]Sums         // of the lane, before each block
	labels [chunkLength]label
	ends   [chunkLength]cluster.Time // that of the open stretch is the lane's
}

// Lane is what one thread of a rank did, or one stream of its device, from the launch on. One goroutine at a time
// writes to it; View reads it meanwhile.
type Lane struct {
	rank, thread int32
	end          cluster.Time // of the last stretch
	last         label
	shown        label
	n            uint32 // stretches in the chunk under way
	sums         Sums
	cur          *chunk
	now          atomic.Uint64 // label of what goes on since the last stretch
	begun        atomic.Uint64 // stretches so far; it publishes what the chunks hold of those before the last
	open         atomic.Int64  // end of the last one, so far
	ring         []atomic.Pointer[chunk]
	_            [64]byte // lanes are written to by different cores
}

// newLane is a lane that sleeps, and keeps so many chunks.
func newLane(rank, thread, keep int) *Lane {
	l := &Lane{rank: int32(rank), thread: int32(thread), last: noLabel, shown: noLabel, ring: make([]atomic.Pointer[chunk], keep)}
	l.Now(ActivitySleep, cluster.KindNone, NoPeer)
	return l
}

// Until says that from the end of the last stretch until t the thread did a, for a call
// with a peer. A t that is not later says nothing.
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

// add begins a stretch; t is its end so far. Who looks meanwhile has to see that there
// is another stretch before the end of the last one becomes this one's.
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

// Now says what the thread does from the end of the last stretch on, for those who look
// meanwhile.
func (l *Lane) Now(a Activity, call cluster.Kind, peer int32) {
	if m := labelOf(a, call, peer); m != l.shown {
		l.shown = m
		l.now.Store(uint64(m))
	}
}

// Unknown says that it is not known yet what the thread does from the end of the last
// stretch on.
func (l *Lane) Unknown() {
	if l.shown != noLabel {
		l.shown = noLabel
		l.now.Store(uint64(noLabel))
	}
}

// End is where the last stretch ends.
func (l *Lane) End() cluster.Time { return l.end }
