//go:build unix

package live_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	memory "github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/cluster/live/far/socket"
)

// processes is a fabric over several processes of a job, which are all in this test.
type processes struct {
	cluster.Fabric
	fabrics []cluster.Fabric
}

func newProcesses(t *testing.T, n int) processes {
	t.Helper()
	return processesOver(t, n, live.Over, func(tr far.Transport) far.Transport { return tr })
}

// processesOver is newProcesses with another fabric and changed transports.
func processesOver(t *testing.T, n int, over func(*far.Job) *live.Fabric, change func(far.Transport) far.Transport) processes {
	t.Helper()
	files, err := socket.Pairs(n)
	if err != nil {
		t.Fatal(err)
	}
	f := processes{}
	var jobs []*far.Job
	for i := range n {
		tr, err := socket.New(i, files[i])
		if err != nil {
			t.Fatal(err)
		}
		job := far.Join(change(tr))
		jobs = append(jobs, job)
		f.fabrics = append(f.fabrics, over(job))
	}
	t.Cleanup(func() { closeJobs(jobs) })
	f.Fabric = clustertest.Together(f.fabrics...)
	return f
}

// closeJobs closes jobs together, because each waits for the others.
func closeJobs(jobs []*far.Job) {
	var all sync.WaitGroup
	for _, job := range jobs {
		all.Go(func() { job.Close() })
	}
	all.Wait()
}

// quickParts are the parts of the suite that run in every test. Together they send each kind of frame.
var quickParts = []string{"order", "probe", "one-sided", "signals", "atomics", "rpc", "barrier", "deadlock", "random programs"}

// TestConformanceOverProcesses runs the conformance suite over several processes with sockets.
// A recorder of timelines and a device belong to one process, and the clocks of several processes differ, so it
// omits these parts.
func TestConformanceOverProcesses(t *testing.T) {
	asIs := func(tr far.Transport) far.Transport { return tr }
	for _, c := range []struct {
		name      string
		processes int
		over      func(*far.Job) *live.Fabric
	}{{"1 process", 1, live.Over}, {"2 processes", 2, live.Over}, {"3 processes", 3, live.Over}, {"2 processes apart", 2, live.Apart}} {
		t.Run(c.name, func(t *testing.T) {
			parts := clustertest.Without("timeline", "devices", "time")
			switch {
			case os.Getenv("CONFORM") == "" && c.processes != 2:
				t.Skip("runs with CONFORM=1")
			case os.Getenv("CONFORM") == "":
				parts = clustertest.Only(quickParts...)
			case c.processes == 1:
				parts = clustertest.Without("timeline", "devices")
			}
			clustertest.Run(t, processesOver(t, c.processes, c.over, asIs), clustertest.Host(), clustertest.Smaller(4), parts)
		})
	}
}

// TestProcessWithoutRanks checks that a run also ends in processes without ranks.
func TestProcessWithoutRanks(t *testing.T) {
	f := newProcesses(t, 4)
	for range 3 {
		clustertest.Must(t, f, clustertest.Spec(clustertest.Host(), 2, 2), func(r *cluster.Rank) error {
			return r.Barrier(r.World())
		})
	}
}

// TestMessagesStayInOrder checks the order of messages of different lengths from one rank to another process. They
// travel in packs, in separate frames and as bodies. Many arrive before the receiver makes a call, and fill its ring.
func TestMessagesStayInOrder(t *testing.T) {
	const count = 3000
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	lengths := make([]int, count)
	for i := range lengths {
		lengths[i] = []int{8, 8, 8, 32, 33, far.MaxPacked, far.MaxPacked + 1, 5000}[random.IntN(8)]
	}
	content := func(i int) []byte { return binary.LittleEndian.AppendUint64(make([]byte, lengths[i]-8), uint64(i)) }
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	spec.EagerLimit = 4096
	clustertest.Must(t, newProcesses(t, 2), spec, func(r *cluster.Rank) error {
		if r.ID() == 0 {
			all := make([]cluster.Request, count)
			for i := range all {
				if err := r.Isend(&all[i], r.World(), 1, 1, cluster.Of(content(i))); err != nil {
					return err
				}
			}
			return r.Waitall(all, nil)
		}
		var b [8][5000]byte
		var all [len(b)]cluster.Request
		var states [len(b)]cluster.Status
		for i := 0; i < count; {
			for start := r.Now(); i%10 == 0 && r.Now()-start < cluster.Millisecond; {
				runtime.Gosched()
			}
			some := all[:min(1+random.IntN(len(b)), count-i)]
			for k := range some {
				if err := r.Irecv(&some[k], r.World(), 0, 1, cluster.Of(b[k][:])); err != nil {
					return err
				}
			}
			polls := random.IntN(2) == 0
			for k := range some {
				var err error
				for done := false; polls && !done && err == nil; runtime.Gosched() {
					states[k], done, err = r.Test(&some[k])
				}
				if !polls {
					states[k], err = r.Wait(&some[k])
				}
				if err != nil {
					return err
				}
			}
			for k := range some {
				if got := b[k][:states[k].Bytes]; !bytes.Equal(got, content(i)) {
					return fmt.Errorf("message %d of %d B has %d B: %x", i, lengths[i], len(got), got[max(len(got)-8, 0):])
				}
				i++
			}
		}
		return nil
	})
}

// TestMessageForParkedThread checks that a message wakes a parked thread while another thread of its rank polls.
func TestMessageForParkedThread(t *testing.T) {
	const rounds = 20
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	spec.Layout.ThreadsPerRank = 2
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("a thread sleeps"))
	defer cancel()
	err := cluster.Launch(ctx, newProcesses(t, 2), spec, func(r *cluster.Rank) error {
		b := make([]byte, 8)
		if r.ID() == 0 {
			for range rounds {
				for start := r.Now(); r.Now()-start < 2*cluster.Millisecond; { // the thread parks
					runtime.Gosched()
				}
				if err := r.Send(r.World(), 1, 1, cluster.Of(b)); err != nil {
					return err
				}
				if _, err := r.Recv(r.World(), 1, 2, cluster.Of(b)); err != nil {
					return err
				}
			}
			return r.Send(r.World(), 1, 3, cluster.Of(b))
		}
		return r.Fork(2, func(th *cluster.Thread) error {
			own := make([]byte, 8)
			if th.Number() == 1 {
				for range rounds {
					if _, err := th.Recv(th.World(), 0, 1, cluster.Of(own)); err != nil {
						return err
					}
					if err := th.Send(th.World(), 0, 2, cluster.Of(own)); err != nil {
						return err
					}
				}
				return nil
			}
			var q cluster.Request
			if err := th.Irecv(&q, th.World(), 0, 3, cluster.Of(own)); err != nil {
				return err
			}
			for {
				if _, done, err := th.Test(&q); done || err != nil {
					return err
				}
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMessagesForPostedReceives checks messages of all lengths to receives that are posted before, from any source and
// with any tag. Then it checks messages that are longer than the buffer. Tests of the receives find them.
func TestMessagesForPostedReceives(t *testing.T) {
	const count = 200
	lengths := []int{8, 0, 8, 33, far.MaxPacked, 8, far.MaxPacked + 1, 8, 5000}
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	spec.EagerLimit = 4096
	clustertest.Must(t, newProcesses(t, 2), spec, func(r *cluster.Rank) error {
		all, statuses := make([]cluster.Request, count), make([]cluster.Status, count)
		if r.ID() == 0 {
			if _, err := r.Recv(r.World(), 1, 0, cluster.Sized(0)); err != nil {
				return err
			}
			for i := range all {
				data := cluster.Of(bytes.Repeat([]byte{byte(i)}, lengths[i%len(lengths)]))
				if i%5 == 0 {
					data = cluster.Sized(data.Len())
				}
				if err := r.Isend(&all[i], r.World(), 1, i, data); err != nil {
					return err
				}
			}
			if err := r.Waitall(all, nil); err != nil {
				return err
			}
			for range 20 {
				if err := r.Send(r.World(), 1, 1, cluster.Of(make([]byte, 8))); err != nil {
					return err
				}
				if _, err := r.Recv(r.World(), 1, 1, cluster.Sized(0)); err != nil {
					return err
				}
			}
			return nil
		}
		buffers := make([][]byte, count)
		for i := range all {
			buffers[i] = make([]byte, 5000)
			if err := r.Irecv(&all[i], r.World(), cluster.AnySource, cluster.AnyTag, cluster.Of(buffers[i])); err != nil {
				return err
			}
		}
		if err := r.Send(r.World(), 0, 0, cluster.Sized(0)); err != nil {
			return err
		}
		for i := range all {
			for done := false; !done; {
				var err error
				if statuses[i], done, err = r.Test(&all[i]); err != nil {
					return err
				}
			}
		}
		for i, s := range statuses {
			n := lengths[i%len(lengths)]
			content := bytes.Repeat([]byte{byte(i)}, n)
			if i%5 == 0 {
				content = make([]byte, n)
			}
			if s.Tag != i || s.Bytes != int64(n) || !bytes.Equal(buffers[i][:n], content) {
				return fmt.Errorf("receive %d: %d B with tag %d, want %d B", i, s.Bytes, s.Tag, n)
			}
		}
		for range 20 {
			var q cluster.Request
			err := r.Irecv(&q, r.World(), 0, 1, cluster.Of(make([]byte, 7)))
			for done := false; !done && err == nil; {
				_, done, err = r.Test(&q)
			}
			if err == nil || !strings.Contains(err.Error(), "truncated, 8 B into 7 B") {
				return fmt.Errorf("8 B into 7 B: error %v", err)
			}
			if err := r.Send(r.World(), 0, 1, cluster.Sized(0)); err != nil {
				return err
			}
		}
		return nil
	})
}

// separate is a transport whose processes are on different hosts.
type separate struct{ far.Transport }

func (separate) OnHost() int { return 1 }

// TestMemoryOfAHost checks that a host needs memory for the ranks of all its processes, and only for these.
func TestMemoryOfAHost(t *testing.T) {
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	apart := processesOver(t, 2, live.Over, func(tr far.Transport) far.Transport { return separate{tr} })
	if n := apart.fabrics[0].(cluster.Distributed).OnHost(spec.Layout).Nodes; n != 1 {
		t.Errorf("%d nodes on a host, want 1", n)
	}
	if spec.Segment = memory.Limit() / 10 * 7 &^ 63; spec.Segment == 0 {
		t.Skip("the memory of this host is unknown")
	}
	err := clustertest.Launch(t, newProcesses(t, 2), spec, func(*cluster.Rank) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "2 ranks with segments of") {
		t.Errorf("error %v for 2 ranks on a host with memory for one", err)
	}
}

// TestRunAfterCancelledBegin checks a run that one process begins after it has cancelled another one, while the other
// process has begun neither.
func TestRunAfterCancelledBegin(t *testing.T) {
	f := newProcesses(t, 2)
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	body := func(r *cluster.Rank) error { return r.Barrier(r.World()) }
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("the run has not begun"))
	defer stop()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for range 3 {
		if err := cluster.Launch(cancelled, f.fabrics[0], spec, body); err == nil {
			t.Fatal("a cancelled run has no error")
		}
	}
	var all sync.WaitGroup
	all.Go(func() {
		if err := cluster.Launch(ctx, f.fabrics[0], spec, body); err != nil {
			t.Errorf("process 0: %v", err)
		}
	})
	for range 3 {
		if err := cluster.Launch(ctx, f.fabrics[1], spec, body); err == nil {
			t.Error("process 1: a run that process 0 has cancelled has no error")
		}
	}
	if err := cluster.Launch(ctx, f.fabrics[1], spec, body); err != nil {
		t.Errorf("process 1: %v", err)
	}
	all.Wait()
}

// leaving is a transport that counts the bodies that have not left.
type leaving struct {
	far.Transport
	bodies *atomic.Int64
}

// SendBody implements far.Transport.
func (x leaving) SendBody(to int, key uint32, b []byte, sent far.Completion) error {
	x.bodies.Add(1)
	return x.Transport.SendBody(to, key, b, left{sent, x.bodies})
}

// left is the completion of a body that is counted.
type left struct {
	far.Completion
	bodies *atomic.Int64
}

// Complete implements far.Completion.
func (l left) Complete() {
	l.bodies.Add(-1)
	l.Completion.Complete()
}

// TestRunAfterAbortedRuns checks a run after 50 aborted runs with unmatched messages of 1 MiB. All bodies leave, also
// if their rank fails before it waits.
func TestRunAfterAbortedRuns(t *testing.T) {
	var bodies atomic.Int64
	t.Cleanup(func() { // after the processes have closed the job
		if n := bodies.Load(); n != 0 {
			t.Errorf("%d bodies have not left", n)
		}
	})
	f := processesOver(t, 2, live.Over, func(tr far.Transport) far.Transport { return leaving{tr, &bodies} })
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	failed := errors.New("on purpose")
	for round := range 50 {
		err := clustertest.Launch(t, f, spec, func(r *cluster.Rank) error {
			q := make([]cluster.Request, 8)
			for i := range q {
				if err := r.Isend(&q[i], r.World(), 1-r.ID(), i, cluster.Of(make([]byte, 1<<20))); err != nil {
					return err
				}
			}
			if r.ID() == round%2 && round%5 == 0 {
				panic(failed)
			}
			if r.ID() == round%2 {
				return failed
			}
			return r.Waitall(q, nil)
		})
		if err == nil || !strings.Contains(err.Error(), failed.Error()) {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	clustertest.Must(t, f, spec, func(r *cluster.Rank) error {
		in, out := make([]byte, 1<<20), make([]byte, 1<<20)
		for i := range out {
			out[i] = byte(i * (3 + r.ID()))
		}
		_, err := r.Sendrecv(r.World(), 1-r.ID(), 0, cluster.Of(out), 1-r.ID(), 0, cluster.Of(in))
		for i := range in {
			if err == nil && in[i] != byte(i*(4-r.ID())) {
				return fmt.Errorf("rank %d: byte %d is %d", r.ID(), i, in[i])
			}
		}
		return err
	})
}

// TestRunsThatDiffer checks that a job refuses processes with different runs, and emulated machines.
func TestRunsThatDiffer(t *testing.T) {
	f := newProcesses(t, 2)
	specs := []cluster.Spec{clustertest.Spec(clustertest.Host(), 2, 1), clustertest.Spec(clustertest.Host(), 2, 2)}
	failures := make(chan error)
	for i, one := range f.fabrics {
		go func() {
			failures <- cluster.Launch(t.Context(), one, specs[i], func(*cluster.Rank) error { return nil })
		}()
	}
	for range f.fabrics {
		if err := <-failures; err == nil || !strings.Contains(err.Error(), "starts another run") {
			t.Errorf("different runs: %v", err)
		}
	}
	_, err := f.Start(t.Context(), clustertest.Spec(clustertest.Emulated(), 2, 1), func(cluster.Port) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "runs in one process") {
		t.Errorf("an emulated machine: %v", err)
	}
}

// counter counts the requests for reports that a transport sends.
type counter struct {
	far.Transport
	asks *atomic.Int64
}

// Send implements far.Transport.
func (c counter) Send(to int, head, body []byte) error {
	if far.Kind(head[0]) == far.Ask {
		c.asks.Add(1)
	}
	return c.Transport.Send(to, head, body)
}

// repeater sends each report of process 1 twice. Process 2 sends its report after process 0 has received both.
type repeater struct {
	far.Transport
	twice chan struct{}
	count *int // reports of process 1 that process 0 has received
}

// Send implements far.Transport.
func (x repeater) Send(to int, head, body []byte) error {
	if far.Kind(head[0]) == far.Report {
		switch x.Process() {
		case 1:
			if err := x.Transport.Send(to, head, body); err != nil {
				return err
			}
		case 2:
			select {
			case <-x.twice:
			case <-time.After(time.Second): // the run has ended
			}
		}
	}
	return x.Transport.Send(to, head, body)
}

// Poll implements far.Transport.
func (x repeater) Poll(receive func(from int, frame []byte)) (int, error) {
	return x.Transport.Poll(func(from int, frame []byte) {
		receive(from, frame)
		if x.Process() == 0 && from == 1 && far.Kind(frame[0]) == far.Report {
			if *x.count++; *x.count%2 == 0 {
				x.twice <- struct{}{}
			}
		}
	})
}

// TestRepeatedReports checks that process 0 waits for a report of every process, and not only for as many reports as
// there are processes.
func TestRepeatedReports(t *testing.T) {
	twice := make(chan struct{}, 1000)
	f := processesOver(t, 3, live.Over, func(tr far.Transport) far.Transport { return repeater{tr, twice, new(int)} })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := cluster.Launch(ctx, f, clustertest.Spec(clustertest.Host(), 3, 1), func(r *cluster.Rank) error {
		_, err := r.Recv(r.World(), (r.ID()+1)%3, 1, cluster.Sized(0))
		return err
	})
	var a *cluster.Abort
	if !errors.As(err, &a) || a.Reason != cluster.ReasonDeadlock || len(a.Waits) != 3 {
		t.Errorf("three ranks that wait for each other: %v, want a deadlock", err)
	}
}

// TestBusyRanksReportNothing checks that process 0 requests no report while all ranks are busy, and requests one if a
// rank of process 1 sleeps.
func TestBusyRanksReportNothing(t *testing.T) {
	var asks atomic.Int64
	f := processesOver(t, 2, live.Over, func(tr far.Transport) far.Transport { return counter{tr, &asks} })
	var asked bool
	spec := clustertest.Spec(clustertest.Host(), 2, 2)
	clustertest.Must(t, f, spec, func(r *cluster.Rank) error {
		for r.Now() < 200*cluster.Millisecond {
			runtime.Gosched()
		}
		return nil
	})
	if n := asks.Load(); n > 0 {
		t.Errorf("%d requests for reports", n)
	}
	clustertest.Must(t, f, spec, func(r *cluster.Rank) error {
		if r.ID() == 3 {
			_, err := r.Recv(r.World(), 0, 1, cluster.Sized(0))
			return err
		}
		if r.ID() != 0 {
			return nil
		}
		for start := r.Now(); asks.Load() == 0 && r.Now()-start < 20*cluster.Second; {
			runtime.Gosched()
		}
		asked = asks.Load() > 0
		return r.Send(r.World(), 3, 1, cluster.Sized(0))
	})
	if !asked {
		t.Error("no request for a report")
	}
}

// TestProgramsThatDiffer checks that a job refuses processes with different programs. The error names both.
func TestProgramsThatDiffer(t *testing.T) {
	f := newProcesses(t, 2)
	failures := make(chan error)
	for i, one := range f.fabrics {
		spec := clustertest.Spec(clustertest.Host(), 2, 1)
		spec.Program = []string{"workload dot\nsize 8\nseed 1", "workload ring\nsize 8\nseed 2"}[i]
		go func() { failures <- cluster.Launch(t.Context(), one, spec, func(*cluster.Rank) error { return nil }) }()
	}
	want := "process 1 starts another run than process 0: workload ring, seed 2: want workload dot, seed 1"
	for range f.fabrics {
		if err := <-failures; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("different programs: %v, want %s", err, want)
		}
	}
}

// TestEarlyAbort checks that an abort ends the wait of a process that cannot start the run and has no ranks yet.
func TestEarlyAbort(t *testing.T) {
	f := newProcesses(t, 3)
	none := func(*cluster.Rank) error { return nil }
	refused := make(chan error)
	go func() {
		refused <- cluster.Launch(t.Context(), f.fabrics[0], clustertest.Spec(clustertest.Emulated(), 3, 1), none)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error)
	go func() {
		cancelled <- cluster.Launch(ctx, f.fabrics[1], clustertest.Spec(clustertest.Host(), 3, 1), none)
	}()
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled process: %v", err)
	}
	if err := <-refused; err == nil {
		t.Error("a process whose run another one has aborted starts it")
	}
}
