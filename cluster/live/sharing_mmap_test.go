//go:build linux && (amd64 || arm64)

package live_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// counting counts the frames that leave a process.
type counting struct {
	far.Transport
	sent *atomic.Int64
}

func (c counting) Send(to int, head, body []byte) error {
	c.sent.Add(1)
	return c.Transport.Send(to, head, body)
}

// TestSegmentsAreShared tests that puts, gets and atomics on a rank of another process send no frames, unless the
// processes are apart.
func TestSegmentsAreShared(t *testing.T) {
	const count = 100
	for _, c := range []struct {
		name   string
		over   func(*far.Job) *live.Fabric
		frames bool
	}{{"one host", live.Over, false}, {"apart", live.Apart, true}} {
		t.Run(c.name, func(t *testing.T) {
			var sent atomic.Int64
			f := processesOver(t, 2, c.over, func(tr far.Transport) far.Transport { return counting{tr, &sent} })
			var during int64
			clustertest.Must(t, f, clustertest.Spec(clustertest.Host(), 2, 1), func(r *cluster.Rank) error {
				if r.ID() == 0 {
					before := sent.Load()
					b := make([]byte, 8)
					for i := range count {
						b[0] = byte(i)
						if err := r.Put(cluster.At(1, 64), cluster.Of(b)); err != nil {
							return err
						}
						b[0]++
						if err := r.Get(cluster.At(1, 64), cluster.Of(b)); err != nil || b[0] != byte(i) {
							return fmt.Errorf("got %d, want %d: %v", b[0], byte(i), err)
						}
						if old, err := r.Atomic(cluster.At(1, 72), cluster.AtomicAdd, 1); err != nil || old != uint64(i) {
							return fmt.Errorf("the atomic returned %d, want %d: %v", old, i, err)
						}
					}
					during = sent.Load() - before
				}
				return r.Barrier(r.World())
			})
			if frames := during >= 3*count; frames != c.frames || !frames && during > count/10 {
				t.Errorf("%d operations sent %d frames", 3*count, during)
			}
		})
	}
}

// TestAlertsAreCombined changes a word of a parked rank often. The rank has at most one Alert on its way, and sees the
// last change.
func TestAlertsAreCombined(t *testing.T) {
	const count = 50_000
	var sent atomic.Int64
	f := processesOver(t, 2, live.Over, func(tr far.Transport) far.Transport { return counting{tr, &sent} })
	perNode := runtime.NumCPU() // ranks park, because they share cores
	clustertest.Must(t, f, clustertest.Spec(clustertest.Host(), 2, perNode), func(r *cluster.Rank) error {
		if r.ID() == perNode {
			_, err := r.Await(64, cluster.CmpGreaterEqual, count)
			return err
		}
		for start := r.Now(); r.ID() == 0 && r.Now()-start < 5*cluster.Millisecond; {
			runtime.Gosched()
		}
		for i := 0; r.ID() == 0 && i < count; i++ {
			if _, err := r.Atomic(cluster.At(perNode, 64), cluster.AtomicAdd, 1); err != nil {
				return err
			}
		}
		return nil
	})
	if n := sent.Load(); n > count/20 {
		t.Errorf("%d atomics on a waiting rank sent %d frames, want at most %d", count, n, count/20)
	}
}

// TestBarriersSendNoAlerts checks that a barrier of parked ranks sends only the frames of its rounds between processes.
func TestBarriersSendNoAlerts(t *testing.T) {
	const count = 200
	var sent atomic.Int64
	f := processesOver(t, 2, live.Over, func(tr far.Transport) far.Transport { return counting{tr, &sent} })
	perNode := 4 * runtime.NumCPU() // ranks park, because they share cores
	clustertest.Must(t, f, clustertest.Spec(clustertest.Host(), 2, perNode), func(r *cluster.Rank) error {
		for range count {
			if err := r.Barrier(r.World()); err != nil {
				return err
			}
		}
		return nil
	})
	if n := sent.Load(); n > 3*count {
		t.Errorf("%d barriers sent %d frames, want about %d", count, n, 2*count)
	}
}

// TestRunWithoutSharedMemory limits the size of files, so that there is no shared memory. The run sends frames, and
// warns. The limit is large enough for the log of a test program, which has the name of each opened file.
func TestRunWithoutSharedMemory(t *testing.T) {
	f := newProcesses(t, 2)
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Setrlimit(unix.RLIMIT_FSIZE, &was) })
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4 << 20, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	spec.Segment = 8 << 20
	run := clustertest.Must(t, f, spec, func(r *cluster.Rank) error {
		return r.Put(cluster.At(1-r.ID(), 0), cluster.Of(make([]byte, 8)))
	})
	if got := strings.Join(run.Warnings(), "\n"); !strings.Contains(got, "shared memory: file too large") {
		t.Errorf("the run warns %q, want a warning about shared memory", got)
	}
}

// TestSegmentsOfTheNextRunAreNew aborts runs while a rank of another process writes to a segment. These writes do not
// reach the segment of the next run.
func TestSegmentsOfTheNextRunAreNew(t *testing.T) {
	f := newProcesses(t, 2)
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	onPurpose := errors.New("on purpose")
	for range 30 {
		err := clustertest.Launch(t, f, spec, func(r *cluster.Rank) error {
			for _, b := range r.Segment() {
				if b != 0 {
					return errors.New("the segment is not new")
				}
			}
			if err := r.Barrier(r.World()); err != nil {
				return err
			}
			if r.ID() == 0 {
				if _, err := r.Await(8, cluster.CmpNotEqual, 0); err != nil {
					return err
				}
				return onPurpose
			}
			p := cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(make([]byte, 8)), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 8, Value: 1}}
			for {
				if err := r.PutWith(&p, nil, nil); err != nil {
					return err
				}
			}
		})
		if !errors.Is(err, onPurpose) {
			t.Fatal(err)
		}
	}
}
