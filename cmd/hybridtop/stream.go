package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// streamed is a sample as a line of JSON, as docs/json.md describes it.
type streamed struct {
	Schema    string              `json:"schema"`
	At        float64             `json:"at"`
	Fabric    float64             `json:"fabric_time"`
	Iteration int                 `json:"iterations"`
	Kind      engine.Kind         `json:"kind"`
	Rate      map[string]*float64 `json:"rate"`
	Ops       map[string]*float64 `json:"operations"`
	Local     *float64            `json:"rank_local_share"`
	Access    *float64            `json:"access_time"`
}

// streamEvery is the interval at which a stream polls for samples.
const streamEvery = 20 * time.Millisecond

// stream writes each sample of a session to w, one line each, until the session ends.
func stream(w io.Writer, s *session.Session) error {
	ticker := time.NewTicker(streamEvery)
	defer ticker.Stop()
	e := json.NewEncoder(w)
	last := time.Duration(-1)
	for over := false; !over; {
		select {
		case <-ticker.C:
		case <-s.Done():
			over = true
		}
		now := s.Load()
		first := len(now.Series)
		for first > 0 && now.Series[first-1].At > last {
			first--
		}
		for i := range now.Series[first:] {
			x := &now.Series[first+i]
			line := streamed{
				Schema: "hybridtop.sample.v1", At: x.At.Seconds(), Fabric: x.Fabric.Seconds(), Iteration: now.Iteration,
				Kind: now.Kind,
				Rate: make(map[string]*float64), Ops: make(map[string]*float64), Local: engine.Finite(x.Local),
				Access: engine.Finite(x.Access),
			}
			for c, key := range classKeys {
				line.Rate[key], line.Ops[key] = engine.Finite(x.Rate[c]), engine.Finite(x.Ops[c])
			}
			if err := e.Encode(line); err != nil {
				return err
			}
			last = x.At
		}
	}
	return nil
}
