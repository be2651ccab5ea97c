package sim

import (
	"testing"
	"unsafe"
)

// The records that a simulation is made of keep to a cache line.
func TestRecordsFitCacheLines(t *testing.T) {
	for name, size := range map[string]uintptr{"slot": unsafe.Sizeof(slot{}), "msg": unsafe.Sizeof(msg{}), "four events": 4 * unsafe.Sizeof(event{})} {
		if size != 64 {
			t.Errorf("%s: %d bytes, want 64", name, size)
		}
	}
}
