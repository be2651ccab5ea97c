package coll

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// An Estimator predicts times of calls from the resources of a site. It is not safe for concurrent
// use.
//
// It walks the schedules of all ranks, message by message, in the order of time. Ranks of a node
// share its adapters, memory, message server and links. If all ranks have the same schedule, the
// ranks of one node stand for all nodes. A walk ends after a number of messages, and the rest takes
// the time per message of its second half.
type Estimator struct {
	site  *Site
	cost  Cost
	all   *resources
	one   *resources // of one node that stands for all; nil: nodes differ
	walk  estimation
	known map[Key]*team
	nodes int // of all known schedules
}

// MaxEstimated is the maximum number of ranks whose different schedules an Estimator makes: more would take
// seconds. MaxDense is this number for algorithms with a message between each two ranks. MaxSegmentsEstimated is the
// maximum number of segments. Other calls have the time of Predict.
const (
	MaxEstimated         = 1 << 12
	MaxDense             = 1 << 9
	MaxSegmentsEstimated = 1 << 10
)

// Limits of a walk: messages of teams with one schedule and of others, and the schedules of keys that are kept,
// in number and in nodes.
const (
	maxWalked = 1 << 13
	maxUneven = 1 << 17
	maxKnown  = 64
	maxHeld   = 1 << 16
)

// NewEstimator returns an Estimator, or an error if messages have no cost on the machine.
func NewEstimator(s *Site) (*Estimator, error) {
	c, err := CostOf(s.Machine)
	if err != nil {
		return nil, err
	}
	e := &Estimator{site: s, cost: c, all: resourcesOf(s), known: map[Key]*team{}}
	if per := len(e.all.nodeOf) / max(len(e.all.nodes), 1); e.isRegular(per) && len(e.all.nodes) > 1 {
		one := *s
		one.Nodes, one.Links = s.Nodes[:per], nil
		e.one = resourcesOf(&one)
		if s.Links != nil {
			e.one.fold = newFolding(e.all)
		}
	}
	return e, nil
}

// isRegular reports whether each node has per consecutive members.
func (e *Estimator) isRegular(per int) bool {
	for i, node := range e.all.nodeOf {
		if int(node) != i/per {
			return false
		}
	}
	return len(e.all.nodeOf) == per*len(e.all.nodes)
}

// team has the schedules of the ranks of a key.
type team struct {
	ranks    []*Schedule // of all ranks; one if they are equal
	isAlike  bool
	hasXor   bool
	messages int // in all
}

// teamOf returns the schedules of a key.
func (e *Estimator) teamOf(k Key) *team {
	if t := e.known[k]; t != nil {
		return t
	}
	t, nodes := &team{isAlike: true}, 0
	classes := map[int64]*Schedule{}
	class := k.class(0)
	for rel := range k.Ranks {
		if rel > 0 && k.Algorithm.Class != nil {
			class = k.class(rel)
		}
		s := classes[class]
		if s == nil {
			s = k.Make(rel)
			classes[class] = s
			nodes += len(s.Nodes)
		}
		t.messages += len(s.sends)
		if t.isAlike = len(classes) == 1; t.isAlike && rel > 0 {
			continue
		}
		for int32(len(t.ranks)) < rel {
			t.ranks = append(t.ranks, t.ranks[0])
		}
		t.ranks = append(t.ranks, s)
	}
	for i := range t.ranks[0].Nodes {
		n := &t.ranks[0].Nodes[i]
		t.hasXor = t.hasXor || n.Peer.Xor
		t.isAlike = t.isAlike && !n.Peer.Root
	}
	if len(e.known) >= maxKnown || e.nodes+nodes > maxHeld {
		clear(e.known)
		e.nodes = 0
	}
	e.known[k] = t
	e.nodes += nodes
	return t
}

func (t *team) schedule(rel int32) *Schedule {
	if len(t.ranks) == 1 {
		return t.ranks[0]
	}
	return t.ranks[rel]
}

// CanEstimate reports whether Estimate walks a key's schedules. Above MaxEstimated ranks, one node must stand for all,
// and its schedules must not grow in proportion to the ranks. Above MaxDense ranks, this also holds for algorithms
// with a message between each two ranks.
func (e *Estimator) CanEstimate(k Key) bool {
	if k.Ranks <= MaxDense || k.Segments > MaxSegmentsEstimated || k.Algorithm.Needs&Network != 0 {
		return k.Segments <= MaxSegmentsEstimated
	}
	isLong := k.Predict(&Cost{L: 1, O: 1, Gap: 1}, 1) >= cluster.Time(k.Ranks)
	if k.Ranks > MaxEstimated && isLong {
		return false
	}
	return k.Ranks <= MaxEstimated && !isLong || k.hasOneClass() && e.canFold(e.teamOf(k), k.Ranks)
}

// canFold reports whether one node can stand for all nodes.
func (e *Estimator) canFold(t *team, ranks int32) bool {
	return t.isAlike && e.one != nil && (!t.hasXor || powerOfTwo(int32(len(e.one.nodeOf))) && powerOfTwo(ranks))
}

// Estimate returns the time at which the last rank ends a call on n bytes (per block if blocks are
// numbered by member) in elements of unit bytes. All ranks start together; the root is rank 0. The
// key must be for as many ranks as the site has. Algorithms that load have the time of Predict.
func (e *Estimator) Estimate(k Key, n, unit int64) cluster.Time {
	if k.Ranks == 1 || k.Algorithm.Needs&Reach != 0 || k.Ranks > MaxEstimated && k.Algorithm.Needs&Network != 0 ||
		!e.CanEstimate(k) {
		return k.Predict(&e.cost, n)
	}
	w := &e.walk
	t := e.teamOf(k)
	w.resources, w.isFolded = e.all, false
	ranks := k.Ranks
	blocks := k.Blocks(n, unit)
	w.most = math.MaxInt64
	canFold, isEven := e.canFold(t, k.Ranks), blocks.Elems%int64(blocks.Parts) == 0
	if canFold && !isEven && (t.messages > maxUneven || k.Ranks > MaxEstimated) { // all ranks are like the first ones, which have the longer blocks
		parts := int64(blocks.Parts)
		blocks.Elems, isEven = (blocks.Elems+parts-1)/parts*parts, true
		w.most = n
	}
	if canFold && isEven && (t.messages > maxWalked || k.Ranks > MaxEstimated) {
		w.resources, w.isFolded = e.one, true
		ranks = int32(len(e.one.nodeOf))
	}
	w.more = w.setTransfer(k, &e.cost)
	w.eager = e.site.EagerLimit
	w.network = e.cost.Network
	w.limit = maxUneven
	if t.isAlike && isEven {
		w.limit = max(maxWalked, 3*int(ranks))
	}
	w.begin(t, ranks, blocks)
	return w.run() + w.more
}

// hasOneClass reports whether all ranks have the same schedule.
func (k Key) hasOneClass() bool {
	if k.Algorithm.Class == nil {
		return true
	}
	first := k.class(0)
	for rel := int32(1); rel < k.Ranks; rel++ {
		if k.class(rel) != first {
			return false
		}
	}
	return true
}

// Messages returns the number of messages of a call.
func (e *Estimator) Messages(k Key) int { return e.teamOf(k).messages }
