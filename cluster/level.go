package cluster

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// ThreadLevel says which threads of a rank may call MPI, and when. Higher levels
// hold all that lower ones permit (paper 2, section 3).
type ThreadLevel uint8

// The levels of thread support. ThreadMasteronly is paper 2's T1, between MPI's
// SINGLE and FUNNELED: threads may exist, and calls are made outside of parallel
// regions only.
const (
	ThreadUnset      ThreadLevel = iota // the highest that there is
	ThreadSingle                        // a rank has no threads
	ThreadMasteronly                    // calls only outside of parallel regions
	ThreadFunneled                      // calls only by the master thread
	ThreadSerialized                    // calls by any thread, one at a time
	ThreadMultiple                      // calls by any thread at any time
)

// ThreadLevels lists the levels, from the lowest.
var ThreadLevels = []ThreadLevel{ThreadSingle, ThreadMasteronly, ThreadFunneled, ThreadSerialized, ThreadMultiple}

var levelNames = [...]string{"unset", "single", "masteronly", "funneled", "serialized", "multiple"}

// String is the level's name, in lower case.
func (l ThreadLevel) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return "level?"
}

// ParseThreadLevel finds a level by name.
func ParseThreadLevel(name string) (ThreadLevel, error) {
	for _, l := range ThreadLevels {
		if name == l.String() {
			return l, nil
		}
	}
	return ThreadUnset, fmt.Errorf("thread level %q: want %s", name, strings.Join(levelNames[1:], ", "))
}

// or is the level, or another one where it is unset.
func (l ThreadLevel) or(other ThreadLevel) ThreadLevel {
	if l == ThreadUnset {
		return other
	}
	return l
}

// InitThread asks the library for a level of thread support, and gives what it
// reports as provided: the level, or less where the machine's library can do no
// more. A library that can do no more than MASTERONLY reports SINGLE, because the
// MPI standard does not know MASTERONLY (paper 2, section 3); the program may do
// what MASTERONLY permits all the same. A launch starts at the level of its spec; a
// program may call this between parallel regions.
func (r *Rank) InitThread(required ThreadLevel) (provided ThreadLevel, err error) {
	if r.gate != gateOpen {
		return r.level, r.errorf("init thread at %s: inside a parallel region: call it before the region", required)
	}
	if required < ThreadSingle || required > ThreadMultiple {
		return r.level, r.errorf("init thread: level %d is none: want single to multiple", required)
	}
	limit := r.launch.spec.Machine.Threading.or(ThreadMultiple)
	r.level = min(required, limit)
	if limit == ThreadMasteronly {
		return ThreadSingle, nil
	}
	return r.level, nil
}

// ThreadLevel is the level in force.
func (r *Rank) ThreadLevel() ThreadLevel { return r.level }

// gate says what a thread's MPI calls have to pass.
type gate uint8

const (
	gateOpen     gate = iota // outside of parallel regions
	gateMultiple             // in a region, where all may call
	gateSerial               // in a region, one at a time
	gateFunneled             // a worker, while only the master may call
	gateClosed               // in a region, where none may call
	gateForked               // the rank itself, while its threads run
)

// gateOf is the gate of a region's thread.
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

// gated says that MPI calls have to be admitted: neither outside of a region nor
// where all threads may call.
func (r *Rank) gated() bool { return r.gate > gateMultiple }

// admit lets a call on a team into the library, or refuses it. Each call that it
// lets in is dismissed once; calls may be made of calls.
func (r *Rank) admit(call string, t *Team) error {
	if t != nil && t.mpi && r.inside == 0 {
		switch r.gate {
		case gateClosed:
			return r.errorf("%s: an MPI call inside a parallel region, and the thread level is %s, which permits them only outside: end the region first, or initialize at funneled or more", call, upper(r.level))
		case gateFunneled:
			return r.errorf("%s: an MPI call by a worker thread, and the thread level is FUNNELED, which permits them only to the master: let thread 0 make the call (Master), or initialize at serialized or multiple", call)
		case gateSerial:
			if err := r.claim(call); err != nil {
				return err
			}
		}
	}
	if r.gate == gateForked {
		return r.errorf("%s: the rank's own handle is used while its parallel region runs: make the call on the Thread that the region gives", call)
	}
	r.inside++
	return nil
}

// claim takes the library for one thread, at SERIALIZED.
func (r *Rank) claim(call string) error {
	op := Op{Kind: KindEnter}
	r.port.Post(&op)
	if !op.Done.Found {
		return r.errorf("%s: thread %d is inside an MPI call, and the thread level is SERIALIZED, which permits one at a time: order the calls (Single, Meet or a lock of your own), or initialize at multiple", call, op.Done.Peer)
	}
	r.claimed = true
	return nil
}

// dismiss ends what admit began.
func (r *Rank) dismiss() {
	if r.inside--; r.inside == 0 && r.claimed {
		r.claimed = false
		op := Op{Kind: KindLeave}
		r.port.Post(&op)
	}
}

// enter is admit for a call that is made of others; leave ends it.
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

// again counts a call that one which was admitted is made of.
func (r *Rank) again() {
	if r.gated() {
		r.inside++
	}
}

// admitted says that the calls of a kind pass admit before they are posted.
func (k Kind) admitted() bool { return k <= KindMrecv || k == KindBarrier }

func upper(l ThreadLevel) string { return strings.ToUpper(l.String()) }

// completing lets a call that completes a request in: no other thread may be
// completing it (MPI-4.0, section 11.6.2). Each request that it lets in is passed to
// completed.
func (r *Rank) completing(call string, q *Request) error {
	if q.h != 0 && !atomic.CompareAndSwapUint32(&q.busy, 0, uint32(r.thread)+1) {
		return r.errorf("%s: thread %d completes that request already: a request is for one thread to wait for", call, atomic.LoadUint32(&q.busy)-1)
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
