package session

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

// Fabrics are those that are built in, by the name that the fabric knob gives.
func Fabrics() map[string]cluster.Fabric {
	return map[string]cluster.Fabric{engine.Live: live.New(), engine.Sim: sim.New()}
}

// virtual is what the probes of a simulation share. Its ranks take turns on one
// thread, so that they need no locks; and what the session wants of them may not
// take virtual time, or a look at a run would change it.
type virtual struct {
	gate   *gate
	probes []*probe
	rounds [2]round // the latest two: no rank is further ahead of another
	batch  batch
}

// round is what the ranks agree on before an iteration.
type round struct {
	iteration int
	longest   cluster.Time // that the iteration before took a rank
	verdict   verdict
	settled   bool // a pause that stood in the verdict is over
}

// round gives the one before an iteration.
func (v *virtual) round(iteration int) *round {
	r := &v.rounds[iteration%2]
	if r.iteration != iteration {
		*r = round{iteration: iteration}
	}
	return r
}

// settle ends a round behind its barrier, when every rank has ended its iteration.
// The first rank that comes there waits for a user who has paused the session,
// and the whole simulation with it: no operation is posted, and no time passes.
func (v *virtual) settle(r *round) {
	if r.settled {
		return
	}
	r.settled = true
	chief := v.probes[0]
	if r.iteration > 0 {
		chief.keep(r.longest.Seconds())
	}
	if len(chief.run.tables) > 0 {
		chief.record()
		chief.run.shards.gather(chief.done)
	}
	for r.verdict == hold {
		for _, p := range v.probes {
			p.flush(true)
		}
		v.gate.wait()
		r.verdict = v.gate.ask(r.iteration, chief.now())
	}
}

// nextRound is Next on a simulation.
func (p *probe) nextRound() bool {
	v := p.run.virtual
	elapsed := p.now() - p.started
	p.iteration++
	p.run.slot(p.rank.ID()).share.none()
	r := v.round(p.iteration)
	if p.iteration > 0 {
		r.longest = max(r.longest, elapsed)
	}
	if p.chief() {
		r.verdict = v.gate.ask(p.iteration, p.now())
	}
	if err := p.rank.Barrier(p.rank.All()); err != nil {
		panic(fmt.Sprintf("session: barrier before the next iteration: %v", err))
	}
	v.settle(r)
	if p.asked != p.run.ask.Load() {
		p.flush(true)
	}
	p.started = p.now()
	return r.verdict == goOn
}

// clocked is a port whose clock can be seen without a look that costs time.
type clocked interface{ Clock() cluster.Time }

// virtualOf is what a simulation that has ended came to; nil for other runs.
func virtualOf(r cluster.Run, whole, timed bool) *engine.Virtual {
	s, ok := r.(cluster.Virtual)
	if !ok {
		return nil
	}
	return &engine.Virtual{Hash: s.Hash(), Time: s.Total(), Events: s.Events(), Whole: whole, Timed: timed}
}
