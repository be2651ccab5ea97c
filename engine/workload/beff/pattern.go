package beff

import "slices"

// The patterns that the knob offers.
const (
	patternBeff  = "beff"
	patternCubes = "3d-cyclic"
)

// Where the processes of the 3-D cyclic pattern stand.
const (
	placingRows = "rows"  // in the order of their numbers, as MPI_Cart_create without reordering
	placingCube = "cubes" // those of a node in a box (paper 2, section 5)
)

// pattern is who sends to whom. Numbers are those of MPI_COMM_WORLD.
type pattern struct {
	random bool
	// to and from are, by exchange, the neighbour that process i sends to and the
	// one that it receives from; nil: i takes no part.
	exchanges [][]exchange // by process
	messages  int          // in all
}

// exchange is one message out and one in.
type exchange struct{ to, from int }

// ringSizes are b_eff's lengths of rings of p processes.
func ringSizes(p int) []int {
	all := []int{2, 4, 8, max(16, p/4), max(32, p/2), p}
	for i := range all {
		all[i] = min(all[i], p)
	}
	return all
}

// ring parts p processes into rings of about n, as b_eff does: all rings have n or
// one more or one less, first those of an even length.
func ring(p, n int) pattern {
	rings := max(1, min(int(float64(p)/float64(n)+0.4), p/2))
	low := p / rings
	more := p - low*rings // rings that have one process more
	first, second, firsts := low, low+1, rings-more
	if low%2 == 1 && more > 0 {
		first, second, firsts = low+1, low, more
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

// shuffled is one ring of all processes in the given order.
func shuffled(order []int) pattern {
	p := len(order)
	t := pattern{random: true, exchanges: make([][]exchange, p)}
	for k, i := range order {
		t.exchanges[i] = both(order[(k+1)%p], order[(k+p-1)%p])
		t.messages += len(t.exchanges[i])
	}
	return t
}

// both sends to both neighbours; where they are one there is one message.
func both(next, previous int) []exchange {
	if next == previous {
		return []exchange{{next, previous}}
	}
	return []exchange{{next, previous}, {previous, next}}
}

// cyclic is the periodic grid of dims; number gives a process by its place.
func cyclic(p int, dims [3]int, number func(place [3]int) int) pattern {
	t := pattern{exchanges: make([][]exchange, p)}
	for a := range dims[0] {
		for b := range dims[1] {
			for c := range dims[2] {
				place := [3]int{a, b, c}
				i := number(place)
				for d := range dims {
					if dims[d] < 2 {
						continue
					}
					up, down := place, place
					up[d], down[d] = (place[d]+1)%dims[d], (place[d]+dims[d]-1)%dims[d]
					t.exchanges[i] = append(t.exchanges[i], both(number(up), number(down))...)
				}
				t.messages += len(t.exchanges[i])
			}
		}
	}
	return t
}

// inRows numbers a grid with its last place running fastest, as MPI_Cart_create.
func inRows(dims [3]int) func([3]int) int {
	return func(at [3]int) int { return (at[0]*dims[1]+at[1])*dims[2] + at[2] }
}

// inCubes numbers a grid of boxes, a node's processes in each; members are they, by
// node.
func inCubes(grid, box [3]int, members [][]int) func([3]int) int {
	node, place := inRows(grid), inRows(box)
	return func(at [3]int) int {
		var n, i [3]int
		for d := range at {
			n[d], i[d] = at[d]/box[d], at[d]%box[d]
		}
		return members[node(n)][place(i)]
	}
}

// gridded is how many of p processes b_eff arranges in three dimensions: it leaves
// some out until no direction has length one, unless there are few.
func gridded(p int) (int, [3]int) {
	for n := p; ; n-- {
		dims := balanced(n)
		if dims[2] > 1 || n < 8 && n%2 == 0 || n < 4 {
			return n, dims
		}
	}
}

// balanced are the lengths, falling, that MPI_Dims_create gives n processes in three
// dimensions: as near to each other as the divisors of n allow.
func balanced(n int) [3]int {
	best := [3]int{n, 1, 1}
	for c := 1; c*c*c <= n; c++ {
		if n%c != 0 {
			continue
		}
		for b := c; b*b <= n/c; b++ {
			if a := n / c / b; n/c%b == 0 && (a < best[0] || a == best[0] && b < best[1]) {
				best = [3]int{a, b, c}
			}
		}
	}
	return best
}

// patterns lists what is measured: b_eff's rings and random rings, in the orders
// given, or the one cyclic grid.
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

// byNode lists the members of nodes, in order; boxes is false if some node has more
// of them than another.
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
