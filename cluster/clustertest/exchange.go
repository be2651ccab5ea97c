package clustertest

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// message adds both ends of a message.
func (d *drawer) message(at int) {
	m := message{size: d.size(), sync: d.one(6), from: d.memory(), into: d.memory()}
	shared := d.mix.Shared || d.threads() > 1 && d.has(Teams|Wildcards) && d.one(2)
	m.team, _ = d.team(func(t *teamPlan) bool {
		return t.stream.shared() == shared && (t.stream == exact || d.has(Wildcards))
	})
	t := &d.teams[m.team]
	thread := m.team % d.threads()
	m.src, m.dst = actor{t.members[d.rng.IntN(len(t.members))], thread},
		actor{t.members[d.rng.IntN(len(t.members))], thread}
	if d.one(3) {
		m.dst.rank = t.members[0] // so that it is crowded
	}
	m.stream = t.stream
	if m.stream == exact && d.has(Wildcards) && d.one(4) {
		m.stream = anySource
	}
	if m.stream == exact || m.stream == anySource || m.stream.shared() {
		m.src.thread, m.dst.thread = d.rng.IntN(d.threads()), d.rng.IntN(d.threads())
	}
	d.deliver(m, at)
}

// deliver adds the calls of a message, whose ends are drawn.
func (d *drawer) deliver(m message, at int) {
	index, tag := len(d.msgs), d.rng.IntN(4)
	out := matching{team: m.team, src: m.src, dst: m.dst, tag: -1}
	in := out
	switch m.stream {
	case exact:
		tag += (m.src.thread*d.Threads + m.dst.thread) * 4
		out.tag, in.tag = tag, tag
	case anySource:
		tag = openTag + m.dst.thread
		in.tag = tag
	case anything, sharedAny, sharedSource, sharedInOrder:
		tag = index
	}
	m.tag, m.recvTag = tag, tag
	if m.stream == anything || m.stream == fifo && d.one(2) || m.stream.shared() && m.stream != sharedTag {
		m.recvTag = cluster.AnyTag
	}
	if m.stream.open() {
		m.size, in.src = max(m.size, 8), actor{-1, -1}
	}
	if d.has(Probes) {
		m.how = receiveHow(d.rng.IntN(int(afterIprobe)))
		if d.has(Polls) {
			m.how = receiveHow(d.rng.IntN(int(hows)))
		}
	}
	if m.stream.shared() && (m.how == afterProbe || m.how == afterIprobe) { // another thread may receive the message
		m.how = matched
	}
	d.msgs = append(d.msgs, m)
	d.send(&m, index, at, out)
	if m.stream.shared() {
		d.receiveShared(&m, index, at)
		return
	}
	from := d.recvs[in]
	if d.one(3) && m.src != m.dst {
		d.add(m.dst, call{at: at, stage: waiting, verb: vRecv, index: index})
		from = at + 1
	} else {
		from += d.rng.IntN(at - from + 1)
		d.start(m.dst, call{at: from, verb: vIrecv, index: index}, d.later(at))
	}
	d.recvs[in] = from
}

func (d *drawer) send(m *message, index, at int, out matching) {
	eager := !m.sync && d.Limit > 0 && int64(m.size) <= d.Limit
	from := d.sends[out]
	switch {
	case m.stream.shared() || m.stream.open() && !eager:
		d.start(m.src, call{at: at, verb: vIsend, index: index}, d.last)
		from = at
	case d.one(3) && m.src != m.dst:
		d.add(m.src, call{at: at, stage: waiting, verb: vSend, index: index})
		from = at + 1
	default:
		from += d.rng.IntN(at - from + 1)
		if m.stream.open() {
			from = at
		}
		d.start(m.src, call{at: from, verb: vIsend, index: index}, d.later(at))
	}
	d.sends[out] = from
}

// receiveShared adds the receive of a message that any thread of the rank may receive:
// one that does not wait before all messages are in flight.
func (d *drawer) receiveShared(m *message, index, at int) {
	from, k := d.rng.IntN(d.last), d.rng.IntN(4)
	switch {
	case k == 0 && m.stream != sharedInOrder:
		d.add(m.dst, call{at: d.last, stage: waiting, verb: vRecv, index: index})
	case k == 1 && m.stream == sharedAny && d.has(Probes):
		d.start(m.dst, call{at: from, verb: vImprobe, index: index}, d.last)
	case k == 2:
		d.nextReq++
		d.add(m.dst, call{at: from, verb: vIrecv, index: index, req: d.nextReq},
			call{at: from + d.rng.IntN(d.last-from), stage: waiting, verb: vHand, index: index, req: d.nextReq})
	default:
		d.start(m.dst, call{at: from, verb: vIrecv, index: index}, d.last)
	}
}

// ring adds messages of all members of a team around a ring, by Sendrecv.
func (d *drawer) ring(at int) {
	team, _ := d.team(func(t *teamPlan) bool { return t.stream == exact })
	members, thread := d.teams[team].members, d.rng.IntN(d.threads())
	n := len(members)
	by := 1 + d.rng.IntN(len(members))
	size := d.size()
	first, tag := len(d.msgs), (thread*d.Threads+thread)*4
	for i := range members {
		src, dst := actor{members[i], thread}, actor{members[(i+by)%n], thread}
		m := matching{team: team, src: src, dst: dst, tag: tag}
		d.sends[m], d.recvs[m] = at+1, at+1
		d.msgs = append(d.msgs, message{team: team, src: src, dst: dst, tag: tag, recvTag: tag, size: size})
		d.add(src, call{at: at, stage: waiting, verb: vSendrecv, index: first + i, n: first + (i+n*by-by)%n})
	}
}

// move adds a put or a get, and signal a put with signal.
func (d *drawer) move(at int)   { d.transfer(at, shape(d.rng.IntN(int(shapes))), d.one(3), false) }
func (d *drawer) signal(at int) { d.transfer(at, contiguous, false, true) }

func (d *drawer) transfer(at int, as shape, get, signals bool) {
	a := d.actor()
	x := move{from: a.rank, to: d.rng.IntN(d.Ranks), get: get, shape: as, flag: -1, rpc: -1,
		means: cluster.Means{Own: d.memory(), Far: d.memory()}}
	if signals && d.one(2) {
		x.to = 0 // so that several signals add up
	}
	if d.has(Memories) {
		x.means.Path = cluster.Path(d.rng.IntN(3))
	}
	free := int64(readOnly)
	if n := len(d.written); n > 0 {
		free = d.written[n-1][x.to] - wordBytes
	}
	if !x.get {
		free = d.segment - d.free[x.to]
	}
	extent := d.drawLayout(&x)
	if extent > free {
		return
	}
	base := d.free[x.to]
	if x.get {
		base = wordBytes + d.rng.Int64N(free-extent+1)
	} else {
		d.free[x.to] += extent
	}
	x.blocks.Far.Off += base
	for i := range x.spans {
		x.spans[i].Off += base
	}
	d.complete(&x, a, at, signals)
}

// drawLayout draws the layout of a move's bytes, and returns their extent.
func (d *drawer) drawLayout(x *move) (extent int64) {
	between := func(lo, hi int64) int64 { return lo + d.rng.Int64N(hi-lo+1) }
	switch x.shape {
	case contiguous:
		gap := between(0, 9)
		x.spans = []cluster.Span{{Off: gap, Len: int64(d.size())}}
		extent, x.size = gap+x.spans[0].Len, int(x.spans[0].Len)
	case indexed:
		for range 1 + d.rng.IntN(8) {
			v := cluster.Span{Off: extent + between(0, 40), Len: between(0, 30)}
			x.spans = append(x.spans, v)
			extent = v.Off + v.Len
			x.size += int(v.Len)
		}
		d.rng.Shuffle(len(x.spans), func(i, j int) { x.spans[i], x.spans[j] = x.spans[j], x.spans[i] })
	case strided:
		b := cluster.Strided{Block: []int64{1, 3, 8, 8, 40}[d.rng.IntN(5)],
			Count: [2]int{1 + d.rng.IntN(6), 1 + d.rng.IntN(4)}}
		lattice := func(gap int64) (l cluster.Lattice, end int64) {
			l.Off, l.Stride[0] = between(0, gap), b.Block+between(0, gap)
			row := l.Stride[0]*int64(b.Count[0]-1) + b.Block
			l.Stride[1] = row + between(0, gap)
			return l, l.Off + l.Stride[1]*int64(b.Count[1]-1) + row
		}
		near := int64(0)
		b.Far, extent = lattice(16)
		b.Near, near = lattice(16 * d.rng.Int64N(2))
		x.blocks, x.size = b, int(near)
	}
	return extent
}

// complete adds the calls of a move, and what else happens at its target.
func (d *drawer) complete(x *move, a actor, at int, signals bool) {
	index := len(d.moves)
	x.how = moveHow(d.rng.IntN(int(nonblocking) + 1))
	if x.shape == indexed && x.how == implicit || x.shape == strided && x.get {
		x.how = blocking
	}
	switch {
	case x.get:
	case x.shape == strided && d.one(3):
		x.how = train
	case signals:
		d.flag(x, index, at)
	case x.shape == contiguous && d.has(RPCs) && d.one(4):
		x.how, x.rpc = nonblocking, len(d.rpcs)
		d.rpcs = append(d.rpcs, remoteCall{to: x.to, event: -1, move: index})
		d.served[x.to]++
	}
	if !x.get {
		b := payload(moveNumbers+index, x.size)
		for _, p := range x.pieces() {
			copy(d.image[x.to][p.far:][:p.n], b[p.near:])
		}
	}
	d.moves = append(d.moves, *x)
	c := call{at: at, stage: waiting, verb: vMove, index: index}
	if x.how < nonblocking {
		d.add(a, c)
		return
	}
	if !x.get && d.one(2) {
		d.nextReq++
		c.src = d.nextReq
		d.add(a, d.end(c.src, d.later(at)))
	}
	c.stage = starting
	d.start(a, c, d.later(at))
}

// flag makes a put set a flag that its target awaits, or add to the word that the
// target awaits at the end of the phase.
func (d *drawer) flag(x *move, index, at int) {
	x.add = d.one(2)
	if x.add {
		x.flag, x.value = sumWord, 1
		d.words[x.to][sumWord]++
		d.sums[x.to]++
	} else if x.flag = d.word(x.to); x.flag < 0 {
		return
	} else {
		x.value = uint64(index + 1)
		d.words[x.to][x.flag] = x.value
		d.add(actor{x.to, d.rng.IntN(d.threads())},
			call{at: min(at+1+d.rng.IntN(6), d.last), stage: waiting, verb: vAwait, index: index})
	}
	if x.how == implicit {
		x.how = blocking
	}
}

// word allocates a word of a segment; -1: none is left.
func (d *drawer) word(rank int) int {
	if len(d.words[rank]) == programWords {
		return -1
	}
	d.words[rank] = append(d.words[rank], 0)
	return len(d.words[rank]) - 1
}

// atomic adds an addition to a word that all add to, or an access to a word that only
// one actor uses. The word's rank is the next one.
func (d *drawer) atomic(at int) {
	a := d.actor()
	x := atomicCall{op: atomicOp(d.rng.IntN(2)), to: d.rng.IntN(d.Ranks), word: sharedWord, value: 1 + d.rng.Uint64N(9),
		shared: true}
	if private := &d.private[a.rank][a.thread]; d.one(2) {
		x.to, x.shared = (a.rank+1)%d.Ranks, false
		if *private == 0 {
			*private = max(0, d.word(x.to))
		}
		x.word = *private
		if x.word == 0 {
			return
		}
		x.op = atomicOp(d.rng.IntN(int(atomicOps)))
	}
	w := &d.words[x.to][x.word]
	switch x.want = *w; x.op {
	case addWord, fetchAdd:
		*w += x.value
	case storeWord, swapWord, putWord:
		*w = x.value
	case compareSwap:
		x.old = *w + d.rng.Uint64N(2)
		if x.old == *w {
			*w = x.value
		}
	}
	d.add(a, call{at: at, stage: waiting, verb: vAtomic, index: len(d.atomics)})
	d.atomics = append(d.atomics, x)
}

// rpc adds an RPC.
func (d *drawer) rpc(at int, x remoteCall) {
	a := d.actor()
	c := call{at: at, stage: waiting, verb: vRPC, index: len(d.rpcs)}
	d.rpcs = append(d.rpcs, x)
	d.served[x.to]++
	if d.one(2) {
		d.add(a, c)
		return
	}
	c.stage = starting
	d.start(a, c, d.later(at))
}

func (d *drawer) call(at int) {
	d.rpc(at, remoteCall{to: d.rng.IntN(d.Ranks), size: min(d.size(), 2000), event: -1, move: -1})
}

// event adds an event, which RPCs and its own rank fire.
func (d *drawer) event(at int) {
	owner, fires := d.rng.IntN(d.Ranks), 1+d.rng.IntN(3)
	for range fires {
		if d.one(4) {
			d.add(actor{owner, 0}, call{at: at, stage: waiting, verb: vFire, index: len(d.events)})
		} else {
			d.rpc(at, remoteCall{to: owner, event: len(d.events), move: -1})
		}
	}
	d.add(actor{owner, 0},
		call{at: min(at+1+d.rng.IntN(6), d.last), stage: waiting, verb: vWaitEvent, index: len(d.events), style: d.style(2)})
	d.events = append(d.events, eventPlan{owner, fires})
}

// barrier adds a barrier, or one in two phases.
func (d *drawer) barrier(at int) {
	team, thread := d.joint()
	if d.busy[team] > at {
		return
	}
	c := call{at: at, stage: waiting, verb: vBarrier, index: team}
	if d.one(2) {
		d.all(d.teams[team].members, thread, c)
		return
	}
	to := d.later(at)
	d.busy[team] = to + 1
	c.verb, c.stage = vNotify, starting
	for _, r := range d.teams[team].members {
		d.start(actor{r, thread}, c, to)
	}
}

// sync adds puts to neighbours, which a neighbour sync makes visible.
func (d *drawer) sync(at int) {
	team, thread := d.joint()
	members := d.teams[team].members
	n := len(members)
	by := 1 + d.rng.IntN(len(members))
	size := int64(d.size())
	for _, r := range members {
		if d.segment-d.free[r] < size {
			return
		}
	}
	first := len(d.moves)
	for i, r := range members {
		to := members[(i+by)%n]
		x := move{from: r, to: to, spans: []cluster.Span{{Off: d.free[to], Len: size}}, size: int(size), flag: -1, rpc: -1}
		d.free[to] += size
		copy(d.image[to][x.spans[0].Off:], payload(moveNumbers+len(d.moves), x.size))
		d.add(actor{r, thread}, call{at: at, stage: waiting, verb: vMove, index: len(d.moves)},
			call{at: at, stage: waiting, verb: vSync, index: team, n: by},
			call{at: at, stage: waiting, verb: vHolds, index: first + (i+n*by-by)%n})
		d.moves = append(d.moves, x)
	}
}

// collective adds a call of coll's functions, or of a Comm. A started call may complete
// later.
func (d *drawer) collective(at int) {
	team, thread := d.joint()
	members := d.teams[team].members
	x := jointCall{team: team, style: d.rng.IntN(int(started) + 1), what: coll.Collective(d.rng.IntN(coll.Collectives)),
		which: d.rng.IntN(64), size: min(d.size(), 2000) / 8 * 8, root: d.rng.IntN(len(members))}
	if d.threads() > 1 || team == teamWorld || team == teamGroup {
		x.style = ofProgram
	}
	if x.style == ofProgram {
		x.what = ofPrograms[d.rng.IntN(len(ofPrograms))]
	}
	c := call{at: at, stage: waiting, verb: vCollective, index: len(d.joints)}
	d.joints = append(d.joints, x)
	d.all(members, thread, c)
	if x.style == started {
		c.at = d.later(at)
		c.verb = vFinish
		c.style = d.style(2)
		d.all(members, thread, c)
	}
}

// window adds an epoch of a window of all ranks.
func (d *drawer) window(at int) {
	if d.windows == maxWindows || d.firstTeam || d.busy[teamWorld] > at { // a window makes barriers of MPI_COMM_WORLD
		return
	}
	d.windows++
	d.all(d.teams[teamWorld].members, 0, call{at: at, stage: waiting, verb: vWindow, index: len(d.joints)})
	d.joints = append(d.joints,
		jointCall{style: d.rng.IntN(epochs), size: min(d.size(), windowBytes), by: 1 + d.rng.IntN(d.Ranks),
			root: d.rng.IntN(d.Ranks), which: d.rng.IntN(2)})
}
