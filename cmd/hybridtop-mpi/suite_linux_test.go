//go:build linux && (amd64 || arm64)

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/cluster/live/far/socket"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// watched is a fabric that calls lost with the first error of a lost process. Afterwards it refuses runs.
type watched struct {
	cluster.Fabric
	lost func(error)
	err  atomic.Pointer[error] // nil: all processes are alive
}

// works reports whether the fabric has all its processes.
func (f *watched) works() bool { return f.err.Load() == nil }

// watch looks for a lost process in the error of a run. A process that another one aborts knows only the text.
func (f *watched) watch(err error) error {
	if err != nil && strings.Contains(err.Error(), " is lost: ") && f.err.CompareAndSwap(nil, &err) {
		f.lost(err)
	}
	return err
}

// Start implements cluster.Fabric.
func (f *watched) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	if err := f.err.Load(); err != nil {
		return nil, *err
	}
	run, err := f.Fabric.Start(ctx, spec, body)
	if err != nil {
		return nil, f.watch(err)
	}
	return watchedRun{run, f}, nil
}

// watchedRun is a run of a watched fabric.
type watchedRun struct {
	cluster.Run
	fabric *watched
}

// Wait implements cluster.Run.
func (r watchedRun) Wait() error { return r.fabric.watch(r.Run.Wait()) }

// relayed starts a job of relays, and returns a fabric over its processes. All ranks are in this test. The
// frames between two processes go through a socket, the library and another socket. If a process is lost or the test
// fails, the log has the goroutines of the relays.
func relayed(t *testing.T, launcher string, flags []string, processes int, over func(*far.Job) *live.Fabric) *watched {
	t.Helper()
	folder := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(folder, "relays"))
	if err != nil {
		t.Fatal(err)
	}
	l := launch{launcher, flags, processes, "relay", nil}
	cmd, out := l.startIn(t, folder)
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		listener.Close()
	}()
	pids := map[int32]bool{}
	files := make([][]*os.File, processes)
	for i := range files {
		files[i] = make([]*os.File, processes)
	}
	for range processes * (processes - 1) {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatalf("the relays have ended: %v\n%s", <-ended, out)
		}
		var pair [2]byte
		if _, err := io.ReadFull(conn, pair[:]); err != nil {
			t.Fatal(err)
		}
		file, err := conn.(*net.UnixConn).File()
		if err != nil {
			t.Fatal(err)
		}
		peer, err := syscall.GetsockoptUcred(int(file.Fd()), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		if err != nil {
			t.Fatal(err)
		}
		pids[peer.Pid] = true
		files[pair[0]][pair[1]] = file
		conn.Close()
	}
	var jobs []*far.Job
	var fabrics []cluster.Fabric
	for i := range processes {
		tr, err := socket.New(i, files[i])
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, far.Join(tr))
		fabrics = append(fabrics, over(jobs[i]))
	}
	quit := sync.OnceFunc(func() {
		for pid := range pids { // a relay writes its goroutines, and ends
			_ = syscall.Kill(int(pid), syscall.SIGQUIT)
		}
	})
	t.Cleanup(func() {
		var all sync.WaitGroup
		for _, job := range jobs {
			all.Go(func() { job.Close() })
		}
		all.Wait()
		if t.Failed() {
			quit()
		}
		if err := <-ended; err != nil {
			t.Errorf("the relays end with %v\n%s", err, out)
		}
	})
	return &watched{Fabric: clustertest.Together(fabrics...), lost: func(err error) {
		t.Errorf("the test ends at the first loss: %v", err)
		quit()
	}}
}

// TestMPISuite runs the conformance suite with frames that MPI carries. It includes every algorithm of
// collectives that a team may use. It omits the parts "timeline", "devices" and "time": a recorder of timelines
// belongs to one process, and clocks of processes differ. The two processes are apart; the four share their segments.
func TestMPISuite(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		for processes, over := range map[int]func(*far.Job) *live.Fabric{2: live.Apart, 4: live.Over} {
			t.Run(fmt.Sprintf("%d processes", processes), func(t *testing.T) {
				f := relayed(t, launcher, flags, processes, over)
				clustertest.Run(t, f, clustertest.Host(), clustertest.Smaller(8), clustertest.While(f.works),
					clustertest.Without("timeline", "devices", "time"))
			})
		}
	})
}

// constant has the workloads with operations outside the iterations on only one of the two fabrics, and the reason.
// For them, only the counts of the last two of four iterations are compared.
var constant = map[string]string{
	"cartesian":  "a simulation ends with checks with delayed ranks",
	"collective": "a simulation ends with checks with delayed ranks",
	"multigrid":  "a simulation ends with checks with delayed ranks",
	"spmv":       "a run on the wall clock begins with a product that touches the memory",
}

// TestMPICounts checks that a run over MPI has the same checks and the same traffic, by class and by nodes, as a
// simulation of the same machine. It omits beff, whose number of messages depends on the time of the messages before.
func TestMPICounts(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		for _, w := range workload.All() {
			if w.Name == "beff" {
				continue
			}
			t.Run(w.Name, func(t *testing.T) {
				overMPI, simulated := countsOverMPI(t, launcher, flags, w.Name, 2), simulatedCounts(t, w.Name, 2)
				if constant[w.Name] != "" {
					overMPI = countsOverMPI(t, launcher, flags, w.Name, 4).without(&overMPI)
					simulated = simulatedCounts(t, w.Name, 4).without(&simulated)
				}
				if diff := cmp.Diff(simulated, overMPI); diff != "" || !overMPI.Verified || overMPI.Checks == 0 {
					t.Errorf("a simulation and a run over MPI differ:\n%s", diff)
				}
			})
		}
	})
}

// countsLine is a command line for counts.
func countsLine(workload string, iterations int) []string {
	line := []string{"run", workload, "--nodes", "2", "--ranks-per-node", "2", "--group", "1", "--iterations", strconv.Itoa(iterations)}
	if workload == "cartesian" { // a simulation verifies longer messages with shorter ones
		line = append(line, "--size", "32768")
	}
	return line
}

func countsOverMPI(t *testing.T, launcher string, flags []string, workload string, iterations int) (c counted) {
	t.Helper()
	l := launch{launcher, flags, 2, "counts", countsLine(workload, iterations)}
	cmd, _, out := l.start(t)
	if err := errors.Join(cmd.Wait(), json.Unmarshal(out.Bytes(), &c)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c
}

func simulatedCounts(t *testing.T, workload string, iterations int) counted {
	t.Helper()
	s, err := planned(append(countsLine(workload, iterations), "--fabric", "sim"), session.Fabrics())
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	return countsOf(s.Load())
}

// without returns the counts of the iterations that a shorter run does not have.
func (c counted) without(o *counted) counted {
	c.Checks -= o.Checks
	for i := range c.Traffic.Ops {
		c.Traffic.Ops[i] -= o.Traffic.Ops[i]
		c.Traffic.Bytes[i] -= o.Traffic.Bytes[i]
	}
	for i := range c.Traffic.Nodes {
		c.Traffic.Nodes[i] -= o.Traffic.Nodes[i]
		for k := range c.NodePairs[i] {
			c.NodePairs[i][k] -= o.NodePairs[i][k]
		}
	}
	return c
}
