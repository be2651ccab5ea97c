package barneshut

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// This file has the code that the program needs for several groups. Its lines are counted (paper 1,
// section 4.2: 51 more than 2,454).

// shareOf returns the bodies that a rank computes forces on. With placement = block, groups have
// contiguous regions. Else the same threads of all groups insert the same bodies, and divide them.
func (s *simulation) shareOf(rank int) span {
	if s.p.Text("placement") == "block" {
		return s.order.part(s.order.all(), rank, s.threads*s.groups)
	}
	return s.order.part(s.order.inserted(rank%s.threads, s.threads), rank/s.threads, s.groups)
}

// exchange sends each group the bodies of the other groups. Under nested-funneled, a master sends
// all bodies of its group, and writes the received ones to the group's list. Under nested-multiple,
// each thread sends its own bodies.
func (s *simulation) exchange() error {
	world, funneled := s.r.World(), s.r.Spec().Layout.Model == cluster.NestedFunneled
	if funneled && s.thread > 0 {
		return s.r.Barrier(s.r.Group())
	}
	pieces, displ := s.shares(funneled)
	n := displ[len(displ)-1]
	comm, key, err := s.chooseExchange(n / int64(world.Size()))
	if err != nil {
		return err
	}
	var in []float64
	s.each(pieces[world.Rank()], func(body []float64) { in = append(in, body...) })
	out := make([]float64, n/8)
	blocks := coll.Blocks{Unit: 8, Elems: n / 8, Parts: int32(world.Size()), Displ: displ}
	start := s.caller.Time(s.r)
	if err := comm.Do(coll.Call{Key: key, In: cluster.Of(in), Out: cluster.Of(out), Blocks: blocks}); err != nil {
		return err
	}
	s.shared = s.caller.Time(s.r) - start
	s.each(slices.Concat(pieces...), func(body []float64) { out = out[copy(body, out):] })
	if funneled {
		if err := s.writeList(); err != nil {
			return err
		}
	}
	return s.r.Barrier(s.r.Group())
}

// chooseExchange returns the Comm and the key of an exchange with a mean of n bytes per process.
func (s *simulation) chooseExchange(n int64) (*coll.Comm, coll.Key, error) {
	if comm, key, ok := s.caller.Comm(); ok {
		return comm, key, nil
	}
	if s.comm == nil {
		var err error
		if s.comm, err = coll.New(s.r, s.r.World()); err != nil {
			return nil, coll.Key{}, err
		}
	}
	key, err := s.comm.Choose(coll.OpAllgather, n, coll.EvenBlocks)
	return s.comm, key, err
}

// shares returns the parts of the order that each member of MPI_COMM_WORLD sends, and their
// displacements in the list of all bodies that the members gather, in bytes. With funneled, a
// member sends the parts of all threads of its group.
func (s *simulation) shares(funneled bool) (pieces [][]span, displ []int64) {
	world, threads := s.r.World(), 1
	if funneled {
		threads = s.threads
	}
	pieces, displ = make([][]span, world.Size()), make([]int64, world.Size()+1)
	for m := range pieces {
		displ[m+1] = displ[m]
		for t := range threads {
			pieces[m] = append(pieces[m], s.shareOf(world.Global(m)+t))
			displ[m+1] += int64(pieces[m][t].len()) * bodySize * 8
		}
	}
	return pieces, displ
}

// each calls visit for each body of pieces.
func (s *simulation) each(pieces []span, visit func(body []float64)) {
	for _, piece := range pieces {
		for _, b := range s.order.bodies[piece.lo:piece.hi] {
			visit(s.state[int(b)*bodySize:][:bodySize])
		}
	}
}
