package panetest

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// DeadlockFailure is the report of a run in which two ranks are deadlocked.
const DeadlockFailure = `deadlock: no rank below can go on
a send above the eager limit returns only when its receive is posted: post a receive first on one side, use Sendrecv, or raise the eager limit
  rank 0 waits in send to 1 tag 7 (65536 B) for rank 1
  rank 1 waits in send to 0 tag 7 (65536 B) for rank 0`

// Deadlocked returns a failed run of the demo with a cycle of ranks that send to each other. circle
// is the length of the cycle. The other ranks wait for ranks 0 and 1.
func Deadlocked(circle int) *engine.Snapshot {
	s := Demo(4, max(4, circle/4), 4)
	s.Phase, s.Failure = engine.Failed, DeadlockFailure
	n := s.Layout.Ranks()
	a := &cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1}
	for rank := range n {
		w := cluster.Wait{Rank: rank, Call: "barrier", For: []int{0, 1}}
		if rank < circle {
			to := (rank + 1) % circle
			w.Call, w.For = fmt.Sprintf("send to %d tag 7 (65536 B)", to), []int{to}
		}
		a.Waits = append(a.Waits, w)
	}
	s.Deadlock = engine.DeadlockOf(a)
	return s
}
