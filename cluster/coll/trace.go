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
	Lane     uint16
	Bytes    int64
	Sent     cluster.Time // when its first byte leaves
	Arrived  cluster.Time // when all of it is there
}

// Trace is what a collective of a whole team comes to, all ranks starting at 0 and no
// two messages sharing a link.
type Trace struct {
	Messages []Message // in the order of arrival
	Ends     []cluster.Time
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
	m := &pricing{c: c, ranks: make([]priced, k.Ranks)}
	cache := &Cache{}
	for r := range k.Ranks {
		rel := wrap(r-root, k.Ranks)
		s := cache.Schedule(k, rel)
		x := &m.ranks[r]
		x.Place = Place{Schedule: s, Rel: rel, Root: root, Blocks: blocks}
		x.left = make([]uint16, len(s.Nodes))
		m.open += len(s.Nodes)
		for i := range s.Nodes {
			if x.left[i] = s.Nodes[i].Deps; x.left[i] == 0 {
				m.push(event{rank: r, node: int32(i)})
			}
		}
	}
	m.flights = map[lane]*meeting{}
	for len(m.queue) > 0 {
		m.happen(m.pop())
	}
	if m.open > 0 {
		return nil, errors.New("coll: a schedule that does not end: " + k.Algorithm.Collective.String() + " by " + k.Algorithm.Name)
	}
	slices.SortStableFunc(m.messages, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.Arrived, b.Arrived), cmp.Compare(a.From, b.From))
	})
	t := &Trace{Messages: m.messages}
	for i := range m.ranks {
		t.Ends = append(t.Ends, m.ranks[i].end)
	}
	return t, nil
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
}

type priced struct {
	Place
	left      []uint16
	processor cluster.Time // when it is free
	out, in   cluster.Time // when the adapter may begin the next message
	end       cluster.Time
}

type lane struct {
	from, to int32
	lane     uint16
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
	ready  stage = iota // the node may begin
	coming              // the first byte of the message is there
	landed              // its last one is
	taken               // the node, a receive, has its message
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
		msg := &m.messages[e.node]
		f := m.meet(lane{msg.From, msg.To, msg.Lane})
		f.landed++
		m.match(f, e.at)
	case taken:
		r.processor = max(r.processor, e.at) + m.c.O
		m.complete(e.rank, e.node, r.processor)
	}
}

func (m *pricing) begin(r *priced, e event) {
	n := &r.Schedule.Nodes[e.node]
	switch n.Kind {
	case Send:
		size := r.Place.Bytes(n.Ref)
		r.processor = max(r.processor, e.at) + m.c.O
		leaves := max(r.processor, r.out)
		r.out = leaves + m.c.Gap + m.c.carry(size)
		to := r.Peer(n.Peer)
		m.messages = append(m.messages, Message{From: e.rank, To: to, Lane: n.Lane, Bytes: size, Sent: leaves})
		m.push(event{at: leaves + m.c.L, rank: to, node: int32(len(m.messages) - 1), what: coming})
		m.complete(e.rank, e.node, r.processor)
	case Recv:
		f := m.meet(lane{r.Peer(n.Peer), e.rank, n.Lane})
		f.posted = append(f.posted, e)
		m.match(f, e.at)
	default:
		size := r.Place.Bytes(n.From)
		r.processor = max(r.processor, e.at) + m.c.work(n.Kind, size)
		m.complete(e.rank, e.node, r.processor)
	}
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
	for _, i := range r.Schedule.Next(int(node)) {
		if r.left[i]--; r.left[i] == 0 {
			m.push(event{at: at, rank: rank, node: i})
		}
	}
}
