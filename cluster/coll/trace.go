package coll

import (
	"cmp"
	"errors"
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

// mostNodes is how many a whole team may have to be run or written down.
const mostNodes = 1 << 24

// check refuses a root that is none, and teams whose schedules are too large to be
// looked at all at once.
func (k Key) check(root int32) error {
	switch {
	case root != 0 && !k.Algorithm.Collective.Rooted():
		return fmt.Errorf("root %d: %s has none", root, k.Algorithm.Collective)
	case root < 0 || root >= k.Ranks:
		return fmt.Errorf("root %d: there are ranks 0 to %d", root, k.Ranks-1)
	}
	cache := &Cache{}
	nodes := int64(0)
	for rel := range k.Ranks {
		if nodes += int64(len(cache.Schedule(k, rel).Nodes)); nodes > mostNodes {
			return fmt.Errorf("%s by %s among %d ranks has more than %d steps: take fewer ranks", k.Algorithm.Collective, k.Algorithm.Name, k.Ranks, mostNodes)
		}
	}
	return nil
}

// Price runs the schedules of a key on a model of LogGP alone. Sends are eager: they
// are complete once the processor has done its part.
func Price(k Key, root int32, blocks Blocks, c Cost) (*Trace, error) {
	if err := k.check(root); err != nil {
		return nil, err
	}
	k.at(root)
	c, _ = k.cost(&c)
	m := newPricing(c, k.Ranks)
	cache := &Cache{}
	for r := range k.Ranks {
		rel := wrap(r-root, k.Ranks)
		p := Place{Schedule: cache.Schedule(k, rel), Rel: rel, Root: root, Blocks: blocks}
		nodes := p.Schedule.Nodes
		m.ranks[r].task = func(node int32) task {
			n := &nodes[node]
			switch n.Kind {
			case Send, Recv:
				return task{kind: n.Kind, peer: p.Peer(n.Peer), tag: int32(n.Lane), size: p.Bytes(n.Ref)}
			case Mark:
				return task{kind: Mark, takes: c.O}
			case Meet:
				return task{kind: Meet, tag: n.Count}
			case Load, Fold:
				return task{kind: n.Kind, loads: p.loads(n)}
			case Hardware:
				return task{kind: n.Kind, tag: n.Count, size: max(p.Bytes(n.Ref), p.Bytes(n.From))}
			}
			return task{kind: n.Kind, takes: c.work(n.Kind, p.Bytes(n.From))}
		}
		m.ranks[r].next = func(node int32, started bool) []int32 {
			if started {
				return nil
			}
			return p.Schedule.Next(int(node))
		}
		left := make([]uint16, len(nodes))
		for i := range nodes {
			left[i] = nodes[i].Deps
		}
		m.begins(r, left)
	}
	return m.run()
}

// pricing is a run of the model: events in the order of time, then of making.
type pricing struct {
	c        Cost
	ranks    []priced
	flights  map[lane]*meeting
	queue    []event
	made     int64
	open     int
	messages []Message
	marks    int32   // that are seen
	meets    []event // nodes that wait for marks
	gathered []event // that have come to the collective network
}

// task is what a node does: a message, or so much time of the processor.
type task struct {
	kind      Kind
	peer, tag int32
	size      int64
	takes     cluster.Time
	loads     []look
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

type priced struct {
	task      func(node int32) task
	next      func(node int32, started bool) []int32 // what waits for the node
	left      []uint16
	any       bool         // it receives from any, or with any tag: its messages match by looking
	posted    []event      // of such a rank
	landed    []int32      // messages
	processor cluster.Time // when it is free
	out, in   cluster.Time // when the adapter may begin the next message
	end       cluster.Time
}

type lane struct{ from, to, lane int32 }

func newPricing(c Cost, ranks int32) *pricing {
	return &pricing{c: c, ranks: make([]priced, ranks), flights: map[lane]*meeting{}}
}

// begins lets what waits for nothing begin.
func (m *pricing) begins(rank int32, left []uint16) {
	m.ranks[rank].left = left
	m.open += len(left)
	for i, n := range left {
		if n == 0 {
			m.push(event{rank: rank, node: int32(i)})
		}
	}
}

// longest is more than any run takes: sums of times stay in what a Time holds.
const longest = cluster.Time(1) << 60

func (m *pricing) run() (*Trace, error) {
	for len(m.queue) > 0 {
		e := m.pop()
		if e.at > longest {
			return nil, fmt.Errorf("rank %d goes on for more than %s", e.rank, longest)
		}
		m.happen(e)
	}
	if m.open > 0 {
		return nil, m.deadlock()
	}
	slices.SortStableFunc(m.messages, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.Arrived, b.Arrived), cmp.Compare(a.From, b.From))
	})
	t := &Trace{Messages: m.messages}
	for i := range m.ranks {
		t.Ends = append(t.Ends, m.ranks[i].end)
	}
	for _, f := range m.flights {
		t.Unreceived += f.landed
	}
	for i := range m.ranks {
		t.Unreceived += len(m.ranks[i].landed)
	}
	return t, nil
}

// deadlock names ranks that wait, in their order.
func (m *pricing) deadlock() error {
	var waits []event
	for _, f := range m.flights {
		waits = append(waits, f.posted...)
	}
	for i := range m.ranks {
		waits = append(waits, m.ranks[i].posted...)
	}
	slices.SortFunc(waits, func(a, b event) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.node, b.node)) })
	words := fmt.Sprintf("deadlock: %d operations are left", m.open)
	for i, w := range waits {
		if i == 4 {
			words += fmt.Sprintf("; and %d more receives", len(waits)-i)
			break
		}
		t := m.ranks[w.rank].task(w.node)
		words += fmt.Sprintf("; rank %d waits for %s", w.rank, anyOr("rank", t.peer))
		words += fmt.Sprintf(" with %s", anyOr("tag", t.tag))
	}
	if len(waits) == 0 {
		words += ", which require each other"
	}
	return errors.New(words)
}

func anyOr(what string, n int32) string {
	if n < 0 {
		return "any " + what
	}
	return fmt.Sprintf("%s %d", what, n)
}

// meeting is where messages that arrived and receives that were posted match.
type meeting struct {
	landed int
	posted []event
}

// event is something that happens at a rank.
type event struct {
	at    cluster.Time
	order int64
	rank  int32
	node  int32 // of the rank, or the number of the message
	what  stage
}

type stage uint8

const (
	ready     stage = iota // the node may begin
	coming                 // the first byte of the message is there
	landed                 // its last one is
	taken                  // the node, a receive, has its message
	seen                   // another mark is
	carriedTo              // the collective network has brought what it carries
)

func (m *pricing) push(e event) {
	m.made++
	e.order = m.made
	m.queue = append(m.queue, e)
	for i := len(m.queue) - 1; i > 0 && m.queue[i].before(&m.queue[(i-1)/2]); i = (i - 1) / 2 {
		m.queue[i], m.queue[(i-1)/2] = m.queue[(i-1)/2], m.queue[i]
	}
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

func (m *pricing) pop() event {
	q := m.queue
	top := q[0]
	n := len(q) - 1
	q[0] = q[n]
	m.queue = q[:n]
	for i := 0; 2*i+1 < n; {
		c := 2*i + 1
		if c+1 < n && q[c+1].before(&q[c]) {
			c++
		}
		if !q[c].before(&q[i]) {
			break
		}
		q[i], q[c] = q[c], q[i]
		i = c
	}
	return top
}

// happen lets the processor and the adapters of a rank serve in the order of time.
func (m *pricing) happen(e event) {
	r := &m.ranks[e.rank]
	switch e.what {
	case ready:
		m.begin(r, e)
	case coming:
		msg := &m.messages[e.node]
		begins := max(e.at, r.in)
		r.in = begins + m.c.Gap + m.c.carry(msg.Bytes)
		msg.Arrived = begins + m.c.carry(msg.Bytes)
		m.push(event{at: msg.Arrived, rank: e.rank, node: e.node, what: landed})
	case landed:
		m.land(r, e)
	case taken:
		r.processor = max(r.processor, e.at) + m.c.in()
		m.complete(e.rank, e.node, r.processor)
	case carriedTo:
		r.processor = max(r.processor, e.at)
		m.complete(e.rank, e.node, r.processor)
	case seen:
		m.marks++
		m.marked(e.at)
	}
}

func (m *pricing) begin(r *priced, e event) {
	m.release(r, e, true, e.at)
	switch t := r.task(e.node); t.kind {
	case Send:
		r.processor = max(r.processor, e.at) + m.c.O
		leaves := max(r.processor, r.out)
		r.out = leaves + m.c.Gap + m.c.carry(t.size)
		m.messages = append(m.messages, Message{From: e.rank, To: t.peer, Lane: t.tag, Bytes: t.size, Sent: leaves})
		m.push(event{at: leaves + m.c.L, rank: t.peer, node: int32(len(m.messages) - 1), what: coming})
		m.complete(e.rank, e.node, r.processor)
	case Recv:
		if r.any {
			m.look(r, e, t)
			return
		}
		f := m.meet(lane{t.peer, e.rank, t.tag})
		f.posted = append(f.posted, e)
		m.match(f, e.at)
	case Meet:
		m.meets = append(m.meets, e)
		m.marked(e.at)
	case Hardware:
		r.processor = max(r.processor, e.at) + m.c.O
		e.at = r.processor
		if m.gathered = append(m.gathered, e); len(m.gathered) == int(t.tag) {
			last, size := cluster.Time(0), int64(0)
			for _, g := range m.gathered {
				last, size = max(last, g.at), max(size, m.ranks[g.rank].task(g.node).size)
			}
			for _, g := range m.gathered {
				m.push(event{at: last + m.c.hardware(size), rank: g.rank, node: g.node, what: carriedTo})
			}
			m.gathered = nil
		}
	case Mark:
		r.processor = max(r.processor, e.at) + t.takes
		m.push(event{at: r.processor + m.c.L, rank: e.rank, what: seen})
		m.complete(e.rank, e.node, r.processor)
	case Load, Fold:
		r.processor = max(r.processor, e.at)
		for _, l := range t.loads {
			begins := r.processor
			if l.peer == e.rank {
				if !l.add {
					r.processor += m.c.copies(l.size)
				}
			} else {
				r.processor += m.c.looks(1, l.size)
				m.messages = append(m.messages, Message{From: l.peer, To: e.rank, Bytes: l.size, Sent: begins, Arrived: r.processor})
			}
			if l.add {
				r.processor += m.c.combines(l.size)
			}
		}
		m.complete(e.rank, e.node, r.processor)
	default:
		r.processor = max(r.processor, e.at) + t.takes
		m.complete(e.rank, e.node, r.processor)
	}
}

// marked completes the nodes that have waited for as many marks as are seen.
func (m *pricing) marked(now cluster.Time) {
	for i := 0; i < len(m.meets); {
		e := m.meets[i]
		r := &m.ranks[e.rank]
		if r.task(e.node).tag > m.marks {
			i++
			continue
		}
		m.meets = slices.Delete(m.meets, i, i+1)
		r.processor = max(r.processor, now)
		m.complete(e.rank, e.node, r.processor)
	}
}

// matches reports whether a receive matches a message.
func (t *task) matches(msg *Message) bool {
	return (t.peer < 0 || t.peer == msg.From) && (t.tag < 0 || t.tag == msg.Lane)
}

// look takes the first message that matches, or waits.
func (m *pricing) look(r *priced, e event, t task) {
	for i, n := range r.landed {
		if t.matches(&m.messages[n]) {
			r.landed = slices.Delete(r.landed, i, i+1)
			m.push(event{at: e.at, rank: e.rank, node: e.node, what: taken})
			return
		}
	}
	r.posted = append(r.posted, e)
}

// land gives a message to the first receive that matches.
func (m *pricing) land(r *priced, e event) {
	msg := &m.messages[e.node]
	if !r.any {
		f := m.meet(lane{msg.From, msg.To, msg.Lane})
		f.landed++
		m.match(f, e.at)
		return
	}
	for i, p := range r.posted {
		if t := r.task(p.node); t.matches(msg) {
			r.posted = slices.Delete(r.posted, i, i+1)
			m.push(event{at: e.at, rank: p.rank, node: p.node, what: taken})
			return
		}
	}
	r.landed = append(r.landed, e.node)
}

func (m *pricing) meet(l lane) *meeting {
	f := m.flights[l]
	if f == nil {
		f = &meeting{}
		m.flights[l] = f
	}
	return f
}

func (m *pricing) match(f *meeting, now cluster.Time) {
	for f.landed > 0 && len(f.posted) > 0 {
		e := f.posted[0]
		f.landed, f.posted = f.landed-1, f.posted[1:]
		m.push(event{at: now, rank: e.rank, node: e.node, what: taken})
	}
}

func (m *pricing) complete(rank, node int32, at cluster.Time) {
	m.open--
	r := &m.ranks[rank]
	r.end = max(r.end, at)
	m.release(r, event{rank: rank, node: node}, false, at)
}

// release lets what waits for a node begin, where that was all it waited for.
func (m *pricing) release(r *priced, e event, started bool, at cluster.Time) {
	for _, i := range r.next(e.node, started) {
		if r.left[i]--; r.left[i] == 0 {
			m.push(event{at: at, rank: e.rank, node: i})
		}
	}
}
