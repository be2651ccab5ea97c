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
	variant string
	single  bool // one inbox per face and one counter for all, as in listing 2
	tag     int
	step    int

	faces       cluster.Ptr[float64] // the inboxes
	inboxStarts [directions]int      // first cell of each inbox
	parity      int                  // cells of the inboxes of one parity
	flags       cluster.Ptr[uint64]  // the counters, by direction and parity

	out      [2][directions]cluster.Buf[float64]
	in       [2][directions]cluster.Buf[float64]
	sends    [2][2 * directions]cluster.Request // by parity: operations, then their buffers
	receives [directions]cluster.Request
	statuses [directions]cluster.Status

	fn      int           // put-rpc: counts an arrival
	sig     cluster.SigOp // put-signal: counts an arrival
	arrived [2]*cluster.Event
	count   [2]cluster.Handle // of arrived
}

// inboxBytes returns the bytes of all inboxes. b is the block with the most cells of all processes.
func inboxBytes(b *block) int64 { return 2 * cell * b.faces() }

// counters is the number of bytes of all counters.
const counters = 2 * directions * 8

// allocate allocates memory for the faces of the block. largest is the block that has the most
// cells of all processes.
func (x *exchange) allocate(store cluster.Store, largest block) error {
	r := x.r
	for d := 1; d < directions; d++ {
		x.inboxStarts[d] = x.inboxStarts[d-1] + int(largest.face(d-1))
	}
	x.parity = int(largest.faces())
	var err error
	x.flags, err = cluster.Alloc[uint64](r, cluster.Store{}, 2*directions)
	if err != nil {
		return err
	}
	x.faces, err = cluster.Alloc[float64](r, store, 2*x.parity)
	if err != nil {
		return err
	}
	for parity := range 2 {
		for d, peer := range x.b.peers {
			if peer >= 0 {
				n := int(x.b.face(d))
				x.in[parity][d] = x.inbox(d, parity).Local(r, n)
				x.out[parity][d] = cluster.Make[float64](store, n)
			}
		}
	}
	if x.variant == putSignal {
		x.sig = cluster.SigAdd
	}
	if x.variant == putRPC {
		x.fn = r.Register(func(c cluster.RPC) uint64 {
			if !x.single {
				cluster.FireOn(c.Poster, x.count[c.Arg])
				return 0
			}
			c.Poster.Post(&cluster.Op{Kind: cluster.KindAtomic, Peer: int32(r.ID()), Off: x.flags.Off,
				Arg: int32(cluster.AtomicAdd), A: 1, Then: ignored{}})
			return 0
		})
	}
	return nil
}

// ignored is the continuation of an operation whose completion is ignored.
type ignored struct{}

// Step implements cluster.Step.
func (ignored) Step(cluster.Poster, int32, cluster.Done) {}

// inbox returns the position of a face from direction d in the memory of any process.
func (x *exchange) inbox(d, parity int) cluster.Ptr[float64] {
	if x.single {
		parity = 0
	}
	return x.faces.Add(parity*x.parity + x.inboxStarts[d])
}

// flag returns the counter of faces from direction d.
func (x *exchange) flag(d, parity int) cluster.Ptr[uint64] {
	if x.single {
		return x.flags
	}
	return x.flags.Add(2*d + parity)
}

// expect prepares for the faces of a step. It must run before this process sends the faces of the
// step before, because only then may a neighbour send them.
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
	return x.r.Irecv(&x.receives[d], x.r.World(), x.b.peers[d], x.tag+d, x.in[x.step%2][d].Data())
}

// send starts to send the face of direction d. For the receiver it is the face from the opposite
// direction.
func (x *exchange) send(d int) error {
	parity := x.step % 2
	from := d ^ 1
	to := x.b.peers[d]
	op := &x.sends[parity][d]
	buffer := &x.sends[parity][directions+d]
	out := x.out[parity][d].Data()
	if x.variant == twoSided {
		return x.r.Isend(op, x.r.World(), to, x.tag+from, out)
	}
	return x.r.PutWith(&cluster.Put{
		To: x.inbox(from, parity).On(x.r.World().Global(to)).Target, Data: out,
		Call:   cluster.Call{Fn: x.fn, Arg: int32(parity)},
		Signal: cluster.Signal{Op: x.sig, Off: x.flag(from, parity).Off, Value: 1},
	}, op, buffer)
}

// waitSent waits until the outboxes of this step's parity may be overwritten.
func (x *exchange) waitSent() error { return x.r.Waitall(x.sends[x.step%2][:], nil) }

// wait waits until the faces of this step have arrived, and continues with the next step.
func (x *exchange) wait() error {
	parity := x.step % 2
	switch {
	case x.single:
		if err := x.awaitCount(); err != nil {
			return err
		}
	case x.variant == twoSided:
		if err := x.r.Waitall(x.receives[:], x.statuses[:]); err != nil {
			return err
		}
		for d, peer := range x.b.peers {
			if got, want := x.statuses[d].Bytes, cell*x.b.face(d); peer >= 0 && got != want {
				return fmt.Errorf("rank %d: got a face of %d B from process %d, want %d B", x.r.ID(), got, peer, want)
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
			if _, err := x.r.Await(x.flag(d, parity).Off, cluster.CmpGreaterEqual, uint64(x.step/2+1)); err != nil {
				return err
			}
		}
	}
	x.step++
	return nil
}

// awaitCount waits until as many faces have arrived as there are neighbours, from any neighbour,
// and resets their number to 0 for the next step: the end of listing 2.
func (x *exchange) awaitCount() error {
	_, peers := x.b.sent()
	if peers == 0 {
		return nil
	}
	if _, err := x.r.Await(x.flags.Off, cluster.CmpGreaterEqual, uint64(peers)); err != nil {
		return err
	}
	return x.resetCount()
}

// resetCount resets the number of arrived faces to 0.
func (x *exchange) resetCount() error {
	if !x.single {
		return nil
	}
	_, err := x.r.Atomic(x.flags.Target, cluster.AtomicStore, 0)
	return err
}
