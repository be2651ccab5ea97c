package host

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Reserve is the memory of the program itself, in addition to its runs: screen, pictures, runtime.
const Reserve = 64 << 20

// userLimit is the user's memory limit of the program (GOMEMLIMIT).
var userLimit = debug.SetMemoryLimit(-1)

// Limit returns the maximum number of bytes of all runs of this process, including the bytes that
// they already use. It is the minimum of the system's available memory, the rest of the control
// groups and GOMEMLIMIT, minus the reserve. It returns 0 if the limit is unknown.
func Limit() int64 {
	return combineLimits(clampToAddressSpace(limit(os.DirFS("/")), math.MaxInt), userLimit)
}

// Bound is a limit of the memory of this process.
type Bound struct {
	Name  string
	Bytes int64
}

// Bounds returns the known limits from which Limit follows, without the reserve. The
// system, control groups and the user set them.
func Bounds() []Bound {
	all := bounds(os.DirFS("/"))
	if userLimit < math.MaxInt64 {
		all = append(all, Bound{"GOMEMLIMIT", userLimit})
	}
	return all
}

// limit returns the minimum of the host's bounds, or 0 if there are none.
func limit(root fs.FS) int64 {
	all := bounds(root)
	if len(all) == 0 {
		return 0
	}
	return slices.MinFunc(all, func(a, b Bound) int { return cmp.Compare(a.Bytes, b.Bytes) }).Bytes
}

// clampToAddressSpace reduces a limit to the address space of the program, which is smaller on
// 32-bit systems.
func clampToAddressSpace(limit, maxAddress int64) int64 {
	if maxAddress < math.MaxInt64 && (limit == 0 || limit > maxAddress) {
		return maxAddress
	}
	return limit
}

// combineLimits returns the limit that follows from the host's and the user's limits, without the
// reserve. It returns 0 if neither is known, and otherwise at least 1.
func combineLimits(host, user int64) int64 {
	if host == 0 && user == math.MaxInt64 {
		return 0
	}
	if host > 0 {
		user = min(user, host)
	}
	return max(user-Reserve, 1)
}

// Check returns an error if a spec does not fit in limit bytes. overhead is the memory of a run in
// addition to its segments. A limit of 0 is unknown, and everything fits.
func Check(s *cluster.Spec, overhead, limit int64) error {
	ranks := s.Layout.Ranks()
	need := float64(ranks)*float64(s.Segment) + float64(overhead)
	if limit > 0 && need > float64(limit) {
		return fmt.Errorf("%d ranks with segments of %s take %s, and %s are left: use a smaller problem, larger groups "+
			"or fewer ranks",
			ranks, cluster.SizeText(float64(s.Segment)), cluster.SizeText(need), cluster.SizeText(float64(limit)))
	}
	return nil
}

// sum adds byte counts and saturates at the maximum int64.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
