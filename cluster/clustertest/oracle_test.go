package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// ideal is an execution in which every receive took the message that it was made for.
func ideal(g *Program) *Play {
	x := NewPlay(g)
	posted := uint64(0)
	for i := range g.msgs {
		m := &g.msgs[i]
		_, r := x.want(i)
		if m.stream == sharedInOrder {
			posted++
			r.post, x.stamps[i] = posted, posted
		}
		got := &x.ranks[m.dst.rank].got[m.dst.thread]
		*got = append(*got, r)
	}
	return x
}

// want is the receive of a message that was made for it.
func (x *Play) want(i int) (*message, *received) {
	m := &x.msgs[i]
	source := 0
	for x.teams[m.team].members[source] != m.src.rank {
		source++
	}
	return m,
		&received{index: i, st: cluster.Status{Source: source, Tag: m.tag, Bytes: int64(m.size)},
			buf: cluster.Wrap(payload(i, m.size))}
}

// spoiled is a change of the receives of two messages, which the oracle accepts or not.
type spoiled struct {
	name  string
	holds func(a, b *message) bool // of two receives of a thread, in the order of posting
	spoil func(x *Play, a, b *received)
	right bool
}

func swap(_ *Play, a, b *received) { a.st, b.st, a.buf, b.buf = b.st, a.st, b.buf, a.buf }

func alike(a, b *message) bool {
	return a.receives() == b.receives() && a.src == b.src && a.size >= 8 && b.size >= 8
}

func long(a, _ *message) bool { return a.size >= 8 }

func inStream(s stream) func(a, b *message) bool {
	return func(a, b *message) bool { return a.stream == s && alike(a, b) }
}

var spoils = []spoiled{
	{"everything is as it should be", long, func(*Play, *received, *received) {}, true},
	{"two sources in either order", func(a, b *message) bool {
		return a.stream == anything && a.receives() == b.receives() && a.src != b.src
	}, func(x *Play, a, b *received) {
		for i := a.index + 1; i < b.index; i++ { // only neighbours change places without overtaking others
			if x.msgs[i].team == x.msgs[a.index].team {
				return
			}
		}
		swap(x, a, b)
	}, true},
	{"a byte is wrong", long, func(_ *Play, a, _ *received) { a.buf.Slice()[7] ^= 1 }, false},
	{"a tag is wrong", long, func(_ *Play, a, _ *received) { a.st.Tag++ }, false},
	{"a source is wrong", long, func(x *Play, a, _ *received) { a.st.Source = (a.st.Source + 1) % x.Ranks }, false},
	{"a source is none", long, func(_ *Play, a, _ *received) { a.st.Source = -1 }, false},
	{"a length is wrong", long, func(_ *Play, a, _ *received) { a.st.Bytes-- }, false},
	{"a receive is missing", long, func(x *Play, a, _ *received) {
		m := &x.msgs[a.index]
		got := &x.ranks[m.dst.rank].got[m.dst.thread]
		*got = (*got)[:len(*got)-1]
	}, false},
	{"a message is received twice", func(a, b *message) bool { return a.stream.open() && alike(a, b) },
		func(_ *Play, a, b *received) { b.st, b.buf = a.st, a.buf }, false},
	{"overtaken with source and tag", inStream(exact), swap, false},
	{"overtaken in a stream", inStream(fifo), swap, false},
	{"overtaken from any source", inStream(anySource), swap, false},
	{"overtaken with any tag", inStream(anything), swap, false},
	{"overtaken among threads", inStream(sharedAny), swap, false},
	{"overtaken among threads with a tag", inStream(sharedTag), swap, false},
	{"overtaken among threads with a source", inStream(sharedSource), swap, false},
	{"sent in another order by other threads", func(a, b *message) bool {
		return a.stream == sharedInOrder && a.team == b.team && a.src.rank == b.src.rank && a.src != b.src
	}, swap, false},
}

// pair returns the receives of two messages that something holds for.
func (x *Play) pair(holds func(a, b *message) bool) (a, b *received) {
	for r := range x.ranks {
		for _, got := range x.ranks[r].got {
			for i := range got {
				for j := i + 1; j < len(got); j++ {
					if holds(&x.msgs[got[i].index], &x.msgs[got[j].index]) {
						return got[i], got[j]
					}
				}
			}
		}
	}
	return nil, nil
}

// The oracle accepts a right execution and refuses one with any single thing wrong.
func TestOracle(t *testing.T) {
	for _, c := range spoils {
		t.Run(c.name, func(t *testing.T) {
			tried := 0
			for seed := uint64(1); seed <= 20; seed++ {
				mix := Mix{}
				if seed%2 == 0 {
					mix = Mix{Shared: true, Ranks: 2, Threads: 2, Length: 200}
				}
				x := ideal(Draw(seed, mix))
				a, b := x.pair(c.holds)
				if a == nil {
					continue
				}
				tried++
				c.spoil(x, a, b)
				if err := x.Judge(); (err == nil) != c.right {
					t.Errorf("seed %d: judged %v", seed, err)
				}
			}
			if tried == 0 {
				t.Error("no program has what this needs")
			}
		})
	}
}

// Over a few seeds programs have every stream and verb, and every way to move bytes and to
// access words. Both kinds of send occur on both sides of the eager limit. An actor's calls
// are in the order of positions.
func TestProgramsHaveEverything(t *testing.T) {
	seen := map[[4]int]bool{}
	for seed := uint64(1); seed <= 48; seed++ {
		g := Draw(seed, Mix{})
		for _, m := range g.msgs {
			seen[[4]int{0, int(m.stream), bit(int64(m.size) > g.Limit), bit(m.sync)}], seen[[4]int{1, int(m.how)}] = true, true
		}
		for _, x := range g.moves {
			seen[[4]int{2, bit(x.get), int(x.shape), int(x.how)}], seen[[4]int{3, bit(x.flag >= 0), bit(x.add),
				bit(x.rpc >= 0)}] = true, true
		}
		for _, x := range g.atomics {
			seen[[4]int{4, int(x.op)}] = true
		}
		for _, x := range g.joints {
			seen[[4]int{5, x.style}], seen[[4]int{6, int(x.what)}] = true, true
		}
		for _, x := range g.teams {
			seen[[4]int{7, int(x.how)}] = true
		}
		for _, ph := range g.phases {
			for r := range ph.calls {
				for _, cs := range append(ph.calls[r], ph.before[r], ph.after[r]) {
					for i, c := range cs {
						seen[[4]int{8, int(c.verb)}] = true
						if i > 0 && (c.at < cs[i-1].at || c.at == cs[i-1].at && c.stage < cs[i-1].stage) {
							t.Fatalf("seed %d: rank %d's call %d is out of order", seed, r, i)
						}
					}
				}
			}
		}
	}
	missing := func(what [4]int) {
		if !seen[what] {
			t.Errorf("no program has %v", what)
		}
	}
	for s := range int(streams) {
		for k := range 4 {
			missing([4]int{0, s, k / 2, k % 2})
		}
	}
	for kind, n := range map[int]int{1: int(hows), 4: int(atomicOps), 5: 3, 6: 10, 7: 5, 8: int(verbs)} {
		for i := range n {
			missing([4]int{kind, i})
		}
	}
	for _, what := range [][4]int{{2, 0, 0, 0}, {2, 0, 0, 1}, {2, 0, 0, 2}, {2, 0, 1, 0}, {2, 0, 1, 1}, {2, 0, 1, 2},
		{2, 0, 1, 3}, {2, 0, 2, 0}, {2, 0, 2, 2},
		{2, 1, 0, 0}, {2, 1, 0, 1}, {2, 1, 0, 2}, {2, 1, 1, 0}, {2, 1, 2, 0}, {2, 1, 2, 2}, {3, 1, 0, 0}, {3, 1, 1, 0},
		{3, 0, 0, 1}} {
		missing(what)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
