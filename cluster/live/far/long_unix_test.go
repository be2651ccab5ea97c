//go:build unix

package far

import (
	"math"
	"strings"
	"syscall"
	"testing"
)

// TestLongTransfer checks that a transfer that is too long for a frame ends the run, and not the job.
func TestLongTransfer(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the address space is too small")
	}
	data, err := syscall.Mmap(-1, 0, MaxData+1, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(data)
	j := join(&script{}, endless)
	failures := make(chan error, 9)
	run := j.Next(sink{failures}, 7, "here")
	run.Send(1, &Frame{Kind: Eager, Data: data})
	if err := <-failures; !strings.Contains(err.Error(), "use several transfers") || j.failure() != nil {
		t.Errorf("the run ends with %v, the job with %v", err, j.failure())
	}
	j.depart(1)
	_ = j.Close()
}
