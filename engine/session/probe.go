package session

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
)

// recentIterations is the maximum number of stored iteration times.
const recentIterations = 256

// probe is the engine.Probe of one rank.
type probe struct {
	run       *run
	rank      *cluster.Rank
	answered  uint64 // last answered request for counts
	batch     *batch
	counts    counts
	iteration int
	done      int          // rank 0: iterations that every rank has ended
	started   cluster.Time // start of the iteration
	clock     cluster.Time
	gathered  uint64       // rank 0: the request after the last gathering of the tables
	reduced   *reduced     // nil: the ranks agree without messages, on a virtual clock
	paused    cluster.Time // time spent in pauses
	stamp     cluster.Time // clock at the last flush
	times     []float64    // rank 0: latest iterations, s
	recorder  *timeline.Recorder
	part      int     // row of the current part of the iteration; −1: none
	clocked   clocked // nil: reading the clock does not change the run
	leads     bool    // in a run of several processes, this is the first rank of one
}

// reduced is the data of the reductions by which the ranks of a live fabric agree on the next iteration.
type reduced struct {
	words   [2]int64        // agreed on by all ranks: ps of the iteration, verdict
	traffic cluster.Traffic // the traffic before one of the session's own calls
}

// clockTries is the number of clock readings used to find its smallest step.
const clockTries = 64

func newProbe(run *run, r *cluster.Rank) *probe {
	n := run.sums
	p := &probe{run: run, rank: r, iteration: -1, answered: run.requests.Load(),
		leads: run.processes > 1 && run.leads(r.ID())}
	p.recorder, p.part = timeline.Of(&run.setup.spec), -1
	p.counts.sums, p.counts.reports = make([]float64, n), make([]int64, n)
	tries := clockTries
	if v := run.virtual; v != nil {
		p.clocked = r.Lib().Port().(clocked)
		p.batch = &v.batch
		tries = 1 // reading a virtual clock always costs the same
		v.probes[r.ID()] = p
	} else {
		p.batch = new(batch)
		p.reduced = &reduced{traffic: cluster.Traffic{Nodes: make([]int64, len(r.Traffic().Nodes))}}
	}
	before := r.Now()
	for i := range tries {
		now := r.Now()
		if step := now - before; i == 0 || step < p.clock {
			p.clock = step
		}
		before = now
	}
	return p
}

// Next implements engine.Probe. All ranks agree on the maximum of two words: the duration of the
// iteration and rank 0's verdict.
func (p *probe) Next() bool {
	if p.run.virtual != nil {
		return p.nextRound()
	}
	elapsed := int64(0)
	if p.iteration >= 0 {
		elapsed = int64(p.rank.Now() - p.started)
	}
	p.iteration++
	p.run.slot(p.rank.ID()).share.clear()
	words := &p.reduced.words
	*words = [2]int64{elapsed, int64(proceed)}
	if p.isRankZero() {
		words[1] = int64(p.run.gate.ask(p.iteration, p.now()))
		if words[1] == int64(proceed) && p.iteration > 0 && p.needsGather() {
			words[1] = int64(publishCounts)
		}
	}
	p.reduceWords()
	if p.isRankZero() && p.iteration > 0 {
		p.storeTime(cluster.Time(words[0]).Seconds())
	}
	for words[1] == int64(publishCounts) || words[1] == int64(hold) {
		held := words[1] == int64(hold)
		p.flush(true)
		p.paused -= p.rank.Now()
		p.reduceWords() // all have published their counts before rank 0 gathers them and waits at the gate
		words[1] = int64(proceed)
		if !p.isRankZero() && p.leads {
			p.run.shards.gather(p.iteration)
		}
		if p.isRankZero() {
			p.gathered = p.run.requests.Load() + 1
			p.run.shards.gather(p.done)
			if held {
				p.run.gate.wait()
				words[1] = int64(p.run.gate.ask(p.iteration, p.now()))
			}
		}
		p.reduceWords()
		p.paused += p.rank.Now()
	}
	if p.answered != p.run.requests.Load() {
		p.flush(true)
	}
	p.started = p.rank.Now()
	return words[1] == int64(proceed)
}

// needsGather reports whether tables are requested and not gathered since.
func (p *probe) needsGather() bool {
	return len(p.run.tables) > 0 && p.gathered != p.run.requests.Load()+1
}

// now returns the rank's clock, for the session's own use.
func (p *probe) now() cluster.Time {
	if p.clocked != nil {
		return p.clocked.Clock()
	}
	return p.rank.Now()
}

// isRankZero reports whether this is rank 0, which decides and stores the times.
func (p *probe) isRankZero() bool { return p.rank.ID() == 0 }

// storeTime stores the time of an iteration that every rank has ended.
func (p *probe) storeTime(seconds float64) {
	p.done++
	if len(p.times) == recentIterations {
		p.times = slices.Delete(p.times, 0, recentIterations/2)
	}
	p.times = append(p.times, seconds)
}

// reduceWords sets the words to the maximum over all ranks. These are the session's own calls and
// do not count as the program's traffic.
func (p *probe) reduceWords() {
	t, x := p.rank.Traffic(), p.reduced
	copy(x.traffic.Nodes, t.Nodes)
	x.traffic.Ops, x.traffic.Bytes = t.Ops, t.Bytes
	if err := coll.Allreduce(p.rank, p.rank.All(), cluster.Max, x.words[:], x.words[:]); err != nil {
		panic(fmt.Sprintf("session: the ranks could not agree on the next iteration: %v", err))
	}
	copy(t.Nodes, x.traffic.Nodes)
	t.Ops, t.Bytes = x.traffic.Ops, x.traffic.Bytes
}

// Iteration implements engine.Probe.
func (p *probe) Iteration() int { return p.iteration }

// Part implements engine.Probe.
func (p *probe) Part(row int, name string) {
	if m, ok := p.clocked.(marked); ok {
		m.Phase(name)
	}
	if p.recorder == nil || p.iteration < 0 {
		return
	}
	now := p.now()
	if p.part >= 0 {
		p.recorder.Leave(p.iteration, p.part, now)
	}
	p.part = row
	if row >= 0 {
		p.recorder.Enter(p.iteration, row, name, now)
	}
}

// Step implements engine.Probe.
func (p *probe) Step(done, of int) { p.run.slot(p.rank.ID()).share.set(done, of) }

// Access implements engine.Probe.
func (p *probe) Access(to int, n int64, t cluster.Time) {
	t = max(t, 0)
	c := p.rank.Spec().Layout.ClassOf(p.rank.ID(), to)
	p.counts.accesses[c]++
	p.counts.time[c] += t
	if p.batch.put(packTime(c, t)) {
		p.record()
	}
	if p.answered != p.run.requests.Load() {
		p.flush(false)
	}
}

// Report implements engine.Probe.
func (p *probe) Report(name string, value float64) {
	for i := range p.run.setup.workload.Metrics {
		if m := &p.run.setup.workload.Metrics[i]; m.Name == name {
			p.counts.report(i, m, value)
			p.checkElapsed(m, value)
			return
		}
	}
	p.undeclared("metric", name)
}

// Sample implements engine.Probe.
func (p *probe) Sample(name string, value float64) {
	w := p.run.setup.workload
	for i := range w.Samples {
		if w.Samples[i].Name != name {
			continue
		}
		if !(value >= 0) || math.IsInf(value, 1) {
			panic(fmt.Sprintf("session: workload %s: sample %s = %g: want a finite number ≥ 0", w.Name, name, value))
		}
		p.checkElapsed(&w.Samples[i], value)
		at := len(w.Metrics) + i
		p.counts.sums[at] += value
		p.counts.reports[at]++
		if p.batch.put(pack(cluster.Classes+i, int64(min(math.Round(value*stepsOf(w.Samples[i].Unit)), highestSample)))) {
			p.record()
		}
		return
	}
	p.undeclared("sample", name)
}

// Tally implements engine.Probe.
func (p *probe) Tally(name string, row, column int, n int64) { p.TallyIn(name, 0, row, column, n) }

// TallyIn implements engine.Probe.
func (p *probe) TallyIn(name string, layer, row, column int, n int64) {
	for i := range p.run.tables {
		t := &p.run.tables[i]
		if t.spec.Name != name {
			continue
		}
		if layers := max(len(t.layers), 1); uint(layer) >= uint(layers) || uint(row) >= uint(len(t.rows)) ||
			uint(column) >= uint(len(t.columns)) {
			panic(fmt.Sprintf("session: workload %s: table %s of %d × %d × %d has no cell %d, %d, %d",
				p.run.setup.workload.Name, name, layers, len(t.rows), len(t.columns), layer, row, column))
		}
		b := p.batch
		cell := t.first + (layer*len(t.rows)+row)*len(t.columns) + column
		b.counted[b.tallies] = tallied{cell: int32(cell), n: n}
		b.tallies++
		if b.tallies == len(b.counted) {
			p.record()
		}
		return
	}
	p.undeclared("table", name)
}

// Place implements engine.Probe.
func (p *probe) Place(profile string, at int, value float64) {
	w := p.run.setup.workload
	first := len(w.Metrics) + len(w.Samples)
	for i := range w.Profiles {
		spec := &w.Profiles[i]
		if spec.Name != profile {
			first += spec.Places
			continue
		}
		if uint(at) >= uint(spec.Places) {
			panic(fmt.Sprintf("session: workload %s: profile %s of %d places has no place %d", w.Name, profile, spec.Places, at))
		}
		p.counts.sums[first+at] += value
		p.counts.reports[first+at]++
		return
	}
	p.undeclared("profile", profile)
}

func (p *probe) undeclared(what, name string) {
	panic("session: workload " + p.run.setup.workload.Name + " does not declare the " + what + " " + name)
}

// Verify implements engine.Probe.
func (p *probe) Verify(ok bool, detail string) {
	c := &p.counts
	if c.checks == 0 || (!ok && c.failures == 0) {
		if v := p.run.virtual; v != nil {
			detail = v.share(detail)
		}
		c.detail = detail
	}
	c.checks++
	if !ok {
		c.failures++
	}
}

// Checksum implements engine.Probe.
func (p *probe) Checksum(sum func() uint64) {
	if p.run.setup.checksums {
		p.counts.checksum += sum()
	}
}

// Clock implements engine.Probe.
func (p *probe) Clock() cluster.Time { return p.clock }

// Int implements engine.Probe.
func (p *probe) Int(knob string) int64 { return p.run.setup.scenario.Int(knob) }

// Float implements engine.Probe.
func (p *probe) Float(knob string) float64 { return p.run.setup.scenario.Float(knob) }

// Text implements engine.Probe.
func (p *probe) Text(knob string) string { return p.run.setup.scenario.Text(knob) }

// record moves the batch into the run's shards.
func (p *probe) record() {
	if b := p.batch; b.values > 0 || b.tallies > 0 {
		p.run.shards.record(p.rank.ID(), b)
	}
}

// flush answers the session's request for counts. With wait it blocks for the slot's lock.
// Otherwise, it leaves the request to the next access if the slot is locked.
func (p *probe) flush(wait bool) {
	request := p.run.requests.Load()
	p.stamp = p.now()
	p.record()
	s := p.run.slot(p.rank.ID())
	if wait {
		s.mu.Lock()
	} else if !s.mu.TryLock() {
		return
	}
	p.fill(s)
	s.mu.Unlock()
	p.answered = request
}

// finish publishes the last counts. It does not read the clock, because an abort may have unwound
// the body.
func (p *probe) finish() {
	p.record()
	s := p.run.slot(p.rank.ID())
	s.mu.Lock()
	p.fill(s)
	s.mu.Unlock()
}

func (p *probe) fill(s *slot) {
	t := p.rank.Traffic()
	s.traffic.Ops, s.traffic.Bytes = t.Ops, t.Bytes
	copy(s.traffic.Nodes, t.Nodes)
	s.counts.copy(&p.counts)
	s.iterations = p.done
	s.active = p.stamp - p.paused
	s.times = append(s.times[:0], p.times...)
}

var _ engine.Probe = (*probe)(nil)
