package coll

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// folding has the loads of links if all nodes send at the same time to the node with the same
// shift. It follows the busiest links of each shift.
type folding struct {
	all    *resources
	count  int32 // nodes
	shifts map[foldedShift]*shiftLoad
	slots  map[int32]int32 // by link: index into free
	free   []cluster.Time
	counts map[int32]int32 // by link, while a shift is computed
	path   []int32
}

type foldedShift struct {
	shift int32
	isXor bool
}

// shiftLoad is the load of a shift.
type shiftLoad struct {
	hops   int32   // links of the longest route, after the first
	single perByte // on the slowest link of a route, for a byte of one node
	loads  []linkLoad
}

// linkLoad is the time per byte of each node on a followed link.
type linkLoad struct {
	slot  int32
	bytes perByte
}

func newFolding(all *resources) *folding {
	return &folding{all: all, count: int32(len(all.nodes)), shifts: map[foldedShift]*shiftLoad{},
		slots: map[int32]int32{}, counts: map[int32]int32{}}
}

// maxFoldedNodes is the maximum number of adjacent nodes whose common links are followed.
const maxFoldedNodes = 512

// maxFollowed is the number of the busiest links of a shift that are followed.
const maxFollowed = 4

// load returns the load of a shift, computed once.
func (x *folding) load(shift int32, isXor bool) *shiftLoad {
	at := foldedShift{shift, isXor}
	if l := x.shifts[at]; l != nil {
		return l
	}
	l := &shiftLoad{}
	clear(x.counts)
	var order []int32 // links in the order of their first message
	all := x.all
	for from := range min(x.count, maxFoldedNodes) {
		to := wrap(from+shift, x.count)
		if isXor {
			to = from ^ shift
		}
		x.path = all.links.Route(int(all.nodes[from]), int(all.nodes[to]), x.path[:0])
		l.hops = max(l.hops, int32(len(x.path))-1)
		for _, link := range x.path {
			if x.counts[link] == 0 {
				order = append(order, link)
			}
			x.counts[link]++
		}
	}
	for _, link := range order {
		rate := perByteOf(float64(all.links.Rate(int(link))))
		l.single = max(l.single, rate)
		l.loads = append(l.loads, linkLoad{slot: link, bytes: rate * perByte(x.counts[link])})
	}
	l.keepBusiest()
	for i := range l.loads {
		link := l.loads[i].slot
		slot, isKnown := x.slots[link]
		if !isKnown {
			slot = int32(len(x.free))
			x.slots[link] = slot
			x.free = append(x.free, 0)
		}
		l.loads[i].slot = slot
	}
	x.shifts[at] = l
	return l
}

// keepBusiest keeps the busiest links of a shift. Of equal links it keeps those with the lowest numbers, so that an
// estimate does not depend on earlier ones.
func (l *shiftLoad) keepBusiest() {
	slices.SortFunc(l.loads, func(a, b linkLoad) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.slot, b.slot))
	})
	l.loads = l.loads[:min(maxFollowed, len(l.loads))]
}

// cross sends n bytes of each node with the shift of a transit. It returns the time until the last
// byte has passed the links, and the latency of the hops.
func (x *folding) cross(f *transit, start cluster.Time, n int64) (last, hops cluster.Time) {
	l := x.load(f.shift, f.at.isXor)
	last = start + l.single.time(n-1)
	for _, load := range l.loads {
		free := &x.free[load.slot]
		*free = max(start, *free) + load.bytes.time(n)
		last = max(last, *free)
	}
	return last, x.all.hop * cluster.Time(max(l.hops, 0))
}
