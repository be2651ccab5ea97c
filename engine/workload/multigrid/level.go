package multigrid

// shape is the decomposition of a level's grid: boxes along each dimension, and cells along each
// side of a box.
type shape struct{ boxes, side int }

func (s shape) cells() int { return s.boxes * s.side }
func (s shape) count() int { return s.boxes * s.boxes * s.boxes }

// shapes returns the grids of all levels, the finest first. Boxes are halved down to the threshold;
// then eight of them become one of the same size, which is halved again. A grid with an odd number
// of cells per side is the last one, and one box.
func shapes(boxes, side, threshold int) []shape {
	list := []shape{{boxes, side}}
	for s := list[0]; s.cells()%2 == 0; {
		switch {
		case s.side > threshold && s.side%2 == 0:
			s.side /= 2
		case s.boxes%2 == 0:
			s.boxes /= 2
		default:
			s.side /= 2
		}
		if n := s.cells(); n%2 == 1 {
			s = shape{1, n}
		}
		list = append(list, s)
	}
	return list
}

// owner returns the rank that owns a box. Boxes are numbered lexicographically.
func (s shape) owner(box, ranks int) int { return int(int64(ranks) * int64(box) / int64(s.count())) }

// first returns the first box of a rank. For the next rank, this is the end of the rank's boxes.
func (s shape) first(rank, ranks int) int {
	return int((int64(rank)*int64(s.count()) + int64(ranks) - 1) / int64(ranks))
}

// slots returns the maximum number of boxes of a rank.
func (s shape) slots(ranks int) int { return (s.count() + ranks - 1) / ranks }

// at returns the position of a box, in boxes.
func (s shape) at(box int) [3]int {
	return [3]int{box % s.boxes, box / s.boxes % s.boxes, box / (s.boxes * s.boxes)}
}

// box returns the number of the box at a position, and reports whether it is in the domain.
func (s shape) box(at [3]int) (int, bool) {
	for _, x := range at {
		if x < 0 || x >= s.boxes {
			return 0, false
		}
	}
	return at[0] + s.boxes*(at[1]+s.boxes*at[2]), true
}

// The vectors of a box.
const (
	vTemp = iota
	vU
	vF
	vE // the expected u, if it is verified
	vR
	vDinv
	vBetaI
	vBetaJ
	vBetaK
	vectors
)

func (s shape) stride() int        { return s.side + 2 }
func (s shape) vectorBytes() int64 { n := int64(s.stride()); return 8 * n * n * n }
func (s shape) boxBytes() int64    { return vectors * s.vectorBytes() }

// index returns the position of a cell in a box; ghosts have the indices 0 and side + 1.
func (s shape) index(i, j, k int) int { return i + s.stride()*(j+s.stride()*k) }

// The ways of data: within a level to the neighbours across faces, or to all; to the next coarser
// level, and back.
const (
	faces = iota
	sides
	down
	up
	ways
)

// layout is the positions of the vectors of all levels in the data of a rank, in bytes. The
// bulk variant also has inboxes by level, way and parity, and flags.
type layout struct {
	ranks      int
	shapes     []shape
	bulk       bool
	base       []int64       // of each level's boxes
	inbox      [][ways]int64 // of the first parity
	inboxBytes [][ways]int64 // of an inbox
	flag       [][ways]int64 // of the first source's word
	data       int64         // bytes, without the flags
	flags      int64         // bytes of flags
}

func newLayout(list []shape, ranks int, bulk bool) *layout {
	l := &layout{ranks: ranks, shapes: list, bulk: bulk, base: make([]int64, len(list)),
		inbox: make([][ways]int64, len(list)), inboxBytes: make([][ways]int64, len(list)),
		flag: make([][ways]int64, len(list))}
	for i, s := range list {
		l.base[i] = l.data
		l.data += int64(s.slots(ranks)) * s.boxBytes()
	}
	if !bulk {
		return l
	}
	for i, s := range list {
		slots, cells := int64(s.slots(ranks)), int64(s.side*s.side*s.side)
		sources := [ways]int64{faces: 6 * slots, sides: 26 * slots, up: slots}
		l.inboxBytes[i][faces] = 8 * slots * 6 * int64(s.side*s.side)
		l.inboxBytes[i][sides] = slots * (s.vectorBytes() - 8*cells)
		if i+1 < len(list) && list[i+1].boxes != s.boxes {
			coarse := list[i+1]
			below := int64(coarse.slots(ranks))
			l.inboxBytes[i][down], sources[down] = 8*below*int64(coarse.side*coarse.side*coarse.side),
				below*int64((s.boxes/coarse.boxes)*(s.boxes/coarse.boxes)*(s.boxes/coarse.boxes))
			l.inboxBytes[i][up] = 8 * slots * cells
		}
		for way := range ways {
			l.inbox[i][way] = l.data
			l.data += 2 * l.inboxBytes[i][way]
			l.flag[i][way] = l.flags
			l.flags += 8 * sources[way]
		}
	}
	return l
}

// maxSide returns the largest number of cells along a side of a box.
func (l *layout) maxSide() (side int) {
	for _, s := range l.shapes {
		side = max(side, s.side)
	}
	return side
}

// vector returns the position of a vector of a rank's box in its data.
func (l *layout) vector(level, slot, v int) int64 {
	s := l.shapes[level]
	return l.base[level] + int64(slot)*s.boxBytes() + int64(v)*s.vectorBytes()
}
