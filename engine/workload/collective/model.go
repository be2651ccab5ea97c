package collective

import (
	"errors"
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// nominal is what algorithms are compared by where a machine states no costs, as this
// host: it chooses between them, and no time of it is shown.
var nominal = coll.Cost{
	L: cluster.Microsecond, O: cluster.Microsecond / 4, Gap: cluster.Microsecond / 4, G: cluster.Nanosecond / 8,
	Copy: cluster.Nanosecond / 8, Combine: cluster.Nanosecond / 8,
}

// place is where a team runs, as far as it decides which algorithms it can run and what
// they cost.
type place struct {
	machine *cluster.Machine
	kind    engine.Kind // of the numbers
	node    bool        // all ranks are in one node
	perNode int         // ranks
}

// placeOf is where a scenario's team runs, for numbers of a kind.
func placeOf(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) place {
	return place{m, kind, s.Int("nodes") == 1, int(s.Int("ranks-per-node"))}
}

// on is that of a site.
func on(s *engine.Scenario, site *workload.Site) place {
	kind := engine.Measured
	switch {
	case site.Phantoms:
		kind = engine.Simulated
	case site.Machine.Emulated:
		kind = engine.Emulated
	}
	return placeOf(s, site.Machine, kind)
}

// reach reports whether loads get from each rank to all others: inside a node, and on
// this host's own memory everywhere.
func (w place) reach() bool { return w.node || w.kind == engine.Measured }

// costs are the terms that the machine's links between nodes give, or where there is one
// node those inside it; false: there are none.
func (w place) costs() (coll.Cost, bool) {
	m := *w.machine
	if w.node {
		m.Classes[cluster.Remote] = m.Classes[cluster.InNode]
	}
	c, err := coll.CostOf(&m)
	if err != nil || w.kind == engine.Measured {
		return nominal, false
	}
	if w.kind == engine.Emulated {
		c.O = 0 // the live fabric's overheads are the host's own
	}
	return c, true
}

// key is an algorithm's, as the knobs ask for it, among so many ranks.
func (w place) key(s knobs, a *coll.Algorithm, ranks int) (coll.Key, error) {
	if a.Needs&coll.Reach != 0 && !w.reach() {
		return coll.Key{}, fmt.Errorf("%s by %s: loads reach the ranks of one node only", a.Collective, a.Name)
	}
	k, err := a.Key(parameters(s, a, ranks))
	if err == nil && k.Transfer == coll.PutOnly && passesOn(k) {
		return k, fmt.Errorf("%s by %s: ranks pass on what comes, and %s does not tell them that it has; use transfer %s", a.Collective, a.Name, k.Transfer, coll.Put)
	}
	return k, err
}

// passesOn reports whether a rank has something to do once a message has come.
func passesOn(k coll.Key) bool {
	for _, rel := range []int32{0, 1, k.Ranks / 2, k.Ranks - 1} {
		if rel >= k.Ranks {
			continue
		}
		schedule := k.Make(rel)
		for i := range schedule.Nodes {
			if schedule.Nodes[i].Kind == coll.Recv && len(schedule.Next(i)) > 0 {
				return true
			}
		}
	}
	return false
}

// knobs are what is asked: a scenario, or a rank's probe.
type knobs interface {
	Text(knob string) string
	Int(knob string) int64
}

// parameters are what the knobs ask of an algorithm; it takes only those that it has.
func parameters(s knobs, a *coll.Algorithm, ranks int) coll.Parameters {
	p := coll.Parameters{Ranks: ranks}
	if a.Collective != coll.Barrier {
		p.Modes = modes(s)
	}
	if radix := s.Int("radix"); a.Radix != 0 && radix > 0 {
		p.Radix = int(radix)
	}
	if a.Segmented {
		p.Segments = int(s.Int("segments"))
	}
	return p
}

// modes are how the knobs have bytes move, and what they promise of them.
func modes(s knobs) coll.Modes {
	var m coll.Modes
	var errs [4]error
	m.Transfer, errs[0] = coll.TransferOf(s.Text("transfer"))
	m.In, errs[1] = coll.SyncOf(s.Text("sync-in"))
	m.Out, errs[2] = coll.SyncOf(s.Text("sync-out"))
	if m.Transfer.OneSided() {
		m.Address, errs[3] = coll.AddressOf(s.Text("addresses"))
	}
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // the knobs have them for choices
	}
	return m
}

// best is the algorithm that takes least by the model, on n bytes among so many ranks.
func (w place) best(s knobs, c *coll.Cost, ranks int, n int64) (coll.Key, cluster.Time) {
	var least coll.Key
	time := cluster.Time(math.MaxInt64)
	for _, a := range coll.Of(of(s)) {
		k, err := w.key(s, a, ranks)
		if err != nil {
			continue
		}
		if t := k.Predict(c, n); t < time {
			least, time = k, t
		}
	}
	return least, time
}

// chosen are the schedules that the knobs ask for.
func (w place) chosen(s knobs, ranks int) (coll.Key, error) {
	name := s.Text("algorithm")
	if name == byModel {
		c, _ := w.costs()
		if k, _ := w.best(s, &c, ranks, length(s)); k.Algorithm != nil {
			return k, nil
		}
		_, err := w.key(s, coll.Of(of(s))[0], ranks)
		return coll.Key{}, fmt.Errorf("no algorithm can run: %w; use other ranks, or other transfers and synchronization", err)
	}
	if name == byTable {
		k, err := w.fromTable(s, ranks, w.perNode, length(s))
		if err != nil {
			return k, fmt.Errorf("%w; use another algorithm", err)
		}
		return k, nil
	}
	a, err := coll.Find(of(s), name)
	if err != nil {
		return coll.Key{}, fmt.Errorf("%w; use one of these", err)
	}
	k, err := w.key(s, a, ranks)
	if err != nil {
		return k, fmt.Errorf("%w; use another algorithm or other ranks", err)
	}
	return k, nil
}

// length is the size that the model and the call take.
func length(s knobs) int64 {
	if of(s) == coll.Barrier {
		return 0
	}
	return s.Int("size")
}

// called names schedules: "knomial, radix 4".
func called(k *coll.Key) string {
	text := k.Algorithm.Name
	if k.Radix != 0 {
		text += fmt.Sprintf(", radix %d", k.Radix)
	}
	if k.Segments > 1 {
		text += fmt.Sprintf(", %d segments", k.Segments)
	}
	if k.Transfer != coll.TwoSided {
		text += ", " + k.Transfer.String()
	}
	if k.Address != coll.Single {
		text += ", " + k.Address.String()
	}
	if k.In != coll.MySync || k.Out != coll.MySync {
		text += ", " + k.In.String() + " to " + k.Out.String()
	}
	return text
}

// fine divides the terms, so that a small change of one, by nudge, chooses no other path,
// and generic is what keeps two paths from being equally long.
const (
	fine  = 1 << 16
	nudge = 1 << 4
)

var generic = coll.Cost{L: 7 << 10, O: 3 << 10, Gap: 2 << 10, G: 1 << 10, Copy: 1 << 9, Combine: 1 << 9}

// terms are what a predicted time is made of: how often each cost counts on the path
// that takes longest. The formulas are sums and maxima of the costs, so how a time
// grows with a cost says how often it counts.
func terms(k *coll.Key, c *coll.Cost, n int64) []engine.Term {
	scaled := coll.Cost{
		L: fine*c.L + generic.L, O: fine*c.O + generic.O, Gap: fine*c.Gap + generic.Gap, G: fine*c.G + generic.G,
		Copy: fine*c.Copy + generic.Copy, Combine: fine*c.Combine + generic.Combine,
	}
	if before := k.Predict(c, n); before > math.MaxInt64/fine/4 {
		return nil // beyond what a Time holds
	}
	from := k.Predict(&scaled, n)
	var all []engine.Term
	add := func(name, doc string, cost cluster.Time, more func(*coll.Cost)) {
		with := scaled
		more(&with)
		count := math.Round(float64(k.Predict(&with, n)-from) / nudge)
		if cost > 0 && count > 0 {
			all = append(all, engine.Term{Name: name, Doc: doc, Count: count, Time: count * cost.Seconds()})
		}
	}
	add("L", "latency", c.L, func(c *coll.Cost) { c.L += nudge })
	add("o", "overhead", c.O, func(c *coll.Cost) { c.O += nudge })
	add("g", "gap", c.Gap, func(c *coll.Cost) { c.Gap += nudge })
	add("G", "bandwidth", c.G, func(c *coll.Cost) { c.G += nudge })
	add("copy", "copies", c.Copy, func(c *coll.Cost) { c.Copy += nudge })
	add("add", "reductions", c.Combine, func(c *coll.Cost) { c.Combine += nudge })
	return all
}
