package coll

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// affine composes maps x → ax + b modulo 251, elements of two bytes: associative, and
// not commutative.
func affine(dst, left, right []byte) {
	for i := 0; i+1 < len(left); i += 2 {
		a, b := uint(left[i]), uint(left[i+1])
		dst[i], dst[i+1] = byte(a*uint(right[i])%251), byte((a*uint(right[i+1])+b)%251)
	}
}

func sum(dst, left, right []byte) {
	for i := range left {
		dst[i] = left[i] + right[i]
	}
}

// unitOf is the element size of reductions in tests.
const unitOf = 2

// trial is one collective on one team.
type trial struct {
	key   Key
	cache *Cache
	root  int32
	n     int64   // bytes
	sizes []int64 // v-form: the sizes of the members' blocks, instead of n
	seed  uint64
	sync  int
}

func (c trial) String() string {
	return fmt.Sprintf("%s by %s: ranks %d, radix %d, segments %d, root %d, %d B %v, seed %d, %d%% synchronous",
		c.key.Algorithm.Collective, c.key.Algorithm.Name,
		c.key.Ranks, c.key.Radix, c.key.Segments, c.root, c.n, c.sizes, c.seed, c.sync)
}

// run runs the trial and compares its result with the definition.
func (c trial) run() (*executor, error) {
	c.key.setRoot(c.root)
	a := c.key.Algorithm
	p := int(c.key.Ranks)
	rng := rand.New(rand.NewPCG(c.seed, 1))
	x := &executor{rng: rng, sync: c.sync, op: affine}
	if a.Needs&Commutative != 0 {
		x.op = sum
	}
	blocks := c.key.Blocks(c.n, unitOf)
	if c.sizes != nil {
		blocks.Displ = []int64{0}
		for i := range p {
			blocks.Displ = append(blocks.Displ, blocks.Displ[i]+c.sizes[i])
		}
	}
	x.lands = c.key.Transfer.lands()
	x.partner = func(s step) int32 {
		pl := &x.places[s.rank]
		return c.cache.partners(c.key, pl.Rel, pl.Schedule)[s.node]
	}
	given := make([][]byte, p)
	for r := range p {
		rel := wrap(int32(r)-c.root, c.key.Ranks)
		pl := Place{Schedule: c.cache.Schedule(c.key, rel), Rel: rel, Root: c.root, Blocks: blocks}
		bufs := make([][]byte, int(temps)+len(pl.Schedule.Temps))
		for b := range bufs {
			if b == int(In) && (a.Collective == OpBcast || a.Collective == OpBarrier || a.Collective == OpScatter && rel != 0) ||
				b == int(Out) && (a.Collective == OpBarrier || (a.Collective == OpGather || a.Collective == OpReduce) && rel != 0) {
				continue
			}
			bufs[b] = make([]byte, pl.Size(Buf(b)))
			random(bufs[b], rng)
		}
		given[r] = bytes.Clone(bufs[In])
		if a.Collective == OpBcast && rel == 0 {
			given[r] = bytes.Clone(bufs[Out])
		}
		x.places, x.bufs = append(x.places, pl), append(x.bufs, bufs)
	}
	if err := x.execute(); err != nil {
		return x, err
	}
	at := func(b []byte, i int) []byte { return b[blocks.off(int32(i)):blocks.off(int32(i+1))] }
	combined := func(first, count int, of func(member int) []byte) []byte {
		var all []byte
		for i := range count {
			b := of((first + i) % p)
			if i == 0 {
				all = bytes.Clone(b)
			} else {
				x.op(all, bytes.Clone(all), b)
			}
		}
		return all
	}
	all := func(i int) []byte { return given[i] }
	for r := range p {
		want := x.final[r][Out]
		switch a.Collective {
		case OpBcast:
			want = given[c.root]
		case OpScatter:
			want = at(given[c.root], r)
		case OpGather, OpAllgather:
			if a.Collective == OpGather && r != int(c.root) {
				continue
			}
			want = bytes.Join(given, nil)
		case OpExchange:
			want = nil
			for i := range p {
				want = append(want, at(given[i], r)...)
			}
		case OpReduce, OpAllreduce:
			if a.Collective == OpReduce && r != int(c.root) {
				continue
			}
			want = combined(int(c.root), p, all)
		case OpReduceScatter:
			want = combined(0, p, func(i int) []byte { return at(given[i], r) })
		case OpScan:
			want = combined(0, r+1, all)
		}
		if !bytes.Equal(x.final[r][Out], want) {
			return x, fmt.Errorf("rank %d has %v, want %v", r, x.final[r][Out], want)
		}
		if a.Collective != OpBcast && !bytes.Equal(x.final[r][In], given[r]) {
			return x, fmt.Errorf("rank %d: its input was changed", r)
		}
	}
	return x, nil
}

// random fills a buffer with valid affine maps.
func random(b []byte, rng *rand.Rand) {
	for i := 0; i < len(b); i += 8 {
		word := rng.Uint64()
		for j := i; j < min(i+8, len(b)); j++ {
			b[j] = byte(word) % 251
			word >>= 8
		}
	}
}

// keys returns an algorithm's keys for a number of ranks, with several radices and segments.
func keys(a *Algorithm, ranks int) []Key {
	radices, segments := []int{0}, []int{0}
	if a.Radix != 0 {
		radices = []int{int(a.Radix), 3, 4, 8, 257}
		if a.MinRadix == 1 {
			radices = append(radices, 1)
		}
	}
	if a.Segmented {
		segments = append(segments, 2, 5)
	}
	places := []Places{{}}
	if a.UsesPlaces {
		places = append(places, Places{Per: 3}, Places{Per: 4}, Places{Places: 3})
	}
	var all []Key
	for _, r := range radices {
		for _, s := range segments {
			for _, at := range places {
				if k, err := a.Key(Parameters{Ranks: ranks, Radix: r, Segments: s, Places: at}); err == nil {
					all = append(all, k)
				}
			}
		}
	}
	return all
}

// maxPayload is the maximum memory of all ranks of one trial, in bytes.
const maxPayload = 256 << 20

// payload returns the memory of all ranks of a team of p in bytes, for n bytes per block, or in all
// if blocks are not numbered by member. Ranks of a chain hold the blocks of all ranks behind them.
func payload(a *Algorithm, p int, n int64) int64 {
	if a.Collective.ByMember() {
		return int64(p) * int64(p) * n
	}
	return int64(p) * n
}

// exhaustive reports whether make conform runs the tests, which takes minutes.
func exhaustive() bool { return os.Getenv("CONFORM") != "" }

// Every algorithm has the defined result of its collective: on teams of every size, from several
// roots, with several block sizes, in any order of progress, and whether or not sends wait for
// their receives.
func TestOracle(t *testing.T) {
	small, large := through(1, 17), append(through(18, 33), 64, 100, 257)
	if testing.Short() { // it has no threads for the race detector
		small, large = through(1, 9), large[:1]
	}
	for i, a := range All() {
		t.Run(a.Collective.String()+" by "+a.Name, func(t *testing.T) {
			seed, sizes := uint64(1), slices.Concat(small, large)
			if !exhaustive() { // two large teams, different ones for each algorithm
				n := len(large)
				sizes = append(slices.Clone(small), large[i%n], large[(i+n/2)%n])
			}
			for _, p := range sizes {
				all := keys(a, p)
				for i, k := range all {
					cache := &Cache{}
					roots := []int32{0}
					if a.Collective.Rooted() && p > 1 {
						roots = append(roots, 1, int32(p-1))
					}
					lengths := []int64{0, 2, 6, 128}
					if p > 17 {
						lengths = []int64{6}
					}
					if exhaustive() {
						lengths = append(lengths, 4096)
					}
					for _, root := range roots {
						for _, n := range lengths {
							if payload(a, p, n) > maxPayload {
								continue
							}
							c := trial{key: k, cache: cache, root: root, n: n, seed: seed, sync: int(seed % 3 * 50)}
							if _, err := c.run(); err != nil {
								t.Fatalf("%s: %v", c, err)
							}
							seed++
						}
					}
					// 1 MiB: alternating roots, and only the smallest radix that covers all ranks
					// at once. Large teams use one key, alternating.
					if exhaustive() && payload(a, p, 1<<20) <= maxPayload && (k.Radix <= int32(p) || k.Radix == a.Radix) &&
						(p <= 16 || i == p%len(all)) {
						c := trial{key: k, cache: cache, root: roots[seed%uint64(len(roots))], n: 1 << 20, seed: seed,
							sync: int(seed % 3 * 50)}
						if _, err := c.run(); err != nil {
							t.Fatalf("%s: %v", c, err)
						}
						seed++
					}
				}
			}
		})
	}
}

// The same with barriers before and after, and by puts, which arrive at members that are not ready
// for them.
func TestOracleOfModes(t *testing.T) {
	for _, a := range All() {
		if a.Collective == OpBarrier {
			continue
		}
		t.Run(a.Collective.String()+" by "+a.Name, func(t *testing.T) {
			seed := uint64(1)
			teams := []int{1, 2, 3, 4, 5, 8, 13, 16}
			if testing.Short() {
				teams = []int{1, 3, 8}
			}
			for _, p := range teams {
				for _, k := range keys(a, p) {
					if k.Radix == 257 {
						continue
					}
					for _, m := range []Modes{{In: AllSync, Out: AllSync}, {Transfer: Put, In: NoSync},
						{Transfer: Put, In: AllSync, Out: AllSync}} {
						k.Modes = m
						c := trial{key: k, cache: &Cache{}, n: 6, seed: seed, sync: int(seed % 3 * 50)}
						if a.Collective.Rooted() {
							c.root = int32(p - 1)
						}
						if _, err := c.run(); err != nil {
							t.Fatalf("%s, %s, %s in, %s out: %v", c, m.Transfer, m.In, m.Out, err)
						}
						seed++
					}
				}
			}
		})
	}
}

// Blocks numbered by member may have different sizes, if the algorithm does not need equal blocks.
func TestUnequalBlocks(t *testing.T) {
	for _, a := range All() {
		if !a.Collective.ByMember() || a.Collective == OpExchange {
			continue
		}
		for _, p := range []int{1, 2, 3, 5, 8, 13, 16} {
			for i, k := range keys(a, p) {
				rng := rand.New(rand.NewPCG(uint64(p), uint64(i)))
				sizes := make([]int64, p)
				for m := range sizes {
					sizes[m] = unitOf * rng.Int64N(5)
				}
				c := trial{key: k, cache: &Cache{}, sizes: sizes, seed: uint64(i), sync: 50}
				if a.Collective.Rooted() {
					c.root = rng.Int32N(int32(p))
				}
				if _, err := c.run(); err != nil {
					t.Errorf("%s: %v", c, err)
				}
			}
		}
	}
}

func FuzzOracle(f *testing.F) {
	for i := range All() {
		f.Add(i, 12, 3, 2, 5, 100, uint64(i))
	}
	f.Fuzz(func(t *testing.T, algorithm, ranks, radix, segments, root, n int, seed uint64) {
		a := All()[abs(algorithm)%len(All())]
		p := Parameters{Ranks: 1 + abs(ranks)%70, Radix: abs(radix) % 100, Segments: abs(segments) % 20}
		if a.Radix == 0 {
			p.Radix = 0
		}
		if !a.Segmented {
			p.Segments = 0
		}
		k, err := a.Key(p)
		if err != nil {
			t.Skip(err)
		}
		c := trial{key: k, cache: &Cache{}, n: int64(abs(n)%300) * unitOf, seed: seed, sync: int(seed % 101)}
		if a.Collective.Rooted() {
			c.root = int32(abs(root) % p.Ranks)
		}
		if _, err := c.run(); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	})
}

func abs(i int) int { return max(i, -(i + 1)) }
