package topology

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// dragonfly is a network of groups of routers, with links between any two groups (Kim, Dally, Scott
// and Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, 2008). With four dims it has the
// three ranks of Faanes et al., Cray Cascade: A Scalable HPC System Based on a Dragonfly Network,
// 2012:
//
//	rank 1  joins every two routers of a chassis
//	rank 2  joins every two routers at the same position of two chassis of a group
//	rank 3  joins every two groups
//
// With three dims (nodes per router, routers per group, groups) rank 1 joins any two routers of a
// group and rank 2 joins groups. Nodes are numbered router by router, chassis by chassis, group by
// group.
//
// The taper of the last rank is the number of links from a group to other groups, divided by the
// nodes of the group. Any two groups get an equal share of these links, rounded, at least one. The
// taper of ranks inside a group is the thickness of a link: the number of cables that form one
// link.
//
// The cables of a group are numbered round-robin over the other groups, starting with the next
// group. Cable q of Q is plugged into router ⌊q × routers / Q⌋ of the group. The cables to one
// group are thus spread over the routers, and the gateways are the same in every group.
//
// Routes are minimal. Inside a group they use rank 1 to the position in the chassis, then rank 2 to
// the chassis. Between groups they go in this way to the gateway, over one cable, and then to the
// router. If there are several cables to a group, the number of the cable is the destination's
// position in its group modulo the number of cables. The way back may therefore differ, with more
// or fewer links.
type dragonfly struct {
	perRouter  uint32 // nodes per router
	perChassis uint32 // routers per chassis
	chassis    uint32 // chassis per group
	group      uint32 // routers per group
	groups     uint32
	cables     uint32 // cables between two groups
	second     uint32 // first link of rank 2
	last       uint32 // first link between groups
	between    int    // rank of the links between groups
}

func newDragonfly(t cluster.Topology) (*dragonfly, []float64, error) {
	var chassis int
	d := t.Dims
	switch len(d) {
	case 3:
		chassis = 1
	case 4:
		chassis = d[2]
	default:
		return nil, nil, fmt.Errorf("%s: want dims: nodes per router, routers per chassis, chassis per group, groups; "+
			"or nodes per router, routers per group, groups", title(t))
	}
	ranks := len(d) - 1
	if len(t.Taper) > ranks {
		return nil, nil, fmt.Errorf("%s: %d tapers for %d ranks (omit the last one)", title(t), len(t.Taper), ranks)
	}
	thickness := []float64{1, 1, 1}[:ranks]
	copy(thickness, t.Taper)

	groups := d[ranks]
	routers := product(d[1], chassis, groups)
	if product(routers, d[0]) > maxCount {
		return nil, nil, tooLarge(t)
	}
	cables := 0
	if groups > 1 {
		cables = shares(float64(routers/groups*d[0])/float64(groups-1), thickness[ranks-1])
	}
	thickness[ranks-1] = 1
	first, second := product(routers, d[1]-1), product(routers, chassis-1)
	third := product(groups, groups-1, cables)
	if int64(first)+int64(second)+int64(third) > maxCount {
		return nil, nil, tooLarge(t)
	}
	return &dragonfly{
		perRouter: uint32(d[0]), perChassis: uint32(d[1]), chassis: uint32(chassis),
		group: uint32(routers / groups), groups: uint32(groups), cables: uint32(cables),
		second: uint32(first), last: uint32(first + second), between: ranks,
	}, thickness, nil
}

func (w *dragonfly) capacity() int       { return w.routers() * int(w.perRouter) }
func (w *dragonfly) links() int          { return int(w.last + w.groups*(w.groups-1)*w.cables) }
func (w *dragonfly) routers() int        { return int(w.group * w.groups) }
func (w *dragonfly) router(node int) int { return node / int(w.perRouter) }

// indexExcept returns the position of to among all positions except from.
func indexExcept(from, to uint32) uint32 {
	if to > from {
		return to - 1
	}
	return to
}

// next returns the number of group to, counted cyclically from the group after from.
func (w *dragonfly) next(from, to uint32) uint32 {
	if to > from {
		return to - from - 1
	}
	return to + w.groups - from - 1
}

// gateway returns the router, numbered in its group, with a cable to the group at distance next.
func (w *dragonfly) gateway(next, cable uint32) uint32 {
	q := uint64(cable)*uint64(w.groups-1) + uint64(next)
	return uint32(q * uint64(w.group) / (uint64(w.groups-1) * uint64(w.cables)))
}

// crossing returns the route between two different groups for a node at position position in the
// target group: the two gateways, numbered in their groups, and the link.
func (w *dragonfly) crossing(from, to, position uint32) (out, in, link uint32) {
	next, cable := w.next(from, to), position%w.cables
	link = w.last + (from*(w.groups-1)+next)*w.cables + cable
	return w.gateway(next, cable), w.gateway(w.next(to, from), cable), link
}

func (w *dragonfly) route(from, to int, path []int32) []int32 {
	f, t := uint32(from)/w.perRouter, uint32(to)/w.perRouter
	if f == t {
		return path
	}
	fg, tg := f/w.group, t/w.group
	fr, tr := f-fg*w.group, t-tg*w.group
	if fg == tg {
		return w.inside(fg, fr, tr, path)
	}
	out, in, link := w.crossing(fg, tg, uint32(to)-tg*w.group*w.perRouter)
	path = w.inside(fg, fr, out, path)
	path = append(path, int32(link))
	return w.inside(tg, in, tr, path)
}

// inside appends the links between two routers of a group, numbered in it.
func (w *dragonfly) inside(group, from, to uint32, path []int32) []int32 {
	if from == to {
		return path
	}
	fc, tc := from/w.perChassis, to/w.perChassis
	fp, tp := from-fc*w.perChassis, to-tc*w.perChassis
	router := group*w.group + from
	if fp != tp {
		path = append(path, int32(router*(w.perChassis-1)+indexExcept(fp, tp)))
		router += tp - fp // modulo 2³²
	}
	if fc != tc {
		path = append(path, int32(w.second+router*(w.chassis-1)+indexExcept(fc, tc)))
	}
	return path
}

func (w *dragonfly) hops(from, to int) int {
	f, t := uint32(from)/w.perRouter, uint32(to)/w.perRouter
	fg, tg := f/w.group, t/w.group
	fr, tr := f%w.group, t%w.group
	if fg == tg {
		return w.steps(fr, tr)
	}
	out, in, _ := w.crossing(fg, tg, uint32(to)%(w.group*w.perRouter))
	return w.steps(fr, out) + 1 + w.steps(in, tr)
}

// steps returns the number of links between two routers of a group.
func (w *dragonfly) steps(from, to uint32) int {
	n := 0
	if from%w.perChassis != to%w.perChassis {
		n++
	}
	if from/w.perChassis != to/w.perChassis {
		n++
	}
	return n
}

// exceptAt is the inverse of indexExcept: it returns the i-th position of all positions except
// from.
func exceptAt(from, i uint32) uint32 {
	if i >= from {
		return i + 1
	}
	return i
}

func (w *dragonfly) rank(link int) int {
	switch n := uint32(link); {
	case n < w.second:
		return 1
	case n < w.last:
		return 2
	}
	return w.between
}

// local returns the parts of a link inside a group: its router, and its target position in the
// chassis (rank 1) or its target chassis (rank 2).
func (w *dragonfly) local(link int) (router, to uint32) {
	n := uint32(link)
	if n < w.second {
		router = n / (w.perChassis - 1)
		return router, exceptAt(router%w.perChassis, n%(w.perChassis-1))
	}
	n -= w.second
	router = n / (w.chassis - 1)
	return router, exceptAt(router%w.group/w.perChassis, n%(w.chassis-1))
}

// global returns the parts of a link between groups.
func (w *dragonfly) global(link int) (from, to, cable uint32) {
	n := uint32(link) - w.last
	pair := n / w.cables
	from = pair / (w.groups - 1)
	return from, (from + 1 + pair%(w.groups-1)) % w.groups, n % w.cables
}

func (w *dragonfly) ends(link int) (from, to int) {
	switch n := uint32(link); {
	case n < w.second:
		router, inChassis := w.local(link)
		return int(router), int(router - router%w.perChassis + inChassis)
	case n < w.last:
		router, chassis := w.local(link)
		return int(router), int(router - router%w.group + chassis*w.perChassis + router%w.perChassis)
	}
	f, t, cable := w.global(link)
	return int(f*w.group + w.gateway(w.next(f, t), cable)), int(t*w.group + w.gateway(w.next(t, f), cable))
}

func (w *dragonfly) name(link int) string {
	n := uint32(link)
	if n >= w.last {
		f, t, cable := w.global(link)
		name := fmt.Sprintf("rank %d group %d→%d", w.between, f, t)
		if w.cables > 1 {
			name += fmt.Sprintf(" cable %d", cable)
		}
		return name
	}
	router, to := w.local(link)
	group := router / w.group
	chassis := router % w.group / w.perChassis
	inChassis := router % w.perChassis
	switch {
	case w.between == 2:
		return fmt.Sprintf("rank 1 group %d router %d→%d", group, inChassis, to)
	case n < w.second:
		return fmt.Sprintf("rank 1 group %d chassis %d router %d→%d", group, chassis, inChassis, to)
	}
	return fmt.Sprintf("rank 2 group %d router %d chassis %d→%d", group, inChassis, chassis, to)
}

func (w *dragonfly) bisection() int {
	halves := func(n uint32) int { return int(n/2) * int(n-n/2) }
	switch {
	case w.groups > 1:
		return halves(w.groups) * int(w.cables)
	case w.chassis > 1:
		return halves(w.chassis) * int(w.perChassis)
	}
	return halves(w.perChassis)
}
