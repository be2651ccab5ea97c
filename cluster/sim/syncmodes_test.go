package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// checked runs a broadcast of two segments in given modes among three ranks. Each reads its data
// some time after the call. It returns the findings of rank 2.
func checked(t *testing.T, m coll.Modes, wait float64, barrier bool) []*coll.Finding {
	t.Helper()
	machine := clustertest.Priced()
	spec := clustertest.Spec(machine, 3, 1)
	spec.Segment = 1 << 16
	var found []*coll.Finding
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		a, err := coll.Find(coll.OpBcast, "flat")
		if err != nil {
			return err
		}
		key, err := a.Key(coll.Parameters{Ranks: 3, Segments: 2, Modes: m})
		if err != nil {
			return err
		}
		const n = 4096
		blocks := key.Blocks(n, 1)
		c, err := coll.New(r, r.World())
		if err == nil {
			err = c.Reserve(key.Room(blocks), 4)
		}
		if err != nil {
			return err
		}
		at, err := r.Alloc(n)
		if err != nil {
			return err
		}
		out := r.Segment()[at : at+n]
		k := c.Check()
		if r.ID() == 0 {
			k.Writes(out)
			for i := range out {
				out[i] = 7
			}
		}
		if err := k.Barrier(); err != nil {
			return err
		}
		if err := k.Do(coll.Call{Key: key, Out: cluster.Of(out), OutAt: &coll.At{Off: at}, Blocks: blocks}); err != nil {
			return err
		}
		if barrier {
			if err := k.Barrier(); err != nil {
				return err
			}
		}
		r.Compute(cluster.Work{Flops: wait * machine.Flops}, nil)
		if k.Reads(out); r.ID() != 0 {
			k.Writes(out[:1])
		}
		if err := k.Barrier(); err != nil {
			return err
		}
		if r.ID() == 2 {
			found = k.Findings()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The checker finds a program that reads the data of a call with nosync out without a barrier. The
// read returns a stale value, a torn value a little later, and after that by luck the right one.
// Each is the same in every run.
func TestTooWeakModes(t *testing.T) {
	weak := coll.Modes{Transfer: coll.PutOnly, In: coll.NoSync, Out: coll.NoSync}
	var seen []string
	for step := range 400 {
		found := checked(t, weak, float64(step)*200e-9, false)
		if len(found) != 2 || found[0].Writes || !found[1].Writes {
			t.Fatalf("%d findings, want a read and a write: %v", len(found), found)
		}
		if harm := found[0].Harm(); !slices.Contains(seen, harm) {
			seen = append(seen, harm)
			if again := checked(t, weak, float64(step)*200e-9, false); fmt.Sprint(again[0]) != fmt.Sprint(found[0]) {
				t.Errorf("%v, and then %v", found[0], again[0])
			}
		}
		if slices.Contains(seen, "none") {
			break
		}
	}
	if want := []string{"stale", "torn", "none"}; !slices.Equal(seen, want) {
		t.Errorf("reads later and later get %v, want %v", seen, want)
	}
	for _, m := range []coll.Modes{
		{Transfer: coll.Put, In: coll.NoSync},
		{Transfer: coll.PutOnly, In: coll.NoSync, Out: coll.AllSync},
		{Transfer: coll.Rendezvous},
	} {
		if found := checked(t, m, 0, false); len(found) > 0 {
			t.Errorf("%s, %s out: %v", m.Transfer, m.Out, found)
		}
	}
	if found := checked(t, weak, 0, true); len(found) > 0 {
		t.Errorf("with a barrier: %v", found)
	}
}

// onChecker runs a body on three ranks, each with a checker, a segment and a broadcast.
func onChecker(m coll.Modes, body func(r *cluster.Rank, k *coll.Checker, call coll.Call) error) error {
	spec := clustertest.Spec(clustertest.Priced(), 3, 1)
	spec.Segment = 1 << 16
	return cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		a, err := coll.Find(coll.OpBcast, "flat")
		if err != nil {
			return err
		}
		key, err := a.Key(coll.Parameters{Ranks: 3, Modes: m})
		if err != nil {
			return err
		}
		const n = 64
		blocks := key.Blocks(n, 1)
		c, err := coll.New(r, r.World())
		if err == nil && m.Transfer.OneSided() {
			err = c.Reserve(key.Room(blocks), 4)
		}
		if err != nil {
			return err
		}
		at, err := r.Alloc(n)
		if err != nil {
			return err
		}
		return body(r, c.Check(),
			coll.Call{Key: key, Out: cluster.Of(r.Segment()[at : at+n]), OutAt: &coll.At{Off: at}, Blocks: blocks})
	})
}

// With nosync in, a call may read and write before all members have begun it. The checker finds
// accesses to the data before the call without a barrier.
func TestTooWeakModeIn(t *testing.T) {
	for _, c := range []struct {
		in      coll.Sync
		barrier bool
		want    int // findings of the root, which writes, and of a member that reads the received data
	}{{coll.NoSync, false, 1}, {coll.NoSync, true, 0}, {coll.MySync, false, 0}, {coll.AllSync, false, 0}} {
		err := onChecker(coll.Modes{Transfer: coll.Put, In: c.in},
			func(r *cluster.Rank, k *coll.Checker, call coll.Call) error {
				if r.ID() == 0 {
					k.Writes(call.Out.Bytes())
					call.Out.Bytes()[0] = 7
				} else {
					k.Reads(call.Out.Bytes())
				}
				if c.barrier {
					if err := k.Barrier(); err != nil {
						return err
					}
				}
				if err := k.Do(call); err != nil {
					return err
				}
				found := k.Findings()
				if len(found) != c.want {
					return fmt.Errorf("%d findings, want %d: %v", len(found), c.want, found)
				}
				for _, f := range found {
					if !f.Before || f.Call != 1 || f.Writes != (r.ID() == 0) || f.Mode != coll.NoSync {
						return fmt.Errorf("%v", f)
					}
				}
				return nil
			})
		if err != nil {
			t.Errorf("%s in, barrier %v: %v", c.in, c.barrier, err)
		}
	}
}

// Members that make different calls get an error that lists the calls, before any data move.
func TestDifferentCalls(t *testing.T) {
	for name, other := range map[string]func(k *coll.Checker, call coll.Call) error{
		"rank 0 (and 1 more) calls bcast by flat, from 0, 64 B; rank 1 calls barrier": func(k *coll.Checker,
			call coll.Call) error {
			return k.Barrier()
		},
		"rank 0 (and 1 more) calls bcast by flat, from 0, 64 B; rank 1 calls bcast by flat, from 2, 64 B": func(k *coll.Checker, call coll.Call) error {
			call.Root = 2
			return k.Do(call)
		},
	} {
		named := 0
		err := onChecker(coll.Modes{}, func(r *cluster.Rank, k *coll.Checker, call coll.Call) error {
			var err error
			if r.ID() == 1 {
				err = other(k, call)
			} else {
				err = k.Do(call)
			}
			if err == nil || !strings.Contains(err.Error(), name) {
				return fmt.Errorf("rank %d gets %v", r.ID(), err)
			}
			named++
			return nil
		})
		if err != nil || named != 3 {
			t.Errorf("%d of 3 ranks get %q: %v", named, name, err)
		}
	}
}
