package session

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// processOf returns a process with some ranks of a finished run. It has the counts of the ranks,
// and nothing of the shards.
func processOf(r *run, number, first, end int) *process {
	p := &process{number: number, first: first, layout: r.layout, sums: r.sums, ranked: r.ranked,
		slots: make([]slot, end-first), local: end - first}
	p.shards = newShards(end-first, len(r.setup.workload.Samples), len(r.shards.whole))
	for i := range p.slots {
		from := r.slot(first + i)
		p.slots[i].traffic, p.slots[i].counts = from.traffic, from.counts
		p.slots[i].iterations = from.iterations
		p.slots[i].active = from.active
		p.slots[i].times = from.times
	}
	p.sampler.seen, p.sampler.fresh = make([]byte, bytesPerRank*(end-first)), true
	for i := range p.slots {
		p.sampler.seen[bytesPerRank*i+1+int(cluster.Calling)] = byte(1 + first + i)
	}
	return p
}

// The collector's sum does not depend on the distribution of ranks over processes, or on the order
// of their frames.
func TestFramesOfProcessesAddUp(t *testing.T) {
	sc := storyOf(t, "sampled", "fabric", "sim", "machine", "demo", "nodes", "3", "ranks-per-node", "4", "group", "2")
	o := Options{Fabrics: Fabrics()}
	set, err := o.resolve(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := launch(t.Context(), set, newGate(Limits{Iterations: 3}, false))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.handle.Wait(); err != nil {
		t.Fatal(err)
	}
	whole := r.frame()
	if whole.ranks != 12 || whole.iterations != 3 || whole.counted != 3 || len(whole.times) != 3 || whole.checks != 36 ||
		whole.traffic.Ops == [cluster.Classes]int64{} {
		t.Fatalf("the run's own frame: %+v", whole)
	}
	for _, cuts := range [][]int{{0, 12}, {0, 5, 12}, {0, 1, 2, 11, 12}} {
		var c collector
		var s states
		s.startWindow()
		order := rand.New(rand.NewPCG(1, 1)).Perm(len(cuts) - 1)
		for _, i := range order {
			p := processOf(r, i, cuts[i], cuts[i+1])
			if i == 0 {
				p.shards.total, p.shards.whole = whole.histograms, whole.cells
			}
			p.shards.counted = whole.counted
			if i == 0 {
				p.endedRanks.Store(int64(len(p.slots))) // so that it does not take cells twice
			}
			c.take(&frame{process: i}) // an earlier frame
			f := p.frame()
			c.take(f)
			s.take(f, 12)
		}
		sum := c.sum()
		if sum.ranks != whole.ranks || sum.stamp != whole.stamp || sum.spent != whole.spent ||
			sum.iterations != whole.iterations || sum.counted != whole.counted || !slices.Equal(sum.times, whole.times) {
			t.Errorf("%v: %d ranks to %v, %v in all, %d iterations of %v", cuts, sum.ranks, sum.stamp, sum.spent,
				sum.iterations, sum.times)
		}
		for what, d := range map[string]string{
			"counts":  cmp.Diff(whole.counts, sum.counts, cmp.AllowUnexported(counts{}), cmpopts.EquateApprox(1e-12, 0)),
			"traffic": cmp.Diff(whole.traffic, sum.traffic),
			"pairs":   cmp.Diff(whole.pairs, sum.pairs), "cells": cmp.Diff(whole.cells, sum.cells),
		} {
			if d != "" {
				t.Errorf("%v: %s\n%s", cuts, what, d)
			}
		}
		for i, h := range whole.histograms.series {
			if !h.Equals(sum.histograms.series[i]) {
				t.Errorf("%v: the distribution %d differs", cuts, i)
			}
		}
		for rank, v := range s.views(r.layout, engine.Running) {
			if v.Share[cluster.Calling] != 1 || int(s.windows[s.at][rank][cluster.Calling]) != 1+rank {
				t.Errorf("%v: rank %d was seen %v", cuts, rank, s.windows[s.at][rank])
			}
		}
	}
}

// The frame of a single process is the sum, without a copy.
func TestOneProcessIsTheSum(t *testing.T) {
	var c collector
	for range 3 {
		f := &frame{ranks: 2}
		if c.take(f); c.sum() != f {
			t.Error("the sum is a different frame")
		}
	}
}

// seen is a run whose only rank stays in one state.
type seen struct {
	cluster.Run
	state cluster.State
}

func (r seen) States(dst []cluster.State) []cluster.State { return append(dst, r.state) }

// A frame takes the observations once. The state of a rank remains until the next look.
func TestFrameTakesObservationsOnce(t *testing.T) {
	var l stateSampler
	var s states
	l.sample(seen{state: cluster.Calling}, 1)
	l.sample(seen{state: cluster.Waiting}, 2)
	l.sample(seen{state: cluster.Waiting}, 3)
	for range 2 {
		s.take(&frame{states: l.take()}, 1)
		if s.now[0] != cluster.Waiting || s.windows[s.at][0] != (tally{cluster.Calling: 1, cluster.Waiting: 2}) {
			t.Errorf("%v, seen %v", s.now, s.windows[s.at])
		}
	}
	l.sample(seen{state: cluster.Idle}, 4)
	if s.take(&frame{states: l.take()}, 1); s.now[0] != cluster.Idle ||
		s.windows[s.at][0] != (tally{cluster.Idle: 1, cluster.Calling: 1, cluster.Waiting: 2}) {
		t.Errorf("%v, seen %v", s.now, s.windows[s.at])
	}
}
