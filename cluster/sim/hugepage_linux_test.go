package sim

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// TestHugePagesEndWithTheTrace: after a trace, its memory is like other memory of the heap.
func TestHugePagesEndWithTheTrace(t *testing.T) {
	advised := func() (n int) { // mappings of the process with the flag hg
		text, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(text)) {
			if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && strings.Contains(flags, " hg") {
				n++
			}
		}
		return n
	}
	before := advised()
	asks := func() bool {
		block := make([]record, 8*hugePage/unsafe.Sizeof(record{}))
		useHugePages(block)
		n := advised()
		runtime.KeepAlive(block)
		return n > before
	}
	if !asks() {
		t.Skip("this system has no huge pages")
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	for advised() > before {
		if runtime.GC(); ctx.Err() != nil {
			t.Fatalf("%d mappings ask for huge pages, %d did before", advised(), before)
		}
	}
}
