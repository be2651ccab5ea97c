package collective

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A large team has more ranks than largeTeam. Its simulation takes minutes, so fewer of its calls are verified.
const largeTeam = 1 << 12

// mostSkewed is the maximum number of messages in calls with skew. Each rank must be simulated in these calls.
const mostSkewed = 1 << 24

// skewedCalls returns the number of calls with skew. There is none if one call has too many messages.
func (t *team) skewedCalls() int {
	calls := max(min(4, 4*largeTeam/t.ranks), 1)
	if t.key.Algorithm.Class == nil { // all ranks have the same schedule
		messages := int64(t.ranks) * int64(t.verified.comm.Schedule(t.key).Messages())
		calls = int(min(int64(calls), mostSkewed/max(messages, 1)))
	}
	return calls
}

// verifySkewed verifies calls at which the ranks arrive in random order, and one rank long after the
// others. It runs after the last iteration, so that no time includes it. Only virtual time has skew.
func (t *team) verifySkewed() error {
	skew := workload.NewSkew(t.r, t.ranks)
	if skew == nil {
		return nil
	}
	calls := t.skewedCalls()
	if calls == 0 {
		return nil // and the result does not name them
	}
	t.wrong = ""
	for i := range calls {
		at := t.verified
		x := t.call(at)
		at.fill(x)
		if _, err := t.start.Together(); err != nil {
			return err
		}
		skew.Delay()
		if t.me == (2*i+1)*t.ranks/(2*calls) {
			skew.Late()
		}
		begun := t.r.Now()
		if err := at.comm.Do(t.libraryCall(x, at)); err != nil {
			return err
		}
		ended := t.r.Now()
		if err := t.check(x, at); err != nil {
			return err
		}
		if err := t.r.Barrier(t.r.World()); err != nil {
			return err
		}
		if err := t.checkOrder(begun, ended); err != nil {
			return err
		}
	}
	if t.wrong != "" {
		t.p.Verify(false, fmt.Sprintf("calls with late ranks: %s by %s", t.wrong, t.name))
		return nil
	}
	t.p.Verify(true, "calls with late ranks are correct")
	return nil
}

// checkOrder checks that no rank has left a barrier before the last one has arrived.
func (t *team) checkOrder(begun, ended cluster.Time) error {
	if t.what != coll.OpBarrier {
		return nil
	}
	times, err := workload.Maxima(t.r, t.r.World(), int64(begun), -int64(ended))
	if err != nil {
		return err
	}
	if early := cluster.Time(times[0] + times[1]); early > 0 {
		t.noteWrong(fmt.Sprintf("barrier: a rank left %s before the last rank arrived", early))
	}
	return nil
}
