package session

import (
	"bytes"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// notifyLaunch notifies the observer of a launch.
func (s *Session) notifyLaunch(set *setup) {
	o := s.options.Observer
	if o == nil {
		return
	}
	var file bytes.Buffer
	_ = presets.WriteMachine(&file, set.machine) // left empty for a machine that a file cannot describe
	o.Launched(&engine.Launch{At: s.elapsed(), Scenario: set.scenario, Kind: set.kind(), Machine: set.machine.Name,
		File: file.String()})
}

// notifyEnd notifies the observer of the outcome of a launch.
func (s *Session) notifyEnd(h *history, set setup, r *run, phase engine.Phase) {
	o := s.options.Observer
	if o == nil {
		return
	}
	x := &engine.Outcome{Cut: r != nil && r.cut, Last: h.snapshot(set, r, phase, s.elapsed())}
	s.reportLatencies(h, x.Last.Elapsed, true)
	o.Ended(x)
}

// latencyEvery is the length of an interval of latencies. Including the time until a recording
// stores it, this is below one second.
const latencyEvery = 500 * time.Millisecond

// reportLatencies passes the accesses since the last call to the observer, if an interval has
// passed. last is set at the end of a launch.
func (s *Session) reportLatencies(h *history, at time.Duration, last bool) {
	o, total := s.options.Observer, h.last.histograms
	if o == nil || total == nil || !last && at < h.reported.at+latencyEvery {
		return
	}
	x := &engine.Latencies{From: h.reported.at, To: at}
	found := false
	for c := range x.Class {
		if h.reported.newSpread(c, total.series[c], h.last.accesses[c], h.last.time[c], &x.Class[c]) {
			found = true
		}
	}
	h.reported.at = at
	if found {
		o.Timed(x)
	}
}

// reportedAccesses holds the part of a launch's accesses that the observer already has.
type reportedAccesses struct {
	at     time.Duration
	counts [cluster.Classes][]int64 // of the histogram
	number [cluster.Classes]int64
	time   [cluster.Classes]cluster.Time
}

// newSpread computes the new accesses of a class. It reports false if there are none.
func (t *reportedAccesses) newSpread(
	c int, h *hdrhistogram.Histogram, number int64, sum cluster.Time, x *engine.Spread,
) bool {
	n := number - t.number[c]
	if n <= 0 {
		return false
	}
	all := h.Export()
	fresh := *all
	if before := t.counts[c]; before != nil {
		fresh.Counts = make([]int64, len(all.Counts))
		for i, k := range all.Counts {
			fresh.Counts[i] = k - before[i]
		}
	}
	part := hdrhistogram.Import(&fresh)
	if part.TotalCount() == 0 { // its ranks have not recorded them yet
		return false
	}
	x.Quantiles = latencyQuantiles(part, n, sum-t.time[c])
	x.Buckets = nil
	x.HDR, _ = part.Encode(hdrhistogram.V2CompressedEncodingCookieBase) // cannot fail: it writes to memory
	t.counts[c] = all.Counts
	t.number[c] = number
	t.time[c] = sum
	return true
}
