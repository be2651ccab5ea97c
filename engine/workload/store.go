package workload

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// limitKnob is the name of the knob that RealLimit returns.
const limitKnob = "real-limit"

// limitRanks is the number of ranks up to which each rank may have the bytes of real-limit. More
// ranks share the bytes of this number, so that the host's work has a bound: 256 MiB in all for the
// default of 64 KiB.
const limitRanks = 4096

// RealLimit returns the knob that decides whether a part of a simulated program stores bytes or is
// size-only (see Store). def is its default in bytes.
func RealLimit(def string) engine.Knob {
	return engine.Knob{Name: limitKnob, Label: "real up to", Type: engine.Size, Unit: "B", Default: def, Min: 0,
		Max: 1 << 40,
		Doc: "bytes of data per rank up to which a simulation moves and verifies real bytes; above it, messages are " +
			"size-only and a small instance is verified; beyond 4096 ranks, the limit is divided by ranks / 4096",
		Choices: []string{"4096", "65536", "1048576"}, Scope: engine.ScopeBody, Role: engine.View,
		Watch: "memory and run time of the simulation; simulated times do not change"}
}

// LimitIdle returns the reason why the knob of RealLimit has no effect, or "".
func LimitIdle(kind engine.Kind, knob string) string {
	if knob == limitKnob && kind != engine.Simulated {
		return "only simulations have size-only messages"
	}
	return ""
}

// Store returns the store of a part of a program. bytes is the data of the rank with the most data,
// and all ranks must pass the same number. The store is size-only if the clock is virtual and bytes
// exceeds Limit.
func Store(r *cluster.Rank, p engine.Probe, bytes int64) cluster.Store {
	return storeOf(r.Spec().Clock == cluster.VirtualClock, bytes, Limit(p, r.Ranks()))
}

// Store returns the store that a program has on the site, as the function Store does, and records
// in the site whether data are size-only.
func (on *Site) Store(s *engine.Scenario, bytes int64) cluster.Store {
	l := s.Layout()
	limit := Limit(s, l.Ranks())
	store := storeOf(on.Virtual, bytes, limit)
	on.SizeOnly = nil
	if store.SizeOnly() {
		on.SizeOnly = &engine.SizeOnly{Bytes: bytes, Limit: limit}
	}
	return store
}

// Limit returns the bytes per rank up to which a part of a simulated program on some ranks stores
// bytes. knobs is a probe or a scenario.
func Limit(knobs interface{ Int(knob string) int64 }, ranks int) int64 {
	return knobs.Int(limitKnob) * limitRanks / int64(max(ranks, limitRanks))
}

func storeOf(virtual bool, bytes, limit int64) cluster.Store {
	return cluster.Bytewise(!virtual || bytes <= limit)
}

// Parts makes the part of a program that is timed and the part that is verified. If the store has
// bytes, both are the same. A size-only part cannot be verified, so Parts adds a small instance
// with bytes.
func Parts[P any](s cluster.Store, part func(s cluster.Store, small bool) (P, error)) (timed, verified P, err error) {
	timed, err = part(s, false)
	if err != nil || !s.SizeOnly() {
		return timed, timed, err
	}
	verified, err = part(cluster.Bytewise(true), true)
	return timed, verified, err
}

// VerifySize verifies that a timed part has the size of a knob. A small instance instead of the timed
// part is faster, and its results are correct, too.
func VerifySize(p engine.Probe, knob string, got int) {
	if want := p.Int(knob); int64(got) != want {
		p.Verify(false, fmt.Sprintf("the timed part has %s = %d, want %d", knob, got, want))
	}
}

// A Memory sums the bytes that a rank allocates in its segment, in its size-only memory, and
// elsewhere.
type Memory struct {
	segment, sizes int64
	items          []Item
}

// Add adds an allocation of cluster.Alloc or Rank.Alloc.
func (m *Memory) Add(s cluster.Store, bytes int64) {
	used := &m.segment
	if s.SizeOnly() {
		used = &m.sizes
	}
	const line = 64
	*used = (*used+line-1)/line*line + bytes
}

// Hold adds a per-rank item that cluster.Make allocates. If the store is size-only, only the
// machine's memory is counted.
func (m *Memory) Hold(s cluster.Store, i Item) {
	if s.SizeOnly() {
		m.Add(s, i.Bytes)
		return
	}
	for at := range m.items {
		if m.items[at].Name == i.Name {
			m.items[at].Bytes += i.Bytes
			return
		}
	}
	m.items = append(m.items, i)
}

// Fill sets the memory of a plan. It puts the items of Hold before the items of the plan.
func (m *Memory) Fill(p *Plan) {
	const line = 64
	p.Segment, p.Items = m.segment, append(m.items, p.Items...)
	if m.sizes > 0 {
		p.Modelled = (m.segment+line-1)/line*line + m.sizes
	}
}
