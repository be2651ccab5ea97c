package workload

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Loops runs the loops of a program on the threads of its rank. Each loop is a parallel region, so the
// program communicates only on its master, outside of regions. A rank with one thread has no regions.
type Loops struct {
	r       *cluster.Rank
	threads int

	// The loop in progress.
	units int
	work  cluster.Work                // of all units
	body  func(thread, lo, hi int)    // nil: size-only
	whole func()                      // runs body on one thread
	share func(*cluster.Thread) error // runs body on the threads of a region
}

// NewLoops returns the loops of a rank.
func NewLoops(r *cluster.Rank) *Loops {
	l := &Loops{r: r, threads: r.Spec().Layout.ThreadsPerRank}
	l.whole = func() { l.body(0, 0, l.units) }
	l.share = func(t *cluster.Thread) error {
		return t.For(l.units, cluster.Loop{Nowait: true}, func(lo, hi int) error {
			var body func()
			if l.body != nil {
				body = func() { l.body(t.Number(), lo, hi) }
			}
			t.Compute(l.part(hi-lo), body)
			return nil
		})
	}
	return l
}

// Threads returns the number of threads.
func (l *Loops) Threads() int { return l.threads }

// Run runs a loop: each thread computes one range of the units, with its share of the work. body may be nil.
// The cores of a kernel are shared by the threads.
func (l *Loops) Run(units int, all cluster.Work, body func(thread, lo, hi int)) error {
	l.units, l.work, l.body = units, all, body
	if l.threads > 1 && units > 1 {
		return l.r.Fork(l.threads, l.share)
	}
	var whole func()
	if body != nil {
		whole = l.whole
	}
	l.r.Compute(all, whole)
	return nil
}

// part returns the work of a number of units of the loop, on one thread.
func (l *Loops) part(units int) cluster.Work {
	w, share := l.work, float64(units)/float64(l.units)
	w.Flops *= share
	w.Bytes *= share
	w.Loops *= share
	if w.Cores > 0 {
		w.Cores = max(w.Cores/l.threads, 1)
	}
	return w
}

// CheckThreads returns an error if the thread level of a scenario permits no threads, but its ranks have
// several.
func CheckThreads(s *engine.Scenario) error {
	if n := s.Layout().ThreadsPerRank; s.Threading() == cluster.ThreadSingle && n > 1 {
		return fmt.Errorf("threads-per-rank = %d: want 1 under threading = single (or use threading = masteronly)", n)
	}
	return nil
}

// RequestThreads requests the level of the knob threading if a rank has several threads.
func RequestThreads(r *cluster.Rank, p engine.Probe) error {
	if r.Spec().Layout.ThreadsPerRank == 1 {
		return nil
	}
	level, err := cluster.ParseThreadLevel(p.Text("threading"))
	if err != nil {
		return err
	}
	return RequestLevel(r, level)
}

// RequestLevel requests the thread support that a program needs.
func RequestLevel(r *cluster.Rank, want cluster.ThreadLevel) error {
	provided, err := r.InitThread(want)
	if err != nil {
		return err
	}
	if want == cluster.ThreadMasteronly && r.ThreadLevel() == want {
		return nil // the library reports SINGLE; MPI has no name for this level
	}
	if provided < want {
		return fmt.Errorf("rank %d: threading = %s: the MPI library provides %s (use threading = %s, or a machine or "+
			"thread-support that provides more)", r.ID(), want, provided, r.ThreadLevel())
	}
	return nil
}
