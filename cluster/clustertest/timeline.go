package clustertest

import (
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// testTimeline holds what a recorder writes down of a run (paper 2, figure 1).
func (s *suite) testTimeline(t *testing.T) {
	const tag = 5
	const threads = 3
	work := cluster.Work{Flops: 20_000}

	// A program with waits, messages of all lengths, computing and regions.
	mixed := func(p *proc) {
		w := p.World()
		me, to, from := w.Rank(), (w.Rank()+1)%w.Size(), (w.Rank()+w.Size()-1)%w.Size()
		in := make([]byte, 100_000)
		for _, n := range []int{0, 8, eager, eager + 1, 100_000} {
			p.Compute(work, nil)
			_, err := p.Sendrecv(w, to, tag, cluster.Of(data(n, me)), from, tag, cluster.Of(in[:n]))
			p.ok(err)
			p.fork(threads, func(p *proc, thread int) { p.Compute(work, nil) })
		}
		p.ok(p.Put(cluster.At(to, 8), cluster.Of(data(40_000, me))))
		p.ok(p.Barrier(w))
	}

	t.Run("lanes are ordered and cover the run from launch to end", func(t *testing.T) {
		spec := s.spec(4)
		spec.Layout.ThreadsPerRank = threads
		spec.Timeline = timeline.NewRecorder(spec.Layout, true)
		s.run(t, spec, mixed)
		v := timeline.Of(&spec).View()
		if len(v.Lanes) != 4*threads || v.From != 0 || v.To <= 0 {
			t.Fatalf("%d lanes from %v to %v, want %d from 0 on", len(v.Lanes), v.From, v.To, 4*threads)
		}
		for i := range v.Lanes {
			l := &v.Lanes[i]
			if l.Rank != i/threads || l.Thread != i%threads {
				t.Errorf("lane %d is rank %d thread %d", i, l.Rank, l.Thread)
			}
			covers(t, l, v.To)
		}
		if n := len(v.Arrows); n < 4*5 {
			t.Errorf("%d arrows, want one a message, %d at least", n, 4*5)
		}
		seen := map[int64]int{}
		for _, a := range v.Arrows {
			if a.Received < a.Sent || a.Sent < 0 || a.Received > v.To {
				t.Errorf("a message from rank %d to %d leaves at %v and arrives at %v", a.From, a.To, a.Sent, a.Received)
			}
			if a.Tag == tag {
				if (a.From+1)%4 != a.To {
					t.Errorf("an arrow of the ring goes from rank %d to %d", a.From, a.To)
				}
				seen[a.Bytes]++
			}
		}
		for _, n := range []int64{0, 8, eager, eager + 1, 100_000} {
			if seen[n] != 4 {
				t.Errorf("%d arrows of %d B, want 4", seen[n], n)
			}
		}
	})

	if s.oneAtATime {
		t.Run("computing in virtual time is the work", func(t *testing.T) {
			spec := s.spec(2)
			spec.Layout.ThreadsPerRank = threads
			spec.Timeline = timeline.NewRecorder(spec.Layout, false)
			s.run(t, spec, mixed)
			v := timeline.Of(&spec).View()
			for i := range v.Lanes {
				l := &v.Lanes[i]
				pieces := cluster.Time(5)
				if l.Thread == 0 {
					pieces = 10
				}
				if got, want := l.Sums(v.To, new(timeline.Place))[timeline.ActivityCompute], pieces*s.machine.ComputeTime(work); got != want {
					t.Errorf("rank %d thread %d computes for %v, want %v", l.Rank, l.Thread, got, want)
				}
			}
		})
	}

	t.Run("a stretch names the peer of its own call", func(t *testing.T) {
		spec := s.spec(4)
		spec.Timeline = timeline.NewRecorder(spec.Layout, false)
		s.run(t, spec, func(p *proc) {
			me, next, from := p.ID(), (p.ID()+1)%4, (p.ID()+3)%4
			for i := range uint64(s.times(20)) {
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 1024), Data: cluster.Of(data(40_000, me)), Signal: cluster.Signal{Op: cluster.SigSet, Off: 8, Value: i + 1}, Until: cluster.Source}, nil, nil))
				_, err := p.Await(8, cluster.CmpEqual, i+1)
				p.ok(err)
				p.ok(p.Barrier(p.All()))
				for _, n := range []int{8, 20_000} {
					var q cluster.Request
					p.ok(p.Isend(&q, p.World(), next, tag, cluster.Of(data(n, me))))
					m, err := p.Mprobe(p.World(), from, tag)
					p.ok(err)
					_, err = p.Mrecv(m, cluster.Of(make([]byte, n)))
					p.ok(err)
					_, err = p.Wait(&q)
					p.ok(err)
				}
				p.ok(p.Barrier(p.All()))
			}
		})
		v := timeline.Of(&spec).View()
		awaits := 0
		for i := range v.Lanes {
			l := &v.Lanes[i]
			for x := range l.Stretches(0, v.To) {
				next, from := int32(l.Rank+1)%4, int32(l.Rank+3)%4
				good := x.Peer == timeline.NoPeer
				switch x.Call {
				case cluster.KindPut, cluster.KindSend:
					good = good || x.Peer == next
				case cluster.KindMprobe:
					good = good || x.Peer == from
				case cluster.KindAwait:
					awaits++
				}
				if !good {
					t.Errorf("rank %d: %v for %v with peer %d", l.Rank, x.Activity, x.Call, x.Peer)
				}
			}
		}
		if awaits == 0 {
			t.Error("no stretch of an await")
		}
	})

	t.Run("funneled: the master communicates while workers compute", func(t *testing.T) {
		spec := s.spec(2)
		spec.Layout.ThreadsPerRank = threads
		spec.Threading = cluster.ThreadFunneled
		spec.Timeline = timeline.NewRecorder(spec.Layout, false)
		s.run(t, spec, func(p *proc) {
			var computing atomic.Int32
			var done atomic.Bool
			p.fork(threads, func(q *proc, thread int) {
				if thread > 0 {
					q.Compute(cluster.Work{Flops: 1e6}, func() {
						computing.Add(1)
						for !s.oneAtATime && !done.Load() {
							p.until(done.Load)
						}
					})
					return
				}
				if !s.oneAtATime {
					p.until(func() bool { return computing.Load() == threads-1 })
				}
				w := q.World()
				in := make([]byte, 8192)
				for range 4 {
					_, err := q.Sendrecv(w, 1-w.Rank(), tag, cluster.Of(data(8192, w.Rank())), 1-w.Rank(), tag, cluster.Of(in))
					q.ok(err)
				}
				done.Store(true)
			})
		})
		v := timeline.Of(&spec).View()
		overlaps := 0
		for i := 0; i < len(v.Lanes); i += threads {
			for m := range v.Lanes[i].Stretches(0, v.To) {
				if m.Activity != timeline.ActivityCommunicate && m.Activity != timeline.ActivityWait || m.Call == cluster.KindBarrier {
					continue
				}
				all := true
				for _, worker := range v.Lanes[i+1 : i+threads] {
					x, _ := worker.At(m.Begin + (m.End-m.Begin)/2)
					all = all && x.Activity == timeline.ActivityCompute
				}
				if all {
					overlaps++
				}
			}
		}
		if overlaps == 0 {
			t.Error("no rank's workers compute while its master is in the library")
		}
	})

	t.Run("masteronly: workers sleep while the master communicates", func(t *testing.T) {
		spec := s.spec(2)
		spec.Layout.ThreadsPerRank = threads
		spec.Threading = cluster.ThreadMasteronly
		spec.Timeline = timeline.NewRecorder(spec.Layout, false)
		s.run(t, spec, mixed)
		v := timeline.Of(&spec).View()
		for i := 0; i < len(v.Lanes); i += threads {
			for m := range v.Lanes[i].Stretches(0, v.To) {
				if m.Activity != timeline.ActivityCommunicate && m.Activity != timeline.ActivityWait {
					continue
				}
				for _, worker := range v.Lanes[i+1 : i+threads] {
					if x, ok := worker.At(m.Begin + (m.End-m.Begin)/2); !ok || x.Activity != timeline.ActivitySleep {
						t.Errorf("at %v rank %d's master is in %v, and thread %d is at %v", m.Begin, worker.Rank, m.Call, worker.Thread, x.Activity)
					}
				}
			}
		}
	})

	if !s.oneAtATime {
		t.Run("multiple: a thread that waits for another one to leave the library waits for the lock", func(t *testing.T) {
			spec := s.spec(2)
			spec.Layout.ThreadsPerRank = 2
			spec.Threading = cluster.ThreadMultiple
			spec.Timeline = timeline.NewRecorder(spec.Layout, false)
			waits := func(rank int) bool { // thread 1, now
				v := timeline.Of(&spec).View()
				for x := range v.Lanes[2*rank+1].Stretches(v.To-1, v.To) {
					if x.Activity == timeline.ActivityLock {
						return true
					}
				}
				return false
			}
			s.run(t, spec, func(p *proc) {
				var inside atomic.Bool
				stay := p.Register(func(cluster.RPC) uint64 { // a body runs in the library
					inside.Store(true)
					p.until(func() bool { return waits(p.ID()) })
					return 0
				})
				p.fork(2, func(q *proc, thread int) {
					if thread == 0 {
						_, err := q.RPC(q.ID(), stay, 0, cluster.Data{})
						q.ok(err)
						return
					}
					p.until(inside.Load)
					_, err := q.Atomic(cluster.At(q.ID(), 0), cluster.AtomicLoad, 0)
					q.ok(err)
				})
			})
			v := timeline.Of(&spec).View()
			for rank := range 2 {
				l := v.Lanes[2*rank+1]
				if l.Sums(l.To(), new(timeline.Place))[timeline.ActivityLock] <= 0 {
					t.Errorf("thread 1 of rank %d has waited for the lock, and no time of its lane is that", rank)
				}
			}
		})
	}

	t.Run("a view is taken while ranks run", func(t *testing.T) {
		spec := s.spec(2)
		spec.Layout.ThreadsPerRank = threads
		spec.Timeline = timeline.NewRecorder(spec.Layout, true)
		over := make(chan struct{})
		var bad atomic.Int64
		go func() {
			defer close(over)
			for range 200 {
				v := timeline.Of(&spec).View()
				for i := range v.Lanes {
					at := cluster.Time(0)
					for x := range v.Lanes[i].Stretches(0, v.To) {
						if x.Begin < at || x.End < x.Begin {
							bad.Add(1)
						}
						at = x.End
					}
				}
			}
		}()
		s.run(t, spec, func(p *proc) {
			for range s.times(20) {
				mixed(p)
			}
		})
		<-over
		if n := bad.Load(); n > 0 {
			t.Errorf("%d stretches out of order", n)
		}
	})
}

// covers checks that a lane's stretches follow each other from 0 to the end, and that
// sums agree with them.
func covers(t *testing.T, l *timeline.LaneView, end cluster.Time) {
	t.Helper()
	at, sums, place := cluster.Time(0), timeline.Sums{}, new(timeline.Place)
	for x := range l.Stretches(0, end) {
		if x.Begin != at || x.End <= x.Begin {
			t.Fatalf("rank %d thread %d: a stretch from %v to %v follows one that ends at %v", l.Rank, l.Thread, x.Begin, x.End, at)
		}
		middle := x.Begin + (x.End-x.Begin)/2
		if y, ok := l.At(middle); !ok || y != x {
			t.Fatalf("rank %d thread %d at %v: %+v, want %+v", l.Rank, l.Thread, middle, y, x)
		}
		want := sums
		want[x.Activity] += middle - x.Begin
		if got := l.Sums(middle, place); got != want {
			t.Fatalf("rank %d thread %d up to %v: %v by activity, want %v", l.Rank, l.Thread, middle, got, want)
		}
		sums[x.Activity] += x.End - x.Begin
		at = x.End
	}
	if at != end {
		t.Errorf("rank %d thread %d ends at %v, the run at %v", l.Rank, l.Thread, at, end)
	}
}
