package live

import (
	"math"
	"testing"
	"time"
)

// TestTheClockPausesForALateHost serves an event an hour late. The time of the event stays: the clock waits for the
// event, and continues after it.
func TestTheClockPausesForALateHost(t *testing.T) {
	x := &wire{w: &world{began: time.Now().Add(time.Minute)}, until: math.MaxInt64} // the events are not due yet
	x.horizon.Store(math.MaxInt64)
	const due, next = int64(time.Millisecond), int64(time.Minute)
	x.push(&parcel{port: &port{}}, next)
	x.push(&parcel{port: &port{}}, due)
	x.w.began = x.w.began.Add(-time.Hour)
	if now := x.now(); now != due+int64(maxLag) {
		t.Errorf("an hour later the clock is at %v, want %v", time.Duration(now), time.Duration(due)+maxLag)
	}
	x.resume()
	x.pop()
	x.setHorizon()
	if now := x.now(); now < due+int64(maxLag) || now >= next {
		t.Errorf("after the event the clock is at %v, want a little more than %v", time.Duration(now), time.Duration(due)+maxLag)
	}
	x.pop()
	x.setHorizon()
	if x.horizon.Load() != math.MaxInt64 {
		t.Error("without events the clock has a limit")
	}
}

// TestLateEventsDoNotDelayEachOther serves two events late that are due at nearly the same time. The clock stays within
// maxLag of the second one.
func TestLateEventsDoNotDelayEachOther(t *testing.T) {
	x := &wire{w: &world{began: time.Now().Add(-time.Hour)}, until: math.MaxInt64}
	x.paused.Store(int64(time.Hour)) // the clock is near 0
	x.horizon.Store(math.MaxInt64)
	const due = int64(time.Minute)
	x.push(&parcel{port: &port{}}, due)
	x.push(&parcel{port: &port{}}, due+1)
	x.w.began = x.w.began.Add(-time.Hour)
	x.pop()
	x.setHorizon()
	if now := x.now(); now != due+1+int64(maxLag) {
		t.Errorf("the clock is at %v, want %v", time.Duration(now), time.Duration(due+1)+maxLag)
	}
}

// TestTheClockDoesNotGoBack posts an event in the past, which does not turn the clock back.
func TestTheClockDoesNotGoBack(t *testing.T) {
	x := &wire{w: &world{began: time.Now().Add(-time.Hour)}, until: math.MaxInt64}
	x.horizon.Store(math.MaxInt64)
	before := x.now()
	x.push(&parcel{port: &port{}}, int64(time.Minute))
	if after := x.now(); after < before {
		t.Errorf("the clock went from %v to %v", time.Duration(before), time.Duration(after))
	}
}

// TestEqualTimesKeepTheOrderOfPosting tests that a parcel does not pass the node's memory before a parcel that was
// posted earlier for the same time. The clock pauses while the host falls behind, so equal times are usual.
func TestEqualTimesKeepTheOrderOfPosting(t *testing.T) {
	x := &wire{heap: []*parcel{{at: 5}}}
	for at, want := range map[int64]bool{4: true, 5: false, 6: false} {
		if got := x.isNext(at); got != want {
			t.Errorf("time %d with an event at 5: next = %v, want %v", at, got, want)
		}
	}
}
