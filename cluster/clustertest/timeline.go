package clustertest

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// timelineCases hold what a recorder reports of a run (paper 2, figure 1).
var timelineCases = []testCase{
	{"lanes are ordered and cover the run from launch to end", lanesCoverRun},
	{"lanes compute for the time of the work in virtual time", when((*suite).virtual, lanesShowWork)},
	{"an interval names the peer of its own call", intervalsNamePeers},
	{"funneled: the master communicates while workers compute", funneledOverlaps},
	{"masteronly: workers sleep while the master communicates", masteronlySleeps},
	{"multiple: a thread waits for the lock while another is inside the library",
		when((*suite).parallel, threadsWaitForLock)},
	{"a view is consistent while ranks run", viewsWhileRunning},
}

// recorded is a spec with threads and a recorder. With arrows it records messages too.
func (s *suite) recorded(ranks, threads int, level cluster.ThreadLevel, arrows bool) cluster.Spec {
	spec := s.spec(ranks)
	spec.Layout.ThreadsPerRank, spec.Threading = threads, level
	spec.Timeline = timeline.NewRecorder(spec.Layout, arrows)
	return spec
}

// view runs a program and returns what its recorder saw.
func (s *suite) view(t *testing.T, spec cluster.Spec, body func(p *proc)) *timeline.View {
	t.Helper()
	s.run(t, spec, body)
	return timeline.Of(&spec).View()
}

// The messages and the work of communicateAndCompute.
var (
	lineSizes = []int{0, 8, eager, eager + 1, 100_000}
	lineWork  = cluster.Work{Flops: 20_000}
)

const lineTag = 5

// communicateAndCompute is a body with waits, messages of all lengths, computing and regions
// of three threads.
func communicateAndCompute(p *proc) {
	w := p.World()
	me := w.Rank()
	to := (w.Rank() + 1) % w.Size()
	from := (w.Rank() + w.Size() - 1) % w.Size()
	in := make([]byte, 100_000)
	for _, n := range lineSizes {
		p.Compute(lineWork, nil)
		p.status(p.Sendrecv(w, to, lineTag, cluster.Of(data(n, me)), from, lineTag, cluster.Of(in[:n])))
		p.fork(3, func(p *proc, thread int) { p.Compute(lineWork, nil) })
	}
	p.ok(p.Put(cluster.At(to, 8), cluster.Of(data(40_000, me))))
	p.ok(p.Barrier(w))
}

func lanesCoverRun(s *suite, t *testing.T) {
	v := s.view(t, s.recorded(4, 3, cluster.ThreadUnset, true), communicateAndCompute)
	if len(v.Lanes) != 4*3 || v.From != 0 || v.To <= 0 {
		t.Fatalf("%d lanes from %v to %v, want 12 from 0 on", len(v.Lanes), v.From, v.To)
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		if l.Rank != i/3 || l.Thread != i%3 {
			t.Errorf("lane %d is rank %d thread %d", i, l.Rank, l.Thread)
		}
		covers(t, l, v.To)
	}
	seen := map[int64]int{}
	for _, a := range v.Arrows {
		if a.Received < a.Sent || a.Sent < 0 || a.Received > v.To {
			t.Errorf("a message from rank %d to %d leaves at %v and arrives at %v", a.From, a.To, a.Sent, a.Received)
		}
		if a.Tag == lineTag {
			if (a.From+1)%4 != a.To {
				t.Errorf("an arrow of the ring goes from rank %d to %d", a.From, a.To)
			}
			seen[a.Bytes]++
		}
	}
	for _, n := range lineSizes {
		if seen[int64(n)] != 4 {
			t.Errorf("%d arrows of %d B, want 4", seen[int64(n)], n)
		}
	}
}

// covers checks that the intervals of a lane follow each other from 0 to the end, and that
// sums agree with them.
func covers(t *testing.T, l *timeline.LaneView, end cluster.Time) {
	t.Helper()
	at := cluster.Time(0)
	sums := timeline.Sums{}
	cursor := new(timeline.Cursor)
	for x := range l.Intervals(0, end) {
		if x.Begin != at || x.End <= x.Begin {
			t.Fatalf("rank %d thread %d: an interval from %v to %v follows one that ends at %v", l.Rank, l.Thread, x.Begin,
				x.End, at)
		}
		middle := x.Begin + (x.End-x.Begin)/2
		if y, ok := l.At(middle); !ok || y != x {
			t.Fatalf("rank %d thread %d at %v: %+v, want %+v", l.Rank, l.Thread, middle, y, x)
		}
		want := sums
		want[x.Activity] += middle - x.Begin
		if got := l.Sums(middle, cursor); got != want {
			t.Fatalf("rank %d thread %d up to %v: %v by activity, want %v", l.Rank, l.Thread, middle, got, want)
		}
		sums[x.Activity] += x.End - x.Begin
		at = x.End
	}
	if at != end {
		t.Errorf("rank %d thread %d ends at %v, the run at %v", l.Rank, l.Thread, at, end)
	}
}

func lanesShowWork(s *suite, t *testing.T) {
	v := s.view(t, s.recorded(2, 3, cluster.ThreadUnset, false), communicateAndCompute)
	for i := range v.Lanes {
		l, pieces := &v.Lanes[i], cluster.Time(5)
		if l.Thread == 0 {
			pieces = 10
		}
		if got, want := l.Sums(v.To, new(timeline.Cursor))[timeline.ActivityCompute],
			pieces*s.machine.ComputeTime(lineWork); got != want {
			t.Errorf("rank %d thread %d computes for %v, want %v", l.Rank, l.Thread, got, want)
		}
	}
}

func intervalsNamePeers(s *suite, t *testing.T) {
	v := s.view(t, s.recorded(4, s.threads, cluster.ThreadUnset, false), func(p *proc) {
		me := p.ID()
		next := (p.ID() + 1) % 4
		from := (p.ID() + 3) % 4
		for i := range uint64(s.times(20)) {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 1024), Data: cluster.Of(data(40_000, me)),
				Signal: cluster.Signal{Op: cluster.SigSet, Off: 8, Value: i + 1}, Until: cluster.Source}, nil, nil))
			p.word(p.Await(8, cluster.CmpEqual, i+1))
			p.ok(p.Barrier(p.All()))
			for _, n := range []int{8, 20_000} {
				var q cluster.Request
				p.ok(p.Isend(&q, p.World(), next, lineTag, cluster.Of(data(n, me))))
				m, err := p.Mprobe(p.World(), from, lineTag)
				p.ok(err)
				p.status(p.Mrecv(m, cluster.Of(make([]byte, n))))
				p.wait(&q)
			}
			p.ok(p.Barrier(p.All()))
		}
	})
	awaits := 0
	for i := range v.Lanes {
		l := &v.Lanes[i]
		for x := range l.Intervals(0, v.To) {
			peer := timeline.NoPeer
			switch x.Call {
			case cluster.KindPut, cluster.KindSend:
				peer = int32(l.Rank+1) % 4
			case cluster.KindMprobe:
				peer = int32(l.Rank+3) % 4
			case cluster.KindAwait:
				awaits++
			}
			if x.Peer != peer && x.Peer != timeline.NoPeer {
				t.Errorf("rank %d: %v for %v with peer %d", l.Rank, x.Activity, x.Call, x.Peer)
			}
		}
	}
	if awaits == 0 {
		t.Error("no interval of an await")
	}
}

// inside calls f for each interval in which a master is inside the library. All reports
// whether all workers of its rank have an activity in the middle of the interval.
func inside(v *timeline.View, f func(m timeline.Interval, all func(timeline.Activity) bool)) {
	for i := 0; i < len(v.Lanes); i += 3 {
		for m := range v.Lanes[i].Intervals(0, v.To) {
			if m.Activity == timeline.ActivityCommunicate || m.Activity == timeline.ActivityWait {
				f(m, func(a timeline.Activity) bool {
					return !slices.ContainsFunc(v.Lanes[i+1:i+3], func(l timeline.LaneView) bool {
						x, ok := l.At(m.Begin + (m.End-m.Begin)/2)
						return !ok || x.Activity != a
					})
				})
			}
		}
	}
}

func funneledOverlaps(s *suite, t *testing.T) {
	v := s.view(t, s.recorded(2, 3, cluster.ThreadFunneled, false), func(p *proc) {
		var computing atomic.Int32
		var done atomic.Bool
		p.fork(3, func(q *proc, thread int) {
			if thread > 0 {
				q.Compute(cluster.Work{Flops: 1e6}, func() {
					computing.Add(1)
					p.until(func() bool { return s.oneAtATime || done.Load() })
				})
				return
			}
			p.until(func() bool { return s.oneAtATime || computing.Load() == 2 })
			w, in := q.World(), make([]byte, 8192)
			for range 4 {
				q.status(q.Sendrecv(w, 1-w.Rank(), lineTag, cluster.Of(data(8192, w.Rank())), 1-w.Rank(), lineTag, cluster.Of(in)))
			}
			done.Store(true)
		})
	})
	overlaps := 0
	inside(v, func(m timeline.Interval, all func(timeline.Activity) bool) {
		if m.Call != cluster.KindBarrier && all(timeline.ActivityCompute) {
			overlaps++
		}
	})
	if overlaps == 0 {
		t.Error("no rank's workers compute while its master is inside the library")
	}
}

func masteronlySleeps(s *suite, t *testing.T) {
	v := s.view(t, s.recorded(2, 3, cluster.ThreadMasteronly, false), communicateAndCompute)
	inside(v, func(m timeline.Interval, all func(timeline.Activity) bool) {
		if !all(timeline.ActivitySleep) {
			t.Errorf("at %v a master is in %v, and not all its workers sleep", m.Begin, m.Call)
		}
	})
}

func threadsWaitForLock(s *suite, t *testing.T) {
	spec := s.recorded(2, 2, cluster.ThreadMultiple, false)
	waits := func(rank int) bool { // thread 1, now
		v := timeline.Of(&spec).View()
		for x := range v.Lanes[2*rank+1].Intervals(v.To-1, v.To) {
			if x.Activity == timeline.ActivityLock {
				return true
			}
		}
		return false
	}
	v := s.view(t, spec, func(p *proc) {
		var inside atomic.Bool
		stay := p.Register(func(cluster.RPC) uint64 { // a function runs in the library
			inside.Store(true)
			p.until(func() bool { return waits(p.ID()) })
			return 0
		})
		p.fork(2, func(q *proc, thread int) {
			if thread == 0 {
				q.word(q.RPC(q.ID(), stay, 0, cluster.Data{}))
				return
			}
			p.until(inside.Load)
			q.word(q.Atomic(cluster.At(q.ID(), 0), cluster.AtomicLoad, 0))
		})
	})
	for rank := range 2 {
		l := v.Lanes[2*rank+1]
		if l.Sums(l.To(), new(timeline.Cursor))[timeline.ActivityLock] <= 0 {
			t.Errorf("thread 1 of rank %d waited for the lock, and its lane has no such time", rank)
		}
	}
}

func viewsWhileRunning(s *suite, t *testing.T) {
	spec := s.recorded(2, 3, cluster.ThreadUnset, true)
	over, bad := make(chan struct{}), 0
	go func() {
		defer close(over)
		for range 200 {
			v := timeline.Of(&spec).View()
			for i := range v.Lanes {
				at := cluster.Time(0)
				for x := range v.Lanes[i].Intervals(0, v.To) {
					if x.Begin < at || x.End < x.Begin {
						bad++
					}
					at = x.End
				}
			}
		}
	}()
	s.run(t, spec, func(p *proc) {
		for range s.times(20) {
			communicateAndCompute(p)
		}
	})
	<-over
	if bad > 0 {
		t.Errorf("%d intervals out of order", bad)
	}
}
