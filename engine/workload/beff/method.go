package beff

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// methods are the methods in b_eff's order.
var methods = []string{"sendrecv", "alltoallv", "nonblocking"}

// methodsOf returns the methods that a value of the knob selects.
func methodsOf(knob string) []string {
	if knob == "best" {
		return methods
	}
	return []string{knob}
}

// A round does one round of a process's exchanges.
type round struct {
	r         *cluster.Rank
	exchanges []exchange
	size      int64
	out, in   []cluster.Buf[byte] // the message of each exchange
	requests  []cluster.Request
	statuses  []cluster.Status
}

func newRound(r *cluster.Rank, exchanges []exchange, size int64, store cluster.Store) *round {
	n := len(exchanges)
	d := &round{r: r, exchanges: exchanges, size: size, requests: make([]cluster.Request, 2*n),
		statuses: make([]cluster.Status, 2*n)}
	for range n {
		d.out, d.in = append(d.out, cluster.Make[byte](store, int(size))), append(d.in, cluster.Make[byte](store, int(size)))
	}
	return d
}

// exchangeBy does a round with a method.
func (d *round) exchangeBy(method string) error {
	switch method {
	case "sendrecv":
		return d.sendrecv()
	case "alltoallv":
		return d.alltoallv()
	}
	return d.nonblocking()
}

// sendrecv exchanges with one neighbour after the other.
func (d *round) sendrecv() error {
	for i := range d.exchanges {
		if err := d.receive(i); err != nil {
			return err
		}
		if err := d.send(i); err != nil {
			return err
		}
		if err := d.waitall(d.requests[2*i:2*i+2], d.statuses[2*i:2*i+2]); err != nil {
			return err
		}
	}
	return nil
}

// nonblocking starts all exchanges in order, then waits for all.
func (d *round) nonblocking() error {
	for i := range d.exchanges {
		if err := d.receive(i); err != nil {
			return err
		}
		if err := d.send(i); err != nil {
			return err
		}
	}
	return d.waitall(d.requests, d.statuses)
}

// alltoallv is MPI_Alltoallv with no data for processes that are not neighbours. It works as MPI
// libraries implement it: all receives, then all sends, nearest higher rank first, and one wait.
// Package cluster has no such collective.
func (d *round) alltoallv() error {
	world := d.r.World()
	ahead := func(to int) int { return (to - world.Rank() + world.Size()) % world.Size() }
	order := make([]int, len(d.exchanges))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return ahead(d.exchanges[b].from) - ahead(d.exchanges[a].from) })
	for _, i := range order {
		if err := d.receive(i); err != nil {
			return err
		}
	}
	slices.SortFunc(order, func(a, b int) int { return ahead(d.exchanges[a].to) - ahead(d.exchanges[b].to) })
	for _, i := range order {
		if err := d.send(i); err != nil {
			return err
		}
	}
	return d.waitall(d.requests, d.statuses)
}

// receive posts the receive of exchange i. The tag is i, which is the same at both ends.
func (d *round) receive(i int) error {
	return d.r.Irecv(&d.requests[2*i], d.r.World(), d.exchanges[i].from, i, d.in[i].Data())
}

func (d *round) send(i int) error {
	return d.r.Isend(&d.requests[2*i+1], d.r.World(), d.exchanges[i].to, i, d.out[i].Data())
}

// waitall waits for alternating receives and sends, and checks the sizes of the received messages.
func (d *round) waitall(requests []cluster.Request, statuses []cluster.Status) error {
	if err := d.r.Waitall(requests, statuses); err != nil {
		return err
	}
	for i := 0; i < len(statuses); i += 2 {
		if got := statuses[i].Bytes; got != d.size {
			return fmt.Errorf("rank %d: wrong message size: got %d B from process %d, want %d B", d.r.ID(), got,
				statuses[i].Source, d.size)
		}
	}
	return nil
}

// fill writes the messages that a process sends in a round.
func (d *round) fill(stamp int) {
	me := d.r.World().Rank()
	for i := range d.out {
		b := d.out[i].Slice()
		for k := 0; k < len(b); k += block {
			copy(b[k:], content(me, i, stamp, k))
		}
	}
}

// check returns a message about the first wrong byte received, or "".
func (d *round) check(stamp int) string {
	for i := range d.in {
		b, from := d.in[i].Slice(), d.exchanges[i].from
		for k := 0; k < len(b); k += block {
			got := b[k:min(k+block, len(b))]
			want := content(from, i, stamp, k)[:len(got)]
			if bytes.Equal(got, want) {
				continue
			}
			wrong := 0
			for got[wrong] == want[wrong] {
				wrong++
			}
			return fmt.Sprintf("rank %d: byte %d of the message of %d B from process %d is %d, want %d", d.r.ID(), k+wrong, d.size,
				from, got[wrong], want[wrong])
		}
		clear(b) // so that a missing message is noticed
	}
	return ""
}

// block is the number of bytes of a message that content returns.
const block = 256

// ramp has the bytes 0 to 255, twice.
var ramp = func() (r [2 * block]byte) {
	for k := range r {
		r[k] = byte(k)
	}
	return r
}()

// content returns the block at offset k, a multiple of block, of the message that process from sends in exchange i.
// It depends on the process, exchange, round and position.
func content(from, i, stamp, k int) []byte {
	first := byte(from*31 + i*7 + stamp*13 + k/block*5 + 1)
	return ramp[first:][:block]
}
