package clustertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/rma"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

// A scope of memory kinds covers the calls that the program makes inside it. It covers no
// later calls, and not the transfers that other calls are made of.
var meansCases = []testCase{
	{"a scope covers Sendrecv", scope(true, func(p *proc, other int) {
		p.status(p.Sendrecv(p.World(), other, 1, cluster.Of(make([]byte, 8)), other, 1, cluster.Of(make([]byte, 8))))
	})},
	{"a scope covers size-only messages", scope(true, func(p *proc, other int) {
		var q [2]cluster.Request
		p.ok(p.Irecv(&q[0], p.World(), other, 1, cluster.Sized(8)))
		p.ok(p.Isend(&q[1], p.World(), other, 1, cluster.Sized(8)))
		p.ok(p.Waitall(q[:], nil))
	})},
	{"a scope covers size-only puts and gets", scope(true, func(p *proc, other int) {
		var q [2]cluster.Request
		p.ok(p.Put(cluster.At(other, 0), cluster.Sized(8)))
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Sized(column(0, 16, 8, 2).Bytes()),
			Shape: *column(0, 16, 8, 2), Train: true, Signal: cluster.Signal{Op: cluster.SigAdd, Off: 64, Value: 1}}, &q[0],
			nil))
		p.ok(p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Sized(8)}, &q[1]))
		p.ok(p.Waitall(q[:], nil))
	})},
	{"a scope covers a matched receive", scope(true, func(p *proc, other int) {
		p.send(other, 2, make([]byte, 8))
		m, err := p.Mprobe(p.World(), other, 2)
		p.ok(err)
		p.status(p.Mrecv(m, cluster.Of(make([]byte, 8))))
	})},
	{"a scope covers puts and gets", scope(true, func(p *proc, other int) {
		p.ok(p.Put(cluster.At(other, 0), cluster.Of(make([]byte, 8))))
		p.ok(p.Get(cluster.At(other, 0), cluster.Of(make([]byte, 8))))
	})},
	{"a scope covers puts and gets of words",
		scope(true, func(p *proc, other int) { p.PutUint64(other, 1, p.GetUint64(other, 2)) })},
	{"a scope covers implicit transfers", scope(true, func(p *proc, other int) {
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(make([]byte, 8)), Until: cluster.Later}, nil,
			nil))
		p.ok(p.Quiet())
		p.ok(p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Of(make([]byte, 8)), Until: cluster.Later},
			nil))
		p.ok(p.Quiet())
	})},
	{"a scope covers strided and indexed transfers", scope(true, func(p *proc, other int) {
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(make([]byte, 16)),
			Shape: *column(0, 16, 8, 2)}, nil, nil))
		p.ok(p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Of(make([]byte, 16)),
			Spans: []cluster.Span{{Off: 0, Len: 8}, {Off: 16, Len: 8}}}, nil))
	})},
	{"a scope covers puts with signal", scope(true, func(p *proc, other int) {
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(make([]byte, 8)),
			Signal: cluster.Signal{Op: cluster.SigAdd, Off: 64, Value: 1}, Until: cluster.Source}, nil, nil))
	})},
	{"a scope covers the threads of a region", scope(true, func(p *proc, other int) {
		p.fork(2, func(p *proc, thread int) {
			p.ok(p.Put(cluster.At(other, int64(8*thread)), cluster.Of(make([]byte, 8))))
		})
	})},

	{"a scope does not cover collectives", scope(false, func(p *proc, _ int) {
		b, all := make([]byte, 8), make([]byte, 16)
		p.ok(coll.Bcast(p.Rank, p.World(), 0, cluster.Of(b)))
		p.ok(coll.Gather(p.Rank, p.World(), 0, cluster.Of(b), cluster.Of(all)))
		p.ok(coll.Allgather(p.Rank, p.World(), cluster.Of(b), cluster.Of(all)))
		p.ok(coll.Reduce(p.Rank, p.World(), 1, cluster.Sum, b, b))
		p.ok(coll.Allreduce(p.Rank, p.World(), cluster.Sum, b, b))
	})},
	{"a scope does not cover a neighbour sync",
		scope(false, func(p *proc, other int) { p.ok(p.SyncNeighbours(p.World(), []int{other})) })},
	{"a scope does not cover a split",
		scope(false, func(p *proc, other int) { p.ok(only(p.Split(p.World(), 0, other))) })},
	{"a scope does not cover a window", scope(false, func(p *proc, other int) {
		w, err := rma.NewWindow(p.Rank, p.World(), 64)
		p.ok(err)
		p.ok(w.Fence())
		p.ok(w.Put(other, 0, cluster.Of(make([]byte, 8))))
		p.ok(w.Get(other, 8, cluster.Of(make([]byte, 8))))
		p.ok(w.Fence())
		p.ok(w.Post([]int{other}))
		p.ok(w.Start([]int{other}))
		p.ok(w.Put(other, 0, cluster.Of(make([]byte, 8))))
		p.ok(w.Complete())
		p.ok(w.Wait())
		p.ok(w.Free())
	})},
	{"a scope does not cover a shared array", scope(false, func(p *proc, other int) {
		a, err := upc.NewShared[uint64](p.Rank, 4, 1)
		p.ok(err)
		p.ok(a.Put(other, 1))
		p.word(a.Get(other))
		p.word(a.Ptr(other).Load(p.Rank))
		p.ok(a.Ptr(other).Store(p.Rank, 1))
	})},
}

// posted is an operation and its memory kinds.
type posted struct {
	call  cluster.Kind
	means cluster.Means
}

// scope is a test of the memory kinds of a call, which both ranks make, inside and
// outside scopes.
func scope(covered bool, call func(p *proc, other int)) func(*suite, *testing.T) {
	device := cluster.Means{Own: cluster.DeviceMemory, Far: cluster.DeviceMemory}
	inside := cluster.Means{}
	if covered {
		inside = device
	}
	return func(s *suite, t *testing.T) {
		var mu sync.Mutex
		var seen [2][]posted // by rank
		watch := *s
		watch.threads = 1
		watch.fabric = watched{s.fabric, func(rank int, x posted) {
			mu.Lock()
			defer mu.Unlock()
			seen[rank] = append(seen[rank], x)
		}}
		watch.run(t, watch.spec(2), func(p *proc) {
			call := func() error { call(p, 1-p.ID()); return nil }
			expect := func(where string, want cluster.Means) {
				mu.Lock()
				defer mu.Unlock()
				p.check(len(seen[p.ID()]) > 0, "%s: no operation was posted", where)
				for _, x := range seen[p.ID()] {
					w := want
					if x.call < cluster.KindPut {
						w.Far = cluster.HostMemory
					}
					same(p, fmt.Sprintf("%s, %s: memory kinds", where, x.call), x.means, w)
				}
				seen[p.ID()] = seen[p.ID()][:0]
			}
			p.ok(p.Using(device, call))
			expect("inside", inside)
			p.ok(call())
			expect("after", cluster.Means{})
			p.ok(p.Using(device, func() error {
				p.ok(p.Using(cluster.Means{}, call))
				expect("in an inner scope", cluster.Means{})
				p.ok(call())
				expect("after it", inside)
				return nil
			}))
			boom := errors.New("boom")
			p.check(errors.Is(p.Using(device, func() error { return boom }), boom), "the error is lost")
			p.ok(call())
			expect("after a failure", cluster.Means{})
		})
	}
}

// watched is a fabric whose ports report the operations that have memory kinds.
type watched struct {
	cluster.Fabric
	saw func(rank int, x posted)
}

// Start implements cluster.Fabric.
func (f watched) Start(ctx context.Context, s cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	return f.Fabric.Start(ctx, s, func(p cluster.Port) error { return body(watchedPort{p, f.saw}) })
}

type watchedPort struct {
	cluster.Port
	saw func(rank int, x posted)
}

// Post implements cluster.Port.
func (p watchedPort) Post(op *cluster.Op) cluster.Handle {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv, cluster.KindMrecv:
		p.saw(p.ID(), posted{op.Kind, cluster.Means{Own: op.From}})
	case cluster.KindPut, cluster.KindGet:
		p.saw(p.ID(), posted{op.Kind, cluster.Means{Own: op.From, Far: op.To}})
	}
	return p.Port.Post(op)
}

// Fork implements cluster.Port.
func (p watchedPort) Fork(n int, body func(cluster.Port, int)) {
	p.Port.Fork(n, func(q cluster.Port, thread int) { body(watchedPort{q, p.saw}, thread) })
}

// Direct implements cluster.Port: no transfer is made in place, unseen.
func (p watchedPort) Direct() bool { return false }
