package heat

import "github.com/hybridtop/hybridtop/cluster"

// Directions of the faces: before and behind in x, y and z. The opposite of d is d^1.
const directions = 6

// divide returns the grid of p processes in the cube, as the example computes it. nx is the
// smallest divisor of p from its cube root up, and ny the smallest divisor of the rest from its
// square root up.
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

// divisor returns the smallest divisor of n that is at least from.
func divisor(n, from int) int {
	for n%from != 0 {
		from++
	}
	return from
}

// block is one process's part of the cube.
type block struct {
	side  int             // of the cube, cells
	lo    [3]int          // its first cell in the cube
	size  [3]int          // cells
	peers [directions]int // numbers of the neighbours; −1: none
}

// blockOf returns the block of process i in a grid of n processes.
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

// cells returns the number of cells of the block.
func (b *block) cells() int64 { return int64(b.size[0]) * int64(b.size[1]) * int64(b.size[2]) }

// inner returns the number of cells with all neighbours in the block.
func (b *block) inner() int64 {
	n := int64(1)
	for _, s := range b.size {
		n *= int64(max(s-2, 0))
	}
	return n
}

// innerRows returns the number of rows with cells whose neighbours are all in the block.
func (b *block) innerRows() int {
	if b.size[0] <= 2 {
		return 0
	}
	return max(b.size[1]-2, 0) * max(b.size[2]-2, 0)
}

// face returns the number of cells of a face of direction d.
func (b *block) face(d int) int64 {
	return int64(b.size[(d/2+1)%3]) * int64(b.size[(d/2+2)%3])
}

// faces returns the number of cells of all six faces.
func (b *block) faces() int64 { return 2 * (b.face(0) + b.face(2) + b.face(4)) }

// sent returns the bytes that a process sends to its neighbours in a step, and the number of
// neighbours.
func (b *block) sent() (bytes int64, peers int) {
	for d, peer := range b.peers {
		if peer >= 0 {
			bytes += cell * b.face(d)
			peers++
		}
	}
	return bytes, peers
}

// cell is the number of bytes of a temperature.
const cell = 8
