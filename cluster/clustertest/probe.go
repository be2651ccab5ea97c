package clustertest

import "github.com/hybridtop/hybridtop/cluster"

var probeCases = []testCase{
	{"a probe reports a message and leaves it in the queue",
		forSizes(2, probeLeavesMessage, 0, 8, eager, eager+1, 10_000)},
	{"a matched probe takes its message out of the queue",
		forSizes(2, matchedProbeTakesMessage, 0, 8, eager, eager+1, 10_000)},
	{"polls with Iprobe find a message that arrives later", onRanks(4, pollsFindMessage)},
	{"a probe does not see a message that a posted receive takes", onRanks(2, probeSkipsReceived)},
	{"a matched receive reports truncation", onRanks(2, matchedReceiveTruncates)},
	{"a probe sees only messages of its team", onRanks(2, probeMindsTeam)},
}

func probeLeavesMessage(p *proc, size int) {
	if p.ID() == 0 {
		p.send(1, 7, data(size, 1))
		return
	}
	want := cluster.Status{Source: 0, Tag: 7, Bytes: int64(size)}
	for range 2 {
		same(p, "probe", p.status(p.Probe(p.World(), cluster.AnySource, cluster.AnyTag)), want)
	}
	st, found, err := p.Iprobe(p.World(), 0, 7)
	p.ok(err)
	p.check(found, "iprobe does not find what probe found")
	same(p, "iprobe", st, want)
	p.take(0, 7, size, 1)
	p.check(!p.is(p.Iprobe(p.World(), cluster.AnySource, cluster.AnyTag)), "iprobe finds a message that was received")
}

func matchedProbeTakesMessage(p *proc, size int) {
	if p.ID() == 0 {
		qs := make([]cluster.Request, 3)
		for i := range qs {
			p.ok(p.Isend(&qs[i], p.World(), 1, 7, cluster.Of(data(size, i+1))))
		}
		p.ok(p.Waitall(qs, nil))
		return
	}
	first, err := p.Mprobe(p.World(), 0, 7)
	p.ok(err)
	same(p, "bytes", first.Bytes, int64(size))
	var second cluster.Message
	for found := false; !found; {
		second, found, err = p.Improbe(p.World(), cluster.AnySource, cluster.AnyTag)
		p.ok(err)
	}
	p.take(0, 7, size, 3) // no other receive can match the two now
	_, found, err := p.Improbe(p.World(), 0, 7)
	p.ok(err)
	p.check(!found, "improbe finds a message that was taken")
	b := make([]byte, size)
	same(p, "status", p.status(p.Mrecv(second, cluster.Of(b))), cluster.Status{Source: 0, Tag: 7, Bytes: int64(size)})
	p.holds("second", b, 2)
	var q cluster.Request
	p.ok(p.Imrecv(&q, first, cluster.Of(b)))
	p.wait(&q)
	p.holds("first", b, 1)
	p.fails(only(p.Mrecv(first, cluster.Of(b))), "rank 1", "mrecv", "already received")
}

func pollsFindMessage(p *proc) {
	for i := range p.times(20) {
		if p.ID() != 0 {
			p.send(0, p.ID(), data(p.ID()*100, i))
			continue
		}
		for from := 3; from > 0; from-- {
			for !p.is(p.Iprobe(p.World(), from, cluster.AnyTag)) {
			}
			p.take(from, from, from*100, i)
		}
	}
}

func probeSkipsReceived(p *proc) {
	if p.ID() == 0 {
		p.accept(1)
		p.send(1, 7, data(8, 1))
		p.send(1, 8, data(9, 2))
		return
	}
	var q cluster.Request
	b := make([]byte, 16)
	p.ok(p.Irecv(&q, p.World(), 0, cluster.AnyTag, cluster.Of(b)))
	p.token(0)
	same(p, "tag", p.status(p.Probe(p.World(), 0, cluster.AnyTag)).Tag, 8)
	same(p, "tag", p.wait(&q).Tag, 7)
	p.take(0, 8, 9, 2)
}

func matchedReceiveTruncates(p *proc) {
	if p.ID() == 0 {
		p.send(1, 7, data(100, 1))
		return
	}
	m, err := p.Mprobe(p.World(), 0, 7)
	p.ok(err)
	p.fails(only(p.Mrecv(m, cluster.Of(make([]byte, 10)))), "rank 1: mrecv from 0 tag 7: truncated, 100 B into 10 B")
}

func probeMindsTeam(p *proc) {
	if p.ID() == 0 {
		p.send(1, 7, nil)
		p.token(1)
		return
	}
	p.accept(0)
	p.check(!p.is(p.Iprobe(p.All(), 0, cluster.AnyTag)), "a probe of one team finds a message of another")
	p.status(p.Probe(p.World(), 0, 7))
	p.recv(0, 7, nil)
}
