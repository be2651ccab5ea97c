package collective

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Estimated bytes of an operation in progress on a fabric, of a node of a schedule, and of a node's state in a call.
const (
	perOperation = 200
	perNode      = 64
	perState     = 2
)

func plan(s *engine.Scenario, site *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	ranks := l.N().MPI
	c, n := of(s), length(s)
	switch root := s.Int("root"); {
	case c.Rooted() && root >= int64(ranks):
		return workload.Plan{}, fmt.Errorf("root = %d: the team has only ranks 0 to %d; use one of these, or "+
			"more ranks", root, ranks-1)
	case c.Combines() && n%unit != 0:
		return workload.Plan{}, fmt.Errorf("size = %d: %s sums numbers of %d B; use a multiple of this size", n, c, unit)
	case c.ByMember() && n > 0 && int64(ranks) > (1<<40)/n:
		return workload.Plan{}, fmt.Errorf("size = %d: blocks of %d ranks exceed 1 TiB; use fewer ranks or "+
			"smaller blocks", n, ranks)
	}
	keys, err := teamSiteOn(s, site).tried(s, ranks)
	if err != nil {
		return workload.Plan{}, err
	}
	in, out := c.Lengths(ranks, true, n)
	var memory workload.Memory
	_, verified, _ := workload.Parts(site.Store(s, in+out), func(store cluster.Store, small bool) (*int64, error) {
		size := sizeOf(c, ranks, n, workload.Limit(s, l.Ranks()), small)
		e := extentOf(keys, size, store)
		e.add(&memory)
		return &size, nil
	})
	size := *verified
	in, out = c.Lengths(ranks, true, size)
	some := int64(0)
	if c.Rooted() { // only the root has more than the others
		least, also := c.Lengths(ranks, false, size)
		some = in + out - least - also
		in, out = least, also
	}
	nodes, operations, temporary := int64(0), int64(0), int64(0)
	for _, k := range keys {
		longest, inProgress := nodesOf(k)
		nodes, operations = max(nodes, longest), max(operations, inProgress)
		if !k.Transfer.OneSided() { // one-sided: in the segment
			temporary = max(temporary, k.Temporary(k.Blocks(size, elementOf(c))))
		}
	}
	p := workload.Plan{Items: []workload.Item{
		{Name: "collective's buffers", Per: workload.PerRank, Bytes: in + out},
		{Name: "buffers of a root", Per: workload.InAll, Bytes: some},
		{Name: "temporary buffers", Per: workload.InAll, Bytes: temporary},
		{Name: "messages in progress", Per: workload.PerRank, Bytes: 2 * site.Eager(s, size)},
		{Name: "operations in progress", Per: workload.PerRank, Bytes: perOperation*operations + perState*nodes},
		{Name: "schedules", Per: workload.InAll, Bytes: perNode * nodes * schedules},
	}}
	p.Tries = algorithm.Iterations(s, len(keys))
	memory.Fill(&p)
	return p, nil
}

// schedules is the approximate number of different schedules of a team.
const schedules = 32

// sampled is the number of ranks whose schedules represent a team.
const sampled = 64

// nodesOf returns the number of nodes in the longest schedule of a team, which is the root's or the last rank's.
// It also returns the number of operations in progress at a time on a rank: the mean of some ranks, rounded up.
func nodesOf(k coll.Key) (longest, inProgress int64) {
	of := func(rank int32) int64 { return int64(len(k.Make(rank).Nodes)) }
	longest = max(of(0), of(k.Ranks-1))
	n := min(k.Ranks, sampled)
	if k.Algorithm.Class == nil {
		n = 1 // all ranks have the same schedule
	}
	sum := int64(0)
	for i := range n { // the golden ratio spreads them; equal distances would find the inner nodes of trees
		sum += int64(k.Make(int32(uint64(uint32(i)*2654435769) * uint64(k.Ranks) >> 32)).Width())
	}
	return longest, (sum + int64(n) - 1) / int64(n)
}

// chosenOr returns the value of the knob algorithm, or the choice of online tuning.
func chosenOr(snap *engine.Snapshot) string {
	if name := algorithm.Chosen(snap); name != "" {
		return name
	}
	return snap.Scenario.Text("algorithm")
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	w := teamSiteOf(&snap.Scenario, m, snap.Kind)
	l := snap.Scenario.Layout()
	k, err := w.chosen(algorithm.As(&snap.Scenario, chosenOr(snap)), l.N().MPI)
	if err != nil {
		return nil
	}
	t, ok := w.Estimate(&snap.Scenario, &k, length(&snap.Scenario))
	if !ok {
		return nil
	}
	return []engine.Metric{{Name: "call_time_model", Value: t.Seconds(), Unit: "s",
		Kind: engine.Modelled}}
}
