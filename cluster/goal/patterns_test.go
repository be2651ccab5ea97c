package goal_test

import (
	"fmt"
	"math/bits"
	"strings"
)

// drawn is a program for GOAL text. Operations of a rank have consecutive numbers from 1.
type drawn struct {
	text strings.Builder
	ops  int // of the current rank
}

func (d *drawn) op(format string, args ...any) int {
	d.ops++
	fmt.Fprintf(&d.text, "l%d: "+format+"\n", append([]any{d.ops}, args...)...)
	return d.ops
}

// send sends at least one byte, because LogGOPSim takes (s − 1)G for s bytes, also if there are none.
func (d *drawn) send(size, to int) int   { return d.op("send %db to %d tag 0", max(size, 1), to) }
func (d *drawn) recv(size, from int) int { return d.op("recv %db from %d tag 0", max(size, 1), from) }
func (d *drawn) calc(ns int) int         { return d.op("calc %d", ns) }

// requires lets an operation wait for another one, if there are both.
func (d *drawn) requires(op, before int) {
	if op > 0 && before > 0 {
		fmt.Fprintf(&d.text, "l%d requires l%d\n", op, before)
	}
}

// A pattern has the operations of each of n ranks, with messages of size bytes. They are the same
// operations in the same order as the pattern of this name of schedgen.
type pattern struct {
	name string
	rank func(d *drawn, r, n, size int)

	theirs, ours func(c constants, size int) int64 // closed forms of examples
}

func patternOf(name string) *pattern {
	for _, list := range [][]pattern{patterns, examples} {
		for i := range list {
			if list[i].name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// program returns the GOAL text of a pattern.
func (p *pattern) program(n, size int) string {
	d := &drawn{}
	fmt.Fprintf(&d.text, "num_ranks %d\n", n)
	for r := range n {
		fmt.Fprintf(&d.text, "\nrank %d {\n", r)
		d.ops = 0
		p.rank(d, r, n, size)
		fmt.Fprintln(&d.text, "}")
	}
	return d.text.String()
}

// patterns has the patterns of schedgen. All messages between two ranks have one tag, so their order counts.
// LogGOPSim sorts operations that can start at the same time, and keeps the order of at most 16. The
// recorded runs respect this limit.
var patterns = []pattern{
	{name: "binomialtreebcast", rank: func(d *drawn, r, n, size int) {
		recv := 0
		for dist := 1; dist < n; dist *= 2 {
			if r < dist && r+dist < n {
				d.requires(d.send(size, r+dist), recv)
			} else if r >= dist && r < 2*dist {
				recv = d.recv(size, r-dist)
			}
		}
	}},
	{name: "binomialtreereduce", rank: func(d *drawn, r, n, size int) {
		parent := 0
		if r > 0 {
			parent = 1 << (bits.Len(uint(r)) - 1)
		}
		send := 0
		for dist := 1; dist < n; dist *= 2 {
			if r < dist && r+dist < n {
				d.requires(send, d.recv(size, r+dist))
			} else if dist == parent {
				send = d.send(size, r-dist)
			}
		}
	}},
	{name: "binarytreebcast", rank: func(d *drawn, r, n, size int) {
		recv := 0
		if r > 0 {
			recv = d.recv(size, (r-1)/2)
		}
		for _, child := range []int{2*r + 1, 2*r + 2} {
			if child < n {
				d.send(size, child)
			}
		}
		for op := recv + 1; recv > 0 && op <= d.ops; op++ {
			d.requires(op, recv)
		}
	}},
	{name: "dissemination", rank: func(d *drawn, r, n, size int) {
		recv := 0
		for dist := 1; dist < n; dist *= 2 {
			d.requires(d.send(size, (r+dist)%n), recv)
			recv = d.recv(size, (r+n-dist)%n)
		}
	}},
	{name: "nwaydissemination", rank: twoWayDissemination},
	{name: "pipelinedring", rank: func(d *drawn, r, n, size int) { pipelinedRing(d, r, n, size, false) }},
	{name: "pipelinedringdep", rank: func(d *drawn, r, n, size int) { pipelinedRing(d, r, n, size, true) }},
	{name: "doublering", rank: func(d *drawn, r, n, size int) {
		for _, to := range []int{1, n - 1} {
			send := d.send(size, (r+to)%n)
			recv := d.recv(size, (r+n-to)%n)
			if r > 0 {
				d.requires(send, recv)
			}
		}
	}},
	{name: "gather", rank: func(d *drawn, r, n, size int) {
		if r > 0 {
			d.send(size, 0)
			return
		}
		for i := 1; i < n; i++ {
			d.recv(size, i)
		}
	}},
	{name: "scatter", rank: func(d *drawn, r, n, size int) {
		if r > 0 {
			d.recv(size, 0)
			return
		}
		for i := 1; i < n; i++ {
			d.send(size, i)
		}
	}},
	{name: "linbarrier", rank: func(d *drawn, r, n, _ int) {
		if r > 0 {
			d.send(1, 0)
			d.recv(1, 0)
			return
		}
		all := d.calc(0)
		for i := 1; i < n; i++ {
			recv, send := d.recv(1, i), d.send(1, i)
			d.requires(all, recv)
			d.requires(send, all)
		}
	}},
	{name: "random_bisect", rank: func(d *drawn, r, n, size int) { // schedgen draws the pairs; no time depends on them
		if r < n/2 {
			d.send(size, r+n/2)
		} else {
			d.recv(size, r-n/2)
		}
	}},
	{name: "random_bisect_fd_sym", rank: func(d *drawn, r, n, size int) {
		if r < n/2 {
			d.send(size, r+n/2)
			d.recv(size, r+n/2)
		} else {
			d.recv(size, r-n/2)
			d.send(size, r-n/2)
		}
	}},
	{name: "linear_alltoall", rank: func(d *drawn, r, n, size int) {
		for i := 1; i < n; i++ {
			d.send(size, (r+i)%n)
			d.recv(size, (r+n-i)%n)
		}
	}},
	{name: "linear_alltoallv", rank: func(d *drawn, r, n, size int) { // schedgen draws the sizes
		bytes := func(from, to int) int {
			if to == 0 {
				return size
			}
			return 1 + (370*from+110*to)%size
		}
		for i := 1; i < n; i++ {
			to, from := (r+i)%n, (r+n-i)%n
			d.send(bytes(r, to), to)
			d.recv(bytes(from, r), from)
		}
	}},
	{name: "allreduce_recdoub", rank: func(d *drawn, r, n, size int) {
		recv := 0
		step := func(dist int) {
			d.requires(d.send(size/2/dist, r^dist), recv)
			recv = d.recv(size/2/dist, r^dist)
		}
		for dist := 1; dist < n; dist *= 2 {
			step(dist)
		}
		for dist := n / 2; dist > 0; dist /= 2 {
			step(dist)
		}
	}},
	{name: "allreduce_ring", rank: func(d *drawn, r, n, size int) {
		recv := 0
		for range 2 * (n - 1) {
			d.requires(d.send(size/n, (r+1)%n), recv)
			recv = d.recv(size/n, (r+n-1)%n)
		}
	}},
}

// twoWayDissemination sends two messages in each round, after reductions of the previous round's.
func twoWayDissemination(d *drawn, r, n, size int) {
	var recvs [2]int
	for dist := 1; dist < n; dist *= 3 {
		first, second := d.send(size, (r+dist)%n), d.send(size, (r+2*dist)%n)
		if dist > 1 {
			one := d.calc(size)
			d.requires(one, recvs[1])
			d.requires(one, recvs[0])
			both := d.calc(size)
			d.requires(both, recvs[0])
			d.requires(second, one)
			d.requires(first, both)
			d.requires(second, both)
		}
		for i := range recvs {
			recvs[i] = d.recv(size, (r+2*n-(i+1)*dist)%n)
		}
	}
}

// pipelinedRing passes segments from rank to rank. With paced, a rank receives a segment after it
// has sent the previous one.
func pipelinedRing(d *drawn, r, n, size int, paced bool) {
	segment := max(size/4, 1)
	previous := 0
	for at := 0; at < size; at += segment {
		bytes := min(segment, size-at)
		recv, send := 0, 0
		if r > 0 {
			recv = d.recv(bytes, r-1)
		}
		if r < n-1 {
			send = d.send(bytes, r+1)
		}
		d.requires(send, recv)
		if paced {
			d.requires(recv, previous)
		}
		previous = send
	}
}
