package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// The history is limited. The oldest samples are dropped together with their marks, so that no
// mark is before the series.
func TestHistoryIsLimited(t *testing.T) {
	h := newHistory(false)
	const every = 1000
	second := func(i int) time.Duration { return time.Duration(i) * time.Second }
	for i := range maxSamples + 2500 {
		if i%every == 0 {
			h.addMark(fmt.Sprint(i), second(i))
		}
		h.add(engine.Sample{At: second(i)})
		if n := min(i+1, maxSamples); len(h.series) != n || h.series[n-1].At != second(i) {
			t.Fatalf("after sample %d: %d samples up to %v", i, len(h.series), h.series[len(h.series)-1].At)
		}
		oldest := h.series[0].At
		want := i/every + 1 - int((oldest+second(every)-1)/second(every)) // marks from the oldest sample on
		if len(h.marks) != want || h.marks[0].At < oldest {
			t.Fatalf("after sample %d: %d marks from %v on, want %d from %v on", i, len(h.marks), h.marks[0].At, want, oldest)
		}
	}

	// The mark at which the workload began remains after its sample is dropped.
	h = newHistory(false)
	for i := range maxSamples + 2*every {
		if i%every == 1 {
			h.addMark(fmt.Sprint(i), second(i))
			h.marks[len(h.marks)-1].NewWorkload = i == 1
		}
		h.add(engine.Sample{At: second(i)})
	}
	if n := maxSamples / every; len(h.marks) != n+1 || h.marks[0].At != second(1) || h.marks[1].At != second(2*every+1) {
		t.Errorf("%d marks, the first at %v and %v: want the beginning of the workload and %d", len(h.marks), h.marks[0].At,
			h.marks[1].At, n)
	}

	h = newHistory(false)
	for i := range maxMarks + 10 {
		h.addMark(fmt.Sprint(i), second(i))
	}
	if len(h.marks) != maxMarks || h.marks[0].Label != "10" || h.marks[maxMarks-1].Label != fmt.Sprint(maxMarks+9) {
		t.Errorf("%d marks from %s on, want the latest %d", len(h.marks), h.marks[0].Label, maxMarks)
	}
}
