package coll

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Message is one that a rank sends another in a collective, as a cost prices it.
type Message struct {
	From, To int32 // in the team
	Lane     int32 // or tag
	Bytes    int64
	Sent     cluster.Time // when its first byte leaves
	Arrived  cluster.Time // when all of it is there
}

// Trace is what a collective of a whole team comes to, all ranks starting at 0 and no
// two messages sharing a link.
type Trace struct {
	Messages   []Message // in the order of arrival
	Ends       []cluster.Time
	Unreceived int // messages that nobody has received
}

// Last is when the last rank ends.
func (t *Trace) Last() cluster.Time {
	last := cluster.Time(0)
	for _, e := range t.Ends {
		last = max(last, e)
	}
	return last
}

// Bytes is the sum over all messages.
func (t *Trace) Bytes() int64 {
	n := int64(0)
	for i := range t.Messages {
		n += t.Messages[i].Bytes
	}
	return n
}

// Steps prices each message as a step: a rank sends one at a time and receives one at
// a time, and Arrived counts steps.
func Steps(k Key, root int32, blocks Blocks) (*Trace, error) {
	return Price(k, root, blocks, unit)
}

// maxNodes is the maximum number of nodes of a whole team that is priced or written.
const maxNodes = 1 << 24

// Bind returns the schedules of all ranks of a team, by rank. It refuses an invalid root,
// and teams whose schedules have too many nodes to hold them all at once.
func (k Key) Bind(root int32, blocks Blocks) ([]Place, error) {
	switch {
	case root != 0 && !k.Algorithm.Collective.Rooted():
		return nil, fmt.Errorf("root %d: %s has none", root, k.Algorithm.Collective)
	case root < 0 || root >= k.Ranks:
		return nil, fmt.Errorf("root %d: there are ranks 0 to %d", root, k.Ranks-1)
	}
	cache := &Cache{}
	places := make([]Place, k.Ranks)
	nodes := 0
	for r := range k.Ranks {
		rel := wrap(r-root, k.Ranks)
		places[r] = Place{Schedule: cache.Schedule(k, rel), Rel: rel, Root: root, Blocks: blocks}
		if nodes += len(places[r].Schedule.Nodes); nodes > maxNodes {
			return nil, fmt.Errorf("%s by %s among %d ranks has more than %d steps: take fewer ranks", k.Algorithm.Collective, k.Algorithm.Name, k.Ranks, maxNodes)
		}
	}
	return places, nil
}

// Price runs the schedules of a key on LogGP's model alone. Sends are eager: a send is
// complete once the processor has done its part.
func Price(k Key, root int32, blocks Blocks, c Cost) (*Trace, error) {
	places, err := k.Bind(root, blocks)
	if err != nil {
		return nil, err
	}
	k.at(root)
	c, _ = k.cost(&c)
	graphs := make([]Graph, len(places))
	for r := range places {
		p := &places[r]
		nodes := p.Schedule.Nodes
		graphs[r] = Graph{
			Deps: slices.Clone(p.Schedule.deps),
			Next: func(node int32, started bool) []int32 {
				if started {
					return nil
				}
				return p.Schedule.Next(int(node))
			},
			Task: func(node int32) Task {
				n := &nodes[node]
				switch n.Kind {
				case Send, Recv:
					return Task{Kind: n.Kind, Peer: p.Peer(n.Peer), Tag: int32(n.Lane), Size: p.Bytes(n.Ref)}
				case Mark:
					return Task{Kind: Mark, Takes: c.O}
				case Meet:
					return Task{Kind: Meet, Tag: n.Count}
				case Load, Fold:
					return Task{Kind: n.Kind, loads: p.loads(n)}
				case Hardware:
					return Task{Kind: n.Kind, Tag: n.Count, Size: max(p.Bytes(n.Ref), p.Bytes(n.From))}
				}
				return Task{Kind: n.Kind, Takes: c.Local(n.Kind, p.Bytes(n.From))}
			},
		}
	}
	return PriceGraphs(graphs, c)
}

// look is a load of bytes of another rank, or of the own one.
type look struct {
	peer int32
	size int64
	add  bool // they are combined
}

// loads lists what a load or a fold looks at.
func (p *Place) loads(n *Node) []look {
	var all []look
	for i := range n.Count {
		peer := p.Peer(Peer{Root: true, D: i})
		if n.Kind == Load {
			peer = wrap(p.Peer(n.Peer)+i, p.Schedule.Ranks)
		}
		all = append(all, look{peer, p.theirs(n.From, wrap(peer-p.Root, p.Schedule.Ranks)), n.Kind == Fold})
	}
	return all
}
