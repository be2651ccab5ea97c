package bench

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

const (
	window  = 64 // outstanding messages for the message rate
	windowM = 16 // outstanding messages for the bandwidth

	windowSelf = 16 // outstanding messages to the local rank
	tagData    = 2
	tagAck     = 3
	page       = 4096
)

// messageCases returns the paths between two ranks.
func messageCases() []Case {
	const oneWay = "cache line to the other core, one way"
	return []Case{
		{Name: "self8", Doc: fmt.Sprintf("Isend and Irecv of 8 B to the local rank, %d outstanding: only the cost of "+
			"the code, on one core", windowSelf), Unit: seconds,
			Limit: "a word into a queue and out of it, one call each",
			Why:   "use it to compare two builds: it repeats within about 1 %", Ranks: 1, computes: true,
			valueOps: windowSelf, limitOps: windowSelf, bound: hard, sides: self8},
		{Name: "pingpong8", Doc: "Send and Recv of 8 B there and back, one way", Unit: seconds,
			Limit: oneWay, Target: 2.5, Ranks: 2,
			valueOps: 2, limitOps: 2, bound: hard, sides: func(r *cluster.Rank, c *common) (side, side, error) {
				return pingpong(r, c, 8)
			}},
		{Name: "msgrate8", Doc: fmt.Sprintf("Isend and Irecv of 8 B, %d outstanding, one reply per window", window),
			Unit:  perSecond,
			Limit: "one message per " + oneWay, Target: 0.66, Why: "12 M/s where a line takes 55 ns", Ranks: 2,
			valueOps: window, limitOps: 2, bound: pipelined, sides: msgrate8},
		{Name: "send4KiB", Doc: "Send and Recv of 4 KiB there and back, one way", Unit: seconds,
			Limit: "cache line one way and one copy", Why: "compare with MPI's", Ranks: 2,
			buffer: page, valueOps: 2, limitOps: 2, bound: hard, sides: func(r *cluster.Rank, c *common) (side, side, error) {
				return pingpong(r, c, page)
			}},
		{Name: "send1MiB", Doc: fmt.Sprintf("Isend and Irecv of 1 MiB, %d outstanding, one reply per window", windowM),
			Unit:  bytesRate,
			Limit: "copy of the same buffers", Target: 0.9, Ranks: 2,
			buffer: mebi, size: mebi, valueOps: windowM, limitOps: 1, bound: hard, sides: send1MiB},
		{Name: "putsignal8", Doc: "PutSignal of 8 B and Await there and back, one way", Unit: seconds,
			Limit: oneWay, Why: "compare with pingpong8", Ranks: 2,
			segment: page, valueOps: 2, limitOps: 2, bound: hard, sides: putSignal8},
		{Name: "rpc", Doc: "RPC with 8 B of arguments, there and back", Unit: seconds,
			Limit: "cache line there and back", Why: "compare with two of pingpong8", Ranks: 2,
			valueOps: 1, limitOps: 1, bound: hard, sides: rpc},
	}
}

// self8 sends a window of messages from a rank to itself. Each message is posted before its
// receive, so all of them go through the unexpected queue.
func self8(r *cluster.Rank, _ *common) (value, limit side, err error) {
	world := r.World()
	out, in := make([]uint64, windowSelf), make([]uint64, windowSelf)
	sends, receives := make([]cluster.Request, windowSelf), make([]cluster.Request, windowSelf)
	var queue queue
	trip := uint64(0)
	check := func() error {
		for i, w := range in {
			if w != trip+uint64(i) {
				return fmt.Errorf("message %d is %d, want %d", i, w, trip+uint64(i))
			}
		}
		return nil
	}
	value = func(n int) error {
		for range n {
			trip++
			for i := range sends {
				out[i] = trip + uint64(i)
				if err := r.Isend(&sends[i], world, 0, tagData, cluster.Of(out[i:i+1])); err != nil {
					return err
				}
			}
			for i := range receives {
				if err := r.Irecv(&receives[i], world, 0, tagData, cluster.Of(in[i:i+1])); err != nil {
					return err
				}
			}
			if err := r.Waitall(sends, nil); err != nil {
				return err
			}
			if err := r.Waitall(receives, nil); err != nil {
				return err
			}
		}
		return check()
	}
	limit = func(n int) error {
		for range n {
			trip++
			for i := range uint64(windowSelf) {
				queue.push(trip + i)
			}
			for i := range in {
				in[i] = queue.pop()
			}
		}
		return check()
	}
	return value, limit, nil
}

// queue is a ring of words, with one call per word in or out.
type queue struct {
	words    [windowSelf]uint64
	put, got uint64
}

//go:noinline
func (q *queue) push(w uint64) {
	q.words[q.put%windowSelf] = w
	q.put++
}

//go:noinline
func (q *queue) pop() uint64 {
	w := q.words[q.got%windowSelf]
	q.got++
	return w
}

// pingpong sends size bytes there and back; the first eight bytes count the trips.
func pingpong(r *cluster.Rank, c *common, size int) (value, limit side, err error) {
	me, other := r.ID(), 1-r.ID()
	out, in := make([]uint64, size/8), make([]uint64, size/8)
	sent, got := cluster.Bytes(out), cluster.Bytes(in)
	world := r.World()
	trip := uint64(0)
	send := func() error {
		out[0] = trip
		return r.Send(world, other, tagData, cluster.Of(sent))
	}
	receive := func() error {
		if _, err := r.Recv(world, other, tagData, cluster.Of(got)); err != nil {
			return err
		}
		if in[0] != trip {
			return fmt.Errorf("rank %d: message %d has the number %d", me, trip, in[0])
		}
		return nil
	}
	value = trips(me, &trip, send, receive)
	var between func()
	if c.bytes[0] != nil && size > 8 {
		theirs := c.bytes[other]
		between = func() { copy(got, theirs) }
	}
	return value, c.pingpong(me, between), nil
}

// trips returns a side with one round trip per iteration: rank 0 sends and then receives, rank 1
// receives and then sends. trip counts the iterations.
func trips(me int, trip *uint64, send, receive func() error) side {
	first, second := send, receive
	if me == 1 {
		first, second = receive, send
	}
	return func(n int) error {
		for range n {
			*trip++
			if err := first(); err != nil {
				return err
			}
			if err := second(); err != nil {
				return err
			}
		}
		return nil
	}
}

// stream returns a side that sends a window of outstanding messages from rank 0 to rank 1 in each
// iteration, with one reply. bufs are the buffers of this rank, by the number of the message.
func stream(r *cluster.Rank, bufs [][]byte) side {
	world := r.World()
	requests := make([]cluster.Request, len(bufs))
	ack := make([]byte, 1)
	if r.ID() == 0 {
		return func(n int) error {
			for range n {
				for i := range requests {
					if err := r.Isend(&requests[i], world, 1, tagData, cluster.Of(bufs[i])); err != nil {
						return err
					}
				}
				if err := r.Waitall(requests, nil); err != nil {
					return err
				}
				if _, err := r.Recv(world, 1, tagAck, cluster.Of(ack)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return func(n int) error {
		for range n {
			for i := range requests {
				if err := r.Irecv(&requests[i], world, 0, tagData, cluster.Of(bufs[i])); err != nil {
					return err
				}
			}
			if err := r.Waitall(requests, nil); err != nil {
				return err
			}
			if err := r.Send(world, 0, tagAck, cluster.Of(ack)); err != nil {
				return err
			}
		}
		return nil
	}
}

func msgrate8(r *cluster.Rank, c *common) (value, limit side, err error) {
	words := make([]uint64, window)
	if r.ID() == 0 {
		for i := range words {
			words[i] = uint64(i) + 1
		}
	}
	bufs := make([][]byte, window)
	for i := range bufs {
		bufs[i] = cluster.Bytes(words[i : i+1])
	}
	run := stream(r, bufs)
	value = func(n int) error {
		if r.ID() == 1 {
			clear(words)
		}
		if err := run(n); err != nil {
			return err
		}
		for i, w := range words {
			if w != uint64(i)+1 {
				return fmt.Errorf("rank %d: message %d of the window is %d, want %d", r.ID(), i, w, i+1)
			}
		}
		return nil
	}
	return value, c.pingpong(r.ID(), nil), nil
}

func send1MiB(r *cluster.Rank, c *common) (value, limit side, err error) {
	buf := c.bytes[r.ID()]
	run := stream(r, slices.Repeat([][]byte{buf}, windowM))
	value = func(n int) error {
		if r.ID() == 1 {
			buf[0]++
		}
		if err := run(n); err != nil {
			return err
		}
		if r.ID() == 1 && !bytes.Equal(buf, c.bytes[0]) {
			return fmt.Errorf("rank 1: the received data differ from the sent data")
		}
		return nil
	}
	// Rank 1 makes the copy, as it makes the receive: the bytes then stay in the caches of one core
	// on both sides. Rank 0 starts it and waits for it.
	turn := uint64(0)
	limit = func(n int) error {
		turn++
		if r.ID() == 0 {
			c.lines[1].word.Store(turn)
			return c.await(&c.lines[0], turn)
		}
		if err := c.await(&c.lines[1], turn); err != nil {
			return err
		}
		for range n {
			copy(buf, c.bytes[0])
		}
		c.lines[0].word.Store(turn)
		return nil
	}
	return value, limit, nil
}

func putSignal8(r *cluster.Rank, c *common) (value, limit side, err error) {
	const flag, data = 0, 64
	me, other := r.ID(), 1-r.ID()
	payload := make([]uint64, 1)
	landed := &cluster.Words(r.Segment())[data/8]
	trip := uint64(0)
	message := cluster.Put{
		To:     cluster.At(other, data),
		Data:   cluster.Of(payload),
		Signal: cluster.Signal{Op: cluster.SigSet, Off: flag},
		Until:  cluster.Source,
	}
	put := func() error {
		payload[0], message.Signal.Value = trip, trip
		return r.PutWith(&message, nil, nil)
	}
	await := func() error {
		if _, err := r.Await(flag, cluster.CmpGreaterEqual, trip); err != nil {
			return err
		}
		if *landed != trip {
			return fmt.Errorf("rank %d: the flag is %d, the data %d", me, trip, *landed)
		}
		return r.Quiet()
	}
	value = trips(me, &trip, put, await)
	return value, c.pingpong(me, nil), nil
}

func rpc(r *cluster.Rank, c *common) (value, limit side, err error) {
	var calls, due uint64 // bodies that ran on this rank, and the expected number at the end of the turn
	fn := r.Register(func(cluster.RPC) uint64 { calls++; return calls })
	world := r.World()
	buf := make([]byte, 8)
	value = func(n int) error {
		if r.ID() == 1 { // bodies run while it waits for the end
			due += uint64(n)
			if _, err := r.Recv(world, 0, tagAck, cluster.Of(buf)); err != nil {
				return err
			}
			if calls != due {
				return fmt.Errorf("rank 1: %d of %d calls ran", calls, due)
			}
			return nil
		}
		for range n {
			if _, err := r.RPC(1, fn, 0, cluster.Of(buf)); err != nil {
				return err
			}
		}
		return r.Send(world, 1, tagAck, cluster.Of(buf))
	}
	return value, c.pingpong(r.ID(), nil), nil
}
