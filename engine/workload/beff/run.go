package beff

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A suite is the measurements of one process.
type suite struct {
	r        *cluster.Rank
	p        engine.Probe
	patterns []pattern
	sizes    []int64
	methods  []string
	rounds   int
	repeats  int
	timed    *part
	verified *part
	// seconds is the time of a round on this process, and after report on the slowest process. It
	// is indexed by pattern, size and method, and has the best of the repetitions.
	seconds []float64
}

func run(r *cluster.Rank, p engine.Probe) error {
	if r.World().Rank() < 0 { // no MPI rank
		for p.Next() {
		}
		return nil
	}
	m := &r.Spec().Machine
	s := &suite{r: r, p: p, sizes: sizes(p.Text("sizes"), lmax(p.Text("lmax"), p.Int("lmax"), m, &r.Spec().Layout)),
		methods: methodsOf(p.Text("method")), rounds: int(p.Int("rounds")), repeats: int(p.Int("repetitions"))}
	s.timed, s.verified, _ = workload.Parts(workload.Store(r, p, bytesOf(p.Text("pattern"), slices.Max(s.sizes))), newPart)
	for p.Next() {
		if err := s.drawPatterns(); err != nil {
			return err
		}
		if wrong := wrongPatterns(s.patterns, p.Text("pattern"), int(p.Int("randoms")), r.World().Size()); wrong != "" {
			p.Verify(false, wrong)
		}
		if wrong := wrongSizes(s.sizes, p.Text("sizes")); wrong != "" {
			p.Verify(false, wrong)
		}
		if wrong := wrongMethods(s.methods, p.Text("method")); wrong != "" {
			p.Verify(false, wrong)
		}
		if err := s.measure(); err != nil {
			return err
		}
		if err := s.report(); err != nil {
			return err
		}
	}
	return nil
}

// A part is the messages that are timed, or the messages that are verified.
type part struct {
	store   cluster.Store
	longest int64
}

// smallMessage is the maximum size in bytes of verified messages if the timed ones are size-only.
const smallMessage = 4096

func newPart(store cluster.Store, small bool) (*part, error) {
	if small {
		return &part{store, smallMessage}, nil
	}
	return &part{store, math.MaxInt64}, nil
}

// bytesOf returns the bytes of a process's messages of some length, in both directions.
func bytesOf(pattern string, length int64) int64 {
	if pattern == patternCubes {
		return 2 * gridSides * length
	}
	return 2 * ringSides * length
}

// drawPatterns creates the patterns of an iteration. As in b_eff, process 0 draws the random
// orders.
func (s *suite) drawPatterns() error {
	world, layout := s.r.World(), &s.r.Spec().Layout
	p := world.Size()
	var orders [][]int
	if s.p.Text("pattern") == patternBeff {
		for range s.p.Int("randoms") {
			order := make([]int64, p)
			if world.Rank() == 0 {
				for i, k := range s.r.Rand().Perm(p) {
					order[i] = int64(k)
				}
			}
			if err := coll.Bcast(s.r, world, 0, cluster.Of(order)); err != nil {
				return err
			}
			ring := make([]int, p)
			for i, k := range order {
				ring[i] = int(k)
			}
			orders = append(orders, ring)
		}
	}
	s.patterns = patterns(s.p.Text("pattern"), p, orders, func() pattern {
		return grid(world.Members(), layout)
	})
	return nil
}

// grid returns the 3-D cyclic pattern of the processes in world. Processes are in the order of their
// numbers, or in one box per node with ranking = cubes. This also holds if only some may call MPI, or if
// MPI numbers them in another order.
func grid(world []int32, layout *cluster.Layout) pattern {
	if layout.Ranking != cluster.Cubes {
		_, dims := gridSize(len(world))
		return cyclic(len(world), dims, inRows(dims))
	}
	members, _ := byNode(world, layout.Nodes, layout.NodeOf) // even: plan has checked it
	nodes, box := cluster.Balanced(len(members)), cluster.Balanced(len(members[0]))
	var dims [3]int
	for d := range dims {
		dims[d] = nodes[d] * box[d]
	}
	return cyclic(len(world), dims, inCubes(nodes, box, members))
}

// at returns the index of a time in seconds.
func (s *suite) at(pattern, size, method int) int {
	return (pattern*len(s.sizes)+size)*len(s.methods) + method
}

// measure times each pattern, size and method.
func (s *suite) measure() error {
	s.seconds = make([]float64, len(s.patterns)*len(s.sizes)*len(s.methods))
	for i := range s.seconds {
		s.seconds[i] = math.Inf(1)
	}
	wrong := ""
	for i := range s.patterns {
		s.p.Step(i, len(s.patterns)) // sizes take very different times
		exchanges := s.patterns[i].exchanges[s.r.World().Rank()]
		for k, size := range s.sizes {
			if err := s.verify(exchanges, size, &wrong); err != nil {
				return err
			}
			d := newRound(s.r, exchanges, size, s.timed.store)
			for range s.repeats {
				for m, method := range s.methods {
					seconds, err := s.time(d, method)
					if err != nil {
						return err
					}
					best := &s.seconds[s.at(i, k, m)]
					*best = min(*best, seconds)
				}
			}
		}
	}
	if wrong != "" {
		s.p.Verify(false, fmt.Sprintf("iteration %d: %s", s.p.Iteration(), wrong))
	} else {
		s.p.Verify(true, "every message of every pattern, size and method arrived complete")
	}
	return nil
}

// verify sends distinguishable messages once with every method. If the timed messages are
// size-only, these are short.
func (s *suite) verify(exchanges []exchange, size int64, wrong *string) error {
	d := newRound(s.r, exchanges, min(size, s.verified.longest), s.verified.store)
	if s.verified == s.timed && d.size != size {
		*wrong = fmt.Sprintf("messages of %d B are verified instead of %d B", d.size, size)
	}
	for stamp, method := range s.methods {
		d.fill(stamp)
		if err := d.exchangeBy(method); err != nil {
			return err
		}
		if what := d.check(stamp); what != "" && *wrong == "" {
			*wrong = what + " (" + method + ")"
		}
	}
	return nil
}

// time returns the time of a round on this process: after a barrier and one warm-up round, the
// rounds run without a break.
func (s *suite) time(d *round, method string) (float64, error) {
	if err := s.r.Barrier(s.r.World()); err != nil {
		return 0, err
	}
	if err := d.exchangeBy(method); err != nil {
		return 0, err
	}
	start := workload.BeginNow(s.r)
	for range s.rounds {
		if err := d.exchangeBy(method); err != nil {
			return 0, err
		}
	}
	took := max(workload.End(s.r)-start-s.p.Clock(), 0)
	for _, e := range d.exchanges {
		s.p.Access(s.r.World().Global(e.to), d.size, took/cluster.Time(s.rounds))
	}
	return took.Seconds() / float64(s.rounds), nil
}

// report computes each time on the slowest process, and from these times b_eff.
func (s *suite) report() error {
	world := s.r.World()
	seconds, err := workload.Maxima(s.r, world, s.seconds...)
	if err != nil {
		return err
	}
	if world.Rank() != 0 {
		return nil
	}
	best := func(pattern, size int) int {
		first := s.at(pattern, size, 0)
		times := seconds[first : first+len(s.methods)]
		return slices.Index(times, slices.Min(times))
	}
	b := func(pattern, size int) float64 {
		return float64(s.patterns[pattern].messages) * float64(s.sizes[size]) / seconds[s.at(pattern, size,
			best(pattern, size))]
	}
	for i := range s.patterns {
		for k := range s.sizes {
			s.p.Tally("best_method", k, best(i, k), 1)
			s.p.Tally("pattern_bandwidth", k, min(i, len(patternNames)-1), int64(b(i, k)))
			for m := range s.methods {
				s.p.Tally("method_bandwidth", k, m,
					int64(float64(s.patterns[i].messages)*float64(s.sizes[k])/seconds[s.at(i, k, m)]))
			}
		}
	}
	total := effective(s.patterns, len(s.sizes), b)
	nodes := float64(s.r.Spec().Layout.Nodes)
	for name, value := range map[string]float64{"average": total.average, "at_lmax": total.atLmax} {
		s.p.Report("b_eff_"+name, value)
		s.p.Report("b_eff_"+name+"_per_node", value/nodes)
		s.p.Report("b_eff_"+name+"_per_process", value/float64(world.Size()))
	}
	if strings.HasPrefix(s.p.Text("pattern"), patternBeff) {
		s.p.Report("rings_at_lmax", total.rings)
		s.p.Report("random_at_lmax", total.random)
	}
	return nil
}

// bandwidths are the results of b_eff in B/s of all processes together.
type bandwidths struct {
	average, atLmax float64
	rings, random   float64 // at Lmax, of the rings and of the random patterns; NaN: no such pattern
}

// effective computes b_eff: the mean over sizes, the logarithmic mean over patterns of each kind,
// and the logarithmic mean of both kinds. b returns the bandwidth of a pattern and a size.
func effective(patterns []pattern, sizes int, b func(pattern, size int) float64) bandwidths {
	kind := func(random bool) (average, atLmax float64) {
		n := 0.0
		for i := range patterns {
			if patterns[i].random != random {
				continue
			}
			mean := 0.0
			for k := range sizes {
				mean += b(i, k) / float64(sizes)
			}
			average += math.Log(mean)
			atLmax += math.Log(b(i, sizes-1))
			n++
		}
		return average / n, atLmax / n // NaN if there are none
	}
	ringMean, ringLmax := kind(false)
	randomMean, randomLmax := kind(true)
	e := bandwidths{rings: math.Exp(ringLmax), random: math.Exp(randomLmax)}
	if math.IsNaN(randomMean) {
		e.average, e.atLmax = math.Exp(ringMean), e.rings
		return e
	}
	e.average, e.atLmax = math.Exp((ringMean+randomMean)/2), math.Exp((ringLmax+randomLmax)/2)
	return e
}
