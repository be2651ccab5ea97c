package sim

import (
	"math/bits"
	"testing"
	"unsafe"
)

// The records of a simulation fit in a cache line, and fill it if pointers have 64 bits.
func TestRecordsFitCacheLines(t *testing.T) {
	for name, size := range map[string]uintptr{"slot": unsafe.Sizeof(slot{}), "msg": unsafe.Sizeof(msg{}),
		"four events": 4 * unsafe.Sizeof(event{})} {
		if size > 64 || size < 64 && bits.UintSize == 64 {
			t.Errorf("%s: %d bytes, want 64", name, size)
		}
	}
}
