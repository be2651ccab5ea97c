package session

import (
	"bytes"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// launched tells the observer that a launch begins.
func (s *Session) launched(set *setup) {
	o := s.options.Observer
	if o == nil {
		return
	}
	var file bytes.Buffer
	_ = presets.WriteMachine(&file, set.machine) // one that no file can hold has none
	o.Launched(&engine.Launch{At: s.elapsed(), Scenario: set.scenario, Kind: set.kind(), Machine: set.machine.Name, File: file.String()})
}

// ended tells the observer what a launch came to.
func (s *Session) ended(h *history, set setup, r *run, phase engine.Phase) {
	o := s.options.Observer
	if o == nil {
		return
	}
	x := &engine.Outcome{Cut: r != nil && r.cut, Last: h.snapshot(set, r, phase, s.elapsed())}
	s.timed(h, x.Last.Elapsed, true)
	o.Ended(x)
}

// timedEvery is how long an interval of latencies is: with the time until a recording has
// it, less than a second.
const timedEvery = 500 * time.Millisecond

// timed tells the observer of the accesses since the last time, if it is time for that;
// last: nothing follows in this launch.
func (s *Session) timed(h *history, at time.Duration, last bool) {
	o, total := s.options.Observer, h.last.pile
	if o == nil || total == nil || !last && at < h.told.at+timedEvery {
		return
	}
	x := &engine.Latencies{From: h.told.at, To: at}
	some := false
	for c := range x.Class {
		if h.told.spread(c, total.series[c], h.last.accesses[c], h.last.time[c], &x.Class[c]) {
			some = true
		}
	}
	if h.told.at = at; some {
		o.Timed(x)
	}
}

// intervals are what the observer knows of the accesses of a launch.
type intervals struct {
	at     time.Duration
	counts [cluster.Classes][]int64 // of the histogram
	number [cluster.Classes]int64
	time   [cluster.Classes]cluster.Time
}

// spread gives what has come to the accesses of a class; false: nothing has.
func (t *intervals) spread(c int, h *hdrhistogram.Histogram, number int64, sum cluster.Time, x *engine.Spread) bool {
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
	if part.TotalCount() == 0 { // its ranks have not left it yet
		return false
	}
	x.Quantiles = latencyQuantiles(part, n, sum-t.time[c])
	x.Buckets = nil
	x.HDR, _ = part.Encode(hdrhistogram.V2CompressedEncodingCookieBase) // into memory
	t.counts[c], t.number[c], t.time[c] = all.Counts, number, sum
	return true
}
