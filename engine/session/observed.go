package session

import (
	"bytes"

	"github.com/HdrHistogram/hdrhistogram-go"

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
	if total := h.last.pile; r != nil && total != nil {
		for c := range x.Latency {
			if h.last.accesses[c] > 0 {
				x.Latency[c], _ = total.series[c].Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			}
		}
	}
	o.Ended(x)
}
