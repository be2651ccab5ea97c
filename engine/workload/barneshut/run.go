package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/upc"
	"github.com/hybridtop/hybridtop/engine"
)

// simulation is what a rank knows of the bodies and the tree.
type simulation struct {
	r               *cluster.Rank
	p               engine.Probe
	threads, groups int // of a group, and how many
	thread          int // in the own group
	byCost, bulk    bool
	theta, soft, dt float64

	state  []float64 // of all bodies
	order  order
	piece  span // of the order, that this rank computes
	pulls  []pull
	census census
	list   *upc.Shared[float64]
	comm   *coll.Comm // among those who exchange bodies
	tree   *tree
	image  *image // of charge = bulk
	reads  reads
	place  *placeReader // of reads in place; nil: there are none
	cache  *cache
	walker walker
	took   cluster.Time // the force computation

	steps  int     // done
	energy float64 // of the first step
}

func run(r *cluster.Rank, p engine.Probe) error {
	s, err := newSimulation(r, p)
	if err != nil {
		return err
	}
	for p.Next() {
		if err := s.step(); err != nil {
			return err
		}
		if err := s.verify(); err != nil {
			return err
		}
		if err := s.advance(); err != nil {
			return err
		}
		s.steps++
	}
	return nil
}

func newSimulation(r *cluster.Rank, p engine.Probe) (*simulation, error) {
	l := &r.Spec().Layout
	n, eps := int(p.Int("bodies")), p.Float("eps")
	s := &simulation{
		r: r, p: p, threads: l.GroupSize(), groups: l.Groups(), thread: r.Group().Rank(),
		byCost: p.Text("partition") == byCost, bulk: p.Text("charge") == chargeBulk,
		theta: p.Float("theta"), soft: eps * eps, dt: p.Float("dt"),
	}
	s.reads = newReads(r, s.threads)
	var from reader
	if s.bulk {
		s.image = r.Lib().Shared(imageKey{}, func() any {
			m := &image{state: plummer(uint64(p.Int("seed")), n)}
			m.next = make([]float64, len(m.state))
			m.build(s)
			return m
		}).(*image)
		from = &imageReader{s.image, &s.reads}
	} else {
		s.state = plummer(uint64(p.Int("seed")), n)
		var err error
		if s.list, err = upc.NewShared[float64](r, n*bodySize, listBlock(n, s.threads)); err != nil {
			return nil, err
		}
		if s.tree, err = newTree(r, roomFor(n, s.threads, s.byCost)); err != nil {
			return nil, err
		}
		if s.place = newPlaceReader(s.tree); s.place != nil {
			from = s.place
		} else {
			from = &sharedReader{tree: s.tree, reads: &s.reads}
		}
	}
	if p.Text("cache") == "on" {
		s.cache = newCache(from, s.thread)
		from = s.cache
	}
	s.walker = walker{reader: from, theta: s.theta, soft: s.soft}
	s.walker.place, _ = from.(*placeReader)
	return s, nil
}

// listBlock is how many numbers of the list of bodies are a thread's.
func listBlock(n, threads int) int { return (n + threads - 1) / threads * bodySize }

// step builds the tree and computes forces.
func (s *simulation) step() error {
	if s.bulk {
		s.state, s.order, s.census, s.walker.root = s.image.state, s.image.order, s.image.census, s.image.root
	} else {
		s.order.arrange(s.state, s.byCost)
		build := s.tree.insert
		if s.p.Text("build") == buildSorted {
			build = s.tree.plant
		}
		if err := build(s); err != nil {
			return err
		}
		if err := s.tree.summarize(s); err != nil {
			return err
		}
		s.walker.root = s.tree.root
	}
	s.picture()
	s.piece = s.computed(s.r.ID())
	return s.force()
}

// noStep is how many bodies are a step of an iteration's progress.
const noStep = 64

// force computes the forces on the own bodies: the part of a step that paper 1's figures
// time.
func (s *simulation) force() error {
	s.reads.clear()
	if s.cache != nil {
		s.cache.clear()
	}
	s.pulls = s.pulls[:0]
	if err := s.r.Barrier(s.r.Group()); err != nil {
		return err
	}
	start := s.r.Now()
	for i, b := range s.order.bodies[s.piece.lo:s.piece.hi] {
		if i%noStep == 0 {
			s.account()
			s.p.Step(i, s.piece.len())
		}
		f, err := s.walker.on(float64(b), s.state[int(b)*bodySize:][:3], s.r.Lib())
		if err != nil {
			return err
		}
		s.r.Compute(cluster.Work{Flops: float64(flops * f.interactions)}, func() {})
		s.pulls = append(s.pulls, f)
	}
	s.account()
	if s.bulk {
		if err := s.r.ChargeAccesses(cluster.Charge{Ops: s.reads.summaries, Bytes: summaryBytes}, cluster.Charge{Ops: s.reads.children, Bytes: childrenBytes}); err != nil {
			return err
		}
	}
	s.took = max(s.r.Now()-start-s.p.Clock(), 0)
	return nil
}

// account takes reads in place down that are not yet.
func (s *simulation) account() {
	if s.place != nil {
		s.place.tell(&s.reads, s.r)
	}
}

// leaf is the summary of a body of the order.
func (s *simulation) leaf(at int) summary { return leafOf(s.state, int(s.order.bodies[at])) }

func leafOf(state []float64, b int) summary {
	x := state[b*bodySize:]
	return summary{x[0], x[1], x[2], float64(bodySize) / float64(len(state)), float64(b)}
}

// velocity is a body's at the time of its force: half a step after the one that the list
// has, which in the first step is that of its own time.
func (s *simulation) velocity(i int) (v [3]float64) {
	body := s.state[int(s.order.bodies[s.piece.lo+i])*bodySize:]
	for k := range 3 {
		v[k] = body[bodyV+k]
		if s.steps > 0 {
			v[k] += s.dt / 2 * s.pulls[i].a[k]
		}
	}
	return v
}

// advance moves the own bodies by a step, a kick of half a step on each side of a drift,
// and gives everyone all bodies.
func (s *simulation) advance() error {
	into := s.state
	if s.bulk {
		into = s.image.next
	}
	for i, b := range s.order.bodies[s.piece.lo:s.piece.hi] {
		v := s.velocity(i)
		from, to := s.state[int(b)*bodySize:], into[int(b)*bodySize:][:bodySize]
		for k := range 3 {
			v[k] += s.dt / 2 * s.pulls[i].a[k]
			to[bodyX+k], to[bodyV+k] = from[bodyX+k]+s.dt*v[k], v[k]
		}
		to[bodyCost] = float64(s.pulls[i].interactions)
	}
	if !s.bulk {
		return s.gather()
	}
	if err := s.r.Barrier(s.r.All()); err != nil {
		return err
	}
	if s.r.ID() == 0 {
		s.image.state, s.image.next = s.image.next, s.image.state
		s.image.build(s)
	}
	return s.r.Barrier(s.r.All())
}
