package clustertest

import (
	_ "embed"
	"fmt"
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

func (s *suite) testWindows(t *testing.T) {
	t.Run("epochs", s.windowEpochs)
	t.Run("fence", s.windowFence)
	t.Run("post, start, complete, wait", s.windowPostStartCompleteWait)
	t.Run("accumulate", s.windowAccumulate)
	t.Run("locks", s.windowLocks)
	t.Run("arguments that cannot be are refused", s.windowsRefuseBadArguments)
}

// windowEpochs runs the stories of testdata/window.txt. A line is a call of a
// rank, or of all ("*"), on a window of 64 B a rank; each rank makes its calls in
// the order of the lines. What is refused is printed, by rank; a window that is
// left open is not freed.
func (s *suite) windowEpochs(t *testing.T) {
	datadriven.RunTestFromString(t, windowStories, func(t *testing.T, d *datadriven.TestData) string {
		p := 2
		if d.HasArg("ranks") {
			d.ScanArgs(t, "ranks", &p)
		}
		out := make([]strings.Builder, p)
		s.must(t, s.spec(p), func(r *cluster.Rank) error {
			w, err := rma.NewWindow(r, r.World(), 64)
			if err != nil {
				return err
			}
			for line := range strings.Lines(d.Input) {
				f := strings.Fields(line)
				if f[0] != "*" && f[0] != strconv.Itoa(r.ID()) {
					continue
				}
				if err := windowCall(w, f[1], f[2:]); err != nil {
					fmt.Fprintln(&out[r.ID()], err)
				}
			}
			return nil
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
		return w.Put(n[0], int64(n[1]), make([]byte, n[2]))
	case "get":
		return w.Get(n[0], int64(n[1]), make([]byte, n[2]))
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

// Windows span UPC groups: every rank puts its number to all others between two
// fences.
func (s *suite) windowFence(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedMultiple, 3, 2, 1), func(r *cluster.Rank) error {
		p, me := r.World().Size(), r.World().Rank()
		w, err := rma.NewWindow(r, r.World(), int64(8*p))
		if err != nil {
			return err
		}
		for round := range uint64(5) {
			if err := w.Fence(); err != nil {
				return err
			}
			words := make([]uint64, p)
			for to := range p {
				words[to] = round*1000 + uint64(me*p+to)
				if err := w.Put(to, int64(8*me), cluster.Bytes(words[to:to+1])); err != nil {
					return err
				}
			}
			if err := w.Fence(); err != nil {
				return err
			}
			mine, err := w.Local()
			if err != nil {
				return err
			}
			for from, v := range cluster.Words(mine) {
				if want := round*1000 + uint64(from*p+me); v != want {
					return fmt.Errorf("rank %d: %d put %d, want %d", me, from, v, want)
				}
			}
			got := make([]uint64, p)
			for from := range p {
				if err := w.Get(from, int64(8*me), cluster.Bytes(got[from:from+1])); err != nil {
					return err
				}
			}
			if err := w.Fence(); err != nil {
				return err
			}
			for to, v := range got {
				if v != words[to] {
					return fmt.Errorf("rank %d: got %d back from %d, want %d", me, v, to, words[to])
				}
			}
		}
		return w.Free()
	})
}

// A ring in which each rank is target of its left and origin of its right
// neighbour, without any call that all make.
func (s *suite) windowPostStartCompleteWait(t *testing.T) {
	const p = 5
	s.must(t, s.spec(p), func(r *cluster.Rank) error {
		me := r.ID()
		left, right := (me+p-1)%p, (me+1)%p
		w, err := rma.NewWindow(r, r.World(), 8)
		if err != nil {
			return err
		}
		word := []uint64{uint64(me)}
		for round := range 2 * p {
			if r.Compute(cluster.Work{Flops: 1e5 * float64(me%2)}, func() {}); round > 0 { // the left neighbour may start by now
				if mine, err := w.Local(); err != nil || cluster.Words(mine)[0] != word[0] {
					return fmt.Errorf("rank %d, round %d: the window changed before it was posted (%v)", me, round, err)
				}
			}
			if err := w.Post([]int{left}); err != nil {
				return err
			}
			if err := w.Start([]int{right}); err != nil {
				return err
			}
			if err := w.Put(right, 0, cluster.Bytes(word)); err != nil {
				return err
			}
			if err := w.Complete(); err != nil {
				return err
			}
			if err := w.Wait(); err != nil {
				return err
			}
			mine, err := w.Local()
			if err != nil {
				return err
			}
			word[0] = cluster.Words(mine)[0]
			if want := uint64(me+2*p*p-round-1) % p; word[0] != want {
				return fmt.Errorf("rank %d, round %d: received %d, want %d", me, round, word[0], want)
			}
		}
		return w.Free()
	})
}

// Sums of all ranks to one place all count, in fence epochs and under locks, and
// for numbers at any offset of their size.
func (s *suite) windowAccumulate(t *testing.T) {
	const p = 4
	rounds := s.times(25)
	s.must(t, s.spec(p), func(r *cluster.Rank) error {
		w, err := rma.NewWindow(r, r.World(), 64)
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		for range rounds {
			if err := rma.Accumulate(w, 1, 8, []float32{1, 0.5, 0.25}); err != nil {
				return err
			}
			if err := rma.Accumulate(w, 1, 41, []int8{1, -1}); err != nil {
				return err
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		for range rounds {
			if err := w.Lock(rma.LockShared, 1); err != nil {
				return err
			}
			if err := rma.Accumulate(w, 1, 8, []float32{1, 0.5, 0.25}); err != nil {
				return err
			}
			if err := w.Unlock(1); err != nil {
				return err
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		mine, err := w.Local()
		if err != nil {
			return err
		}
		n := 0
		if r.ID() == 1 {
			n = p * rounds
		}
		for i, unit := range []float32{1, 0.5, 0.25} {
			if got, want := cluster.View[float32](mine[8:])[i], unit*float32(2*n); got != want {
				return fmt.Errorf("rank %d: sum %d is %g, want %g", r.ID(), i, got, want)
			}
		}
		if a, b := int8(mine[41]), int8(mine[42]); a != int8(n) || b != int8(-n) {
			return fmt.Errorf("rank %d: bytes add up to %d and %d, want %d and %d", r.ID(), a, b, n, -n)
		}
		return w.Free()
	})
}

// Under an exclusive lock a rank is alone, under a shared one beside readers only,
// and what was put before an unlock is there for who locks after it.
func (s *suite) windowLocks(t *testing.T) {
	rounds := s.times(30)
	var writers, readers atomic.Int32
	last := uint64(0) // what was put; the window's lock guards it, and the race detector watches
	s.must(t, s.grouped(cluster.NestedMultiple, 3, 2, 0), func(r *cluster.Rank) error {
		if r.ID() == 0 {
			last = 0
		}
		w, err := rma.NewWindow(r, r.World(), 16)
		if err != nil {
			return err
		}
		word := []uint64{0, 0}
		done := uint64(0)
		for range rounds {
			const target = 2
			kind := rma.LockKind(r.Rand().IntN(2))
			if err := w.Lock(kind, target); err != nil {
				return err
			}
			if kind == rma.LockExclusive {
				writers.Add(1)
			} else {
				readers.Add(1)
			}
			if n, m := writers.Load(), readers.Load(); n > 1 || n > 0 && m > 0 {
				return fmt.Errorf("rank %d: %d hold exclusively beside %d shared", r.ID(), n, m)
			}
			if kind == rma.LockExclusive {
				// The two words have to change together.
				done++
				word[0] = uint64(r.ID()+1)<<32 | done
				last = word[0]
				word[1] = ^word[0]
				if err := w.Put(target, 0, cluster.Bytes(word)); err != nil {
					return err
				}
				writers.Add(-1)
				if err := w.Unlock(target); err != nil {
					return err
				}
				continue
			}
			if err := w.Get(target, 0, cluster.Bytes(word)); err != nil {
				return err
			}
			want := last
			readers.Add(-1)
			if err := w.Unlock(target); err != nil {
				return err
			}
			if word[0] != want || word[0] != ^word[1] && want != 0 {
				return fmt.Errorf("rank %d: read %x and %x, and %x was put last, with its complement", r.ID(), word[0], word[1], want)
			}
		}
		return w.Free()
	})
	if last == 0 {
		t.Error("nobody wrote")
	}
}

func (s *suite) windowsRefuseBadArguments(t *testing.T) {
	spec := s.spec(1)
	spec.Segment = 4096
	s.must(t, spec, func(r *cluster.Rank) error {
		for _, c := range []struct {
			team  *cluster.Team
			bytes int64
			want  string
		}{
			{r.Group(), 8, "rank 0: new window: UPC group is no MPI team: use MPI_COMM_WORLD or a team split from it"},
			{r.World(), -1, "rank 0: new window of -1 B: a window has 0 B up to the segment's 4096 B less 64"},
			{r.World(), 4033, "rank 0: new window of 4033 B: a window has 0 B up to the segment's 4096 B less 64"},
		} {
			_, err := rma.NewWindow(r, c.team, c.bytes)
			if err := Refused(err, c.want); err != nil {
				return err
			}
		}
		if _, err := rma.NewWindow(r, r.World(), 4032); err != nil {
			return err
		}
		_, err := rma.NewWindow(r, r.World(), 0)
		return Refused(err, "rank 0: alloc of 64 B: 0 of the segment's 4096 B are free; raise the segment size")
	})
}
