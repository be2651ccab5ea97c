package beff

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Values of the knob pattern.
const (
	patternBeff  = "beff"
	patternCubes = "3d-cyclic"
)

// A pattern lists the receivers of each process. Numbers are ranks in MPI_COMM_WORLD.
type pattern struct {
	random bool
	// exchanges has, for each process, one entry per neighbour; nil for a process without
	// neighbours.
	exchanges [][]exchange // by process
	messages  int          // of all processes
}

// An exchange is one message sent and one received.
type exchange struct{ to, from int }

// ringSizes returns b_eff's ring lengths for p processes.
func ringSizes(p int) []int {
	all := []int{2, 4, 8, max(16, p/4), max(32, p/2), p}
	for i := range all {
		all[i] = min(all[i], p)
	}
	return all
}

// ring splits p processes into rings of about n, as b_eff does: all rings have n processes, or one
// more or one less. Rings of even length come first.
func ring(p, n int) pattern {
	rings := max(1, min(int(float64(p)/float64(n)+0.4), p/2))
	low := p / rings
	more := p - low*rings // rings that have one process more
	first := low
	second := low + 1
	firsts := rings - more
	if low%2 == 1 && more > 0 {
		first = low + 1
		second = low
		firsts = more
	}
	t := pattern{exchanges: make([][]exchange, p)}
	for i := range p {
		size, base := first, i/first*first
		if i >= firsts*first {
			size, base = second, (i-firsts*first)/second*second+firsts*first
		}
		next, previous := (i-base+1)%size+base, (i-base+size-1)%size+base
		t.exchanges[i] = both(next, previous)
		t.messages += len(t.exchanges[i])
	}
	return t
}

// shuffled returns one ring of all processes in the given order.
func shuffled(order []int) pattern {
	p := len(order)
	t := pattern{random: true, exchanges: make([][]exchange, p)}
	for k, i := range order {
		t.exchanges[i] = both(order[(k+1)%p], order[(k+p-1)%p])
		t.messages += len(t.exchanges[i])
	}
	return t
}

// both returns the exchanges with two neighbours. If they are the same process, there is one
// message.
func both(next, previous int) []exchange {
	if next == previous {
		return []exchange{{next, previous}}
	}
	return []exchange{{next, previous}, {previous, next}}
}

// cyclic returns the pattern of a periodic grid. number returns the process at a position.
func cyclic(p int, dims [3]int, number func(at [3]int) int) pattern {
	t := pattern{exchanges: make([][]exchange, p)}
	for a := range dims[0] {
		for b := range dims[1] {
			for c := range dims[2] {
				at := [3]int{a, b, c}
				i := number(at)
				for d := range dims {
					if dims[d] < 2 {
						continue
					}
					up, down := at, at
					up[d], down[d] = (at[d]+1)%dims[d], (at[d]+dims[d]-1)%dims[d]
					t.exchanges[i] = append(t.exchanges[i], both(number(up), number(down))...)
				}
				t.messages += len(t.exchanges[i])
			}
		}
	}
	return t
}

// inRows numbers the positions of a grid with the last coordinate varying fastest, as
// MPI_Cart_create.
func inRows(dims [3]int) func([3]int) int {
	return func(at [3]int) int { return (at[0]*dims[1]+at[1])*dims[2] + at[2] }
}

// inCubes numbers a grid of boxes, each with the processes of one node. members lists the processes
// by node.
func inCubes(grid, box [3]int, members [][]int) func([3]int) int {
	node, position := inRows(grid), inRows(box)
	return func(at [3]int) int {
		var n, i [3]int
		for d := range at {
			n[d], i[d] = at[d]/box[d], at[d]%box[d]
		}
		return members[node(n)][position(i)]
	}
}

// gridSize returns how many of p processes b_eff arranges in three dimensions, and the dimensions.
// It leaves out processes until no dimension has length one, unless there are few.
func gridSize(p int) (int, [3]int) {
	for n := p; ; n-- {
		dims := cluster.Balanced(n)
		if dims[2] > 1 || n < 8 && n%2 == 0 || n < 4 {
			return n, dims
		}
	}
}

// patterns returns the measured patterns: b_eff's rings and the random rings in the given orders,
// or only the cyclic grid.
func patterns(name string, p int, orders [][]int, grid func() pattern) []pattern {
	if name == patternCubes {
		return []pattern{grid()}
	}
	var all []pattern
	for _, n := range ringSizes(p) {
		all = append(all, ring(p, n))
	}
	for _, order := range orders {
		all = append(all, shuffled(order))
	}
	return all
}

// byNode returns the members of each node, in order. even is false if nodes have different numbers
// of members.
func byNode(world []int32, nodes int, nodeOf func(int) int) (members [][]int, even bool) {
	members = make([][]int, nodes)
	for i, r := range world {
		n := nodeOf(int(r))
		members[n] = append(members[n], i)
	}
	members = slices.DeleteFunc(members, func(m []int) bool { return len(m) == 0 })
	for _, m := range members {
		if len(m) != len(members[0]) {
			return nil, false
		}
	}
	return members, true
}
