package pingpong

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
)

// verdicts is an engine.Probe for games; it only records verification results.
type verdicts struct {
	engine.Probe
	mu     sync.Mutex
	failed map[int]string // by rank; "" for a check that passed
}

type player struct {
	*verdicts
	rank int
}

func (p player) Iteration() int                  { return 3 }
func (p player) Clock() cluster.Time             { return 0 }
func (p player) Access(int, int64, cluster.Time) {}
func (p player) Report(string, float64)          {}
func (p player) Step(int, int)                   {}
func (p player) Verify(ok bool, detail string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ok {
		detail = ""
	}
	p.failed[p.rank] = detail
}

// faulty is a way that corrupts received messages.
type faulty struct {
	way
	spoil func(round uint64, message []byte)
}

func (w faulty) receive(round uint64) ([]byte, error) {
	b, err := w.way.receive(round)
	b = slices.Clone(b)
	w.spoil(round, b)
	return b, err
}

// The passive partner notices a wrong byte in its window, and an old message there.
func TestHostNoticesWrongData(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(b []byte)
		says  string // of rank 1; empty: nothing wrong there
	}{
		{"nothing", func([]byte) {}, ""},
		{"a byte", func(b []byte) { b[15]++ }, "byte 15 of 16"},
		{"an old message", func(b []byte) { b[0]-- }, "byte 0 of 16"},
	} {
		v := &verdicts{failed: map[int]string{}}
		spec := cluster.Spec{Layout: cluster.Layout{Nodes: 1, RanksPerNode: 2, ThreadsPerRank: 1,
			Ranking: cluster.Sequential, Model: cluster.Flat}, Segment: 128, EagerLimit: 1024}
		err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
			w, err := newWay(r, "lock", 1, 1-r.ID(), 16)
			if err != nil {
				return err
			}
			g := game{r: r, p: player{v, r.ID()}, way: w, other: 1 - r.ID(), rounds: 4, message: make([]byte, 16)}
			if r.ID() == 0 {
				return g.serve()
			}
			g.way = faulty{w, func(_ uint64, b []byte) { c.spoil(b) }}
			return g.host()
		})
		if err != nil {
			t.Fatal(err)
		}
		if v.failed[0] != "" {
			t.Errorf("%s: rank 0 reports %q, want no error", c.what, v.failed[0])
		}
		if got, checked := v.failed[1]; !checked || (c.says == "") != (got == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: rank 1 reports %q, want %q", c.what, got, c.says)
		}
	}
}

// The receiver notices a message that was corrupted on its way, and so does the
// other rank when the message returns.
func TestGameNoticesWrongData(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(round uint64, b []byte)
		says  [2]string // of ranks 0 and 1; empty: nothing wrong there
	}{
		{"nothing", func(uint64, []byte) {}, [2]string{}},
		{"the last byte of the last message", func(round uint64, b []byte) {
			if round == 4 {
				b[15]++
			}
		}, [2]string{"byte 15 of 16", "byte 15 of 16"}},
		{"an old message instead of a new one", func(round uint64, b []byte) {
			if round == 2 {
				b[0] = 1
			}
		}, [2]string{"1 of 4 messages belong to another round", "1 of 4 messages belong to another round"}},
	} {
		v := &verdicts{failed: map[int]string{}}
		spec := cluster.Spec{Layout: cluster.Layout{Nodes: 1, RanksPerNode: 2, ThreadsPerRank: 1,
			Ranking: cluster.Sequential, Model: cluster.Flat}, EagerLimit: 1024}
		err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
			g := game{r: r, p: player{v, r.ID()}, way: newTwoSided(r, 1-r.ID(), 16), other: 1 - r.ID(), rounds: 4,
				message: make([]byte, 16)}
			if r.ID() == 0 {
				return g.serve()
			}
			g.way = faulty{g.way, c.spoil}
			return g.returnAll()
		})
		if err != nil {
			t.Fatal(err)
		}
		for rank, want := range c.says {
			got, checked := v.failed[rank]
			if !checked || (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s: rank %d reports %q, want %q", c.what, rank, got, want)
			}
		}
	}
}
