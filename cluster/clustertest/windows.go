package clustertest

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

//go:embed testdata/window.txt
var windowStories string

var windowCases = []testCase{
	{"a call that MPI-2 forbids in its epoch is refused", (*suite).windowEpochs},
	{"puts and gets between two fences are complete, across UPC groups", (*suite).windowFence},
	{"a posted window changes only between post and wait", onRanks(5, windowPost)},
	{"accumulates of all ranks to one place all count", onRanks(4, windowAccumulate)},
	{"an exclusive lock excludes all others, a shared lock excludes writers", (*suite).windowLocks},
	{"arguments of a new window are checked", (*suite).windowArguments},
}

// newWindow makes a window on MPI_COMM_WORLD.
func (p *proc) newWindow(bytes int64) *rma.Window {
	w, err := rma.NewWindow(p.Rank, p.World(), bytes)
	p.ok(err)
	return w
}

// local returns the window's own bytes.
func (p *proc) local(w *rma.Window) []byte {
	b, err := w.Local()
	p.ok(err)
	return b
}

// windowEpochs runs the stories of testdata/window.txt. A line is a call of a rank, or of all ranks
// ("*"), on a window of 64 B per rank. Each rank makes its calls in the order of the lines. Refused
// calls are printed by rank. A window that is left open is not freed.
func (s *suite) windowEpochs(t *testing.T) {
	datadriven.RunTestFromString(t, windowStories, func(t *testing.T, d *datadriven.TestData) string {
		p := 2
		if d.HasArg("ranks") {
			d.ScanArgs(t, "ranks", &p)
		}
		out := make([]strings.Builder, p)
		s.run(t, s.spec(p), func(r *proc) {
			w := r.newWindow(64)
			for line := range strings.Lines(d.Input) {
				f := strings.Fields(line)
				if f[0] != "*" && f[0] != strconv.Itoa(r.ID()) {
					continue
				}
				if err := windowCall(w, f[1], f[2:]); err != nil {
					fmt.Fprintln(&out[r.ID()], err)
				}
			}
		})
		all := ""
		for i := range out {
			all += out[i].String()
		}
		if all == "" {
			return "ok\n"
		}
		return all
	})
}

func windowCall(w *rma.Window, call string, args []string) error {
	var kind rma.LockKind
	if call == "lock" {
		kind = map[string]rma.LockKind{"shared": rma.LockShared, "exclusive": rma.LockExclusive, "odd": 7}[args[0]]
		args = args[1:]
	}
	n := make([]int, len(args))
	for i, a := range args {
		v, err := strconv.Atoi(a)
		if err != nil {
			panic(err)
		}
		n[i] = v
	}
	switch call {
	case "fence":
		return w.Fence()
	case "post":
		return w.Post(n)
	case "start":
		return w.Start(n)
	case "complete":
		return w.Complete()
	case "wait":
		return w.Wait()
	case "lock":
		return w.Lock(kind, n[0])
	case "unlock":
		return w.Unlock(n[0])
	case "put": // target, offset, bytes
		return w.Put(n[0], int64(n[1]), cluster.Of(make([]byte, n[2])))
	case "get":
		return w.Get(n[0], int64(n[1]), cluster.Of(make([]byte, n[2])))
	case "add":
		return rma.Accumulate(w, n[0], int64(n[1]), make([]int64, n[2]/8))
	case "local":
		_, err := w.Local()
		return err
	case "free":
		return w.Free()
	}
	panic("no call " + call)
}

// Every rank puts its number to all others, and gets it back, with shuffled ranks.
func (s *suite) windowFence(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedMultiple, 3, 2, 1), func(p *proc) {
		n, me := p.World().Size(), p.World().Rank()
		w := p.newWindow(int64(8 * n))
		words := make([]uint64, n)
		got := make([]uint64, n)
		for round := range uint64(5) {
			p.ok(w.Fence())
			for to := range n {
				words[to] = round*1000 + uint64(me*n+to)
				p.ok(w.Put(to, int64(8*me), cluster.Of(words[to:to+1])))
			}
			p.ok(w.Fence())
			for from, v := range cluster.Words(p.local(w)) {
				same(p, "word of another rank", v, round*1000+uint64(from*n+me))
			}
			for from := range n {
				p.ok(w.Get(from, int64(8*me), cluster.Of(got[from:from+1])))
			}
			p.ok(w.Fence())
			p.check(slices.Equal(got, words), "got %v back, want %v", got, words)
		}
		p.ok(w.Free())
	})
}

// A ring in which each rank is the target of its left neighbour and the origin of its
// right one, without any call that all ranks make.
func windowPost(p *proc) {
	n, me := p.Ranks(), p.ID()
	left, right := (me+n-1)%n, (me+1)%n
	w, word := p.newWindow(8), []uint64{uint64(me)}
	for round := range 2 * n {
		if p.Compute(cluster.Work{Flops: 1e5 * float64(me%2)}, func() {}); round > 0 { // the left neighbour may start by now
			same(p, "word before the post", cluster.Words(p.local(w))[0], word[0])
		}
		p.ok(w.Post([]int{left}))
		p.ok(w.Start([]int{right}))
		p.ok(w.Put(right, 0, cluster.Of(word)))
		p.ok(w.Complete())
		p.ok(w.Wait())
		word[0] = cluster.Words(p.local(w))[0]
		same(p, "word that was put", word[0], uint64(me+2*n*n-round-1)%uint64(n))
	}
	p.ok(w.Free())
}

// Sums of all ranks to one place in fence epochs and under locks, of numbers at any
// multiple of their size.
func windowAccumulate(p *proc) {
	w, rounds := p.newWindow(64), p.times(25)
	p.ok(w.Fence())
	for range rounds {
		p.ok(rma.Accumulate(w, 1, 8, []float32{1, 0.5, 0.25}))
		p.ok(rma.Accumulate(w, 1, 41, []int8{1, -1}))
	}
	p.ok(w.Fence())
	for range rounds {
		p.ok(w.Lock(rma.LockShared, 1))
		p.ok(rma.Accumulate(w, 1, 8, []float32{1, 0.5, 0.25}))
		p.ok(w.Unlock(1))
	}
	p.ok(w.Fence())
	n := 0
	if p.ID() == 1 {
		n = p.Ranks() * rounds
	}
	mine := p.local(w)
	for i, unit := range []float32{1, 0.5, 0.25} {
		same(p, "sum", cluster.View[float32](mine[8:])[i], unit*float32(2*n))
	}
	same(p, "sum of bytes", int8(mine[41]), int8(n))
	same(p, "sum of negative bytes", int8(mine[42]), int8(-n))
	p.ok(w.Free())
}

// windowLocks checks locks: a rank with an exclusive lock is alone, a rank with a shared lock has
// only readers next to it. Data that were put before an unlock are visible after the next lock.
func (s *suite) windowLocks(t *testing.T) {
	const target = 2
	var writers, readers atomic.Int32
	last := uint64(0) // what was put; the window's lock guards it, and the race detector watches
	s.run(t, s.grouped(cluster.NestedMultiple, 3, 2, 0), func(p *proc) {
		w, word := p.newWindow(16), []uint64{0, 0}
		for round := range uint64(p.times(30)) {
			if kind := rma.LockKind(p.Rand().IntN(2)); kind == rma.LockExclusive {
				p.ok(w.Lock(kind, target))
				p.check(writers.Add(1) == 1 && readers.Load() == 0, "%d hold the lock exclusively and %d shared", writers.Load(),
					readers.Load())
				word[0] = uint64(p.ID()+1)<<32 | (round + 1)
				word[1] = ^word[0] // the two words have to change together
				last = word[0]
				p.ok(w.Put(target, 0, cluster.Of(word)))
				writers.Add(-1)
				p.ok(w.Unlock(target))
				continue
			}
			p.ok(w.Lock(rma.LockShared, target))
			readers.Add(1)
			p.check(writers.Load() == 0, "a lock is held exclusively and shared")
			p.ok(w.Get(target, 0, cluster.Of(word)))
			want := last
			readers.Add(-1)
			p.ok(w.Unlock(target))
			p.check(word[0] == want && (want == 0 || word[1] == ^want), "read %x and %x, want %x and its complement", word[0],
				word[1], want)
		}
		p.ok(w.Free())
	})
	if last == 0 {
		t.Error("no rank wrote")
	}
}

func (s *suite) windowArguments(t *testing.T) {
	spec := s.spec(1)
	spec.Segment = 4096
	s.run(t, spec, func(p *proc) {
		for _, c := range []struct {
			team  *cluster.Team
			bytes int64
			want  string
		}{
			{p.Group(), 8, "new window: UPC group is not an MPI team: use MPI_COMM_WORLD or a team split from it"},
			{p.World(), -1, "new window of -1 B: a window has 0 B up to the segment's 4096 B less 64"},
			{p.World(), 4033, "new window of 4033 B: a window has 0 B up to the segment's 4096 B less 64"},
		} {
			_, err := rma.NewWindow(p.Rank, c.team, c.bytes)
			p.refused(err, c.want)
		}
		p.newWindow(4032)
		_, err := rma.NewWindow(p.Rank, p.World(), 0)
		p.refused(err, "alloc of 64 B: 0 of the segment's 4096 B are free; raise the segment size")
	})
}
