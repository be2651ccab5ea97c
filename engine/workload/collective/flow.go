package collective

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// Limits of a flow: the messages listed one by one, the messages priced at all, and the intervals
// of time for large teams.
const (
	maxHops   = 1024
	maxPriced = 1 << 14
	spans     = 64
)

// flow returns the messages of a call as the cost model predicts them. Without costs, each message
// takes one step.
func flow(s algorithm.Reader, k *coll.Key, c *coll.Cost, priced bool) *Flow {
	what := k.Algorithm.Collective
	n := length(s)
	f := &Flow{Of: what.String(), Name: what.String() + " by " + algorithm.Describe(k), Ranks: int(k.Ranks), Root: -1}
	root := int32(0)
	if what.Rooted() {
		if number := s.Int("root"); number > 0 {
			root = int32(number)
		}
		f.Root = int(root)
	}
	if priced {
		f.Kind = engine.Modelled
		f.Terms = terms(k, c, n)
		f.Span = k.Predict(c, n).Seconds()
	}
	var cache coll.Cache
	for rel := range k.Ranks {
		sends, loads := countMoved(cache.Schedule(*k, rel))
		f.Messages += sends + loads
		f.Loads = f.Loads || loads > 0
	}
	if f.Messages == 0 || f.Messages > maxPriced {
		return f
	}
	blocks := k.Blocks(n, 1)
	if what.Combines() {
		blocks = k.Blocks(n, unit)
	}
	steps, err := coll.Steps(*k, root, blocks)
	if err != nil {
		return f // too large
	}
	trace := steps
	if priced {
		trace, err = coll.Price(*k, root, blocks, *c)
		if err != nil {
			return f
		}
	}
	seconds := func(t cluster.Time) float64 {
		if priced {
			return t.Seconds()
		}
		return float64(t)
	}
	f.Steps = int(steps.Last())
	f.Bytes = steps.Bytes()
	f.Span = seconds(trace.Last())
	f.Messages = int64(len(steps.Messages)) // without loads from a rank's own memory
	step := map[[3]int32][]int{}
	for i := range steps.Messages {
		m := &steps.Messages[i]
		at := [3]int32{m.From, m.To, m.Channel}
		step[at] = append(step[at], int(m.Arrived))
	}
	var hops []Hop
	for i := range trace.Messages {
		m := &trace.Messages[i]
		at := [3]int32{m.From, m.To, m.Channel}
		hops = append(hops, Hop{
			From: int(m.From), To: int(m.To), Bytes: m.Bytes, Step: step[at][0], Sent: seconds(m.Sent),
			Arrived: seconds(m.Arrived),
		})
		step[at] = step[at][1:]
	}
	f.Tree, f.Up = treeOf(f, hops)
	f.Ends = blocksMean(int(k.Ranks), func(rank int) float64 { return seconds(trace.Ends[rank]) })
	storeHops(f, hops)
	return f
}

// messagesOf calls send for each inter-node message of a call. It returns false if they are unknown
// or too many.
func messagesOf(s *engine.Scenario, l *cluster.Layout, m *cluster.Machine,
	send func(from, to int, bytes float64)) bool {
	world := l.World()
	w := teamSiteOf(s, m, engine.Simulated)
	k, err := w.chosen(s, len(world))
	if err != nil {
		return false
	}
	var cache coll.Cache
	n := int64(0)
	for rel := range k.Ranks {
		sends, _ := countMoved(cache.Schedule(k, rel))
		n += sends
		if n > maxPriced {
			return false
		}
	}
	root, blocks := int32(0), k.Blocks(length(s), 1)
	if of(s).Rooted() {
		root = int32(max(s.Int("root"), 0))
	}
	if of(s).Combines() {
		blocks = k.Blocks(length(s), unit)
	}
	trace, err := coll.Steps(k, root, blocks)
	if err != nil {
		return false
	}
	for i := range trace.Messages {
		x := &trace.Messages[i]
		if a, b := l.NodeOf(int(world[x.From])), l.NodeOf(int(world[x.To])); a != b {
			send(a, b, float64(x.Bytes))
		}
	}
	return true
}

// countMoved returns the number of messages that a rank sends and the number of its loads from
// other ranks.
func countMoved(s *coll.Schedule) (sends, loads int64) {
	for i := range s.Nodes {
		switch n := &s.Nodes[i]; n.Kind {
		case coll.Send:
			sends++
		case coll.Load, coll.Fold:
			loads += int64(n.Count)
		}
	}
	return sends, loads
}

// storeHops stores the messages one by one, or folded for a large team.
func storeHops(f *Flow, hops []Hop) {
	f.Hops = nil
	f.Folds = nil
	f.Blocks = 0
	if len(hops) <= maxHops {
		f.Hops = hops
		return
	}
	f.Blocks = blocksOf(f.Ranks)
	f.Folds = make([]int64, f.Blocks*spans)
	for i := range hops {
		h := &hops[i]
		first, last := int(h.Sent/f.Span*spans), int(h.Arrived/f.Span*spans)
		for at := first; at <= min(last, spans-1); at++ {
			f.Folds[h.From*f.Blocks/f.Ranks*spans+at]++
		}
	}
}

// blocksMean returns the mean of the ranks' values in each block.
func blocksMean(ranks int, of func(rank int) float64) []float64 {
	blocks := blocksOf(ranks)
	sums, n := make([]float64, blocks), make([]float64, blocks)
	for r := range ranks {
		b := r * blocks / ranks
		sums[b] += of(r)
		n[b]++
	}
	for b := range sums {
		sums[b] /= n[b]
	}
	return sums
}

// flows returns the flows of the algorithms that online tuning tries.
func (w teamSite) flows(s algorithm.Reader, ranks int, c *coll.Cost, priced bool) *Flows {
	cell := w.cell(s, ranks)
	f := &Flows{Names: algorithm.Tried(s, cell)}
	keys, err := cell.Keys(s, f.Names)
	if err != nil {
		return &Flows{}
	}
	for i := range keys {
		f.Flows = append(f.Flows, *flow(s, &keys[i], c, priced))
	}
	return f
}

// treeOf reports whether messages follow a tree, and whether towards its root. In a tree, each rank
// except the root receives from only one other rank, or sends to only one.
func treeOf(f *Flow, hops []Hop) (tree, up bool) {
	if f.Root < 0 {
		return false, false
	}
	for _, up := range []bool{false, true} {
		parent := make([]int, f.Ranks)
		for i := range parent {
			parent[i] = -1
		}
		is := true
		for i := range hops {
			high, low := hops[i].From, hops[i].To
			if up {
				high, low = low, high
			}
			if low == f.Root || parent[low] >= 0 && parent[low] != high {
				is = false
				break
			}
			parent[low] = high
		}
		for r := range parent {
			is = is && (r == f.Root || parent[r] >= 0)
		}
		if is {
			return true, up
		}
	}
	return false, false
}

// withRun returns the flow with data of the run: the time until each rank has finished, and the
// recorded messages of the last call.
func withRun(f *Flow, s *engine.Snapshot) *Flow {
	of := *f
	if t := tally(s, "progress"); t != nil {
		of.Done, of.DoneKind = make([]float64, len(t.Rows)), t.Kind
		for b := range t.Rows {
			if t.At(b, 1) == 0 {
				of.Done = nil
				break
			}
			of.Done[b] = float64(t.At(b, 0)) / float64(t.At(b, 1)) * 1e-9
		}
	}
	if s.Timeline != nil {
		if hops, span := recordedHops(s.Timeline, &of); len(hops) > 0 {
			of.Kind, of.Span = s.Kind, span
			of.Tree, of.Up = treeOf(&of, hops)
			storeHops(&of, hops)
		}
	}
	return &of
}

// recordedHops returns the messages of the last call that a timeline has completely, with times
// from its start.
func recordedHops(v *timeline.View, f *Flow) (hops []Hop, span float64) {
	for i := len(v.Parts) - 1; i >= 0; i-- {
		p := &v.Parts[i]
		if !p.Whole || p.Row != 0 {
			continue
		}
		for _, a := range v.Arrows {
			if a.Sent >= p.Begin && a.Received <= p.End {
				hops = append(hops, Hop{
					From: int(a.From), To: int(a.To), Bytes: a.Bytes, Sent: (a.Sent - p.Begin).Seconds(),
					Arrived: (a.Received - p.Begin).Seconds(),
				})
			}
		}
		if int64(len(hops)) != f.Messages {
			return nil, 0 // some are no longer recorded, or not yet
		}
		return hops, (p.End - p.Begin).Seconds()
	}
	return nil, 0
}

// tally returns the table of counts with a name, or nil.
func tally(s *engine.Snapshot, name string) *engine.Table {
	for i := range s.Tallies {
		if s.Tallies[i].Name == name {
			return &s.Tallies[i]
		}
	}
	return nil
}
