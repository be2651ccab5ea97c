package live_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

func host(nodes, perNode int) cluster.Spec {
	return clustertest.Spec(clustertest.Host(), nodes, perNode)
}

func emulated(nodes, perNode int) cluster.Spec {
	return clustertest.Spec(cluster.Machine{Name: "slow", Emulated: true, Progress: cluster.ProgressThread,
		EagerLimit: 1024, Flops: 1e9,
		Classes: [cluster.Classes]cluster.Link{{Latency: 1 * cluster.Microsecond}, {Latency: 2 * cluster.Microsecond},
			{Latency: 5 * cluster.Microsecond, Bandwidth: 1e9, Adapters: 2}}}, nodes, perNode)
}

func specs() map[string]cluster.Spec {
	threaded := host(2, 2)
	threaded.Machine.Progress = cluster.ProgressThread
	return map[string]cluster.Spec{"host": host(1, 2), "host16": host(4, 4), "host64": host(4, 16),
		"progress thread": threaded, "emulated": emulated(2, 2)}
}

// Every rank passes a token around and adds to it: the simplest program that
// uses every rank.
func TestRing(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			err := cluster.Launch(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
				w, p := r.World(), r.Ranks()
				for _, size := range []int{8, 100, 5000, 40000} {
					buf := make([]byte, size)
					if r.ID() == 0 {
						if err := r.Send(w, 1%p, 3, cluster.Of(buf)); err != nil {
							return err
						}
					}
					if _, err := r.Recv(w, (r.ID()+p-1)%p, 3, cluster.Of(buf)); err != nil {
						return err
					}
					sum := binary.LittleEndian.Uint64(buf) + 1
					if r.ID() == 0 {
						if sum != uint64(p) {
							return fmt.Errorf("size %d: token counted %d of %d ranks", size, sum, p)
						}
						continue
					}
					binary.LittleEndian.PutUint64(buf, sum)
					if err := r.Send(w, (r.ID()+1)%p, 3, cluster.Of(buf)); err != nil {
						return err
					}
				}
				return r.Barrier(r.All())
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestHeadToHeadIsADeadlockAboveTheEagerLimit(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			run := func(size int) error {
				return cluster.Launch(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
					if r.ID() > 1 {
						return nil
					}
					buf := make([]byte, size)
					if err := r.Send(r.World(), 1-r.ID(), 0, cluster.Of(buf)); err != nil {
						return err
					}
					_, err := r.Recv(r.World(), 1-r.ID(), 0, cluster.Of(buf))
					return err
				})
			}
			if err := run(1000); err != nil {
				t.Fatal(err)
			}
			var a *cluster.Abort
			if err := run(10000); !errors.As(err, &a) || a.Reason != cluster.ReasonDeadlock || len(a.Waits) != 2 {
				t.Fatalf("want a deadlock of two, got %v", err)
			}
		})
	}
}

func TestPartialDeadlockIsFoundWhileOthersRun(t *testing.T) {
	spec := host(2, 2)
	err := cluster.Launch(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
		b := make([]byte, 8)
		if r.ID() < 2 {
			_, err := r.Recv(r.World(), 1-r.ID(), 7, cluster.Of(b))
			return err
		}
		for {
			if _, err := r.Sendrecv(r.World(), 5-r.ID(), 1, cluster.Of(b), 5-r.ID(), 1, cluster.Of(b)); err != nil {
				return err
			}
		}
	})
	var a *cluster.Abort
	if !errors.As(err, &a) || a.Reason != cluster.ReasonDeadlock || len(a.Waits) != 2 || a.Waits[0].Rank != 0 ||
		a.Waits[1].Rank != 1 {
		t.Fatalf("want the deadlock of ranks 0 and 1, got %v", err)
	}
}

func TestPanicEndsAll(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			err := cluster.Launch(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
				if r.ID() == 1 {
					panic("boom")
				}
				return r.Barrier(r.All())
			})
			var a *cluster.Abort
			if !errors.As(err, &a) || a.Reason != cluster.ReasonPanic || a.Rank != 1 {
				t.Fatalf("want rank 1's panic, got %v", err)
			}
		})
	}
}

func TestCancelEndsAll(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			err := cluster.Launch(ctx, live.New(), spec, func(r *cluster.Rank) error {
				if r.ID() == 0 {
					cancel()
				}
				for {
					if err := r.Barrier(r.All()); err != nil {
						return err
					}
				}
			})
			var a *cluster.Abort
			if !errors.As(err, &a) || a.Reason != cluster.ReasonCancelled {
				t.Fatalf("want a cancel, got %v", err)
			}
		})
	}
}

func TestThreadsSendAndReceive(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			err := cluster.Launch(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
				if r.ID() > 1 {
					return nil
				}
				return r.Fork(4, func(th *cluster.Thread) error {
					b := make([]byte, 8)
					for i := range 50 {
						binary.LittleEndian.PutUint64(b, uint64(i))
						if r.ID() == 0 {
							if err := th.Send(th.World(), 1, th.Number(), cluster.Of(b)); err != nil {
								return err
							}
							continue
						}
						if _, err := th.Recv(th.World(), 0, th.Number(), cluster.Of(b)); err != nil {
							return err
						}
						if got := binary.LittleEndian.Uint64(b); got != uint64(i) {
							return fmt.Errorf("thread %d: message %d carries %d", th.Number(), i, got)
						}
					}
					return nil
				})
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
