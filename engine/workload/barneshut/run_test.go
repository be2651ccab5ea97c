package barneshut

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A trial is a run of the program with a number of steps.
type trial struct {
	*testing.T
	engine.Probe
	knobs   engine.Scenario
	machine cluster.Machine
	fabric  cluster.Fabric
	steps   int
	before  func(s *simulation) // before each step; may be nil
	after   func(s *simulation) // after each step; may be nil

	mu       sync.Mutex
	failures []string
	checks   int
	reported map[string][]float64
	placed   map[int]float64 // ranks by the cells of the tree that they created
}

// try returns a trial with the given knobs and values.
func try(t *testing.T, f cluster.Fabric, steps int, knobs ...string) *trial {
	tr := &trial{T: t, fabric: f, steps: steps, machine: clustertest.Priced(), knobs: barnesHut.Scenario([]string{"demo"}), reported: map[string][]float64{}}
	if f.Name() == "live" {
		tr.machine = clustertest.Host()
	}
	for i := 0; i < len(knobs); i += 2 {
		if err := tr.knobs.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr *trial) Step(int, int)                 {}
func (tr *trial) Tally(string, int, int, int64) {}
func (tr *trial) Clock() cluster.Time           { return 0 }
func (tr *trial) Iteration() int                { return 0 }
func (tr *trial) Int(knob string) int64         { return tr.knobs.Int(knob) }
func (tr *trial) Float(knob string) float64     { return tr.knobs.Float(knob) }
func (tr *trial) Text(knob string) string       { return tr.knobs.Text(knob) }

func (tr *trial) Place(profile string, at int, rank float64) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.placed == nil {
		tr.placed = map[int]float64{}
	}
	if _, twice := tr.placed[at]; twice {
		tr.failures = append(tr.failures, fmt.Sprintf("two ranks created cell %d", at))
	}
	tr.placed[at] = rank
}

func (tr *trial) Report(name string, v float64) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.reported[name] = append(tr.reported[name], v)
}

func (tr *trial) Verify(ok bool, detail string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.checks++; !ok {
		tr.failures = append(tr.failures, detail)
	}
}

// run returns the hash of all bodies after the last step.
func (tr *trial) run() (bodies uint64, err error) {
	l := tr.knobs.Layout()
	if err := l.Validate(); err != nil {
		return 0, err
	}
	p, err := plan(&tr.knobs, &workload.Site{Machine: &tr.machine, Virtual: tr.fabric.Clock(&tr.machine) == cluster.VirtualClock})
	if err != nil {
		return 0, err
	}
	spec := cluster.Spec{Machine: tr.machine, Layout: l, Segment: p.Segment, EagerLimit: -1}
	err = cluster.Launch(context.Background(), tr.fabric, spec, func(r *cluster.Rank) error {
		s, err := newSimulation(r, tr)
		for ; err == nil && s.steps < tr.steps; s.steps++ {
			if tr.before != nil {
				tr.before(s)
			}
			for i, do := range []func() error{s.step, s.verify, s.advance} {
				err = do()
				if err != nil {
					return err
				}
				if i == 0 && tr.after != nil {
					tr.after(s)
				}
			}
		}
		if err == nil && r.ID() == 0 {
			bodies = hash(s.state)
			if s.bulk {
				bodies = s.image.hashed
			}
		}
		return err
	})
	return bodies, err
}

// sound returns the hash of a run, and fails the test if it does not verify.
func (tr *trial) sound() uint64 {
	tr.Helper()
	h, err := tr.run()
	if err != nil || tr.checks == 0 || len(tr.failures) > 0 {
		tr.Errorf("%v: %d checks, %q", err, tr.checks, tr.failures)
	}
	return h
}

// The picture of the tree has each cell of the first levels with the rank that creates it in the
// plan, for both values of charge.
func TestPicture(t *testing.T) {
	for _, charge := range []string{chargeExact, chargeBulk} {
		tr := try(t, sim.New(), 1, append(layout(2, 4, cluster.NestedFunneled, 4), "bodies", "300", "build", "sorted", "charge", charge)...)
		tr.sound()
		var o order
		o.arrange(plummer(1, 300), false)
		plan := planTree(&o, 4, false)
		want := map[int]float64{}
		var visit func(c ref, level, at int)
		visit = func(c ref, level, at int) {
			if c == 0 || c.leaf() || level == shown {
				return
			}
			want[(1<<(3*level)-1)/7+at] = float64(c.owner())
			for i, child := range plan.cells[c.owner()][c.index()].children {
				visit(child, level+1, 8*at+i)
			}
		}
		visit(plan.root, 0, 0)
		if len(want) < 50 || !maps.Equal(tr.placed, want) {
			t.Errorf("charge = %s: the cells of the picture are %v, want %v", charge, tr.placed, want)
		}
	}
}

// layout returns knobs for the numbers of nodes and ranks, and groups.
func layout(nodes, perNode int, model cluster.Model, group int) []string {
	return []string{"nodes", fmt.Sprint(nodes), "ranks-per-node", fmt.Sprint(perNode), "model", string(model), "group", fmt.Sprint(group)}
}

// All bodies are bitwise identical on every fabric, in every model and group, and with every
// placement, partition, build, cache and charge. Only the communication differs.
func TestBodiesDoNotDependOnHowTheyAreComputed(t *testing.T) {
	n, steps := "101", 2
	if os.Getenv("CONFORM") != "" {
		n, steps = "2003", 3
	}
	want := try(t, sim.New(), steps, "bodies", n, "nodes", "1", "ranks-per-node", "1", "group", "1").sound()
	for _, c := range [][]string{
		layout(1, 2, cluster.NestedMultiple, 1),
		layout(3, 1, cluster.Flat, 1),
		layout(5, 1, cluster.NestedFunneled, 5),
		append(layout(2, 4, cluster.NestedFunneled, 2), "placement", "block"),
		append(layout(2, 4, cluster.NestedMultiple, 4), "build", "sorted", "cache", "on"),
		append(layout(4, 4, cluster.NestedFunneled, 8), "partition", "cost", "world-seed", "3"),
		append(layout(4, 4, cluster.NestedMultiple, 4), "partition", "cost", "placement", "block"),
		append(layout(4, 4, cluster.Flat, 4), "cache", "on"),
	} {
		for _, f := range []cluster.Fabric{sim.New(), live.New()} {
			t.Run(fmt.Sprint(f.Name(), c), func(t *testing.T) {
				if got := try(t, f, steps, append(c, "bodies", n)...).sound(); got != want {
					t.Errorf("hash of bodies: %x, want %x", got, want)
				}
			})
		}
		t.Run(fmt.Sprint("bulk", c), func(t *testing.T) {
			tr := try(t, sim.New(), steps, append(c, "bodies", n, "charge", "bulk")...)
			tr.machine.Classes[cluster.Remote].Gap, tr.machine.Classes[cluster.Remote].Bandwidth = 0, 1e12 // no adapter is busy
			if got := tr.sound(); got != want {
				t.Errorf("bodies come to %x, want %x", got, want)
			}
		})
	}
}

// Fewer bodies than ranks: some ranks are idle.
func TestFewBodies(t *testing.T) {
	for _, n := range []string{"1", "2", "3", "5"} {
		for _, build := range []string{"insert", "sorted"} {
			want := try(t, sim.New(), 2, "bodies", n, "nodes", "1", "ranks-per-node", "1", "group", "1").sound()
			if got := try(t, sim.New(), 2, append(layout(2, 4, cluster.NestedFunneled, 4), "bodies", n, "build", build)...).sound(); got != want {
				t.Errorf("%s bodies, %s: %x, want %x", n, build, got, want)
			}
		}
	}
}

// Charged reads equal the reads made. A rank alone on its node takes the same time to the
// picosecond, and every rank of a cluster has the same counts.
func TestBulkIsExact(t *testing.T) {
	for _, c := range [][]string{
		layout(1, 1, cluster.Flat, 1),
		layout(2, 2, cluster.Flat, 4),
		append(layout(2, 2, cluster.NestedFunneled, 2), "cache", "on", "placement", "block"),
	} {
		var of [2]*trial
		for i, charge := range []string{"exact", "bulk"} {
			of[i] = try(t, sim.New(), 2, append(c, "bodies", "96", "build", "sorted", "charge", charge)...)
			remote := &of[i].machine.Classes[cluster.Remote]
			remote.Gap, remote.Bandwidth = 0, 1e12
			of[i].sound()
		}
		for _, name := range []string{"reads", "interactions", "rank_local_share", "node_local_share"} {
			a, b := slices.Sorted(slices.Values(of[0].reported[name])), slices.Sorted(slices.Values(of[1].reported[name]))
			if !slices.Equal(a, b) {
				t.Errorf("%v: %s: made %v, charged %v", c, name, a, b)
			}
		}
		a, b := of[0].reported["force_time_slowest"], of[1].reported["force_time_slowest"]
		for i := range a {
			if c[1] == "1" && a[i] != b[i] || !near(b[i], a[i], 0.01) {
				t.Errorf("%v: step %d takes %v, charged %v", c, i, a[i], b[i])
			}
		}
	}
}

// A rank's forces read the same records as a walk over a tree of one process: 40 B per summary, or
// 64 B for the children of a cell. This holds for reads in place, shared accesses and charged
// reads. Each of M ranks that exchange bodies gets the bodies of all others, (M − 1)·n·56 B in
// total (paper 1, section 4.2).
func TestTrafficIsWhatWalksRead(t *testing.T) {
	for _, f := range []cluster.Fabric{sim.New(), live.New()} {
		for _, c := range [][]string{
			layout(1, 1, cluster.Flat, 1), layout(3, 1, cluster.Flat, 3), layout(2, 4, cluster.NestedFunneled, 4), layout(2, 3, cluster.NestedMultiple, 2),
		} {
			const n = 131
			tr := try(t, f, 1, append(c, "bodies", fmt.Sprint(n))...)
			var mu sync.Mutex
			var read [2]int64 // accesses and bytes of all ranks
			var passed int64  // bytes of exchanged bodies
			members := int64(0)
			launched := func(r *cluster.Rank) error {
				s, err := newSimulation(r, tr)
				if err == nil {
					err = s.step()
				}
				if err == nil {
					err = r.Barrier(r.All())
				}
				if err != nil {
					return err
				}
				total := func() (ops, bytes int64) {
					for class := range cluster.Classes {
						ops, bytes = ops+r.Traffic().Ops[class], bytes+r.Traffic().Bytes[class]
					}
					return ops, bytes
				}
				ops, bytes := total()
				if err := s.force(); err != nil {
					return err
				}
				more, longer := total()
				want, alone := [2]int64{}, newLocalTree(s.state)
				for i, b := range s.order.bodies[s.share.lo:s.share.hi] {
					summaries, opened := alone.reads(float64(b), s.state[int(b)*bodySize:][:3], s.theta)
					want[0], want[1] = want[0]+summaries+opened, want[1]+summaries*summaryBytes+opened*childrenBytes
					if int64(s.pulls[i].interactions) >= summaries {
						t.Errorf("body %d: %d interactions, %d summaries read", b, s.pulls[i].interactions, summaries)
					}
				}
				if got := [2]int64{more - ops, longer - bytes}; got != want {
					t.Errorf("%s %v, rank %d: %v reads and bytes, want %v", f.Name(), c, r.ID(), got, want)
				}
				mu.Lock()
				read[0], read[1] = read[0]+want[0], read[1]+want[1]
				mu.Unlock()
				if s.groups == 1 {
					return nil
				}
				if err := s.publish(); err != nil {
					return err
				}
				for range 2 { // the first time, the members choose the algorithm
					if err := r.Barrier(r.All()); err != nil {
						return err
					}
					_, bytes = total()
					if err := s.exchange(); err != nil {
						return err
					}
				}
				_, longer = total()
				list := int64(0) // written by a master for its group
				if r.World().Rank() >= 0 && r.Spec().Layout.Model == cluster.NestedFunneled {
					list = n * bodySize * 8
				}
				mu.Lock()
				passed += longer - bytes - list
				members = max(members, int64(r.World().Size()))
				mu.Unlock()
				return nil
			}
			p, err := plan(&tr.knobs, workload.SiteOf(f, &tr.machine))
			if err != nil {
				t.Fatal(err)
			}
			if err := cluster.Launch(context.Background(), f, cluster.Spec{Machine: tr.machine, Layout: tr.knobs.Layout(), Segment: p.Segment, EagerLimit: -1}, launched); err != nil {
				t.Errorf("%s %v: %v", f.Name(), c, err)
			}
			if want := max(members-1, 0) * n * bodySize * 8; passed != want {
				t.Errorf("%s %v: exchanged bodies have %d B, want %d", f.Name(), c, passed, want)
			}
			if read[0] == 0 {
				t.Errorf("%s %v: nothing was read", f.Name(), c)
			}
		}
	}
}

// reads returns the number of summaries and of cells' children that the force on a body reads.
func (t *localTree) reads(body float64, x []float64, theta float64) (summaries, opened int64) {
	var visit func(c ref)
	visit = func(c ref) {
		summaries++
		if c.leaf() {
			return
		}
		cell, square := &t.cells[c.index()], 0.
		for k := range 3 {
			square += (cell.sum[k] - x[k]) * (cell.sum[k] - x[k])
		}
		if side := 2 * cell.sum[summaryHalf]; side < theta*math.Sqrt(square) {
			return
		}
		opened++
		for _, child := range cell.below {
			if child != 0 {
				visit(child)
			}
		}
	}
	visit(t.root)
	return summaries, opened
}

// Bodies at the same position are stored in a list below the last level. They need softening.
func TestCoincidentBodies(t *testing.T) {
	for _, build := range []string{"insert", "sorted"} {
		tr := try(t, sim.New(), 1, append(layout(1, 4, cluster.Flat, 4), "bodies", "40", "build", build)...)
		tr.before = func(s *simulation) {
			for b := 1; b < 30; b++ {
				copy(s.state[b*bodySize:], s.state[:3])
			}
		}
		tr.sound()
		if err := tr.knobs.Set("eps", "0"); err != nil {
			t.Fatal(err)
		}
		if _, err := tr.run(); err == nil || !strings.Contains(err.Error(), "have the same position, and eps = 0; set eps above 0") {
			t.Errorf("%s, without softening: %v", build, err)
		}
	}
}

// Errors are noticed: a body with a different position in one group, and a lost body.
func TestWrongBodiesAreNoticed(t *testing.T) {
	tr := try(t, sim.New(), 2, append(layout(2, 2, cluster.NestedFunneled, 2), "bodies", "64")...)
	tr.before = func(s *simulation) {
		if s.r.ID() == 3 && s.steps == 1 {
			s.state[5*bodySize] += 1e-9
		}
	}
	_, err := tr.run()
	if all := strings.Join(tr.failures, "; "); err != nil || !strings.Contains(all, "have different bodies") {
		t.Errorf("%v, %q: want that ranks differ", err, all)
	}
	if c := (census{3, 0 + 1 + 1, 0 + 1 + 1}); c.isComplete(3) {
		t.Error("a duplicate body in the tree is not noticed")
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		want  string
		knobs []string
		on    cluster.Fabric
	}{
		{"theta = 0 with bodies = 9000: all pairs are limited to 8192 bodies; set theta = 0.5", []string{"bodies", "9000", "theta", "0"}, sim.New()},
		{"charge = bulk: works only in simulations; set charge = exact", []string{"charge", "bulk"}, live.New()},
		{"group", []string{"group", "3"}, sim.New()},
	} {
		if _, err := try(t, c.on, 1, c.knobs...).run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.knobs, err, c.want)
		}
	}
	s := barnesHut.Scenario([]string{"demo"})
	for _, theta := range []string{"-1", "NaN"} {
		if s.Set("theta", theta) == nil {
			t.Errorf("theta = %s is accepted", theta)
		}
	}
	tr := try(t, sim.New(), 1, append(layout(1, 2, cluster.Flat, 2), "bodies", "64")...)
	tr.before = func(s *simulation) { s.tree.cells = 3 }
	if _, err := tr.run(); err == nil || !strings.Contains(err.Error(), "are in use: 3 of 3") {
		t.Errorf("a pool that is too small: %v", err)
	}
}

// TestWrongForcesAreNoticed tests that forces and potentials that are 5 % too large are noticed, by the energy along short paths and by all pairs.
func TestWrongForcesAreNoticed(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(p *pull)
	}{
		{"the work of forces along short paths is 1.05", func(p *pull) {
			for k := range p.a {
				p.a[k] *= 1.05
			}
		}},
		{"potentials differ from all pairs", func(p *pull) { p.potential *= 1.05 }},
	} {
		tr := try(t, sim.New(), 1, append(layout(2, 2, cluster.NestedFunneled, 2), "bodies", "512")...)
		tr.after = func(s *simulation) {
			for i := range s.pulls {
				c.change(&s.pulls[i])
			}
		}
		_, err := tr.run()
		if all := strings.Join(tr.failures, "; "); err != nil || !strings.Contains(all, c.want) {
			t.Errorf("%v, %q: want %q", err, all, c.want)
		}
	}
}

// With θ = 0 all pairs are computed, and the energy of the model is −1/4.
func TestAllPairs(t *testing.T) {
	tr := try(t, sim.New(), 1, append(layout(1, 1, cluster.Flat, 1), "bodies", "100", "theta", "0")...)
	tr.sound()
	if got := tr.reported["interactions"]; !slices.Equal(got, []float64{100 * 99}) {
		t.Errorf("%v interactions", got)
	}
}

// A body depends only on the seed and its number.
func TestPlummer(t *testing.T) {
	for seed := range uint64(3) {
		state := plummer(seed, 4000)
		kinetic, mass := 0., [3]float64{}
		for b := range 4000 {
			for k := range 3 {
				v := state[b*bodySize+bodyV+k]
				kinetic += v * v / 2 / 4000
				mass[k] += state[b*bodySize+k]
			}
		}
		if !near(kinetic, 0.25, 0.05) || !near(1+mass[0], 1, 1e-9) {
			t.Errorf("seed %d: kinetic energy %v, want 0.25; the centre is %v", seed, kinetic, mass)
		}
	}
}

func TestHybridLines(t *testing.T) {
	hybrid, others := lines()
	if hybrid < 20 || others < 5*hybrid {
		t.Errorf("%d lines for groups, %d others", hybrid, others)
	}
}
