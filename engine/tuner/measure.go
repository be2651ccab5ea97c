package tuner

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Site is the fabric and the machine on which collectives are timed.
type Site struct {
	Fabric  cluster.Fabric
	Machine cluster.Machine
	Seed    uint64
}

// maxPayload is the maximum number of bytes of all ranks together for a tuple, if the bytes are
// real.
const maxPayload = 256 << 20

// isVirtual reports whether the clock is virtual: times are then exact, and the same in every run.
func (p *Site) isVirtual() bool { return p.Fabric.Clock(&p.Machine) == cluster.VirtualClock }

// layout returns the layout of a team.
func layout(at coll.Tuple) cluster.Layout {
	each := max(at.PerNode, 1)
	return cluster.Layout{Nodes: int(at.Ranks / each), RanksPerNode: int(each), ThreadsPerRank: 1,
		Ranking: cluster.Sequential, Model: cluster.Flat}
}

// checkFits returns an error if the place cannot run a tuple.
func (p *Site) checkFits(at coll.Tuple) error {
	each := max(at.PerNode, 1)
	switch {
	case at.Ranks < 1 || at.Ranks%each != 0:
		return fmt.Errorf("%s: nodes of %d ranks cannot hold exactly %d ranks", at, each, at.Ranks)
	case p.Machine.Nodes > 0 && int(at.Ranks/each) > p.Machine.Nodes:
		return fmt.Errorf("%s: too many nodes: machine %s has %d", at, p.Machine.Name, p.Machine.Nodes)
	}
	return nil
}

// data returns the bytes of a tuple's data on all ranks; 0 if they are size-only.
func (p *Site) data(at coll.Tuple) int64 {
	in, out := at.Collective.Lengths(int(at.Ranks), true, at.Bytes)
	if p.isVirtual() {
		return 0
	}
	if in+out > math.MaxInt64/int64(at.Ranks) {
		return math.MaxInt64
	}
	return (in + out) * int64(at.Ranks)
}

// pace defines the length of a measurement on a real clock.
type pace struct {
	rounds int          // measurements of each choice
	fill   cluster.Time // target time of a measurement
	drops  bool         // slow choices drop out
}

// In a search slow choices may drop out; in a comparison they may not. On a dilated clock times
// are long, and steadier than the host's own.
var (
	searchPace  = pace{rounds: 16, fill: 250 * cluster.Microsecond, drops: true}
	comparePace = pace{rounds: 16, fill: 400 * cluster.Microsecond}
)

const dilatedRounds = 4

// maxRatio returns the maximum time of a choice after a number of rounds, relative to the best.
func maxRatio(rounds int) float64 {
	switch {
	case rounds < 2:
		return math.Inf(1)
	case rounds < 6:
		return 1.5
	}
	return 1.15
}

const (
	maxHidden  = 20 // a call takes at least 1/maxHidden of its time with a barrier
	maxCalls   = 64 // per measurement
	noisyCalls = 8  // on a virtual clock, for a machine with noise
)

// measure returns the time of each choice for a tuple. On a virtual clock, all members start
// together, and the time ends with the last one. On a real clock, it is the time that a call adds
// to a barrier after it. There, choices alternate, so that all of them see the same host
// conditions, and the time is the median of the faster half of the measurements.
func (p *Site) measure(ctx context.Context, at coll.Tuple, choices []coll.Choice, how pace) ([]cluster.Time, error) {
	if err := p.checkFits(at); err != nil {
		return nil, err
	}
	if p.data(at) > maxPayload {
		return nil, fmt.Errorf("%s: more than %s of data", at, cluster.SizeText(maxPayload))
	}
	keys := make([]coll.Key, len(choices))
	for i, c := range choices {
		var err error
		keys[i], err = c.Placed(coll.Places{Per: max(at.PerNode, 1)}).Key(at.Ranks)
		if err != nil {
			return nil, err
		}
	}
	spec := cluster.Spec{Machine: p.Machine, Layout: layout(at), EagerLimit: -1, Seed: p.Seed}
	if p.Fabric.Clock(&p.Machine) == cluster.DilatedClock {
		how.rounds, how.fill = dilatedRounds, 0
	}
	buf := buffersOf(at, keys, p.isVirtual())
	spec.Segment, spec.Modelled = buf.segment()
	var times []cluster.Time
	err := cluster.Launch(ctx, p.Fabric, spec, func(r *cluster.Rank) error {
		m, err := newMeter(r, at, keys, &buf)
		if err != nil {
			return err
		}
		if p.isVirtual() {
			err = m.measureVirtual(p.Machine.IsNoisy())
		} else {
			err = m.measureReal(how)
		}
		if err != nil {
			return err
		}
		if r.ID() == 0 {
			times = m.choiceTimes()
		}
		return m.comm.Free()
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return times, nil
}

// meter is one rank's part of a measurement.
type meter struct {
	rank       *cluster.Rank
	comm       *coll.Comm
	keys       []coll.Key
	calls      []coll.Call
	taken      [][]cluster.Time // by choice: time of each measurement
	barriers   []cluster.Time   // barriers without calls
	startDelay cluster.Time     // delay from agreeing on the time to a common start
	word       [1]float64
}

func newMeter(r *cluster.Rank, at coll.Tuple, keys []coll.Key, buf *buffers) (*meter, error) {
	sizeOnly := buf.Store.SizeOnly()
	comm, err := coll.New(r, r.World())
	if err != nil {
		return nil, err
	}
	m := &meter{rank: r, comm: comm, keys: keys, taken: make([][]cluster.Time, len(keys))}
	n, unit := at.Bytes, elementOf(at)
	in, out := at.Collective.Lengths(int(at.Ranks), r.World().Rank() == 0, at.Bytes)
	call := coll.Call{In: cluster.Sized(in), Out: cluster.Sized(out)}
	if !sizeOnly {
		call.In, call.Out = cluster.Of(alignedBytes(in)), cluster.Of(alignedBytes(out))
	}
	if buf.oneSided {
		if err := buf.allocate(r, comm, &call); err != nil {
			return nil, err
		}
	}
	if at.Collective.Combines() && !sizeOnly {
		if unit == 8 {
			call.Combine, err = coll.Combining[int64](r, "combine", cluster.Sum)
		} else {
			call.Combine, err = coll.Combining[int8](r, "combine", cluster.Sum)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, k := range keys {
		call.Key, call.Blocks = k, k.Blocks(n, unit)
		m.calls = append(m.calls, call)
	}
	return m, nil
}

// alignedBytes returns n bytes that are aligned for numbers.
func alignedBytes(n int64) []byte { return cluster.Bytes(make([]int64, (n+7)/8))[:n:n] }

// maxOverRanks returns the largest of all members' times.
func (m *meter) maxOverRanks(t cluster.Time) (cluster.Time, error) {
	m.word[0] = t.Seconds()
	err := coll.Allreduce(m.rank, m.rank.World(), cluster.Max, m.word[:], m.word[:])
	return cluster.FromSeconds(m.word[0]), err
}

// syncStart waits for a common start time of all members, and returns it.
func (m *meter) syncStart() (cluster.Time, error) {
	now := m.rank.Now()
	start, err := m.maxOverRanks(now)
	if err != nil {
		return 0, err
	}
	if m.startDelay == 0 { // measure how long the members take to agree
		took, err := m.maxOverRanks(m.rank.Now() - now)
		if err != nil {
			return 0, err
		}
		m.startDelay = 2 * took
		return m.syncStart()
	}
	start += m.startDelay
	m.rank.Compute(cluster.Work{Until: start}, nil)
	return start, nil
}

// measureVirtual times calls of each choice on a virtual clock.
func (m *meter) measureVirtual(noisy bool) error {
	calls := 1
	if noisy {
		calls = noisyCalls
	}
	for i := range m.keys {
		total := cluster.Time(0)
		for range calls {
			start, err := m.syncStart()
			if err != nil {
				return err
			}
			if err := m.comm.Do(m.calls[i]); err != nil {
				return err
			}
			end, err := m.maxOverRanks(m.rank.Now())
			if err != nil {
				return err
			}
			total += end - start
		}
		m.taken[i] = append(m.taken[i], max(total/cluster.Time(calls), 1))
	}
	return nil
}

// timeCalls makes calls of a choice, each followed by a barrier, and returns the mean time of both.
// Choice −1 means barriers without calls.
func (m *meter) timeCalls(i, calls int) (cluster.Time, error) {
	if err := m.rank.Barrier(m.rank.World()); err != nil {
		return 0, err
	}
	start := m.rank.Now()
	for range calls {
		if i >= 0 {
			if err := m.comm.Do(m.calls[i]); err != nil {
				return 0, err
			}
		}
		if err := m.rank.Barrier(m.rank.World()); err != nil {
			return 0, err
		}
	}
	return m.maxOverRanks((m.rank.Now() - start) / cluster.Time(calls))
}

// measureReal measures as many rounds as the pace specifies. A rank decides only from times that
// all ranks have, so that all make the same decision.
func (m *meter) measureReal(how pace) error {
	calls := make([]int, len(m.keys))
	for i := range m.keys { // the first calls build schedules
		for range 2 {
			t, err := m.timeCalls(i, 1)
			if err != nil {
				return err
			}
			calls[i] = int(min(max(how.fill/max(t, 1), 1), maxCalls))
		}
	}
	dropped := make([]bool, len(m.keys))
	for round := range how.rounds {
		t, err := m.timeCalls(-1, slices.Max(calls))
		if err != nil {
			return err
		}
		m.barriers = append(m.barriers, t)
		for i := range m.keys {
			if dropped[i] {
				continue
			}
			t, err := m.timeCalls(i, calls[i])
			if err != nil {
				return err
			}
			m.taken[i] = append(m.taken[i], t)
		}
		if !how.drops {
			continue
		}
		now := m.choiceTimes()
		best := slices.Min(now)
		for i := range now {
			dropped[i] = dropped[i] || float64(now[i]) > maxRatio(round+1)*float64(best)
		}
	}
	return nil
}

// choiceTimes returns the time of each choice.
func (m *meter) choiceTimes() []cluster.Time {
	times := make([]cluster.Time, len(m.taken))
	for i, all := range m.taken {
		times[i] = lowerMedian(all)
		if len(m.barriers) > 0 {
			times[i] = max(times[i]-lowerMedian(m.barriers), times[i]/maxHidden)
		}
	}
	return times
}

// lowerMedian returns the median of the lower half, because a disturbance only ever adds time.
func lowerMedian(all []cluster.Time) cluster.Time {
	sorted := slices.Sorted(slices.Values(all))
	half := sorted[:(len(sorted)+1)/2]
	return (half[(len(half)-1)/2] + half[len(half)/2]) / 2
}
