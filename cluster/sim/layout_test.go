package sim

import (
	"testing"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster/match"
)

// The arrival of a message and the switch to a thread use few cache lines. With thousands of ranks
// each line is a miss, and misses dominate the time of such a simulation.
func TestHotFieldsShareLines(t *testing.T) {
	const line = 64
	var r rank
	var th thread
	type end struct {
		what      string
		at, limit uintptr
	}
	for _, e := range []end{
		{"thread: clock, wait and polls", unsafe.Offsetof(th.polls) + unsafe.Sizeof(th.polls), line},
		{"rank: first thread and posted receives", unsafe.Offsetof(r.queues) + unsafe.Sizeof(match.Queues{})/2, line},
		{"rank: arrived messages and slots",
			unsafe.Offsetof(r.slots) + unsafe.Sizeof(r.slots.list[:0]) - unsafe.Sizeof(uintptr(0)), 2 * line},
		{"rank: steps and regions", unsafe.Offsetof(r.region) + unsafe.Sizeof(r.region), rankLines * line},
		{"slot", unsafe.Sizeof(slot{}), line},
		{"msg", unsafe.Sizeof(msg{}), line},
	} {
		if unsafe.Sizeof(uintptr(0)) == 8 && e.at > e.limit {
			t.Errorf("%s ends at byte %d, want at most %d", e.what, e.at, e.limit)
		}
	}
	for what, size := range map[string]uintptr{"thread": unsafe.Sizeof(th), "rank": unsafe.Sizeof(r),
		"msg": unsafe.Sizeof(msg{})} {
		if unsafe.Sizeof(uintptr(0)) == 8 && size%line != 0 {
			t.Errorf("%s has %d B, want a multiple of a cache line", what, size)
		}
	}
	t.Logf("thread %d, rank %d, slot %d, msg %d", unsafe.Sizeof(th), unsafe.Sizeof(r), unsafe.Sizeof(slot{}),
		unsafe.Sizeof(msg{}))
}
