package match_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/match"
	"pgregory.net/rapid"
)

type item struct {
	ctx, src, tag int32
	id            uint32
}

// takes reports whether receive r matches message m by MPI's rule.
func takes(r, m item) bool {
	return r.ctx == m.ctx && (r.src == m.src || r.src == cluster.AnySource) && (r.tag == m.tag || r.tag == cluster.AnyTag)
}

// oracle is the specification: two plain lists, searched from the front.
type oracle struct{ posted, arrived []item }

func (o *oracle) arrive(m item) (uint32, bool) {
	for i, r := range o.posted {
		if takes(r, m) {
			o.posted = slices.Delete(o.posted, i, i+1)
			return r.id, true
		}
	}
	return 0, false
}

func (o *oracle) take(r item, remove bool) (uint32, bool) {
	for i, m := range o.arrived {
		if takes(r, m) {
			if remove {
				o.arrived = slices.Delete(o.arrived, i, i+1)
			}
			return m.id, true
		}
	}
	return 0, false
}

func (o *oracle) cancel(r item) bool {
	if i := slices.Index(o.posted, r); i >= 0 {
		o.posted = slices.Delete(o.posted, i, i+1)
		return true
	}
	return false
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// pair runs each operation on the queues and on the oracle, and compares.
type pair struct {
	fataler
	q  match.Queues
	o  oracle
	id uint32
}

func (p *pair) post(r item) {
	p.id++
	r.id = p.id
	p.q.Post(r.ctx, r.src, r.tag, r.id)
	p.o.posted = append(p.o.posted, r)
}

func (p *pair) keep(m item) {
	p.id++
	m.id = p.id
	p.q.Keep(m.ctx, m.src, m.tag, m.id)
	p.o.arrived = append(p.o.arrived, m)
}

func (p *pair) arrive(m item) {
	p.Helper()
	var got, want outcome
	got.id, got.ok = p.q.Arrive(m.ctx, m.src, m.tag)
	want.id, want.ok = p.o.arrive(m)
	p.compare("arrive", m, got, want)
}

func (p *pair) take(r item, remove bool) {
	p.Helper()
	find, name := p.q.Peek, "peek"
	if remove {
		find, name = p.q.Take, "take"
	}
	var got, want outcome
	got.id, got.ok = find(r.ctx, r.src, r.tag)
	want.id, want.ok = p.o.take(r, remove)
	p.compare(name, r, got, want)
}

func (p *pair) cancel(r item) {
	p.Helper()
	if got, want := p.q.Cancel(r.ctx, r.src, r.tag, r.id), p.o.cancel(r); got != want {
		p.Fatalf("cancel %+v: %v, want %v", r, got, want)
	}
	p.compare("cancel", r, outcome{}, outcome{})
}

// outcome is the result of a search.
type outcome struct {
	id uint32
	ok bool
}

// compare compares the outcomes and the lengths of the queues.
func (p *pair) compare(what string, at item, got, want outcome) {
	p.Helper()
	if got.ok != want.ok || got.ok && got.id != want.id {
		p.Fatalf("%s %+v: %+v, want %+v (%d posted, %d arrived)", what, at, got, want, len(p.o.posted), len(p.o.arrived))
	}
	if p.q.Posted() != len(p.o.posted) || p.q.Unexpected() != len(p.o.arrived) {
		p.Fatalf("after %s: %d posted, %d unexpected, want %d, %d", what, p.q.Posted(), p.q.Unexpected(), len(p.o.posted),
			len(p.o.arrived))
	}
}

// drain empties both queues with every kind of search.
func (p *pair) drain(rng *rand.Rand) {
	p.Helper()
	for len(p.o.posted) > 0 {
		r := p.o.posted[rng.IntN(len(p.o.posted))]
		if rng.IntN(4) == 0 {
			p.cancel(r)
			continue
		}
		p.arrive(item{r.ctx, max(r.src, 0), max(r.tag, 0), 0})
	}
	for len(p.o.arrived) > 0 {
		m := p.o.arrived[rng.IntN(len(p.o.arrived))]
		p.take(wild(m, rng.IntN(4)), rng.IntN(8) > 0)
	}
}

// wild sets wildcards in an envelope: bit 0 the source, bit 1 the tag.
func wild(m item, bits int) item {
	if bits&1 != 0 {
		m.src = cluster.AnySource
	}
	if bits&2 != 0 {
		m.tag = cluster.AnyTag
	}
	return m
}

// For any sequence of posting, keeping, matching, peeking and cancelling, the queues return the
// same results as lists searched from the front.
func TestQueuesEqualOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &pair{fataler: t}
		srcs := rapid.SampledFrom([]int32{1, 2, 50}).Draw(t, "sources")
		tags := rapid.SampledFrom([]int32{1, 2, 50}).Draw(t, "tags")
		envelope := func(t *rapid.T) item {
			return item{ctx: rapid.Int32Range(0, 1).Draw(t, "ctx"), src: rapid.Int32Range(0, srcs-1).Draw(t, "src"),
				tag: rapid.Int32Range(0, tags-1).Draw(t, "tag")}
		}
		receive := func(t *rapid.T) item { return wild(envelope(t), rapid.IntRange(0, 3).Draw(t, "wild")) }
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) { p.post(receive(t)) },
			"keep": func(t *rapid.T) { p.keep(envelope(t)) },
			"flood": func(t *rapid.T) { // much longer than a line
				for range rapid.IntRange(1, 90).Draw(t, "n") {
					p.post(receive(t))
					p.keep(envelope(t))
				}
			},
			"arrive": func(t *rapid.T) { p.arrive(envelope(t)) },
			"take":   func(t *rapid.T) { p.take(receive(t), true) },
			"peek":   func(t *rapid.T) { p.take(receive(t), false) },
			"cancel": func(t *rapid.T) {
				if n := len(p.o.posted); n > 0 {
					p.cancel(p.o.posted[rapid.IntRange(0, n-1).Draw(t, "which")])
				}
			},
			"cancel a missing receive": func(t *rapid.T) { r := receive(t); r.id = 1 << 31; p.cancel(r) },
			"ebb": func(t *rapid.T) {
				for range rapid.IntRange(1, 90).Draw(t, "n") {
					p.arrive(envelope(t))
					p.take(receive(t), true)
				}
			},
		})
		p.drain(rand.New(rand.NewPCG(1, 2)))
	})
}

// Queues that grow to thousands of entries and shrink again keep the rules, for any mix of
// envelopes.
func TestQueuesGrowAndShrink(t *testing.T) {
	for _, c := range []struct {
		name       string
		srcs, tags int
		wild       int // one of this many receives has a wildcard; 0: none
	}{
		{"equal envelopes", 1, 1, 0},
		{"many tags", 1, 3000, 0},
		{"many sources", 3000, 1, 0},
		{"many sources, some wildcards", 3000, 2, 50},
		{"few of each, many wildcards", 8, 8, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(c.srcs*7919+c.tags)))
			p := &pair{fataler: t}
			envelope := func() item {
				return item{ctx: int32(rng.IntN(2) * 2), src: int32(rng.IntN(c.srcs)), tag: int32(rng.IntN(c.tags))}
			}
			receive := func() item {
				m := envelope()
				if c.wild > 0 && rng.IntN(c.wild) == 0 {
					return wild(m, 1+rng.IntN(3))
				}
				return m
			}
			sizes := []int{40, 3000, 20, 1000}
			if testing.Short() {
				sizes = []int{40, 600, 20, 300}
			}
			for _, size := range sizes {
				for range size {
					p.post(receive())
					p.keep(envelope())
				}
				for range size / 2 {
					p.arrive(envelope())
					p.take(receive(), true)
					p.take(receive(), false)
					p.post(receive())
				}
				p.drain(rng)
			}
		})
	}
}

// After 2³² entries their numbers wrap, and the order does not change.
func TestNumbersWrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := &pair{fataler: t}
	envelope := func() item { return item{src: int32(rng.IntN(9)), tag: int32(rng.IntN(9))} }
	for range 500 {
		p.post(wild(envelope(), rng.IntN(4)))
		p.keep(envelope())
	}
	nobody := item{ctx: 1, src: 99} // not there: a search for it is deep
	p.take(nobody, true)
	p.arrive(nobody)
	for bits := range 4 {
		p.take(wild(envelope(), bits), true)
	}
	p.q.Age(100)
	for range 500 {
		p.post(wild(envelope(), rng.IntN(4)))
		p.keep(envelope())
		p.take(wild(envelope(), rng.IntN(4)), true)
		p.arrive(envelope())
	}
	p.drain(rng)
}

// Wildcards that were used once cost no memory forever. Each message that an exact receive takes
// leaves a stale reference behind; these are removed.
func TestStaleReferencesAreRemoved(t *testing.T) {
	const present = 1000
	p := &pair{fataler: t}
	for i := range int32(present) {
		p.keep(item{src: i % 30, tag: i})
	}
	p.take(item{src: 5, tag: present - 1}, false)
	for bits := 1; bits < 4; bits++ {
		p.take(wild(item{}, bits), false)
	}
	for i := range int32(20 * present) {
		m := item{src: i % present % 30, tag: i % present}
		p.take(m, true)
		p.keep(m)
	}
	if n := p.q.Nodes(); n > 10*present { // a list and three kinds of references, which can double, and spare nodes
		t.Errorf("%d nodes for %d messages", n, present)
	}
	p.drain(rand.New(rand.NewPCG(5, 6)))
}

// A message goes to the receive that was posted first, with or without wildcards.
func TestWildcardsCompeteByPostOrder(t *testing.T) {
	for _, others := range []int{0, 10, 1000} {
		t.Run(fmt.Sprintf("others=%d", others), func(t *testing.T) {
			var q match.Queues
			for i := range others {
				q.Post(0, 9, int32(1000+i), 7)
			}
			q.Post(0, 1, cluster.AnyTag, 1)
			q.Post(0, 1, 5, 2)
			q.Post(0, cluster.AnySource, 5, 3)
			q.Post(0, cluster.AnySource, cluster.AnyTag, 4)
			q.Post(0, 1, 5, 5)
			for want := uint32(1); want <= 5; want++ {
				if id, ok := q.Arrive(0, 1, 5); !ok || id != want {
					t.Fatalf("got receive %d %v, want %d", id, ok, want)
				}
			}
			if id, ok := q.Arrive(0, 1, 5); ok {
				t.Fatalf("got receive %d, want none", id)
			}
			if id, ok := q.Arrive(2, 9, 1000); ok {
				t.Fatalf("a message of another context got receive %d", id)
			}
		})
	}
}

// A simulator holds the queues of tens of thousands of ranks, most of them idle.
func TestIdleQueuesHoldNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	if size := unsafe.Sizeof(match.Queues{}); size > 128 {
		t.Errorf("Queues has %d B", size)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	qs := make([]match.Queues, 64)
	for i := range qs {
		q := &qs[i]
		for j := range int32(20000) {
			q.Post(0, 0, j, uint32(j))
			q.Keep(0, j, 0, uint32(j))
		}
		for j := range int32(20000) {
			if _, ok := q.Arrive(0, 0, 19999-j); !ok {
				t.Fatal("a receive was lost")
			}
			if _, ok := q.Take(0, 19999-j, cluster.AnyTag); !ok {
				t.Fatal("a message was lost")
			}
		}
	}
	after := heap()
	if kept := (int64(after) - int64(before)) / int64(len(qs)); kept > 256<<10 {
		t.Errorf("a drained rank keeps %d B", kept)
	}
	runtime.KeepAlive(qs)
}

// The steady state allocates nothing, with a line and with an index.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		tags int32 // posted receives, each with its own tag
		back bool  // messages arrive in the reverse order
	}{{"in order", 64, false}, {"in reverse", 64, true}, {"many in reverse", 2000, true}} {
		t.Run(c.name, func(t *testing.T) {
			var q match.Queues
			round := func() {
				for i := range c.tags {
					q.Post(0, 1, i, uint32(i))
				}
				for i := range c.tags {
					if c.back {
						i = c.tags - 1 - i
					}
					if id, ok := q.Arrive(0, 1, i); !ok || id != uint32(i) {
						t.Fatalf("message %d got %d, %v", i, id, ok)
					}
				}
			}
			round()
			round()
			// The conversion of an index to a line sorts the remaining entries: one allocation per
			// thousand messages.
			if n := testing.AllocsPerRun(20, round); n > float64(c.tags)/1000+1 || !c.back && n > 0 {
				t.Errorf("%v allocations in a round of %d messages", n, c.tags)
			}
		})
	}
}
