package heat

import "github.com/hybridtop/hybridtop/cluster"

// Directions of the faces: before and behind in x, y and z. The opposite of d is d^1.
const directions = 6

// divide is how p processes stand in a cube, as the example divides them: nx is the
// smallest divisor of p from its third root up, ny that of the rest from its square root
// up.
func divide(p int) [3]int {
	root := 1
	for (root+1)*(root+1)*(root+1) <= p {
		root++
	}
	nx := divisor(p, root)
	for root = 1; (root+1)*(root+1) <= p/nx; {
		root++
	}
	ny := divisor(p/nx, root)
	return [3]int{nx, ny, p / nx / ny}
}

// divisor is the smallest one of n from a number up.
func divisor(n, from int) int {
	for n%from != 0 {
		from++
	}
	return from
}

// block is the part of the cube that one process has.
type block struct {
	side  int             // of the cube, cells
	lo    [3]int          // its first cell in the cube
	size  [3]int          // cells
	peers [directions]int // whose blocks are beside it, by their numbers; −1: nobody's
}

// blockOf is the block of process i of those that stand so.
func blockOf(side int, n [3]int, i int) block {
	b := block{side: side}
	at := [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
	stride := 1
	for d := range 3 {
		lo, hi := cluster.Share(side, n[d], at[d])
		b.lo[d], b.size[d] = lo, hi-lo
		b.peers[2*d], b.peers[2*d+1] = -1, -1
		if at[d] > 0 {
			b.peers[2*d] = i - stride
		}
		if at[d] < n[d]-1 {
			b.peers[2*d+1] = i + stride
		}
		stride *= n[d]
	}
	return b
}

// cells of the block.
func (b *block) cells() int64 { return int64(b.size[0]) * int64(b.size[1]) * int64(b.size[2]) }

// inner are its cells with all neighbours in the block.
func (b *block) inner() int64 {
	n := int64(1)
	for _, s := range b.size {
		n *= int64(max(s-2, 0))
	}
	return n
}

// face is how many cells a face of direction d has.
func (b *block) face(d int) int64 {
	return int64(b.size[(d/2+1)%3]) * int64(b.size[(d/2+2)%3])
}

// faces are the cells of all six.
func (b *block) faces() int64 { return 2 * (b.face(0) + b.face(2) + b.face(4)) }

// sent is how many bytes go to neighbours in a step, and to how many.
func (b *block) sent() (bytes int64, peers int) {
	for d, peer := range b.peers {
		if peer >= 0 {
			bytes += cell * b.face(d)
			peers++
		}
	}
	return bytes, peers
}

// cell is the bytes of one.
const cell = 8
