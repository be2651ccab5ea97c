package cartesian

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// An exchange is the messages of one thread of a process in a round: one to and one from each of
// its neighbours.
type exchange struct {
	peers []int // in pairs: next, previous
	size  int64
	tag   int // first tag; one tag per direction
	out   []cluster.Buf[byte]
	in    []cluster.Buf[byte]
	// face has the data of each direction if they are strided: element k begins at byte pitch·k.
	// They are packed into out before a message is sent; derived: by the sending thread.
	face    []cluster.Buf[byte]
	derived bool
	store   cluster.Store
	// staging is the buffer to which a message is copied before it is sent; empty without copies.
	copies  bool
	staging cluster.Buf[byte]

	requests []cluster.Request
	statuses []cluster.Status
}

func newExchange(s cluster.Store, peers []int, size int64, tag int, copies bool, packing string) *exchange {
	n := len(peers)
	x := &exchange{peers: peers, size: size, tag: tag, copies: copies, derived: packing == derived, store: s, requests: make([]cluster.Request, 2*n),
		statuses: make([]cluster.Status, 2*n)}
	if copies {
		x.staging = cluster.Make[byte](s, int(size))
	}
	x.out, x.in = make([]cluster.Buf[byte], n), make([]cluster.Buf[byte], n)
	for i := range n {
		x.out[i], x.in[i] = cluster.Make[byte](s, int(size)), cluster.Make[byte](s, int(size))
	}
	if packing != contiguous {
		x.face = make([]cluster.Buf[byte], n)
		for i := range n {
			x.face[i] = cluster.Make[byte](s, int(pitch*elements(size)))
		}
	}
	return x
}

// Strided data are elements of 8 bytes, one in each line of 64 bytes.
const (
	element = 8
	pitch   = 64
)

// elements returns the number of elements of size bytes; the last one may be shorter.
func elements(size int64) int64 { return (size + element - 1) / element }

// pack packs elements [lo, hi) of direction i on a thread. It reads and writes each byte once; the
// other bytes of their lines are not charged.
func (x *exchange) pack(r *cluster.Rank, i, lo, hi int) {
	bytes := min(int64(hi)*element, x.size) - int64(lo)*element
	r.Compute(cluster.Work{Bytes: 2 * float64(bytes)}, x.store.Body(func() {
		out, face := x.out[i].Slice(), x.face[i].Slice()
		for k := lo; k < hi; k++ {
			copy(out[k*element:min((k+1)*element, len(out))], face[k*pitch:])
		}
	}))
}

// opposite returns the index of the peer that sends the message for direction i.
func opposite(i int) int { return i ^ 1 }

// start posts the receive and the send of direction i.
func (x *exchange) start(r *cluster.Rank, i int) error {
	from := x.peers[opposite(i)]
	to := x.peers[i]
	tag := x.tag + i
	if x.derived {
		x.pack(r, i, 0, int(elements(x.size)))
	}
	if x.copies {
		if err := x.stage(r, i); err != nil {
			return err
		}
	}
	if err := r.Irecv(&x.requests[2*i], r.World(), from, tag, x.in[i].Data()); err != nil {
		return err
	}
	return r.Isend(&x.requests[2*i+1], r.World(), to, tag, x.out[i].Data())
}

// stage copies a message in the process's own memory by a message to itself, as a library with its
// own buffers does. The program's buffer is sent afterwards, so a copy in progress is not
// overwritten.
func (x *exchange) stage(r *cluster.Rank, i int) error {
	me, tag := r.World().Rank(), copyTag+x.tag
	_, err := r.Sendrecv(r.World(), me, tag, x.out[i].Data(), me, tag, x.staging.Data())
	return err
}

// copyTag is above the tags of all directions and threads.
const copyTag = 1 << 20

// end waits for the directions from (included) to to (excluded).
func (x *exchange) end(r *cluster.Rank, from, to int) error {
	statuses := x.statuses[2*from : 2*to]
	if err := r.Waitall(x.requests[2*from:2*to], statuses); err != nil {
		return err
	}
	for i := 0; i < len(statuses); i += 2 {
		if got := statuses[i].Bytes; got != x.size {
			return fmt.Errorf("rank %d: wrong message size: got %d B from process %d, want %d B", r.ID(), got,
				statuses[i].Source, x.size)
		}
	}
	return nil
}

// inTurn exchanges in one direction after the other, as Sendrecv does.
func (x *exchange) inTurn(r *cluster.Rank) error {
	for i := range x.peers {
		if err := x.start(r, i); err != nil {
			return err
		}
		if err := x.end(r, i, i+1); err != nil {
			return err
		}
	}
	return nil
}

// begin starts all directions.
func (x *exchange) begin(r *cluster.Rank) error {
	for i := range x.peers {
		if err := x.start(r, i); err != nil {
			return err
		}
	}
	return nil
}

// atOnce exchanges in all directions at the same time with nonblocking calls.
func (x *exchange) atOnce(r *cluster.Rank) error {
	if err := x.begin(r); err != nil {
		return err
	}
	return x.end(r, 0, len(x.peers))
}

// fill writes the messages of process me.
func (x *exchange) fill(me, stamp int) {
	for i := range x.out {
		b := x.out[i].Slice()
		if x.face == nil {
			for k := range b {
				b[k] = content(me, x.tag+i, stamp, k)
			}
			continue
		}
		clear(b) // so that an element that is not packed is noticed
		face := x.face[i].Slice()
		for k := range int(x.size) {
			face[k/element*pitch+k%element] = content(me, x.tag+i, stamp, k)
		}
	}
}

// check returns a message about the first wrong byte received, or "".
func (x *exchange) check(rank, stamp int) string {
	for i := range x.in {
		b := x.in[i].Slice()
		from := x.peers[opposite(i)]
		for k := range b {
			if want := content(from, x.tag+i, stamp, k); b[k] != want {
				return fmt.Sprintf("rank %d: byte %d of the message of %d B from process %d is %d, want %d", rank, k, x.size,
					from, b[k], want)
			}
		}
		clear(b) // so that a missing message is noticed
	}
	return ""
}

// content returns byte k of a message. It depends on the process, direction, thread, round and
// position.
func content(from, tag, stamp, k int) byte {
	return byte(from*31 + tag*7 + stamp*13 + k + k>>8*5 + 1)
}
