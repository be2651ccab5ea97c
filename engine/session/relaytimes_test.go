package session

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// TestRelayedTimes checks that a history adds valid access times, and refuses others without a change.
func TestRelayedTimes(t *testing.T) {
	encode := func(n int64, took cluster.Time, values ...int64) []byte {
		x := accessTimes{histograms: newHistograms(0)}
		x.accesses[cluster.Remote], x.time[cluster.Remote] = n, took
		for _, v := range values {
			if err := x.histograms.series[cluster.Remote].RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		c := codec.Encode(nil)
		x.fields(c)
		return c.Bytes()
	}
	h := history{last: newFrame(0, 0)}
	for range 2 {
		if err := h.relayTimes(encode(2, 300, 100, 200)); err != nil {
			t.Fatal(err)
		}
	}
	good := encode(2, 300, 100, 200)
	for name, b := range map[string][]byte{
		"empty": nil, "truncated": good[:len(good)-1], "longer": append(good, 0), "negative": encode(-1, 300), "time": encode(1, -1),
		"many": encode(maxAccesses, 1), "long": encode(1, math.MaxInt64),
	} {
		if err := h.relayTimes(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	l := h.last
	if n := l.histograms.series[cluster.Remote].TotalCount(); n != 4 || l.accesses[cluster.Remote] != 4 || l.time[cluster.Remote] != 600 {
		t.Errorf("%d accesses in %v, %d in the histogram: want 4 in 600 ps", l.accesses[cluster.Remote], l.time[cluster.Remote], n)
	}
}
