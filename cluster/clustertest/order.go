package clustertest

import (
	"encoding/binary"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var orderCases = []testCase{
	{"messages do not overtake each other", messagesDoNotOvertake},
	{"a receive of any tag takes messages in the order of sending", onRanks(2, anyTagKeepsOrder)},
	{"receives select waiting messages by tag", onRanks(2, receivesSelectByTag)},
	{"a message matches the earliest posted receive", onRanks(2, earliestReceiveMatches)},
	{"receives from any source take each message once, in order per source", forSizes(8, anySourceTakesOnce, 8, eager+1)},
	{"a flood waits for its receiver", onRanks(2, floodWaits)},
	{"a flood of mixed sizes keeps its order", onRanks(2, mixedFloodKeepsOrder)},
	{"15 ranks flood one", onRanks(16, ranksFloodOne)},
	{"69 ranks flood one", onRanks(70, ranksFloodOne)},
}

func messagesDoNotOvertake(s *suite, t *testing.T) {
	for _, length := range []struct {
		name string
		of   func(i int) int
	}{
		{"small", func(int) int { return 8 }},
		{"eager", func(int) int { return eager }},
		{"long", func(int) int { return eager + 8 }},
		{"of all sizes", func(i int) int { return 8 + i*37%(2*eager) }},
	} {
		for _, c := range []struct {
			name      string
			from, tag int
		}{
			{"exact receives", 0, 7},
			{"any source", cluster.AnySource, 7},
			{"any tag", 0, cluster.AnyTag},
			{"any source and tag", cluster.AnySource, cluster.AnyTag},
		} {
			s.test(t, length.name+", "+c.name, 2, func(p *proc) { doNotOvertake(p, length.of, c.from, c.tag) })
		}
	}
}

func doNotOvertake(p *proc, size func(i int) int, from, tag int) {
	n := p.times(200)
	qs, b := make([]cluster.Request, n), make([][]byte, n)
	for i := range n {
		b[i] = make([]byte, 2*eager+8)
		if p.ID() == 0 {
			b[i] = b[i][:size(i)]
			binary.LittleEndian.PutUint64(b[i], uint64(i))
			p.ok(p.Isend(&qs[i], p.World(), 1, 7, cluster.Of(b[i])))
		} else {
			p.ok(p.Irecv(&qs[i], p.World(), from, tag, cluster.Of(b[i])))
		}
	}
	p.ok(p.Waitall(qs, nil))
	for i := range n {
		same(p, "message", binary.LittleEndian.Uint64(b[i]), uint64(i))
	}
}

func anyTagKeepsOrder(p *proc) {
	for i := range p.times(300) {
		if tag := i * 7 % 13; p.ID() == 0 {
			p.send(1, tag, data(8, i))
		} else {
			same(p, "tag", p.take(0, cluster.AnyTag, 8, i).Tag, tag)
		}
	}
}

func receivesSelectByTag(p *proc) {
	n := p.times(2000)
	for i := range n {
		if tag := n - 1 - i; p.ID() == 0 {
			p.send(1, i, data(8, i))
		} else {
			p.take(0, tag, 8, tag)
		}
	}
}

func earliestReceiveMatches(p *proc) {
	if p.ID() == 0 {
		p.accept(1)
		for i := range 4 {
			p.send(1, 7, data(8, i))
		}
		return
	}
	b, qs := make([][8]byte, 4), make([]cluster.Request, 4)
	p.ok(p.Irecv(&qs[0], p.World(), cluster.AnySource, 7, cluster.Of(b[0][:])))
	p.ok(p.Irecv(&qs[1], p.World(), 0, 7, cluster.Of(b[1][:])))
	p.ok(p.Irecv(&qs[2], p.World(), cluster.AnySource, cluster.AnyTag, cluster.Of(b[2][:])))
	p.ok(p.Irecv(&qs[3], p.World(), 0, 7, cluster.Of(b[3][:])))
	p.token(0)
	p.ok(p.Waitall(qs, nil))
	for i := range b {
		p.holds("message", b[i][:], i)
	}
}

func anySourceTakesOnce(p *proc, size int) {
	next, b := make([]int, p.Ranks()), make([]byte, size)
	for i := range p.times(100) {
		if p.ID() != 0 {
			p.send(0, 3, data(size, p.ID()*1000+i))
			continue
		}
		for range p.Ranks() - 1 {
			st := p.recv(cluster.AnySource, 3, b)
			p.holds("message", b, st.Source*1000+next[st.Source])
			next[st.Source]++
		}
	}
}

// flood sends n messages of 8 B to a rank, and drain receives them.
func (p *proc) flood(to, tag, n int) {
	for i := range n {
		p.send(to, tag, data(8, i))
	}
}

func (p *proc) drain(from, tag, n int) {
	for i := range n {
		p.take(from, tag, 8, i)
	}
}

func floodWaits(p *proc) {
	if n := p.times(6000); p.ID() == 0 {
		p.flood(1, 1, n)
		p.token(1)
	} else {
		p.accept(0)
		p.drain(0, 1, n)
	}
}

func mixedFloodKeepsOrder(p *proc) {
	for i := range p.times(3000) {
		if size := []int{0, 8, 24, 200, 16}[i%5]; p.ID() == 0 {
			p.send(1, 1, data(size, i))
		} else {
			p.take(0, cluster.AnyTag, size, i)
		}
	}
}

func ranksFloodOne(p *proc) {
	n := p.times(5000 / p.Ranks())
	if p.ID() != 0 {
		p.flood(0, p.ID(), n)
		return
	}
	for from := p.Ranks() - 1; from > 0; from-- { // in reverse, so that most messages are unexpected
		p.drain(cluster.AnySource, from, n)
	}
}
