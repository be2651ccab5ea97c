package cluster

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// ThreadLevel states which threads of a rank may call MPI, and when. A higher level permits
// everything that a lower level permits (paper 2, section 3).
type ThreadLevel uint8

// The levels of thread support. ThreadMasteronly is paper 2's T1, between MPI's SINGLE and
// FUNNELED: threads may exist, and MPI calls are permitted only outside parallel regions.
const (
	ThreadUnset      ThreadLevel = iota // the highest available level
	ThreadSingle                        // a rank has no threads
	ThreadMasteronly                    // calls only outside parallel regions
	ThreadFunneled                      // calls only by the master thread
	ThreadSerialized                    // calls by any thread, one at a time
	ThreadMultiple                      // calls by any thread at any time
)

// ThreadLevels lists the levels, from the lowest.
var ThreadLevels = []ThreadLevel{ThreadSingle, ThreadMasteronly, ThreadFunneled, ThreadSerialized, ThreadMultiple}

var levelNames = [...]string{"unset", "single", "masteronly", "funneled", "serialized", "multiple"}

// String returns the name of the level, in lower case.
func (l ThreadLevel) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return "level?"
}

// ParseThreadLevel returns the level with a name.
func ParseThreadLevel(name string) (ThreadLevel, error) {
	for _, l := range ThreadLevels {
		if name == l.String() {
			return l, nil
		}
	}
	return ThreadUnset, fmt.Errorf("thread level %q: want %s", name, strings.Join(levelNames[1:], ", "))
}

// or returns the level, or other if it is unset.
func (l ThreadLevel) or(other ThreadLevel) ThreadLevel {
	if l == ThreadUnset {
		return other
	}
	return l
}

// InitThread requests a level of thread support and returns the provided level. It is lower than
// the requested level if the machine's library supports less. A library that supports at most
// MASTERONLY reports SINGLE, because the MPI standard has no MASTERONLY (paper 2, section 3). The
// program may still do everything that MASTERONLY permits. A launch starts at the level of its
// spec. A program may call InitThread between parallel regions.
func (r *Rank) InitThread(required ThreadLevel) (provided ThreadLevel, err error) {
	if r.gate != gateOpen {
		return r.level, r.errorf("init thread at %s: inside a parallel region: call it before the region", required)
	}
	if required < ThreadSingle || required > ThreadMultiple {
		return r.level, r.errorf("init thread: level %d: want single to multiple", required)
	}
	limit := r.launch.spec.Machine.Threading.or(ThreadMultiple)
	r.level = min(required, limit)
	if limit == ThreadMasteronly {
		return ThreadSingle, nil
	}
	return r.level, nil
}

// ThreadLevel returns the active level.
func (r *Rank) ThreadLevel() ThreadLevel { return r.level }

// gate is the check that a thread's MPI calls must pass.
type gate uint8

const (
	gateOpen     gate = iota // outside parallel regions
	gateMultiple             // in a region: all threads may call
	gateSerial               // in a region: one thread at a time
	gateFunneled             // a worker in a region: only the master may call
	gateClosed               // in a region: no thread may call
	gateForked               // the rank itself, while its threads run
)

// gateOf returns the gate of a region's thread.
func gateOf(l ThreadLevel, thread int) gate {
	switch l {
	case ThreadSerialized:
		return gateSerial
	case ThreadFunneled:
		if thread != 0 {
			return gateFunneled
		}
	case ThreadSingle, ThreadMasteronly:
		return gateClosed
	}
	return gateMultiple
}

// gated reports whether MPI calls must pass admit. They need not outside a region, or if all
// threads may call.
func (r *Rank) gated() bool { return r.gate > gateMultiple }

// admit begins a call on a team, or returns an error if the thread level forbids it. Each admitted
// call is dismissed once. Calls may be nested.
func (r *Rank) admit(call string, t *Team) error {
	if t != nil && t.mpi && r.inside == 0 {
		switch r.gate {
		case gateClosed:
			return r.errorf("%s: an MPI call inside a parallel region: thread level %s permits calls only outside (end the "+
				"region first, or initialize at funneled or higher)", call, upper(r.level))
		case gateFunneled:
			return r.errorf("%s: an MPI call by a worker thread: thread level FUNNELED permits calls only by the master "+
				"(use Master, or initialize at serialized or multiple)", call)
		case gateSerial:
			if err := r.claim(call); err != nil {
				return err
			}
		}
	}
	if r.gate == gateForked {
		return r.errorf("%s: the Rank was used inside its parallel region: make the call on the Thread of the region", call)
	}
	r.inside++
	return nil
}

// claim takes the library's lock for one thread, at SERIALIZED.
func (r *Rank) claim(call string) error {
	op := Op{Kind: KindEnter}
	r.port.Post(&op)
	if !op.Done.Found {
		return r.errorf("%s: thread %d is inside an MPI call: thread level SERIALIZED permits one call at a time (order "+
			"the calls by Single, Meet or a lock, or initialize at multiple)", call, op.Done.Peer)
	}
	r.claimed = true
	return nil
}

// dismiss ends a call that admit began.
func (r *Rank) dismiss() {
	if r.inside--; r.inside == 0 && r.claimed {
		r.claimed = false
		op := Op{Kind: KindLeave}
		r.port.Post(&op)
	}
}

// enter is admit for a call that consists of other calls; leave ends it.
func (r *Rank) enter(call string, t *Team) error {
	if !r.gated() {
		return nil
	}
	return r.admit(call, t)
}

func (r *Rank) leave() {
	if r.gated() {
		r.dismiss()
	}
}

// enterAlone is enter for a collective. It also claims the team for the thread, until release.
func (r *Rank) enterAlone(call string, t *Team) error {
	if err := r.enter(call, t); err != nil {
		return err
	}
	if r.gate != gateOpen && !atomic.CompareAndSwapUint32(&t.busy, 0, uint32(r.thread)+1) {
		r.leave()
		return r.errorf("%s on %s: another thread of the rank is inside a collective on this team (order the calls, or make "+
			"a team for each thread)", call, t.name)
	}
	return nil
}

// release ends a thread's claim of a team.
func (r *Rank) release(t *Team) {
	if r.gate != gateOpen {
		atomic.StoreUint32(&t.busy, 0)
	}
}

// again counts a nested call inside an admitted one.
func (r *Rank) again() {
	if r.gated() {
		r.inside++
	}
}

// admitted reports whether calls of the kind must pass admit before they are posted.
func (k Kind) admitted() bool { return k <= KindMrecv || k == KindBarrier }

func upper(l ThreadLevel) string { return strings.ToUpper(l.String()) }

// completing begins a call that completes a request. It returns an error if another thread is
// completing the request (MPI-4.0, section 11.6.2). The caller passes each accepted request to
// completed.
func (r *Rank) completing(call string, q *Request) error {
	if q.h != 0 && !atomic.CompareAndSwapUint32(&q.busy, 0, uint32(r.thread)+1) {
		return r.errorf("%s: thread %d already completes that request: only one thread may wait for a request", call,
			atomic.LoadUint32(&q.busy)-1)
	}
	if !r.gated() {
		return nil
	}
	if err := r.admit(call, q.team); err != nil {
		if q.h != 0 {
			atomic.StoreUint32(&q.busy, 0)
		}
		return err
	}
	return nil
}

func (r *Rank) completed(q *Request) {
	r.leave()
	if atomic.LoadUint32(&q.busy) != 0 {
		atomic.StoreUint32(&q.busy, 0)
	}
}

// completingAll is completing for a list, all or none.
func (r *Rank) completingAll(call string, qs []Request) error {
	for i := range qs {
		if err := r.completing(call, &qs[i]); err != nil {
			r.completedAll(qs[:i])
			return err
		}
	}
	return nil
}

func (r *Rank) completedAll(qs []Request) {
	for i := range qs {
		r.completed(&qs[i])
	}
}
