package clustertest

import (
	"context"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// poisoner is a fabric around another one. The inner fabric sees only the fields that the kind of
// an Op uses. All other fields have harmful values, and so has the whole Op after Post has
// returned.
type poisoner struct{ cluster.Fabric }

// Start implements cluster.Fabric.
func (f poisoner) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	return f.Fabric.Start(ctx, spec, func(p cluster.Port) error { return body(poisoned{p}) })
}

// poisoned is the port of a thread.
type poisoned struct{ cluster.Port }

// Post implements cluster.Port.
func (p poisoned) Post(op *cluster.Op) cluster.Handle { return post(p.Port, op) }

// Fork implements cluster.Port.
func (p poisoned) Fork(n int, body func(cluster.Port, int)) {
	p.Port.Fork(n, func(q cluster.Port, thread int) { body(poisoned{q}, thread) })
}

// Serve implements cluster.Port.
func (p poisoned) Serve(f func(cluster.RPC) (uint64, bool)) {
	p.Port.Serve(func(c cluster.RPC) (uint64, bool) {
		c.Poster = poisonedPoster{c.Poster}
		return f(c)
	})
}

// poisonedPoster posts from inside the fabric.
type poisonedPoster struct{ cluster.Poster }

// Post implements cluster.Poster.
func (p poisonedPoster) Post(op *cluster.Op) cluster.Handle { return post(p.Poster, op) }

// poisonedStep is a step that gets such a poster.
type poisonedStep struct{ then cluster.Step }

// Step implements cluster.Step.
func (s poisonedStep) Step(p cluster.Poster, arg int32, d cluster.Done) {
	s.then.Step(poisonedPoster{p}, arg, d)
}

// deadly is a step that no operation requested.
type deadly struct{}

// Step implements cluster.Step.
func (deadly) Step(cluster.Poster, int32, cluster.Done) {
	panic("clustertest: a step ran that no operation has")
}

// nobodys are bytes that no operation reads or writes.
var nobodys = make([]byte, 40_000)

// poison is an Op in which no field has a meaning.
func poison(k cluster.Kind) cluster.Op {
	return cluster.Op{
		Kind: k, SigOp: cluster.SigAdd, Batch: true,
		Ctx: math.MaxInt32 - 7, Peer: math.MaxInt32, Tag: math.MinInt32, Arg: math.MinInt32, Fn: math.MaxInt32,
		Buf: nobodys, Size: math.MaxInt64, Off: math.MinInt64, Sig: math.MinInt64,
		Vec: []cluster.Span{{Off: math.MinInt64, Len: -1}}, Train: math.MaxInt32, From: cluster.DeviceMemory,
		To:    cluster.DeviceMemory,
		Shape: &cluster.Strided{Block: -1}, Path: cluster.PathAdapter,
		A: math.MaxUint64, B: math.MaxUint64, Event: math.MaxUint64, Early: true,
		Then: deadly{}, ThenArg: math.MinInt32,
		Done:   cluster.Done{Peer: math.MaxInt32, Tag: math.MinInt32, Size: -1, A: math.MaxUint64, Err: 99, Found: true},
		Source: math.MaxUint64,
	}
}

// post posts what the kind of op names. The comments of the kinds are the table.
func post(p cluster.Poster, op *cluster.Op) cluster.Handle {
	q := poison(op.Kind)
	if op.Kind <= cluster.KindEvent {
		q.Then = nil
		if op.Then != nil {
			q.Then, q.ThenArg = poisonedStep{op.Then}, op.ThenArg
		}
	}
	bytes := func() {
		q.Buf = op.Buf
		if op.Buf == nil {
			q.Size = op.Size
		}
	}
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend:
		q.Ctx = op.Ctx
		q.Peer = op.Peer
		q.Tag = op.Tag
		q.From = op.From
		q.Batch = op.Batch
		bytes()
	case cluster.KindRecv:
		q.Ctx = op.Ctx
		q.Peer = op.Peer
		q.Tag = op.Tag
		q.From = op.From
		bytes()
	case cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe:
		q.Ctx = op.Ctx
		q.Peer = op.Peer
		q.Tag = op.Tag
	case cluster.KindMrecv:
		q.A, q.From = op.A, op.From
		bytes()
	case cluster.KindPut:
		q.Peer = op.Peer
		q.Off = op.Off
		q.Vec = op.Vec
		q.Train = op.Train
		q.From = op.From
		q.To = op.To
		q.Shape, q.Path = op.Shape, op.Path
		q.SigOp = op.SigOp
		if q.SigOp != cluster.SigNone {
			q.Sig, q.A = op.Sig, op.A
		}
		q.Fn = op.Fn
		if q.Fn != 0 {
			q.Arg = op.Arg
		}
		q.Early = op.Early
		bytes()
	case cluster.KindGet:
		q.Peer = op.Peer
		q.Off = op.Off
		q.Vec = op.Vec
		q.From = op.From
		q.To = op.To
		q.Shape = op.Shape
		q.Path = op.Path
		bytes()
	case cluster.KindAtomic:
		q.Peer = op.Peer
		q.Off = op.Off
		q.Arg = op.Arg
		q.A = op.A
		q.B = op.B
	case cluster.KindAwait:
		q.Off = op.Off
		q.Arg = op.Arg
		q.A = op.A
	case cluster.KindRPC:
		q.Peer = op.Peer
		q.Fn = op.Fn
		q.Arg = op.Arg
		bytes()
	case cluster.KindBarrier:
		q.Ctx = op.Ctx
	case cluster.KindLaunch:
		q.Tag = op.Tag
		q.A = op.A
		q.B = op.B
	case cluster.KindWork:
		q.A, q.B = op.A, op.B
	case cluster.KindFlagAdd, cluster.KindFlagWait:
		q.Ctx = op.Ctx
		q.Tag = op.Tag
		q.A = op.A
	case cluster.KindLoad:
		q.Ctx = op.Ctx
		q.Tag = op.Tag
		q.A = op.A
		q.B = op.B
		q.Buf = nil
		q.Size = op.Size
	case cluster.KindTree:
		q.Ctx = op.Ctx
		q.Tag = op.Tag
		q.A = op.A
		q.Buf = nil
		q.Size = op.Size
	case cluster.KindEvent:
		q.Arg = op.Arg
	case cluster.KindFire:
		q.Event = op.Event
	case cluster.KindDraw:
		q.Arg, q.A = op.Arg, op.A
	}
	h := p.Post(&q)
	if h == 0 && op.Then == nil {
		op.Done = q.Done
	}
	if op.Kind == cluster.KindPut {
		op.Source = q.Source
	}
	q = poison(op.Kind)
	return h
}
