package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// lanesOf runs a program on 2 nodes with one rank of 3 threads each, and prints every lane to the
// picosecond.
func lanesOf(t *testing.T, arrows bool, body func(r *cluster.Rank) error) string {
	t.Helper()
	m := clustertest.Priced()
	m.Progress = cluster.ProgressOffload
	m.LockTime = 40 * cluster.Nanosecond
	m.ForkTime = 500 * cluster.Nanosecond
	m.ThreadBarrierTime = 200 * cluster.Nanosecond
	spec := cluster.Spec{Machine: m, EagerLimit: 8192, Segment: 64, Layout: cluster.Layout{
		Nodes: 2, RanksPerNode: 1, ThreadsPerRank: 3, Ranking: cluster.Sequential, Model: cluster.Flat, Group: 2}}
	spec.Timeline = timeline.NewRecorder(spec.Layout, arrows)
	if err := cluster.Launch(context.Background(), sim.New(), spec, body); err != nil {
		t.Fatal(err)
	}
	v := timeline.Of(&spec).View()
	var b strings.Builder
	for i := range v.Lanes {
		l := &v.Lanes[i]
		fmt.Fprintf(&b, "rank %d thread %d\n", l.Rank, l.Thread)
		for x := range l.Intervals(0, v.To) {
			fmt.Fprintf(&b, "  %8.3f %8.3f %s", float64(x.Begin)/1e3, float64(x.End)/1e3, x.Activity)
			if x.Call != cluster.KindNone {
				fmt.Fprintf(&b, " %s", x.Call)
			}
			if x.Peer != timeline.NoPeer {
				fmt.Fprintf(&b, " %d", x.Peer)
			}
			b.WriteByte('\n')
		}
	}
	for _, a := range v.Arrows {
		fmt.Fprintf(&b, "%d.%d → %d.%d %.3f %.3f %d B tag %d\n", a.From, a.FromThread, a.To, a.ToThread,
			float64(a.Sent)/1e3, float64(a.Received)/1e3, a.Bytes, a.Tag)
	}
	return b.String()
}

// A funneled region in virtual time: the master exchanges a message while workers compute 5 µs
// (paper 2, figure 1). A flop takes a nanosecond. A send of 8 B takes o = 300 ns, 7 · 0.25 ns for
// the bytes after the first, and L = 1 µs. The receiver pays another o.
func TestTimelineOfAFunneledRegion(t *testing.T) {
	got := lanesOf(t, true, func(r *cluster.Rank) error {
		r.Compute(cluster.Work{Flops: 1000}, nil)
		return r.Fork(3, func(th *cluster.Thread) error {
			if th.Number() == 0 {
				_, err := th.Sendrecv(th.World(), 1-r.ID(), 1, cluster.Of(make([]byte, 8)), 1-r.ID(), 1,
					cluster.Of(make([]byte, 8)))
				return err
			}
			th.Compute(cluster.Work{Flops: 5000}, nil)
			return nil
		})
	})
	want := `rank 0 thread 0
     0.000 1000.000 compute
  1000.000 1500.000 sleep thread barrier
  1500.000 1800.000 communicate send 1
  1800.000 3101.750 communicate recv 1
  3101.750 6500.000 sleep thread barrier
rank 0 thread 1
     0.000 1500.000 sleep
  1500.000 6500.000 compute
rank 0 thread 2
     0.000 1500.000 sleep
  1500.000 6500.000 compute
rank 1 thread 0
     0.000 1000.000 compute
  1000.000 1500.000 sleep thread barrier
  1500.000 1800.000 communicate send 0
  1800.000 3101.750 communicate recv 0
  3101.750 6500.000 sleep thread barrier
rank 1 thread 1
     0.000 1500.000 sleep
  1500.000 6500.000 compute
rank 1 thread 2
     0.000 1500.000 sleep
  1500.000 6500.000 compute
0.0 → 1.0 1800.000 3101.750 8 B tag 1
1.0 → 0.0 1800.000 3101.750 8 B tag 1
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

// A rank waits until the other rank has arrived, and communicates from then on: a receive with a
// late sender, a rendezvous with a late receiver. An arrow ends when the receiver takes the
// message, even if the message arrived long before.
func TestTimelineTellsWaitingFromCommunicating(t *testing.T) {
	got := lanesOf(t, true, func(r *cluster.Rank) error {
		w, me := r.World(), r.ID()
		late := func() { r.Compute(cluster.Work{Flops: 10_000}, nil) }
		if me == 0 { // a late sender
			late()
		}
		var err error
		if me == 0 {
			err = r.Send(w, 1, 1, cluster.Of(make([]byte, 8)))
		} else {
			_, err = r.Recv(w, 0, 1, cluster.Of(make([]byte, 8)))
		}
		if err != nil {
			return err
		}
		if me == 1 { // a late receiver: of an eager message, and of a rendezvous
			late()
			_, err = r.Recv(w, 0, 2, cluster.Of(make([]byte, 8)))
			if err != nil {
				return err
			}
			_, err = r.Recv(w, 0, 3, cluster.Of(make([]byte, 40_000)))
			return err
		}
		err = r.Send(w, 1, 2, cluster.Of(make([]byte, 8)))
		if err != nil {
			return err
		}
		return r.Send(w, 1, 3, cluster.Of(make([]byte, 40_000)))
	})
	want := `rank 0 thread 0
     0.000 10000.000 compute
  10000.000 10900.000 communicate send 1
  10900.000 21901.750 wait send 1
  21901.750 32901.500 communicate send 1
  32901.500 34201.500 sleep
rank 0 thread 1
     0.000 34201.500 sleep
rank 0 thread 2
     0.000 34201.500 sleep
rank 1 thread 0
     0.000 10300.000 wait recv 0
  10300.000 11601.750 communicate recv 0
  11601.750 21601.750 compute
  21601.750 34201.500 communicate recv 0
rank 1 thread 1
     0.000 34201.500 sleep
rank 1 thread 2
     0.000 34201.500 sleep
0.0 → 1.0 10300.000 11601.750 8 B tag 1
0.0 → 1.0 10600.000 21901.750 8 B tag 2
0.0 → 1.0 22901.750 34201.500 40000 B tag 3
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

// Masteronly: workers sleep while the master is in the library, before, between and after regions.
// A thread that arrives early at the region's barrier sleeps until the last one arrives.
func TestTimelineOfMasteronly(t *testing.T) {
	got := lanesOf(t, false, func(r *cluster.Rank) error {
		work := func(th *cluster.Thread) error {
			th.Compute(cluster.Work{Flops: 1000 * float64(1+th.Number())}, nil)
			th.Meet()
			return nil
		}
		if err := r.Fork(3, work); err != nil {
			return err
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		return r.Fork(3, work)
	})
	want := `rank 0 thread 0
     0.000  500.000 sleep thread barrier
   500.000 1500.000 compute
  1500.000 3700.000 sleep thread barrier
  3700.000 5300.000 wait barrier
  5300.000 5800.000 sleep thread barrier
  5800.000 6800.000 compute
  6800.000 9000.000 sleep thread barrier
rank 0 thread 1
     0.000  500.000 sleep
   500.000 2500.000 compute
  2500.000 3700.000 sleep thread barrier
  3700.000 5800.000 sleep
  5800.000 7800.000 compute
  7800.000 9000.000 sleep thread barrier
rank 0 thread 2
     0.000  500.000 sleep
   500.000 3500.000 compute
  3500.000 3700.000 sleep thread barrier
  3700.000 5800.000 sleep
  5800.000 8800.000 compute
  8800.000 9000.000 sleep thread barrier
rank 1 thread 0
     0.000  500.000 sleep thread barrier
   500.000 1500.000 compute
  1500.000 3700.000 sleep thread barrier
  3700.000 5300.000 wait barrier
  5300.000 5800.000 sleep thread barrier
  5800.000 6800.000 compute
  6800.000 9000.000 sleep thread barrier
rank 1 thread 1
     0.000  500.000 sleep
   500.000 2500.000 compute
  2500.000 3700.000 sleep thread barrier
  3700.000 5800.000 sleep
  5800.000 7800.000 compute
  7800.000 9000.000 sleep thread barrier
rank 1 thread 2
     0.000  500.000 sleep
   500.000 3500.000 compute
  3500.000 3700.000 sleep thread barrier
  3700.000 5800.000 sleep
  5800.000 8800.000 compute
  8800.000 9000.000 sleep thread barrier
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

// With MULTIPLE, two threads send at the same time. The second thread waits for the library's lock
// while the first one holds it, and for the transfer of the lock.
func TestTimelineOfTheLock(t *testing.T) {
	got := lanesOf(t, false, func(r *cluster.Rank) error {
		return r.Fork(2, func(th *cluster.Thread) error {
			if r.ID() == 0 {
				return th.Send(th.World(), 1, th.Number(), cluster.Of(make([]byte, 8)))
			}
			_, err := th.Recv(th.World(), 0, th.Number(), cluster.Of(make([]byte, 8)))
			return err
		})
	})
	want := `rank 0 thread 0
     0.000  500.000 sleep thread barrier
   500.000  800.000 communicate send 1
   800.000 1140.000 sleep thread barrier
  1140.000 2441.750 sleep
rank 0 thread 1
     0.000  500.000 sleep
   500.000  840.000 lock send 1
   840.000 1140.000 communicate send 1
  1140.000 2441.750 sleep
rank 0 thread 2
     0.000 2441.750 sleep
rank 1 thread 0
     0.000  500.000 sleep thread barrier
   500.000  800.000 wait recv 0
   800.000 2101.750 communicate recv 0
  2101.750 2441.750 sleep thread barrier
rank 1 thread 1
     0.000  500.000 sleep
   500.000 1140.000 wait recv 0
  1140.000 2441.750 communicate recv 0
rank 1 thread 2
     0.000 2441.750 sleep
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

// A put inside the node that is a store of the thread is a copy: 100 ns of access, and 8 B/ns
// beyond the first line of 64 B.
func TestTimelineOfAStore(t *testing.T) {
	m := clustertest.Priced()
	m.NodeRate = 0
	m.Classes[cluster.InNode].Access = 100 * cluster.Nanosecond
	spec := cluster.Spec{Machine: m, Segment: 4096, Layout: cluster.Layout{
		Nodes: 1, RanksPerNode: 2, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat, Group: 2}}
	spec.Timeline = timeline.NewRecorder(spec.Layout, false)
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		if r.ID() == 1 {
			return nil
		}
		return r.Put(cluster.At(1, 0), cluster.Of(make([]byte, 64+800)))
	})
	if err != nil {
		t.Fatal(err)
	}
	v := timeline.Of(&spec).View()
	want := timeline.Interval{End: 200 * cluster.Nanosecond, Activity: timeline.ActivityCopy, Call: cluster.KindPut,
		Peer: 1}
	if x, ok := v.Lanes[0].At(0); !ok || x != want {
		t.Errorf("%+v, want %+v", x, want)
	}
}

// A timeline changes nothing: the hash and the time of a run are the same with and without it.
func TestTimelineChangesNothing(t *testing.T) {
	var hashes [2]uint64
	var totals [2]cluster.Time
	for i := range 2 {
		m := clustertest.Priced()
		spec := cluster.Spec{Machine: m, EagerLimit: 512, Segment: 4096, Layout: cluster.Layout{
			Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 2, Ranking: cluster.Sequential, Model: cluster.Flat, Group: 4}}
		if i == 1 {
			spec.Timeline = timeline.NewRecorder(spec.Layout, true)
		}
		run, err := cluster.Start(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
			for n := range 5 {
				to, from := (r.ID()+1)%4, (r.ID()+3)%4
				if _, err := r.Sendrecv(r.World(), to, 1, cluster.Of(make([]byte, n*300)), from, 1,
					cluster.Of(make([]byte, n*300))); err != nil {
					return err
				}
				if err := r.Fork(2, func(th *cluster.Thread) error {
					th.Compute(cluster.Work{Flops: 500, Bytes: 4000}, nil)
					return th.Put(cluster.At(to, 8), cluster.Of(make([]byte, 64)))
				}); err != nil {
					return err
				}
			}
			return r.Barrier(r.World())
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		hashes[i], totals[i] = run.(*sim.Run).Hash(), run.(*sim.Run).Total()
	}
	if hashes[0] != hashes[1] || totals[0] != totals[1] {
		t.Errorf("hash %016x and %v without a timeline, %016x and %v with one", hashes[0], totals[0], hashes[1], totals[1])
	}
}
