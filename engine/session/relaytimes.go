package session

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

// accessTimes holds the access times of an interval of a job.
type accessTimes struct {
	accesses   [cluster.Classes]int64
	time       [cluster.Classes]cluster.Time
	histograms *histograms
}

// EncodeTimes encodes access times for the session that relays them. Intervals are not part of them, because the
// other session has its own snapshots.
func EncodeTimes(l *engine.Latencies) ([]byte, error) {
	t := accessTimes{histograms: newHistograms(0)}
	for i := range l.Class {
		x := &l.Class[i]
		if x.Count == 0 {
			continue
		}
		h, err := hdrhistogram.Decode(x.HDR)
		if err != nil {
			return nil, err
		}
		t.accesses[i], t.histograms.series[i] = x.Count, h
		t.time[i] = cluster.Time(math.Round(x.Mean * float64(x.Count) * float64(cluster.Second)))
	}
	c := codec.Encode(nil)
	t.fields(c)
	return c.Bytes(), nil
}

func (t *accessTimes) fields(c *codec.Walk) {
	for i := range cluster.Classes {
		codec.Integer(c, &t.accesses[i])
		codec.Integer(c, &t.time[i])
	}
	t.histograms.fields(c)
}

// maxAccesses is the maximum number of accesses of a class in a job.
const maxAccesses = 1 << 53

// relayTimes adds the access times of a job to the history.
func (h *history) relayTimes(b []byte) error {
	t := accessTimes{histograms: newHistograms(0)}
	c := codec.Decode(b)
	t.fields(c)
	if err := c.End(); err != nil {
		return err
	}
	if h.last.histograms == nil {
		h.last.histograms = newHistograms(0)
	}
	for i := range cluster.Classes {
		part, all := t.histograms.series[i], h.last.histograms.series[i]
		n, counted := t.accesses[i], part.TotalCount()
		if n < 0 || t.time[i] < 0 || n > maxAccesses-h.last.accesses[i] || t.time[i] > math.MaxInt64-h.last.time[i] ||
			counted > maxAccesses-all.TotalCount() {
			return fmt.Errorf("%d accesses in %v, %d of them in the distribution: %w", n, t.time[i], counted, errFrame)
		}
	}
	for i := range cluster.Classes {
		h.last.accesses[i] += t.accesses[i]
		h.last.time[i] += t.time[i]
		h.last.histograms.series[i].Merge(t.histograms.series[i])
	}
	return nil
}
