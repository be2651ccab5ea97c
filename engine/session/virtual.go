package session

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

// Fabrics returns the built-in fabrics by value of the fabric knob.
func Fabrics() map[string]cluster.Fabric {
	return map[string]cluster.Fabric{engine.Live: live.New(), engine.Sim: sim.New()}
}

// virtual holds the state that the probes of a simulation share. Ranks run alternately on one
// thread, so it needs no locks. The session's requests must not take virtual time, because
// observing a run would then change it.
type virtual struct {
	gate   *gate
	probes []*probe
	rounds [2]round // the latest two: ranks are at most one round apart
	batch  batch
	detail string // of the last check
}

// share returns one copy of a text. If one rank after another makes an equal text, the other copies can be freed.
func (v *virtual) share(detail string) string {
	if detail != v.detail {
		v.detail = detail
	}
	return v.detail
}

// round holds the agreement of the ranks before an iteration.
type round struct {
	iteration int
	longest   cluster.Time // longest time of a rank for the previous iteration
	verdict   verdict
	finished  bool // a pause requested by the verdict is over
}

// round returns the round before an iteration.
func (v *virtual) round(iteration int) *round {
	r := &v.rounds[iteration%2]
	if r.iteration != iteration {
		*r = round{iteration: iteration}
	}
	return r
}

// finishRound ends a round after its barrier, when every rank has ended its iteration. If the user
// has paused the session, the first rank that arrives waits, and with it the whole simulation: no
// operation is posted, and no virtual time passes.
func (v *virtual) finishRound(r *round) {
	if r.finished {
		return
	}
	r.finished = true
	rankZero := v.probes[0]
	if r.iteration > 0 {
		rankZero.storeTime(r.longest.Seconds())
	}
	if len(rankZero.run.tables) > 0 {
		rankZero.record()
		rankZero.run.shards.gather(rankZero.done)
	}
	for r.verdict == hold {
		for _, p := range v.probes {
			p.flush(true)
		}
		v.gate.wait()
		r.verdict = v.gate.ask(r.iteration, rankZero.now())
	}
}

// nextRound implements Next on a simulation.
func (p *probe) nextRound() bool {
	v := p.run.virtual
	elapsed := p.now() - p.started
	p.mark(false)
	p.iteration++
	p.run.slot(p.rank.ID()).share.clear()
	r := v.round(p.iteration)
	if p.iteration > 0 {
		r.longest = max(r.longest, elapsed)
	}
	if p.isRankZero() {
		r.verdict = v.gate.ask(p.iteration, p.now())
	}
	if err := p.rank.Barrier(p.rank.All()); err != nil {
		panic(fmt.Sprintf("session: barrier before the next iteration: %v", err))
	}
	v.finishRound(r)
	if p.answered != p.run.requests.Load() {
		p.flush(true)
	}
	p.started = p.now()
	if r.verdict == proceed {
		p.mark(true)
	} else if m, ok := p.clocked.(marked); ok {
		m.CloseMarks()
	}
	return r.verdict == proceed
}

// marked is a port whose trace explains the time between two marks. After the last iteration, checks are not
// marked.
type marked interface {
	MarkIteration(begin bool)
	CloseMarks()
	Phase(name string)
}

// mark marks the begin or the end of an iteration, for traced simulations. A program may mark a part
// of it.
func (p *probe) mark(begin bool) {
	if m, ok := p.clocked.(marked); ok {
		m.MarkIteration(begin)
	}
}

// clocked is a port whose clock can be read without taking virtual time.
type clocked interface{ Clock() cluster.Time }

// virtualOf returns the result of a finished simulation, or nil for other runs.
func virtualOf(r cluster.Run, whole, timed bool) *engine.Virtual {
	s, ok := r.(cluster.Virtual)
	if !ok {
		return nil
	}
	return &engine.Virtual{Hash: s.Hash(), Time: s.Total(), Events: s.Events(), Whole: whole, Timed: timed}
}
