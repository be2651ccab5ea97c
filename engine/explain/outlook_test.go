package explain

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/presets"
)

// latency changes the latency of messages between nodes.
func latency(by float64) []presets.Change {
	return []presets.Change{{Key: "remote.latency_s", Factor: by}}
}

// onLatency explains a program with another latency.
func onLatency(t *testing.T, by float64, nodes, perNode int, body func(r *cluster.Rank) error) *Run {
	m := pairMachine()
	next, err := presets.Changed(&m, latency(by))
	if err != nil {
		t.Fatal(err)
	}
	return explainBody(t, &next, nodes, perNode, body)
}

// hidden computes for 10 µs on rank 2 while a message travels, so that the latency counts only above
// about 9 µs.
func hidden(r *cluster.Rank) error {
	switch r.ID() {
	case 0:
		return r.Send(r.World(), 1, 0, cluster.Sized(8))
	case 1:
		_, err := r.Recv(r.World(), 0, 0, cluster.Sized(8))
		return err
	}
	work(r, 10*us)
	return nil
}

// TestOutlook checks that each simulation narrows the interval from both sides: tangents below,
// chords above. The time is constant up to 9 times the latency, and then grows by 1 µs per factor.
func TestOutlook(t *testing.T) {
	at := func(by float64) *Run { return onLatency(t, by, 3, 1, hidden) }
	o := NewOutlook(at(1))
	want := at(16).Total
	width := math.Inf(1)
	for _, add := range []float64{0, 32, 12, 24, 16} {
		if add > 0 && !o.Add(latency(add), at(add)) {
			t.Fatalf("×%g: other choices", add)
		}
		f := o.At(latency(16))
		if !f.Known || f.Ended || want < f.Low || want > f.High {
			t.Fatalf("after ×%g: %+v, simulated %d ps", add, f, want)
		}
		if f.Line != o.Base().Total {
			t.Errorf("line %d ps, want %d ps: the latency is hidden", f.Line, o.Base().Total)
		}
		if w := float64(f.High - f.Low); w < width {
			width = w
		} else if add != 16 && add != 24 { // the line through 12 and 32 is exact already
			t.Errorf("after ×%g: the interval has %g ps, before %g ps", add, w, width)
		}
	}
	if width > 100 {
		t.Errorf("the interval of a simulated point has %g ps", width)
	}
}

// firstOfTwo receives the first message first: from rank 1 on the same node after 3 µs, or from rank 2.
func firstOfTwo(r *cluster.Rank) error {
	switch r.ID() {
	case 0:
		for range 2 {
			m, err := r.Recv(r.World(), cluster.AnySource, 0, cluster.Sized(8))
			if err != nil {
				return err
			}
			if m.Source == 2 {
				work(r, 5*us)
			}
		}
	case 1:
		work(r, 3*us)
		return r.Send(r.World(), 0, 0, cluster.Sized(8))
	case 2:
		return r.Send(r.World(), 0, 0, cluster.Sized(8))
	}
	return nil
}

// TestOutlookEnds changes the choices on purpose. With 4 times the latency, rank 1's message is the
// first one. The bound ends there, and the run bounds nothing.
func TestOutlookEnds(t *testing.T) {
	at := func(by float64) *Run { return onLatency(t, by, 2, 2, firstOfTwo) }
	base, far := at(1), at(4)
	o := NewOutlook(base)
	if f := o.At(latency(4)); f.Ended || far.Total >= f.Low && far.Total <= f.High && far.Path.Choices == base.Path.Choices {
		t.Fatalf("the choices are the same: %+v", f)
	}
	if o.Add(latency(4), far) {
		t.Fatal("a run with another order has the same hash of choices")
	}
	for by, ended := range map[float64]bool{0.5: false, 2: false, 4: true, 8: true} {
		if f := o.At(latency(by)); f.Ended != ended {
			t.Errorf("×%g: ended %v, want %v", by, f.Ended, ended)
		}
	}
	two := at(2)
	if f := o.At(latency(2)); two.Path.Choices != base.Path.Choices || two.Total < f.Low || two.Total > f.High {
		t.Errorf("×2: simulated %d ps, same choices %v, forecast %+v", two.Total, two.Path.Choices == base.Path.Choices, f)
	}
}

// TestOutlookKnows checks which changes have a derivative.
func TestOutlookKnows(t *testing.T) {
	m := pairMachine()
	r := explainBody(t, &m, 2, 1, exchange(8000, 0, 0))
	for key, known := range map[string]bool{"remote.latency_s": true, "flops_per_core": true, "slow.0": false,
		"compute_noise": false, "eager_limit": false, "nothing": false} {
		if f := r.Forecast([]presets.Change{{Key: key, Factor: 2}}); f.Known != known {
			t.Errorf("%s: known %v, want %v", key, f.Known, known)
		}
	}
}
