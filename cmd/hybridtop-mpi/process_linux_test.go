//go:build linux && (amd64 || arm64)

package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/cluster/live/far/socket"
	"github.com/hybridtop/hybridtop/cluster/mpi"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/job"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Environment of this test program as a process of a job.
const (
	modeVariable   = "HYBRIDTOP_MPI_TEST"        // what the process does
	folderVariable = "HYBRIDTOP_MPI_TEST_FOLDER" // folder for process ids, and for the file reached
)

// TestMain runs the tests. In a job it runs the process.
func TestMain(m *testing.M) {
	process, inJobOf := map[string]func() error{
		"command": func() error { os.Exit(job.Run(os.Args[1:], open)); return nil },
		"panic":   func() error { os.Exit(job.Run(os.Args[1:], openBroken)); return nil },
		"pause":   func() error { os.Exit(job.Run(os.Args[1:], openPausing)); return nil },
		"counts":  counts, "rounds": rounds, "relay": relay, "front": front,
	}[os.Getenv(modeVariable)]
	if !inJobOf {
		os.Exit(m.Run())
	}
	workload.Register(&breaking)
	err := os.WriteFile(filepath.Join(os.Getenv(folderVariable), "process."+number()), []byte(strconv.Itoa(os.Getpid())), 0o600)
	if err == nil {
		err = process()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// number returns the number of the process in its job, from the environment of either launcher.
func number() string { return os.Getenv("OMPI_COMM_WORLD_RANK") + os.Getenv("PMI_RANK") }

// reached is the file that a run creates when it has reached its failure.
func reached() string { return filepath.Join(os.Getenv(folderVariable), "reached") }

// breaking is a workload with a failure.
var breaking = workload.Workload{
	Name: "breaking", Title: "Failures", Doc: "One rank fails.", Paper: "none",
	Knobs: []engine.Knob{
		{Name: "failure", Label: "failure", Doc: "what happens", Type: engine.Choice, Default: "none",
			Choices: []string{"none", "error", "panic", "deadlock"}, Scope: engine.ScopeBody, Role: engine.Problem},
		{Name: "who", Label: "who", Doc: "rank that fails", Type: engine.Integer, Default: "0", Min: 0, Max: 99,
			Scope: engine.ScopeBody, Role: engine.Problem},
	},
	Metrics:    []engine.MetricSpec{{Name: "answer", Phrase: "the answer", Unit: "1", Doc: "the answer"}},
	First:      "failure",
	Iterations: 10,
	Plan:       func(*engine.Scenario, *workload.Site) (workload.Plan, error) { return workload.Plan{}, nil },
	Run:        runBreaking,
}

func runBreaking(r *cluster.Rank, p engine.Probe) error {
	for p.Next() {
		p.Verify(true, "nothing is wrong")
		p.Report("answer", 42)
		if r.ID() == 0 && p.Iteration() == 5 {
			if err := os.WriteFile(reached(), nil, 0o600); err != nil {
				return err
			}
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		if p.Iteration() != 5 {
			continue
		}
		if int64(r.ID()) != p.Int("who") {
			continue
		}
		switch p.Text("failure") {
		case "error":
			return fmt.Errorf("rank %d: on purpose", r.ID())
		case "panic":
			panic("on purpose")
		case "deadlock":
			_, err := r.Recv(r.World(), r.World().Rank(), 7, cluster.Sized(8))
			return err
		}
	}
	return nil
}

// broken is a transport that panics in process 1 when the run has reached its failure.
type broken struct {
	job.Carrier
	polls int
}

func openBroken() (job.Carrier, error) {
	t, err := open()
	return &broken{Carrier: t}, err
}

// Poll implements far.Transport.
func (b *broken) Poll(receive func(from int, frame []byte)) (int, error) {
	if b.polls++; b.polls%256 == 0 && b.Process() == 1 {
		if _, err := os.Stat(reached()); err == nil {
			panic("on purpose")
		}
	}
	return b.Carrier.Poll(receive)
}

// pausing is a transport that neither sends nor receives frames in process 1 for a time.
type pausing struct {
	job.Carrier
	mu    sync.RWMutex // held for writing during the pause
	polls int
}

func openPausing() (job.Carrier, error) {
	t, err := open()
	return &pausing{Carrier: t}, err
}

// paused is the file that process 1 creates after the pause.
func paused() string { return filepath.Join(os.Getenv(folderVariable), "paused") }

// Send implements far.Transport.
func (p *pausing) Send(to int, head, body []byte) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.Carrier.Send(to, head, body)
}

// Poll implements far.Transport.
func (p *pausing) Poll(receive func(from int, frame []byte)) (int, error) {
	if p.polls++; p.polls%256 == 0 && p.Process() == 1 {
		p.pause()
	}
	return p.Carrier.Poll(receive)
}

// pause waits for 4 s when the run has reached its sixth iteration.
func (p *pausing) pause() {
	if _, err := os.Stat(reached()); err != nil {
		return
	}
	if _, err := os.Stat(paused()); err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	<-time.After(4 * time.Second)
	if err := os.WriteFile(paused(), nil, 0o600); err != nil {
		panic(err)
	}
}

// counted is the part of a result that does not depend on time.
type counted struct {
	Verified  bool
	Checks    int64
	Traffic   cluster.Traffic
	NodePairs [][]int64
}

func countsOf(s *engine.Snapshot) counted {
	v := s.Verification
	return counted{v.Done && v.OK, int64(v.Checks), s.Traffic, s.NodePairs}
}

// planned returns a session on a machine with costs. On the live fabric it runs at the host's own speed.
func planned(args []string, fabrics map[string]cluster.Fabric) (*session.Session, error) {
	machine := clustertest.Priced()
	r, err := job.ParseRequest(append(args, "--machine", machine.Name), machine)
	if err != nil {
		return nil, err
	}
	return session.New(r.Scenario, session.Options{Fabrics: fabrics, Limits: r.Limits, Machines: []cluster.Machine{machine}})
}

// counts runs a command line. Process 0 writes the counts.
func counts() error {
	t, err := open()
	if err != nil {
		return err
	}
	j := far.Join(t)
	s, err := planned(os.Args[1:], map[string]cluster.Fabric{engine.Live: live.Over(j)})
	if err != nil {
		return err
	}
	s.Start(context.Background())
	if err := s.Wait(); err != nil {
		return err
	}
	if j.Process() == 0 {
		if err := json.NewEncoder(os.Stdout).Encode(countsOf(s.Load())); err != nil {
			return err
		}
	}
	return j.Close()
}

// rounds runs 50 programs that end with unmatched messages of 1 MiB, and then one that verifies.
func rounds() error {
	t, err := open()
	if err != nil {
		return err
	}
	j := far.Join(t)
	f, failed := live.Over(j), errors.New("on purpose")
	spec := clustertest.Spec(clustertest.Host(), j.Processes(), 1)
	for round := range 50 {
		err := cluster.Launch(context.Background(), f, spec, func(r *cluster.Rank) error {
			q := make([]cluster.Request, 8)
			for i := range q {
				if err := r.Isend(&q[i], r.World(), (r.ID()+1)%r.World().Size(), i, cluster.Of(make([]byte, 1<<20))); err != nil {
					return err
				}
			}
			if r.ID() == round%r.World().Size() {
				return failed
			}
			return r.Waitall(q, nil)
		})
		if !errors.Is(err, failed) {
			return fmt.Errorf("round %d: %v", round, err)
		}
	}
	err = cluster.Launch(context.Background(), f, spec, func(r *cluster.Rank) error {
		n := r.World().Size()
		in, out := make([]byte, 1<<20), make([]byte, 1<<20)
		for i := range out {
			out[i] = byte(i * (3 + r.ID()))
		}
		left := (r.ID() + n - 1) % n
		_, err := r.Sendrecv(r.World(), (r.ID()+1)%n, 0, cluster.Of(out), left, 0, cluster.Of(in))
		for i := range in {
			if err == nil && in[i] != byte(i*(3+left)) {
				return fmt.Errorf("rank %d: byte %d is %d", r.ID(), i, in[i])
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if j.Process() == 0 {
		fmt.Println("verified after 50 aborted runs")
	}
	return j.Close()
}

// relays passes the records of a process on. Over MPI, a record is a frame that begins with the record's kind, key and
// size, and the data of a body are a body.
type relays struct {
	t      *mpi.Transport
	s      *socket.Transport
	failed error
}

// arrived is a body that has arrived over MPI.
type arrived struct {
	s      *socket.Transport
	from   int
	record socket.Record
}

// Complete implements far.Completion.
func (a *arrived) Complete() { a.s.Put(a.from, a.record) }

// gone is a body that has left over MPI.
type gone struct{}

// Complete implements far.Completion.
func (gone) Complete() {}

// leave sends a record over MPI.
func (x *relays) leave(to int, r socket.Record) {
	head := binary.LittleEndian.AppendUint32([]byte{byte(r.Kind)}, r.Key)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(r.Data)))
	if r.Kind != socket.Body {
		x.failed = errors.Join(x.failed, x.t.Send(to, head, r.Data))
		return
	}
	x.failed = errors.Join(x.failed, x.t.Send(to, head, nil), x.t.SendBody(to, r.Key, r.Data, gone{}))
}

// arrive passes a record that has arrived over MPI to the process.
func (x *relays) arrive(from int, frame []byte) {
	r := socket.Record{Kind: socket.Kind(frame[0]), Key: binary.LittleEndian.Uint32(frame[1:]), Data: frame[9:]}
	if r.Kind != socket.Body {
		x.s.Put(from, r)
		return
	}
	r.Data = make([]byte, binary.LittleEndian.Uint32(frame[5:]))
	x.failed = errors.Join(x.failed, x.t.ReceiveBody(from, r.Key, r.Data, &arrived{x.s, from, r}))
}

// relay carries the frames of one process of a test program over MPI. The test program has a socket for each
// pair of processes.
func relay() error {
	t, err := mpi.Open()
	if err != nil {
		return err
	}
	files := make([]*os.File, t.Processes())
	for k := range files {
		if k == t.Process() {
			continue
		}
		conn, err := net.Dial("unix", filepath.Join(os.Getenv(folderVariable), "relays"))
		if err != nil {
			return err
		}
		if _, err := conn.Write([]byte{byte(t.Process()), byte(k)}); err != nil {
			return err
		}
		if files[k], err = conn.(*net.UnixConn).File(); err != nil {
			return err
		}
		conn.Close()
	}
	s, err := socket.New(t.Process(), files)
	if err != nil {
		return err
	}
	x := &relays{t: t, s: s}
	for idle, ended := 0, 1; ended < t.Processes(); {
		n, err := s.Take(x.leave)
		var lost *far.Lost
		switch {
		case errors.As(err, &lost):
			ended++
		case err != nil:
			return err
		}
		m, err := t.Poll(x.arrive)
		if err = errors.Join(err, x.failed); err != nil {
			return err
		}
		if idle++; n+m > 0 {
			idle = 0
		}
		if idle > 50 {
			s.Idle(50 * time.Microsecond)
		}
	}
	return errors.Join(s.Close(), t.Close())
}
