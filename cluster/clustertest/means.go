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

// watched is a fabric whose ports tell of what is posted.
type watched struct {
	cluster.Fabric
	saw func(rank int, op *cluster.Op)
}

// Start implements cluster.Fabric.
func (f watched) Start(ctx context.Context, s cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	return f.Fabric.Start(ctx, s, func(p cluster.Port) error { return body(watchedPort{p, f.saw}) })
}

type watchedPort struct {
	cluster.Port
	saw func(rank int, op *cluster.Op)
}

// Post implements cluster.Port.
func (p watchedPort) Post(op *cluster.Op) cluster.Handle {
	p.saw(p.ID(), op)
	return p.Port.Post(op)
}

// Fork implements cluster.Port.
func (p watchedPort) Fork(n int, body func(cluster.Port, int)) {
	p.Port.Fork(n, func(q cluster.Port, thread int) { body(watchedPort{q, p.saw}, thread) })
}

// Direct implements cluster.Port: nothing is done in place, unseen.
func (p watchedPort) Direct() bool { return false }

// memories are those that an operation says, and whether its kind says any.
func memories(op *cluster.Op) (m cluster.Means, says bool) {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv, cluster.KindMrecv:
		return cluster.Means{Own: op.From}, true
	case cluster.KindPut, cluster.KindGet:
		return cluster.Means{Own: op.From, Far: op.To}, true
	}
	return m, false
}

// A scope of means covers the calls of the program inside it, and nothing else: not
// what comes after it, nor what other calls are made of.
func (s *suite) testMeans(t *testing.T) {
	device := cluster.Means{Own: cluster.DeviceMemory, Far: cluster.DeviceMemory}
	pair := cluster.Column(0, 16, 8, 2)
	spans := []cluster.Span{{Off: 0, Len: 8}, {Off: 16, Len: 8}}
	for _, c := range []struct {
		name   string
		covers bool
		call   func(p *proc, other int) // both ranks make it
	}{
		{"sendrecv", true, func(p *proc, other int) {
			_, err := p.Sendrecv(p.World(), other, 1, cluster.Of(make([]byte, 8)), other, 1, cluster.Of(make([]byte, 8)))
			p.ok(err)
		}},
		{"phantom messages", true, func(p *proc, other int) {
			var q [2]cluster.Request
			p.ok(p.Irecv(&q[0], p.World(), other, 1, cluster.Sized(8)))
			p.ok(p.Isend(&q[1], p.World(), other, 1, cluster.Sized(8)))
			p.ok(p.Waitall(q[:], nil))
		}},
		{"phantom puts and gets", true, func(p *proc, other int) {
			var q [2]cluster.Request
			p.ok(p.Put(cluster.At(other, 0), cluster.Sized(8)))
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Sized(pair.Bytes()), Shape: pair, Train: true, Signal: cluster.Signal{Op: cluster.SigAdd, Off: 64, Value: 1}}, &q[0], nil))
			p.ok(p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Sized(8)}, &q[1]))
			p.ok(p.Waitall(q[:], nil))
		}},
		{"a matched receive", true, func(p *proc, other int) {
			p.send(other, 2, make([]byte, 8))
			m, err := p.Mprobe(p.World(), other, 2)
			p.ok(err)
			_, err = p.Mrecv(m, cluster.Of(make([]byte, 8)))
			p.ok(err)
		}},
		{"put and get", true, func(p *proc, other int) {
			p.ok(p.Put(cluster.At(other, 0), cluster.Of(make([]byte, 8))))
			p.ok(p.Get(cluster.At(other, 0), cluster.Of(make([]byte, 8))))
		}},
		{"words", true, func(p *proc, other int) { p.PutUint64(other, 1, p.GetUint64(other, 2)) }},
		{"implicit transfers", true, func(p *proc, other int) {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(make([]byte, 8)), Until: cluster.Later}, nil, nil))
			p.ok(p.Quiet())
			p.ok(p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Of(make([]byte, 8)), Until: cluster.Later}, nil))
			p.ok(p.Quiet())
		}},
		{"strided and indexed transfers", true, func(p *proc, other int) {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(make([]byte, 16)), Shape: pair}, nil, nil))
			p.ok(p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Of(make([]byte, 16)), Spans: spans}, nil))
		}},
		{"signaling put", true, func(p *proc, other int) {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(make([]byte, 8)), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 64, Value: 1}, Until: cluster.Source}, nil, nil))
		}},
		{"the threads of a region", true, func(p *proc, other int) {
			p.fork(2, func(p *proc, thread int) {
				p.ok(p.Put(cluster.At(other, int64(8*thread)), cluster.Of(make([]byte, 8))))
			})
		}},

		{"collectives", false, func(p *proc, other int) {
			b, all := make([]byte, 8), make([]byte, 16)
			p.ok(coll.Bcast(p.Rank, p.World(), 0, cluster.Of(b)))
			p.ok(coll.Gather(p.Rank, p.World(), 0, cluster.Of(b), cluster.Of(all)))
			p.ok(coll.Allgather(p.Rank, p.World(), cluster.Of(b), cluster.Of(all)))
			p.ok(coll.Reduce(p.Rank, p.World(), 1, cluster.Sum, b, b))
			p.ok(coll.Allreduce(p.Rank, p.World(), cluster.Sum, b, b))
		}},
		{"neighbour sync", false, func(p *proc, other int) { p.ok(p.SyncNeighbours(p.World(), []int{other})) }},
		{"split", false, func(p *proc, other int) {
			_, err := p.Split(p.World(), 0, other)
			p.ok(err)
		}},
		{"a window", false, func(p *proc, other int) {
			w, err := rma.NewWindow(p.Rank, p.World(), 64)
			p.ok(err)
			p.ok(w.Fence())
			p.ok(w.Put(other, 0, make([]byte, 8)))
			p.ok(w.Get(other, 8, make([]byte, 8)))
			p.ok(w.Fence())
			p.ok(w.Post([]int{other}))
			p.ok(w.Start([]int{other}))
			p.ok(w.Put(other, 0, make([]byte, 8)))
			p.ok(w.Complete())
			p.ok(w.Wait())
			p.ok(w.Free())
		}},
		{"a shared array", false, func(p *proc, other int) {
			a, err := upc.NewShared[uint64](p.Rank, 4, 1)
			p.ok(err)
			p.ok(a.Put(other, 1))
			_, err = a.Get(other)
			p.ok(err)
			_, err = a.Ptr(other).Load(p.Rank)
			p.ok(err)
			p.ok(a.Ptr(other).Store(p.Rank, 1))
		}},
	} {
		name := "cover " + c.name
		if !c.covers {
			name = "leave alone " + c.name
		}
		t.Run(name, func(t *testing.T) {
			type posted struct {
				call  cluster.Kind
				means cluster.Means
			}
			var mu sync.Mutex
			seen := make([][]posted, 2) // by rank
			watch := *s
			watch.threads = 1
			watch.fabric = watched{s.fabric, func(rank int, op *cluster.Op) {
				if m, says := memories(op); says {
					mu.Lock()
					defer mu.Unlock()
					seen[rank] = append(seen[rank], posted{op.Kind, m})
				}
			}}
			watch.run(t, watch.spec(2), func(p *proc) {
				expect := func(where string, want cluster.Means) {
					mu.Lock()
					defer mu.Unlock()
					p.check(len(seen[p.ID()]) > 0, "%s: nothing was posted", where)
					for _, x := range seen[p.ID()] {
						w := want
						if x.call < cluster.KindPut {
							w.Far = cluster.HostMemory
						}
						same(p, fmt.Sprintf("%s, %s: memories", where, x.call), x.means, w)
					}
					seen[p.ID()] = seen[p.ID()][:0]
				}
				inside := cluster.Means{}
				if c.covers {
					inside = device
				}
				p.ok(p.Using(device, func() error { c.call(p, 1-p.ID()); return nil }))
				expect("inside", inside)
				c.call(p, 1-p.ID())
				expect("after", cluster.Means{})
				p.ok(p.Using(device, func() error {
					p.ok(p.Using(cluster.Means{}, func() error { c.call(p, 1-p.ID()); return nil }))
					expect("in a scope inside", cluster.Means{})
					c.call(p, 1-p.ID())
					expect("after it", inside)
					return nil
				}))
				boom := errors.New("boom")
				p.check(errors.Is(p.Using(device, func() error { return boom }), boom), "the error is lost")
				c.call(p, 1-p.ID())
				expect("after a failure", cluster.Means{})
			})
		})
	}
}
