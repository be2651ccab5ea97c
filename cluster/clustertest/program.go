package clustertest

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// A program is made of exchanges at positions 0, 1, 2 and so on of one imagined
// sequence. Both ends of an exchange are started at or before its position and
// completed at or after it. Each rank makes its calls in the order of positions,
// and at one position first those that start something without waiting. So a call
// waits only for calls that other ranks make before they wait for anything at a
// later position: by induction no program deadlocks, eager or not.
//
// Messages are matched in streams, in which both ends are started in the order of
// positions; see stream. In the open streams a message may take the receive of a
// later one. Their sends are therefore started at their own position and, unless
// they are eager, complete at the end of the phase, when every receive is posted.
type program struct {
	seed   uint64
	ranks  int
	limit  int64    // eager limit
	calls  [][]call // by rank
	msgs   []message
	puts   []transfer
	sums   []int64 // what each counter of rank 0 comes to
	served []int   // RPCs, by target
	orders map[key]int
}

// stream says how messages are matched.
type stream int

const (
	exact     stream = iota // receives name source and tag: the k-th takes the k-th message of source, target and tag
	fifo                    // receives name the source, and the tag or any: the k-th takes the k-th message of source and target
	anySource               // open: a tag of its own, from any source
	anything                // open: a context of its own, from any source with any tag
	streams
)

func (s stream) open() bool { return s >= anySource }

// openTag is the tag of the messages to any source.
const openTag = 9

// key names a stream at one of its ends; what does not tell streams apart is −1.
type key struct {
	stream        stream
	src, dst, tag int
}

// message is one of the program.
type message struct {
	stream   stream
	src, dst int
	tag      int
	recvTag  int
	size     int
	sync     bool
	how      receiveHow
	order    int // of its receive in the stream
}

// receiveHow is how a blocking receive is made.
type receiveHow int

const (
	plainly receiveHow = iota
	afterProbe
	afterIprobe
	matched
	hows
)

// transfer is a put to a place that no other one uses.
type transfer struct {
	from, to  int
	off, flag int64
	size      int
}

// verb is what a call does.
type verb int

const (
	vSend verb = iota
	vRecv
	vIsend
	vIrecv
	vWait
	vWaitall
	vPut
	vPutSignal
	vAwait
	vAdd
	vRPC
	vCompute
	vBarrier
	vNotify
	vOpen // ends what vNotify began
	vCheck
)

// The turns of calls at one position.
const (
	starting = iota
	waiting
	ending
)

// call is one call of one rank.
type call struct {
	at, turn int
	verb     verb
	index    int // of a message, transfer, counter or rank
	n        int // requests, transfers, or what is added
	req      int // first request
	style    int // which of several calls for the same
}

// generate makes a program from a seed. Segments have the given size.
func generate(seed uint64, segment int64) *program {
	rng := rand.New(rand.NewPCG(seed, 0x70726f67))
	ranks := []int{2, 3, 4, 6, 8, 24}[rng.IntN(6)]
	g := &program{
		seed:   seed,
		ranks:  ranks,
		limit:  []int64{0, 64, 256, 4096}[rng.IntN(4)],
		calls:  make([][]call, ranks),
		sums:   make([]int64, 1+rng.IntN(3)),
		served: make([]int, ranks),
		orders: map[key]int{},
	}
	free := make([]int64, ranks) // of each segment
	for r := range free {
		free[r] = int64(8 * len(g.sums))
	}
	at := 0
	for range 2 + rng.IntN(3) {
		last := at + 10 + rng.IntN(30) + 2*ranks
		g.phase(rng, at, last, free, segment)
		split := rng.IntN(2) == 0
		for r := range ranks {
			if split {
				g.add(r, call{at: last + 1, verb: vNotify}, call{at: last + 1, verb: vCompute}, call{at: last + 1, verb: vOpen})
			} else {
				g.add(r, call{at: last + 1, verb: vBarrier})
			}
			g.add(r, call{at: last + 1, verb: vCheck, n: len(g.puts)})
		}
		at = last + 2
	}
	for r := range g.calls {
		slices.SortStableFunc(g.calls[r], func(a, b call) int {
			return cmp.Or(a.at-b.at, a.turn-b.turn)
		})
		g.calls[r] = number(g.calls[r])
	}
	return g
}

func (g *program) add(rank int, cs ...call) { g.calls[rank] = append(g.calls[rank], cs...) }

// phase fills the positions first to last − 1; what is still under way then is
// completed at last.
func (g *program) phase(rng *rand.Rand, first, last int, free []int64, segment int64) {
	sends, recvs := map[key]int{}, map[key]int{} // where the next one of a stream may be started
	for at := first; at < last; at++ {
		r := rng.IntN(g.ranks)
		switch k := rng.IntN(20); {
		case k == 0:
			c := call{at: at, turn: waiting, verb: vAdd, index: rng.IntN(len(g.sums)), n: 1 + rng.IntN(5)}
			g.sums[c.index] += int64(c.n)
			g.add(r, c)
		case k == 1:
			c := call{at: at, turn: waiting, verb: vRPC, index: rng.IntN(g.ranks), style: rng.IntN(2)}
			g.served[c.index]++
			g.add(r, c)
		case k == 2:
			g.add(r, call{at: at, turn: waiting, verb: vCompute})
		case k < 6:
			g.put(rng, at, last, free, segment)
		default:
			g.message(rng, at, first, last, sends, recvs)
		}
	}
}

// put adds a put, or one that signals and the await for it.
func (g *program) put(rng *rand.Rand, at, last int, free []int64, segment int64) {
	x := transfer{from: rng.IntN(g.ranks), to: rng.IntN(g.ranks), size: g.size(rng)}
	x.flag = (free[x.to] + 7) &^ 7
	x.off = x.flag + 8
	if x.off+int64(x.size) > segment {
		return
	}
	free[x.to] = x.off + int64(x.size)
	index := len(g.puts)
	g.puts = append(g.puts, x)
	if rng.IntN(2) == 0 {
		g.add(x.from, call{at: at, turn: waiting, verb: vPut, index: index, style: rng.IntN(3)})
		return
	}
	g.add(x.from, call{at: at, turn: waiting, verb: vPutSignal, index: index, style: rng.IntN(2)})
	g.add(x.to, call{at: min(at+1+rng.IntN(6), last), turn: waiting, verb: vAwait, index: index})
}

// message adds both ends of the message at a position.
func (g *program) message(rng *rand.Rand, at, first, last int, sends, recvs map[key]int) {
	m := message{
		stream: stream(rng.IntN(int(streams))), src: rng.IntN(g.ranks), dst: rng.IntN(g.ranks),
		tag: rng.IntN(4), size: g.size(rng), sync: rng.IntN(6) == 0, how: receiveHow(rng.IntN(int(hows))),
	}
	if rng.IntN(3) == 0 {
		m.dst = 0 // so that it is crowded
	}
	if m.stream == anySource {
		m.tag = openTag
	}
	m.recvTag = m.tag
	if m.stream == anything || m.stream == fifo && rng.IntN(2) == 0 {
		m.recvTag = cluster.AnyTag
	}
	out := key{m.stream, m.src, m.dst, -1}
	if m.stream == exact {
		out.tag = m.tag
	}
	in := out
	if m.stream.open() {
		in.src = -1
	}
	m.order = g.orders[in]
	g.orders[in]++
	index := len(g.msgs)
	g.msgs = append(g.msgs, m)

	eager := !m.sync && g.limit > 0 && int64(m.size) <= g.limit
	from := max(first, sends[out])
	switch {
	case m.stream.open() && !eager:
		g.start(rng, vIsend, at, last, last, index)
		from = at
	case rng.IntN(3) == 0 && m.src != m.dst:
		g.add(m.src, call{at: at, turn: waiting, verb: vSend, index: index})
		from = at + 1
	default:
		if from += rng.IntN(at - from + 1); m.stream.open() {
			from = at
		}
		g.start(rng, vIsend, from, at+rng.IntN(last-at+1), last, index)
	}
	sends[out] = from

	from = max(first, recvs[in])
	if rng.IntN(3) == 0 && m.src != m.dst {
		g.add(m.dst, call{at: at, turn: waiting, verb: vRecv, index: index})
		from = at + 1
	} else {
		from += rng.IntN(at - from + 1)
		g.start(rng, vIrecv, from, at+rng.IntN(last-at+1), last, index)
	}
	recvs[in] = from
}

// start adds a nonblocking call and what completes it: a wait of its own or, at
// the end of the phase, one with others. Until number has run, requests are named
// by the message and its end.
func (g *program) start(rng *rand.Rand, v verb, from, to, last, index int) {
	rank, req := g.msgs[index].src, 2*index
	if v == vIrecv {
		rank, req = g.msgs[index].dst, 2*index+1
	}
	end := call{at: to, turn: waiting, verb: vWait, n: 1, req: req, style: rng.IntN(2)}
	if to == last {
		end.turn, end.verb, end.style = ending, vWaitall, rng.IntN(4)
	}
	g.add(rank, call{at: from, verb: v, index: index, req: req}, end)
}

// size draws a length, on both sides of the eager limit.
func (g *program) size(rng *rand.Rand) int {
	l := int(g.limit)
	all := []int{0, 8, 16, 17, 24, max(l-1, 0), l, l + 1, 3*l + 5, 100, 9000}
	return all[rng.IntN(len(all))]
}

// number gives the nonblocking calls of a rank their requests, so that those
// which end together stand side by side, and makes one call of what ends them.
func number(cs []call) []call {
	reqs, next := map[int]int{}, 0
	for _, c := range cs {
		if c.verb == vWait || c.verb == vWaitall {
			reqs[c.req] = next
			next++
		}
	}
	var out []call
	for _, c := range cs {
		switch c.verb {
		case vIsend, vIrecv, vWait, vWaitall:
			c.req = reqs[c.req]
		}
		if k := len(out) - 1; c.verb == vWaitall && k >= 0 && out[k].verb == vWaitall && out[k].at == c.at {
			out[k].n++
			continue
		}
		out = append(out, c)
	}
	return out
}
