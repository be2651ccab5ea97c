package coll

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Graph holds the tasks of one rank, which wait for each other.
type Graph struct {
	// by task: the number of tasks that it waits for; PriceGraphs counts them down
	Deps []uint16
	Next func(task int32, started bool) []int32 // the tasks that wait for the start of a task, or for its completion
	Task func(task int32) Task                  // a task's message or time
	Any  bool                                   // a receive has no peer or no tag
}

// A Task is a message or CPU time.
type Task struct {
	Kind      Kind  // Send, Recv, or Copy for CPU time
	Peer, Tag int32 // negative in a receive: any
	Size      int64 // bytes of a send
	Takes     cluster.Time
	loads     []memberLoad
}

// PriceGraphs runs one graph per rank on the LogGP model, like Price. Graphs that cannot end return
// a *Deadlock.
func PriceGraphs(graphs []Graph, c Cost) (*Trace, error) {
	m := &pricing{c: c, ranks: make([]pricedRank, len(graphs)), flights: map[channel]*matchQueue{}}
	for r := range graphs {
		m.ranks[r].Graph = &graphs[r]
		m.open += len(graphs[r].Deps)
		for i, n := range graphs[r].Deps {
			if n == 0 {
				m.push(event{rank: int32(r), node: int32(i)})
			}
		}
	}
	return m.run()
}

// A Deadlock is the error of ranks that cannot end.
type Deadlock struct {
	Open     int       // operations that are not complete
	Receives []Waiting // receives without a message
	Reason   string    // the reason if no receive waits
}

// Waiting is a receive without a message.
type Waiting struct{ Rank, Peer, Tag int32 } // negative peers and tags: any

// Error implements error. It names the first receives.
func (d *Deadlock) Error() string {
	const maxListed = 4
	words := fmt.Sprintf("deadlock: %d operations left", d.Open)
	if len(d.Receives) == 0 {
		return words + ", " + d.Reason
	}
	for _, w := range d.Receives[:min(maxListed, len(d.Receives))] {
		words += fmt.Sprintf("; rank %d waits for %s with %s", w.Rank, anyOr("rank", w.Peer), anyOr("tag", w.Tag))
	}
	if more := len(d.Receives) - maxListed; more > 0 {
		words += fmt.Sprintf("; and %d more receives", more)
	}
	return words
}

func anyOr(what string, n int32) string {
	if n < 0 {
		return "any " + what
	}
	return fmt.Sprintf("%s %d", what, n)
}

// pricing is a run of the model. Events are in the order of time, then of creation.
type pricing struct {
	c        Cost
	ranks    []pricedRank
	flights  map[channel]*matchQueue
	queue    []event
	made     int64
	open     int
	messages []Message
	marks    int32   // marks seen so far
	meets    []event // nodes waiting for marks
	gathered []event // steps that have reached the collective network
}

type pricedRank struct {
	*Graph
	posted    []event      // posted receives, if a receive of the rank has no peer or no tag
	landed    []int32      // arrived messages of such a rank
	processor cluster.Time // time at which the CPU is free
	out, in   cluster.Time // time at which the adapter may begin the next message
	end       cluster.Time
}

type channel struct{ from, to, number int32 }

// longest is the maximum time of a run, so that sums of times do not overflow.
const longest = cluster.Time(1) << 60

func (m *pricing) run() (*Trace, error) {
	for len(m.queue) > 0 {
		e := m.pop()
		if e.at > longest {
			return nil, fmt.Errorf("rank %d runs for more than %s", e.rank, longest)
		}
		m.handle(e)
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

// deadlock returns the error about waiting ranks, in their order.
func (m *pricing) deadlock() error {
	var waits []event
	for _, f := range m.flights {
		waits = append(waits, f.posted...)
	}
	for i := range m.ranks {
		waits = append(waits, m.ranks[i].posted...)
	}
	slices.SortFunc(waits, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.node, b.node))
	})
	d := &Deadlock{Open: m.open, Reason: "which depend on each other"}
	for _, w := range waits {
		t := m.ranks[w.rank].Task(w.node)
		d.Receives = append(d.Receives, Waiting{Rank: w.rank, Peer: t.Peer, Tag: t.Tag})
	}
	return d
}

// matchQueue matches arrived messages and posted receives.
type matchQueue struct {
	landed int
	posted []event
}

// event is an event at a rank.
type event struct {
	at    cluster.Time
	order int64
	rank  int32
	node  int32 // node of the rank, or number of the message
	what  stage
}

type stage uint8

const (
	ready     stage = iota // the node may begin
	coming                 // the first byte of the message has arrived
	landed                 // the last byte of the message has arrived
	taken                  // the node, a receive, has taken its message
	seen                   // another mark has been seen
	carriedTo              // the collective network has delivered its data
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

// handle processes an event. The CPU and the adapters of a rank serve events in the order of time.
func (m *pricing) handle(e event) {
	r := &m.ranks[e.rank]
	switch e.what {
	case ready:
		m.begin(r, e)
	case coming:
		msg := &m.messages[e.node]
		begins := max(e.at, r.in)
		r.in = begins + m.c.Gap + m.c.bytesTime(msg.Bytes)
		msg.Arrived = begins + m.c.bytesTime(msg.Bytes)
		m.push(event{at: msg.Arrived, rank: e.rank, node: e.node, what: landed})
	case landed:
		m.land(r, e)
	case taken:
		r.processor = max(r.processor, e.at) + m.c.recvTime()
		m.complete(e.rank, e.node, r.processor)
	case carriedTo:
		r.processor = max(r.processor, e.at)
		m.complete(e.rank, e.node, r.processor)
	case seen:
		m.marks++
		m.marked(e.at)
	}
}

func (m *pricing) begin(r *pricedRank, e event) {
	m.release(r, e, true, e.at)
	switch t := r.Task(e.node); t.Kind {
	case Send:
		r.processor = max(r.processor, e.at) + m.c.O
		leaves := max(r.processor, r.out)
		r.out = leaves + m.c.Gap + m.c.bytesTime(t.Size)
		m.messages = append(m.messages, Message{From: e.rank, To: t.Peer, Channel: t.Tag, Bytes: t.Size, Sent: leaves})
		m.push(event{at: leaves + m.c.L, rank: t.Peer, node: int32(len(m.messages) - 1), what: coming})
		m.complete(e.rank, e.node, r.processor)
	case Recv:
		if r.Any {
			m.takeLanded(r, e, t)
			return
		}
		f := m.queueOf(channel{from: t.Peer, to: e.rank, number: t.Tag})
		f.posted = append(f.posted, e)
		m.match(f, e.at)
	case Meet:
		m.meets = append(m.meets, e)
		m.marked(e.at)
	case Hardware:
		r.processor = max(r.processor, e.at) + m.c.O
		e.at = r.processor
		m.gather(e, int(t.Tag))
	case Mark:
		r.processor = max(r.processor, e.at) + t.Takes
		m.push(event{at: r.processor + m.c.L, rank: e.rank, what: seen})
		m.complete(e.rank, e.node, r.processor)
	case Load, Fold:
		r.processor = max(r.processor, e.at)
		for _, l := range t.loads {
			m.load(r, e.rank, l)
		}
		m.complete(e.rank, e.node, r.processor)
	default:
		r.processor = max(r.processor, e.at) + t.Takes
		m.complete(e.rank, e.node, r.processor)
	}
}

// gather adds a step to the call on the collective network. The last one of the given number of
// steps ends the call.
func (m *pricing) gather(e event, steps int) {
	m.gathered = append(m.gathered, e)
	if len(m.gathered) != steps {
		return
	}
	var last cluster.Time
	var size int64
	for _, g := range m.gathered {
		last = max(last, g.at)
		size = max(size, m.ranks[g.rank].Task(g.node).Size)
	}
	for _, g := range m.gathered {
		m.push(event{at: last + m.c.hardware(size), rank: g.rank, node: g.node, what: carriedTo})
	}
	m.gathered = nil
}

// load advances a rank by one load. Bytes of the rank itself cost a copy, unless they are combined.
func (m *pricing) load(r *pricedRank, rank int32, l memberLoad) {
	begins := r.processor
	switch {
	case l.peer != rank:
		r.processor += m.c.loadTime(1, l.size)
		m.messages = append(m.messages, Message{From: l.peer, To: rank, Bytes: l.size, Sent: begins, Arrived: r.processor})
	case !l.add:
		r.processor += m.c.copies(l.size)
	}
	if l.add {
		r.processor += m.c.combines(l.size)
	}
}

// marked completes the nodes that wait for at most the seen number of marks.
func (m *pricing) marked(now cluster.Time) {
	for i := 0; i < len(m.meets); {
		e := m.meets[i]
		r := &m.ranks[e.rank]
		if r.Task(e.node).Tag > m.marks {
			i++
			continue
		}
		m.meets = slices.Delete(m.meets, i, i+1)
		r.processor = max(r.processor, now)
		m.complete(e.rank, e.node, r.processor)
	}
}

// matches reports whether the receive matches msg.
func (t *Task) matches(msg *Message) bool {
	return (t.Peer < 0 || t.Peer == msg.From) && (t.Tag < 0 || t.Tag == msg.Channel)
}

// takeLanded takes the first matching message, or waits.
func (m *pricing) takeLanded(r *pricedRank, e event, t Task) {
	for i, n := range r.landed {
		if t.matches(&m.messages[n]) {
			r.landed = slices.Delete(r.landed, i, i+1)
			m.push(event{at: e.at, rank: e.rank, node: e.node, what: taken})
			return
		}
	}
	r.posted = append(r.posted, e)
}

// land delivers a message to the first matching receive.
func (m *pricing) land(r *pricedRank, e event) {
	msg := &m.messages[e.node]
	if !r.Any {
		f := m.queueOf(channel{from: msg.From, to: msg.To, number: msg.Channel})
		f.landed++
		m.match(f, e.at)
		return
	}
	for i, p := range r.posted {
		if t := r.Task(p.node); t.matches(msg) {
			r.posted = slices.Delete(r.posted, i, i+1)
			m.push(event{at: e.at, rank: p.rank, node: p.node, what: taken})
			return
		}
	}
	r.landed = append(r.landed, e.node)
}

func (m *pricing) queueOf(l channel) *matchQueue {
	f := m.flights[l]
	if f == nil {
		f = &matchQueue{}
		m.flights[l] = f
	}
	return f
}

func (m *pricing) match(f *matchQueue, now cluster.Time) {
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

// release starts the nodes whose last dependency was this node.
func (m *pricing) release(r *pricedRank, e event, started bool, at cluster.Time) {
	for _, i := range r.Next(e.node, started) {
		if r.Deps[i]--; r.Deps[i] == 0 {
			m.push(event{at: at, rank: e.rank, node: i})
		}
	}
}
