package clustertest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// A crowd is a random program under MPI_THREAD_MULTIPLE: every thread of every rank
// sends to random ranks, and the threads of a rank receive together what comes for
// it, until all is there. It runs in four teams of all ranks, which differ in the
// envelopes that their receives ask for; tags are few, so that equal ones abound.
//
// What MPI-4.0 guarantees (section 3.5) is judged afterwards from what each thread
// received, in the order in which it posted the receives:
//
//   - complete: each message was received once, with its envelope and data;
//   - not overtaking: of one sending thread's messages that two receives would both
//     take, a receiving thread gets the earlier one with the receive that it posted
//     earlier;
//   - in the order of matching: in one team all threads of a rank send under a lock,
//     and all post receives under one, so that both sides are ordered by
//     synchronization; there the messages from one rank arrive in the order of the
//     sending lock, whichever threads took part.
type crowd struct {
	seed           uint64
	ranks, threads int
	each           int  // messages a thread sends
	locked         bool // the last team's calls are ordered by locks
	plan           [][]crowdMessage
	ranksOf        []crowdRank
}

// The teams of a crowd, by what its receives ask for.
const (
	crowdAny    = iota // any source, any tag
	crowdTag           // any source, a tag
	crowdSource        // a source, any tag
	crowdLocked        // any source, any tag, ordered by locks
	crowdTeams
)

const crowdTags = 3

type crowdMessage struct {
	team, dst, tag, size int
}

// crowdRank is what the threads of a rank share.
type crowdRank struct {
	mu      sync.Mutex
	due     [crowdTeams][]int // receives to post, by tag or by source
	sending sync.Mutex        // of crowdLocked
	sent    uint64
	posting sync.Mutex
	posted  uint64
	got     [][]crowdReceived // by thread, in the order of posting
	handed  []*crowdReceive   // requests that whoever comes completes
}

// crowdReceived is a message as it arrived, and what it says of itself.
type crowdReceived struct {
	team, source, tag, bytes int
	thread, seq              int
	stamp                    uint64 // of the sending lock
	post                     uint64 // of the posting lock
}

type crowdReceive struct {
	cluster.Request
	team int
	buf  []byte
	into *crowdReceived
}

const crowdHeader = 24

var crowdSizes = []int{crowdHeader, crowdHeader, 32, 33, 100, eager + 1}

func newCrowd(seed uint64, ranks, threads, each int, locked bool) *crowd {
	c := &crowd{seed: seed, ranks: ranks, threads: threads, each: each, locked: locked, ranksOf: make([]crowdRank, ranks)}
	rng := rand.New(rand.NewPCG(seed, 17))
	for i := range c.ranksOf {
		r := &c.ranksOf[i]
		r.due = [crowdTeams][]int{make([]int, 1), make([]int, crowdTags), make([]int, ranks), make([]int, 1)}
		r.got = make([][]crowdReceived, threads)
	}
	for sender := range ranks * threads {
		list := make([]crowdMessage, each)
		for i := range list {
			m := crowdMessage{rng.IntN(crowdTeams), rng.IntN(ranks), rng.IntN(crowdTags), crowdSizes[rng.IntN(len(crowdSizes))]}
			list[i] = m
			c.ranksOf[m.dst].due[m.team][c.class(m.team, sender/threads, m.tag)]++
		}
		c.plan = append(c.plan, list)
	}
	return c
}

// class is which receives of a team take a message.
func (c *crowd) class(team, source, tag int) int {
	switch team {
	case crowdTag:
		return tag
	case crowdSource:
		return source
	}
	return 0
}

// draw takes a receive that is due, if any is.
func (r *crowdRank) draw(rng *rand.Rand) (team, class int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := rng.IntN(crowdTeams)
	for i := range crowdTeams {
		team = (first + i) % crowdTeams
		due := r.due[team]
		at := rng.IntN(len(due))
		for j := range due {
			if class = (at + j) % len(due); due[class] > 0 {
				due[class]--
				return team, class, true
			}
		}
	}
	return 0, 0, false
}

// crowdThread is a thread at work.
type crowdThread struct {
	*proc
	c      *crowd
	r      *crowdRank
	teams  []*cluster.Team
	number int
	rng    *rand.Rand
	sends  []cluster.Request
	own    []*crowdReceive
	got    []*crowdReceived
}

// lock takes a lock between calls: on a fabric that runs one thread at a time the
// holder has to get on meanwhile.
func (t *crowdThread) lock(mu *sync.Mutex) {
	for !mu.TryLock() {
		t.Progress()
	}
}

// send sends message i of the thread's plan.
func (t *crowdThread) send(i int) {
	m := &t.c.plan[t.ID()*t.c.threads+t.number][i]
	buf := data(m.size, i)
	binary.NativeEndian.PutUint64(buf, uint64(t.number))
	binary.NativeEndian.PutUint64(buf[8:], uint64(i))
	ordered := m.team == crowdLocked && t.c.locked
	if ordered {
		t.lock(&t.r.sending)
		t.r.sent++
		binary.NativeEndian.PutUint64(buf[16:], t.r.sent)
	}
	var err error
	if q := &t.sends[i]; t.rng.IntN(8) == 0 {
		err = t.Issend(q, t.teams[m.team], m.dst, m.tag, cluster.Of(buf))
	} else {
		err = t.Isend(q, t.teams[m.team], m.dst, m.tag, cluster.Of(buf))
	}
	if ordered {
		t.r.sending.Unlock()
	}
	t.ok(err)
}

// post posts a receive that is due.
func (t *crowdThread) post(team, class int) *crowdReceive {
	source, tag := cluster.AnySource, cluster.AnyTag
	switch team {
	case crowdTag:
		tag = class
	case crowdSource:
		source = class
	}
	q := &crowdReceive{team: team, buf: make([]byte, eager+1), into: &crowdReceived{}}
	t.got = append(t.got, q.into)
	ordered := team == crowdLocked && t.c.locked
	if ordered {
		t.lock(&t.r.posting)
		t.r.posted++
		q.into.post = t.r.posted
	}
	err := t.Irecv(&q.Request, t.teams[team], source, tag, cluster.Of(q.buf))
	if ordered {
		t.r.posting.Unlock()
	}
	t.ok(err)
	return q
}

// take notes what a receive got.
func (t *crowdThread) take(q *crowdReceive, st cluster.Status) {
	b := q.buf[:st.Bytes]
	t.check(len(b) >= crowdHeader, "a message of %d B", len(b))
	g := q.into
	g.team, g.source, g.tag, g.bytes = q.team, st.Source, st.Tag, len(b)
	g.thread, g.seq = int(binary.NativeEndian.Uint64(b)), int(binary.NativeEndian.Uint64(b[8:]))
	g.stamp = binary.NativeEndian.Uint64(b[16:])
	for i, want := range data(len(b), g.seq)[crowdHeader:] {
		t.check(b[crowdHeader+i] == want, "message %d of rank %d thread %d: byte %d differs", g.seq, g.source, g.thread, crowdHeader+i)
	}
}

// matched receives the next message of the first team by a matched probe; blocking
// or, if it may not block, if there is one.
func (t *crowdThread) matched(block bool) bool {
	team := t.teams[crowdAny]
	m, found, err := cluster.Message{}, true, error(nil)
	if block {
		m, err = t.Mprobe(team, cluster.AnySource, cluster.AnyTag)
	} else {
		m, found, err = t.Improbe(team, cluster.AnySource, cluster.AnyTag)
	}
	t.ok(err)
	if !found {
		return false
	}
	q := &crowdReceive{team: crowdAny, buf: make([]byte, eager+1), into: &crowdReceived{}}
	t.got = append(t.got, q.into)
	st, err := t.Mrecv(m, cluster.Of(q.buf))
	t.ok(err)
	t.take(q, st)
	return true
}

// hand leaves a receive to whoever comes; adopt takes one over.
func (t *crowdThread) hand(q *crowdReceive) {
	t.r.mu.Lock()
	t.r.handed = append(t.r.handed, q)
	t.r.mu.Unlock()
}

func (t *crowdThread) adopt() *crowdReceive {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	n := len(t.r.handed)
	if n == 0 {
		return nil
	}
	q := t.r.handed[n-1]
	t.r.handed = t.r.handed[:n-1]
	return q
}

// poll tests the thread's own receives, once each.
func (t *crowdThread) poll() {
	t.own = slices.DeleteFunc(t.own, func(q *crowdReceive) bool {
		st, done, err := t.Test(&q.Request)
		t.ok(err)
		if done {
			t.take(q, st)
		}
		return done
	})
}

// work is a thread's life. As long as it has something to send it never blocks, so
// that every receive's message comes.
func (t *crowdThread) work() {
	for i := range t.sends {
		t.send(i)
		switch t.rng.IntN(5) {
		case 0:
			t.poll()
		case 1, 2:
			team, class, ok := t.r.draw(t.rng)
			if !ok {
				break
			}
			if team == crowdAny && t.rng.IntN(2) == 0 && t.matched(false) {
				break
			}
			if q := t.post(team, class); t.rng.IntN(4) == 0 {
				t.hand(q)
			} else {
				t.own = append(t.own, q)
			}
		}
	}
	for {
		if q := t.adopt(); q != nil {
			t.wait(q)
			continue
		}
		team, class, ok := t.r.draw(t.rng)
		if !ok {
			break
		}
		if team == crowdAny && t.rng.IntN(2) == 0 {
			t.matched(true)
			continue
		}
		q := t.post(team, class)
		if t.rng.IntN(2) == 0 {
			t.wait(q)
		} else {
			t.own = append(t.own, q)
		}
		if len(t.own) > 3 {
			t.poll()
		}
	}
	for len(t.own) > 0 {
		if t.rng.IntN(2) == 0 {
			t.wait(t.own[0])
			t.own = t.own[1:]
		} else {
			t.poll()
		}
	}
	for q := t.adopt(); q != nil; q = t.adopt() {
		t.wait(q)
	}
	t.ok(t.Waitall(t.sends, nil))
}

func (t *crowdThread) wait(q *crowdReceive) {
	st, err := t.Wait(&q.Request)
	t.ok(err)
	t.take(q, st)
}

// play is the program on one rank.
func (c *crowd) play(p *proc) {
	teams := make([]*cluster.Team, crowdTeams)
	for i := range teams {
		var err error
		teams[i], err = p.Dup(p.World())
		p.ok(err)
	}
	r := &c.ranksOf[p.ID()]
	threads := make([]*crowdThread, c.threads)
	p.fork(c.threads, func(th *proc, number int) {
		t := &crowdThread{proc: th, c: c, r: r, teams: teams, number: number, sends: make([]cluster.Request, c.each),
			rng: rand.New(rand.NewPCG(c.seed, uint64(th.ID()*c.threads+number)))}
		threads[number] = t
		t.work()
	})
	for i, t := range threads {
		for _, g := range t.got {
			r.got[i] = append(r.got[i], *g)
		}
	}
}

// judge checks what all threads received.
func (c *crowd) judge() error {
	seen := make([][]bool, len(c.plan))
	for i := range seen {
		seen[i] = make([]bool, c.each)
	}
	for dst := range c.ranksOf {
		for thread, got := range c.ranksOf[dst].got {
			type sender struct{ team, class, source, thread int }
			last := map[sender]int{}
			for _, g := range got {
				who := fmt.Sprintf("rank %d thread %d received message %d of rank %d thread %d", dst, thread, g.seq, g.source, g.thread)
				at := g.source*c.threads + g.thread
				if at < 0 || at >= len(c.plan) || g.seq < 0 || g.seq >= c.each {
					return fmt.Errorf("%s, which there is not", who)
				}
				want := crowdMessage{g.team, dst, g.tag, g.bytes}
				if m := c.plan[at][g.seq]; m != want {
					return fmt.Errorf("%s as %+v, it is %+v", who, want, m)
				}
				if seen[at][g.seq] {
					return fmt.Errorf("%s, which was received before", who)
				}
				seen[at][g.seq] = true
				s := sender{g.team, c.class(g.team, g.source, g.tag), g.source, g.thread}
				if before, ok := last[s]; ok && before > g.seq {
					return fmt.Errorf("%s after its message %d: overtaken", who, before)
				}
				last[s] = g.seq
			}
		}
	}
	for i := range seen {
		if seq := slices.Index(seen[i], false); seq >= 0 {
			return fmt.Errorf("message %d of rank %d thread %d was not received: %+v", seq, i/c.threads, i%c.threads, c.plan[i][seq])
		}
	}
	if c.locked {
		return c.judgeLocked()
	}
	return nil
}

// judgeLocked checks the order of matching where locks order both sides.
func (c *crowd) judgeLocked() error {
	for dst := range c.ranksOf {
		bySource := make([][]crowdReceived, c.ranks)
		for _, got := range c.ranksOf[dst].got {
			for _, g := range got {
				if g.team == crowdLocked {
					bySource[g.source] = append(bySource[g.source], g)
				}
			}
		}
		for source, list := range bySource {
			slices.SortFunc(list, func(a, b crowdReceived) int { return cmp.Compare(a.post, b.post) })
			for i := 1; i < len(list); i++ {
				if a, b := list[i-1], list[i]; a.stamp >= b.stamp {
					return fmt.Errorf("rank %d matched receive %d with send %d of rank %d (thread %d), and receive %d, posted later, with send %d (thread %d)",
						dst, a.post, a.stamp, source, a.thread, b.post, b.stamp, b.thread)
				}
			}
		}
	}
	return nil
}

func (s *suite) testCrowd(t *testing.T) {
	for i, shape := range []struct{ ranks, threads, each int }{{1, 3, 100}, {2, 2, 200}, {3, 5, 100}, {8, 8, 200}} {
		seed := s.seed + uint64(i)
		t.Run(fmt.Sprintf("ranks=%d,threads=%d,seed=%d", shape.ranks, shape.threads, seed), func(t *testing.T) {
			t.Logf("seed %d", seed)
			// Where one thread runs at a time, a lock of the program's orders what it
			// does on the host, not in the fabric's time.
			c := newCrowd(seed, shape.ranks, shape.threads, s.times(shape.each), !s.oneAtATime)
			spec := s.spec(shape.ranks)
			spec.Layout.ThreadsPerRank = shape.threads
			err := s.launch(t, spec, c.play)
			if err == nil {
				err = c.judge()
			}
			if err != nil {
				t.Fatalf("the crowd of seed %d, %d ranks of %d threads: %v", seed, shape.ranks, shape.threads, err)
			}
		})
	}
}
