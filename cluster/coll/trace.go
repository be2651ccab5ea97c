package coll

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Message is a message between two ranks of a collective, with the times of a cost model.
type Message struct {
	From, To int32 // numbers in the team
	Channel  int32 // or tag
	Bytes    int64
	Sent     cluster.Time // time at which the first byte leaves
	Arrived  cluster.Time // time at which the last byte arrives
}

// Trace is the result of pricing a collective of a team. All ranks start at time 0, and no two
// messages share a link.
type Trace struct {
	Messages   []Message // in the order of arrival
	Ends       []cluster.Time
	Unreceived int // number of messages without a receive
}

// Last returns the time at which the last rank ends.
func (t *Trace) Last() cluster.Time {
	last := cluster.Time(0)
	for _, e := range t.Ends {
		last = max(last, e)
	}
	return last
}

// Bytes returns the sum over all messages.
func (t *Trace) Bytes() int64 {
	n := int64(0)
	for i := range t.Messages {
		n += t.Messages[i].Bytes
	}
	return n
}

// Steps prices each message as one step: a rank sends one and receives one message at a time.
// Arrived counts steps.
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
		return nil, fmt.Errorf("root %d: want 0 to %d", root, k.Ranks-1)
	}
	cache := &Cache{}
	places := make([]Place, k.Ranks)
	nodes := 0
	for r := range k.Ranks {
		rel := wrap(r-root, k.Ranks)
		places[r] = Place{Schedule: cache.Schedule(k, rel), Rel: rel, Root: root, Blocks: blocks}
		nodes += len(places[r].Schedule.Nodes)
		if nodes > maxNodes {
			return nil,
				fmt.Errorf("%s by %s among %d ranks has more than %d steps (use fewer ranks)", k.Algorithm.Collective,
					k.Algorithm.Name, k.Ranks, maxNodes)
		}
	}
	return places, nil
}

// Price runs the schedules of a key on the LogGP model. Sends are eager: a send is complete after
// its CPU time.
func Price(k Key, root int32, blocks Blocks, c Cost) (*Trace, error) {
	places, err := k.Bind(root, blocks)
	if err != nil {
		return nil, err
	}
	k.setRoot(root)
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
					return Task{Kind: n.Kind, Peer: p.Peer(n.Peer), Tag: int32(n.Channel), Size: p.Bytes(n.Ref)}
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

// memberLoad is a load of bytes of another rank, or of the rank itself.
type memberLoad struct {
	peer int32
	size int64
	add  bool // the bytes are combined
}

// loads returns the loads of a load or a fold node.
func (p *Place) loads(n *Node) []memberLoad {
	var all []memberLoad
	for i := range n.Count {
		peer := p.Peer(Peer{Root: true, D: i})
		if n.Kind == Load {
			peer = wrap(p.Peer(n.Peer)+i, p.Schedule.Ranks)
		}
		size := p.peerSize(n.From, wrap(peer-p.Root, p.Schedule.Ranks))
		all = append(all, memberLoad{peer: peer, size: size, add: n.Kind == Fold})
	}
	return all
}
