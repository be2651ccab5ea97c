package host

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/hybridtop/hybridtop/cluster"
)

// Reserve is what the program itself takes beside its runs: screen, pictures, runtime.
const Reserve = 64 << 20

// asked is the memory limit that the user gave the program (GOMEMLIMIT).
var asked = debug.SetMemoryLimit(-1)

// Limit is how many bytes the runs of this process may hold in all, what they hold
// already included; 0: unknown. It is the least of what the system has available, what
// the control groups leave and what GOMEMLIMIT says, less the reserve.
func Limit() int64 { return less(addressed(limit(os.DirFS("/")), math.MaxInt), asked) }

// addressed is a limit in a program that can address most bytes; where that is less
// than an int64 counts, it is a limit of its own.
func addressed(limit, most int64) int64 {
	if most < math.MaxInt64 && (limit == 0 || limit > most) {
		return most
	}
	return limit
}

func less(host, asked int64) int64 {
	if host == 0 && asked == math.MaxInt64 {
		return 0
	}
	if host > 0 {
		asked = min(asked, host)
	}
	return max(asked-Reserve, 1)
}

// Back has the garbage collector keep to what a run was admitted by. Without it the
// collector waits until twice the living memory stands, which the limit does not count;
// and what the run before has left is to go before the next one's comes.
func Back(limit int64) {
	if limit > 0 {
		debug.SetMemoryLimit(sum(limit, Reserve))
	}
}

// Check refuses a spec that does not fit into limit bytes, where a run takes overhead
// bytes beside its segments; limit 0: unknown.
func Check(s *cluster.Spec, overhead, limit int64) error {
	ranks := s.Layout.Ranks()
	need := float64(ranks)*float64(s.Segment) + float64(overhead)
	if limit > 0 && need > float64(limit) {
		return fmt.Errorf("%d ranks with segments of %s take %s, and %s are left: use a smaller problem, larger groups or fewer ranks",
			ranks, cluster.SizeText(float64(s.Segment)), cluster.SizeText(need), cluster.SizeText(float64(limit)))
	}
	return nil
}

// sum adds bytes and stays within what an int64 holds.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
