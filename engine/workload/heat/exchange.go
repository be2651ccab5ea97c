package heat

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// Choices of the knob variant.
const (
	twoSided  = "two-sided"
	putRPC    = "put-rpc"
	putSignal = "put-signal"
)

// exchange moves a block's faces. Steps are numbered from 0 on over all iterations.
type exchange struct {
	r       *cluster.Rank
	b       block
	real    bool // bytes go; else sizes alone
	variant string
	single  bool // one inbox a face, and one counter of all, as in listing 2
	tag     int
	step    int

	faces  int64 // offset of the inboxes in the segment
	places [directions]int64
	parity int64 // bytes of the inboxes of one parity
	flags  int64 // offset of the counters, by direction and parity

	out      [2][directions][]float64
	in       [2][directions][]float64
	sends    [2][2 * directions]cluster.Request // by parity: operations, then their buffers
	receives [directions]cluster.Request
	statuses [directions]cluster.Status

	fn      int // counts an arrival
	arrived [2]*cluster.Event
	count   [2]cluster.Handle // of arrived
}

// boxes are the bytes of all inboxes, of processes of which b has the most cells.
func boxes(b *block) int64 { return 2 * cell * b.faces() }

// counters are the bytes of all counters.
const counters = 2 * directions * 8

// newExchange takes memory for the faces of the block; most has the most cells of all
// processes' blocks.
func newExchange(r *cluster.Rank, b, most block, variant string, single, real bool, tag int) (*exchange, error) {
	x := &exchange{r: r, b: b, real: real, variant: variant, single: single && variant != twoSided, tag: tag}
	for d := 1; d < directions; d++ {
		x.places[d] = x.places[d-1] + cell*most.face(d-1)
	}
	x.parity = cell * most.faces()
	var err error
	if x.flags, err = r.Alloc(counters); err != nil {
		return nil, err
	}
	if real {
		if x.faces, err = r.Alloc(boxes(&most)); err != nil {
			return nil, err
		}
		for parity := range 2 {
			for d, peer := range b.peers {
				if peer < 0 {
					continue
				}
				at := x.inbox(d, parity)
				x.in[parity][d] = cluster.View[float64](r.Segment()[at : at+cell*b.face(d)])
				x.out[parity][d] = make([]float64, b.face(d))
			}
		}
	}
	if variant == putRPC {
		x.fn = r.Register(func(c cluster.RPC) uint64 {
			if !x.single {
				cluster.FireOn(c.Poster, x.count[c.Arg])
				return 0
			}
			c.Poster.Post(&cluster.Op{Kind: cluster.KindAtomic, Peer: int32(r.ID()), Off: x.flags, Arg: int32(cluster.AtomicAdd), A: 1, Then: ignored{}})
			return 0
		})
	}
	return x, nil
}

// ignored is the step of an operation whose end nobody waits for.
type ignored struct{}

// Step implements cluster.Step.
func (ignored) Step(cluster.Poster, int32, cluster.Done) {}

// inbox is where a face from direction d stands in the segment.
func (x *exchange) inbox(d, parity int) int64 {
	if x.single {
		parity = 0
	}
	return x.faces + int64(parity)*x.parity + x.places[d]
}

// flag is the counter of faces from direction d.
func (x *exchange) flag(d, parity int) int64 {
	if x.single {
		return x.flags
	}
	return x.flags + 8*int64(2*d+parity)
}

// expect makes ready for the faces of a step, before a neighbour may send them: that is
// not before this process sends those of the step before.
func (x *exchange) expect(step int) error {
	_, peers := x.b.sent()
	if x.variant != putRPC || x.single || peers == 0 {
		return nil
	}
	e, err := x.r.NewEvent(peers)
	if err != nil {
		return err
	}
	x.arrived[step%2], x.count[step%2] = e, e.Handle()
	return nil
}

// receive posts the receive of the face from direction d.
func (x *exchange) receive(d int) error {
	peer, tag := x.b.peers[d], x.tag+d
	if !x.real {
		return x.r.Irecv(&x.receives[d], x.r.World(), peer, tag, cluster.Sized(cell*x.b.face(d)))
	}
	return x.r.Irecv(&x.receives[d], x.r.World(), peer, tag, cluster.Of(x.in[x.step%2][d]))
}

// send starts to send the face of direction d, which is the face from the opposite
// direction where it comes.
func (x *exchange) send(d int) error {
	parity, from, n := x.step%2, d^1, cell*x.b.face(d)
	to, tag := x.b.peers[d], x.tag+from
	op, buffer := &x.sends[parity][d], &x.sends[parity][directions+d]
	if x.variant == twoSided {
		if !x.real {
			return x.r.Isend(op, x.r.World(), to, tag, cluster.Sized(n))
		}
		return x.r.Isend(op, x.r.World(), to, tag, cluster.Of(x.out[parity][d]))
	}
	to = x.r.World().Global(to)
	at, out := x.inbox(from, parity), cluster.Bytes(x.out[parity][d])
	switch {
	case x.variant == putRPC && x.real:
		return x.r.PutWith(&cluster.Put{To: cluster.At(to, at), Data: cluster.Of(out), Call: cluster.Call{Fn: x.fn, Arg: int32(parity)}}, op, buffer)
	case x.variant == putRPC:
		return x.r.PutWith(&cluster.Put{To: cluster.At(to, at), Data: cluster.Sized(n), Call: cluster.Call{Fn: x.fn, Arg: int32(parity)}}, op, buffer)
	case x.real:
		return x.r.PutWith(&cluster.Put{To: cluster.At(to, at), Data: cluster.Of(out), Signal: cluster.Signal{Op: cluster.SigAdd, Off: x.flag(from, parity), Value: 1}}, op, buffer)
	}
	return x.r.PutWith(&cluster.Put{To: cluster.At(to, at), Data: cluster.Sized(n), Signal: cluster.Signal{Op: cluster.SigAdd, Off: x.flag(from, parity), Value: 1}}, op, buffer)
}

// reuse waits until the outboxes of this step's parity may be written again.
func (x *exchange) reuse() error { return x.r.Waitall(x.sends[x.step%2][:], nil) }

// wait returns when the faces of this step have come, and goes on to the next one.
func (x *exchange) wait() error {
	parity := x.step % 2
	switch {
	case x.single:
		if err := x.count0(); err != nil {
			return err
		}
	case x.variant == twoSided:
		if err := x.r.Waitall(x.receives[:], x.statuses[:]); err != nil {
			return err
		}
		for d, peer := range x.b.peers {
			if got, want := x.statuses[d].Bytes, cell*x.b.face(d); peer >= 0 && got != want {
				return fmt.Errorf("rank %d: a face of %d B came from process %d, want %d B", x.r.ID(), got, peer, want)
			}
		}
	case x.variant == putRPC:
		if e := x.arrived[parity]; e != nil {
			if _, err := x.r.Wait(&e.Request); err != nil {
				return err
			}
		}
	default:
		for d, peer := range x.b.peers {
			if peer < 0 {
				continue
			}
			if _, err := x.r.Await(x.flag(d, parity), cluster.CmpGreaterEqual, uint64(x.step/2+1)); err != nil {
				return err
			}
		}
	}
	x.step++
	return nil
}

// count0 waits until as many faces have come as there are neighbours, whosever they are,
// and sets their number to 0 for the next step: the end of listing 2.
func (x *exchange) count0() error {
	_, peers := x.b.sent()
	if peers == 0 {
		return nil
	}
	if _, err := x.r.Await(x.flags, cluster.CmpGreaterEqual, uint64(peers)); err != nil {
		return err
	}
	return x.forget()
}

// forget sets the number of faces that have come to 0.
func (x *exchange) forget() error {
	if !x.single {
		return nil
	}
	_, err := x.r.Atomic(cluster.At(x.r.ID(), x.flags), cluster.AtomicStore, 0)
	return err
}
