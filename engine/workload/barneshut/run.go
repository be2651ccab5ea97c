package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/upc"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A simulation is a rank's data of the bodies and the tree.
type simulation struct {
	r               *cluster.Rank
	p               engine.Probe
	threads, groups int // threads per group, number of groups
	thread          int // number of this thread in its group
	byCost, bulk    bool
	theta, soft, dt float64

	state   []float64 // all bodies
	order   order
	share   span // the part of the order that this rank computes
	pulls   []pull
	census  census
	list    *upc.Shared[float64]
	comm    *coll.Comm        // of the ranks that exchange bodies
	caller  *algorithm.Caller // chooses the algorithm of the exchange; nil: the library
	shared  cluster.Time      // duration of the last exchange
	tree    *tree
	image   *image // for charge = bulk
	reads   reads
	inPlace *inPlaceReader // for reads in place; nil: none
	cache   *cache
	walker  walker
	took    cluster.Time // duration of the force computation

	steps  int     // completed steps
	energy float64 // energy in the first step
}

func run(r *cluster.Rank, p engine.Probe) error {
	s, err := newSimulation(r, p)
	if err != nil {
		return err
	}
	if s.caller, err = exchange.Caller(r, p, r.All(), r.World()); err != nil {
		return err
	}
	s.p = s.caller
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
		if err := s.caller.Took(s.shared); err != nil {
			return err
		}
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
	from, err := s.newReader(n)
	if err != nil {
		return nil, err
	}
	if p.Text("cache") == "on" {
		s.cache = newCache(from, s.thread)
		from = s.cache
	}
	s.walker = walker{reader: from, theta: s.theta, soft: s.soft}
	s.walker.inPlace, _ = from.(*inPlaceReader)
	return s, nil
}

// newReader creates the bodies and the tree, or the image of both, and returns the tree's reader.
func (s *simulation) newReader(n int) (reader, error) {
	r, seed := s.r, uint64(s.p.Int("seed"))
	if s.bulk {
		s.image = r.Lib().Shared(imageKey{}, func() any {
			m := &image{state: plummer(seed, n)}
			m.next = make([]float64, len(m.state))
			m.build(s)
			return m
		}).(*image)
		return &imageReader{s.image, &s.reads}, nil
	}
	s.state = plummer(seed, n)
	var err error
	if s.list, err = upc.NewShared[float64](r, n*bodySize, listBlock(n, s.threads)); err != nil {
		return nil, err
	}
	if s.tree, err = newTree(r, capacityFor(n, s.threads, s.byCost)); err != nil {
		return nil, err
	}
	if s.inPlace = newInPlaceReader(s.tree); s.inPlace != nil {
		return s.inPlace, nil
	}
	return &sharedReader{tree: s.tree, reads: &s.reads}, nil
}

// bodies returns the number of bodies.
func (s *simulation) bodies() int { return len(s.state) / bodySize }

// listBlock returns how many numbers of the list of bodies are in one thread's block.
func listBlock(n, threads int) int { return (n + threads - 1) / threads * bodySize }

// step builds the tree and computes the forces.
func (s *simulation) step() error {
	if err := s.build(); err != nil {
		return err
	}
	s.picture()
	s.share = s.shareOf(s.r.ID())
	return s.force()
}

// build builds the group's tree of all bodies, or takes over the image, which is already built.
func (s *simulation) build() error {
	if s.bulk {
		s.state, s.order, s.census, s.walker.root = s.image.state, s.image.order, s.image.census, s.image.root
		return nil
	}
	s.order.arrange(s.state, s.byCost)
	create := s.tree.insert
	if s.p.Text("build") == buildSorted {
		create = s.tree.buildFromOutline
	}
	if err := create(s); err != nil {
		return err
	}
	if err := s.tree.summarize(s); err != nil {
		return err
	}
	s.walker.root = s.tree.root
	return nil
}

// reportEvery is the number of bodies between two progress reports and updates of the counts.
const reportEvery = 64

// force computes the forces on this rank's bodies. It is the part of a step that paper 1's figures
// show.
func (s *simulation) force() error {
	s.reads.clear()
	if s.cache != nil {
		s.cache.clear()
	}
	s.pulls = s.pulls[:0]
	start, err := workload.Begin(s.r, s.r.Group())
	if err != nil {
		return err
	}
	for i, b := range s.order.bodies[s.share.lo:s.share.hi] {
		if i%reportEvery == 0 {
			s.flushReads()
			s.p.Step(i, s.share.len())
		}
		f, err := s.walker.forceOn(float64(b), s.state[int(b)*bodySize:][:3], s.r.Lib())
		if err != nil {
			return err
		}
		s.r.Compute(cluster.Work{Flops: float64(flops * f.interactions)}, func() {})
		s.pulls = append(s.pulls, f)
	}
	s.flushReads()
	if s.bulk {
		if err := s.r.ChargeAccesses(cluster.Charge{Ops: s.reads.summaries, Bytes: summaryBytes}, cluster.Charge{Ops: s.reads.children, Bytes: childrenBytes}); err != nil {
			return err
		}
	}
	s.took = max(workload.End(s.r)-start-s.p.Clock(), 0)
	return nil
}

// flushReads adds the reads in place that are not yet in the counts.
func (s *simulation) flushReads() {
	if s.inPlace != nil {
		s.inPlace.flush(&s.reads, s.r)
	}
}

// leaf returns the summary of a body of the order.
func (s *simulation) leaf(at int) summary { return leafOf(s.state, int(s.order.bodies[at])) }

func leafOf(state []float64, b int) summary {
	x := state[b*bodySize:]
	return summary{x[0], x[1], x[2], float64(bodySize) / float64(len(state)), float64(b)}
}

// velocity returns a body's velocity at the time of its force. The stored velocity is half a step
// older, except in the first step.
func (s *simulation) velocity(i int) (v [3]float64) {
	body := s.state[int(s.order.bodies[s.share.lo+i])*bodySize:]
	for k := range 3 {
		v[k] = body[bodyV+k]
		if s.steps > 0 {
			v[k] += s.dt / 2 * s.pulls[i].a[k]
		}
	}
	return v
}

// advance moves this rank's bodies by a step, with a kick of half a step before and after a drift,
// and sends all bodies to all ranks.
func (s *simulation) advance() error {
	into := s.state
	if s.bulk {
		into = s.image.next
	}
	for i, b := range s.order.bodies[s.share.lo:s.share.hi] {
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
