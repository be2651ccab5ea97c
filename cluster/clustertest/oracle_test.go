package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// ideal is the history of a run in which every receive took the message that it
// was made for.
func (g *program) ideal() []history {
	hs := make([]history, g.ranks)
	for i, m := range g.msgs {
		st := cluster.Status{Source: m.src, Tag: m.tag, Bytes: int64(m.size)}
		hs[m.dst] = append(hs[m.dst], received{index: i, st: st, buf: data(m.size, i)})
	}
	return hs
}

// The oracle accepts a right history and refuses one with any single thing wrong.
func TestOracle(t *testing.T) {
	// find gives the receives of two messages that something holds for.
	find := func(g *program, hs []history, holds func(a, b *message) bool) (a, b *received) {
		for _, h := range hs {
			for i := range h {
				for j := i + 1; j < len(h); j++ {
					if holds(&g.msgs[h[i].index], &g.msgs[h[j].index]) {
						return &h[i], &h[j]
					}
				}
			}
		}
		return nil, nil
	}
	swap := func(a, b *received) { a.st, b.st, a.buf, b.buf = b.st, a.st, b.buf, a.buf }
	lane := func(a, b *message) bool { return a.stream == b.stream && a.src == b.src }
	one := func(a, _ *message) bool { return a.size >= 8 }

	for _, c := range []struct {
		name  string
		holds func(a, b *message) bool
		spoil func(g *program, hs []history, a, b *received)
		right bool
	}{
		{name: "as it should be", holds: one, spoil: func(*program, []history, *received, *received) {}, right: true},
		{name: "messages of two sources in either order, from any", holds: func(a, b *message) bool {
			return a.stream == anything && b.stream == anything && a.src != b.src
		}, spoil: func(g *program, hs []history, a, b *received) {
			// Only neighbours may change places without overtaking others.
			if g.msgs[a.index].order+1 == g.msgs[b.index].order {
				swap(a, b)
			}
		}, right: true},
		{name: "a byte is wrong", holds: one, spoil: func(_ *program, _ []history, a, _ *received) { a.buf[7] ^= 1 }},
		{name: "a tag is wrong", holds: one, spoil: func(_ *program, _ []history, a, _ *received) { a.st.Tag++ }},
		{name: "a source is wrong", holds: one, spoil: func(g *program, _ []history, a, _ *received) { a.st.Source = (a.st.Source + 1) % g.ranks }},
		{name: "a source is none", holds: one, spoil: func(_ *program, _ []history, a, _ *received) { a.st.Source = -1 }},
		{name: "a length is wrong", holds: one, spoil: func(_ *program, _ []history, a, _ *received) { a.st.Bytes-- }},
		{name: "a receive is missing", holds: one, spoil: func(g *program, hs []history, a, _ *received) {
			h := hs[g.msgs[a.index].dst]
			hs[g.msgs[a.index].dst] = h[:len(h)-1]
		}},
		{name: "one is received twice, from any", holds: func(a, b *message) bool { return lane(a, b) && a.stream.open() && a.size >= 8 && b.size >= 8 },
			spoil: func(_ *program, _ []history, a, b *received) { b.st, b.buf = a.st, a.buf }},
		{name: "overtaken in a stream", holds: func(a, b *message) bool { return lane(a, b) && a.stream == fifo && a.size >= 8 && b.size >= 8 },
			spoil: func(_ *program, _ []history, a, b *received) { swap(a, b) }},
		{name: "overtaken from any source", holds: func(a, b *message) bool {
			return lane(a, b) && a.stream == anySource && a.size >= 8 && b.size >= 8
		}, spoil: func(_ *program, _ []history, a, b *received) { swap(a, b) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tried := 0
			for seed := uint64(1); seed <= 20; seed++ {
				g := generate(seed, 64<<10)
				hs := g.ideal()
				a, b := find(g, hs, c.holds)
				if a == nil {
					continue
				}
				tried++
				c.spoil(g, hs, a, b)
				if err := g.judge(hs); (err == nil) != c.right {
					t.Errorf("seed %d: judged %v", seed, err)
				}
			}
			if tried == 0 {
				t.Error("no program has what this needs")
			}
		})
	}
}

// Over a few seeds programs have every stream, both kinds of send on both sides
// of the eager limit, every verb, and a rank's calls in the order of positions.
func TestProgramsHaveEverything(t *testing.T) {
	var verbs [vCheck + 1]int
	var kinds [streams][2][2]int // by above the limit, and synchronous
	for seed := uint64(1); seed <= 24; seed++ {
		g := generate(seed, 64<<10)
		index := func(b bool) int {
			if b {
				return 1
			}
			return 0
		}
		for _, m := range g.msgs {
			kinds[m.stream][index(int64(m.size) > g.limit)][index(m.sync)]++
		}
		for rank, cs := range g.calls {
			for i, c := range cs {
				verbs[c.verb]++
				if i > 0 && (c.at < cs[i-1].at || c.at == cs[i-1].at && c.turn < cs[i-1].turn) {
					t.Fatalf("seed %d: rank %d's call %d is out of order", seed, rank, i)
				}
			}
		}
	}
	for v, n := range verbs {
		if n == 0 {
			t.Errorf("no call of verb %d", v)
		}
	}
	for st, k := range kinds {
		for long := range k {
			for sync, n := range k[long] {
				if n == 0 {
					t.Errorf("no message of stream %d, long %d, synchronous %d", st, long, sync)
				}
			}
		}
	}
}
