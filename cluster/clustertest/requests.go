package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var requestCases = []testCase{
	{"waiting for any of many takes no more time than waiting for any of two",
		when((*suite).virtual, waitsForAnyTakeEqualTime)},
	{"Waitall completes many requests in any order", forSizes(2, waitallCompletesMany, 8, eager+1)},
	{"Waitany waits for one request and returns each once, then none", onRanks(4, waitanyReturnsOnce)},
	{"Waitsome returns all complete requests", onRanks(5, waitsomeReturnsComplete)},
	{"Test reports completion once and clears the request", onRanks(2, testClearsRequest)},
	{"requests that complete inside Post count as complete", onRanks(2, postCompletes)},
	{"waits for no request return", onRanks(1, waitsForNothing)},
	{"Waitall returns statuses and the first failure", onRanks(2, waitallReturnsFailure)},
	{"a receive without a match can be cancelled", onRanks(2, unmatchedCancel)},
	{"a matched receive cannot be cancelled", onRanks(2, matchedCancel)},
	{"a cancel that races with a message has one winner", onRanks(2, cancelRaces)},
	{"only a receive can be cancelled", onRanks(2, onlyReceivesCancel)},
}

func waitsForAnyTakeEqualTime(s *suite, t *testing.T) {
	var took [2][2]cluster.Time
	for i, others := range []int{1, 200} {
		s.run(t, s.spec(2), func(p *proc) { timeWaits(p, others, &took[i]) })
	}
	if took[0] != took[1] {
		t.Errorf("%v for any of two or three, %v for any of two hundred", took[0], took[1])
	}
}

// timeWaits measures Waitany and Waitsome on rank 1. One message arrives during each,
// and other requests stay active.
func timeWaits(p *proc, others int, took *[2]cluster.Time) {
	if p.ID() == 0 {
		for round := range 2 {
			p.ok(p.Barrier(p.All()))
			p.send(1, 1000+round, nil)
		}
		p.ok(p.Barrier(p.All()))
		for tag := range others {
			p.send(1, tag, nil)
		}
		return
	}
	qs := make([]cluster.Request, others+2)
	for tag := range others {
		p.ok(p.Irecv(&qs[tag], p.World(), 0, tag, cluster.Data{}))
	}
	p.ok(p.Irecv(&qs[others], p.World(), 0, 1000, cluster.Data{}))
	p.ok(p.Irecv(&qs[others+1], p.World(), 0, 1001, cluster.Data{}))
	p.ok(p.Barrier(p.All()))
	began := p.Now()
	n, _, err := p.Waitany(qs)
	p.ok(err)
	same(p, "the first complete request", n, others)
	took[0] = p.Now() - began
	p.ok(p.Barrier(p.All()))
	began = p.Now()
	done, err := p.Waitsome(qs, nil)
	p.ok(err)
	p.check(len(done) == 1 && done[0] == others+1, "complete are %v, want %d", done, others+1)
	took[1] = p.Now() - began
	p.ok(p.Barrier(p.All()))
	p.ok(p.Waitall(qs, nil))
}

func waitallCompletesMany(p *proc, size int) {
	n := p.times(500)
	qs, in := make([]cluster.Request, n), make([]byte, n*size)
	for i := range n {
		if tag := n - 1 - i; p.ID() == 0 {
			p.ok(p.Isend(&qs[i], p.World(), 1, i, cluster.Of(data(size, i))))
		} else {
			p.ok(p.Irecv(&qs[tag], p.World(), 0, tag, cluster.Of(in[tag*size:][:size])))
		}
	}
	p.ok(p.Waitall(qs, nil))
	for i := range n {
		p.check(!qs[i].Active(), "request %d is active after waitall", i)
		if p.ID() == 1 {
			p.holds("message", in[i*size:][:size], i)
		}
	}
}

func waitanyReturnsOnce(p *proc) {
	if p.ID() != 0 {
		if p.ID() == 1 {
			p.accept(0)
		}
		p.send(0, p.ID(), data(8, p.ID()))
		return
	}
	qs := make([]cluster.Request, 4)
	b := make([][8]byte, 4)
	seen := [4]bool{}
	for i := 1; i < 4; i++ {
		p.ok(p.Irecv(&qs[i], p.World(), i, i, cluster.Of(b[i][:])))
	}
	for n := range 3 {
		i, st, err := p.Waitany(qs)
		p.ok(err)
		p.check(i > 0 && !seen[i], "index %d again", i)
		seen[i] = true
		same(p, "source", st.Source, i)
		p.holds("message", b[i][:], i)
		if n == 0 {
			p.token(1) // only now rank 1 sends
		}
	}
	i, _, err := p.Waitany(qs)
	p.ok(err)
	same(p, "index with none active", i, -1)
}

func waitsomeReturnsComplete(p *proc) {
	if p.ID() != 0 {
		p.send(0, 0, data(p.ID()*eager/2, p.ID()))
		return
	}
	qs := make([]cluster.Request, 4)
	b := make([][]byte, 4)
	seen := map[int]bool{}
	for i := range qs {
		b[i] = make([]byte, 4*eager)
		p.ok(p.Irecv(&qs[i], p.World(), i+1, 0, cluster.Of(b[i])))
	}
	for len(seen) < 4 {
		done, err := p.Waitsome(qs, nil)
		p.ok(err)
		p.check(len(done) > 0, "waitsome returned with none")
		for _, i := range done {
			p.check(!seen[i], "index %d again", i)
			seen[i] = true
			p.holds("message", b[i][:(i+1)*eager/2], i+1)
		}
	}
	done, err := p.Waitsome(qs, nil)
	p.ok(err)
	same(p, "requests that are complete, of none", len(done), 0)
}

func testClearsRequest(p *proc) {
	if p.ID() == 0 {
		p.accept(1)
		p.send(1, 7, data(8, 1))
		return
	}
	var q cluster.Request
	b := make([]byte, 8)
	p.ok(p.Irecv(&q, p.World(), 0, 7, cluster.Of(b)))
	for range 50 {
		p.check(!p.is(p.Test(&q)) && q.Active(), "complete before the message was sent")
	}
	p.token(0)
	var st cluster.Status
	for done, err := false, error(nil); !done; p.ok(err) {
		st, done, err = p.Test(&q)
	}
	same(p, "status", st, cluster.Status{Source: 0, Tag: 7, Bytes: 8})
	p.holds("message", b, 1)
	p.check(!q.Active(), "active after test")
	p.check(p.is(p.Test(&q)), "an inactive request does not test as complete")
}

func postCompletes(p *proc) {
	peer := 1 - p.ID()
	p.send(peer, 1, data(8, 1))
	p.status(p.Probe(p.World(), peer, 1))
	// The message has arrived and the send is eager: both complete at once.
	b, qs := make([]byte, 8), make([]cluster.Request, 3)
	p.ok(p.Irecv(&qs[0], p.World(), peer, 1, cluster.Of(b)))
	p.ok(p.Isend(&qs[1], p.World(), peer, 2, cluster.Of(data(8, 2))))
	p.ok(p.Irecv(&qs[2], p.World(), peer, 2, cluster.Of(make([]byte, 8))))
	for range 2 {
		i, _, err := p.Waitany(qs[:2])
		p.ok(err)
		p.check(i >= 0, "waitany finds none")
	}
	p.holds("message", b, 1)
	p.ok(p.Waitall(qs, nil))
}

func waitsForNothing(p *proc) {
	p.wait(new(cluster.Request))
	p.ok(p.Waitall(nil, nil))
	p.ok(p.Waitall(make([]cluster.Request, 3), make([]cluster.Status, 3)))
}

func waitallReturnsFailure(p *proc) {
	if p.ID() == 0 {
		p.send(1, 1, data(8, 1))
		p.send(1, 2, data(100, 2))
		p.send(1, 3, data(8, 3))
		return
	}
	qs := make([]cluster.Request, 3)
	sts := make([]cluster.Status, 3)
	b := make([][8]byte, 3)
	for i := range qs {
		p.ok(p.Irecv(&qs[i], p.World(), 0, i+1, cluster.Of(b[i][:])))
	}
	p.fails(p.Waitall(qs, sts), "rank 1: recv from 0 tag 2: truncated, 100 B into 8 B")
	same(p, "tag", sts[2].Tag, 3)
	p.holds("first", b[0][:], 1)
	p.holds("last", b[2][:], 3)
}

func unmatchedCancel(p *proc) {
	if p.ID() == 0 {
		p.accept(1)
		p.send(1, 7, data(8, 1))
		return
	}
	qs, b := make([]cluster.Request, 3), data(8, 5)
	p.ok(p.Irecv(&qs[0], p.World(), 0, 7, cluster.Of(b)))
	p.ok(p.Irecv(&qs[1], p.World(), cluster.AnySource, 7, cluster.Of(b)))
	p.ok(p.Irecv(&qs[2], p.World(), 0, cluster.AnyTag, cluster.Of(b)))
	for i := range qs {
		p.check(p.flag(p.Cancel(&qs[i])), "a receive without a message could not be cancelled")
	}
	for i := range qs {
		p.check(p.wait(&qs[i]).Cancelled, "the status of a cancelled receive lacks Cancelled")
	}
	p.holds("the buffer of cancelled receives", b, 5)
	p.token(0)
	p.take(0, 7, 8, 1)
	p.check(!p.flag(p.Cancel(&qs[0])), "an inactive request was cancelled")
}

func matchedCancel(p *proc) {
	if p.ID() == 0 {
		p.send(1, 7, data(8, 1))
		p.send(1, 8, nil)
		return
	}
	var q cluster.Request
	b := make([]byte, 8)
	p.ok(p.Irecv(&q, p.World(), 0, 7, cluster.Of(b)))
	p.recv(0, 8, nil) // arrives after it
	p.check(!p.flag(p.Cancel(&q)), "a matched receive was cancelled")
	p.check(!p.wait(&q).Cancelled, "the status of a matched receive has Cancelled")
	p.holds("message", b, 1)
}

func cancelRaces(p *proc) {
	b := make([]byte, 8)
	for i := range p.times(100) {
		if p.ID() == 0 {
			p.send(1, 7, data(8, i))
			p.accept(1)
			continue
		}
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 0, 7, cluster.Of(b)))
		taken := p.flag(p.Cancel(&q))
		same(p, "cancelled", p.wait(&q).Cancelled, taken)
		if taken {
			p.recv(0, 7, b)
		}
		p.holds("message", b, i)
		p.token(0)
	}
}

func onlyReceivesCancel(p *proc) {
	peer := 1 - p.ID()
	var q cluster.Request
	p.ok(p.Issend(&q, p.World(), peer, 7, cluster.Data{}))
	p.fails(only(p.Cancel(&q)), fmt.Sprintf("rank %d: cancel of a ssend", p.ID()))
	p.recv(peer, 7, nil)
	p.wait(&q)
}
