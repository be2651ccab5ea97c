package coll

import "github.com/hybridtop/hybridtop/cluster"

// programCall is one call of a program.
type programCall struct {
	r          *cluster.Rank // Rank of the calling thread
	lib        cluster.Lib
	team       *cluster.Team
	what       Collective
	root       int32
	in, out    cluster.Data
	size       int64 // of a block if each member has a block, otherwise of all data
	unit       int64 // bytes of an element
	combine    func(acc, in []byte)
	combineAll func(out []byte, in [][]byte)
}

// caller is a member's data for a program's calls on a team.
type caller struct {
	calls uint32
	board *Comm // for calls on the shared control block; it uses the team's context and sends no messages
	comm  *Comm // for calls that are not walks
	cache *Cache
	parts []walkPart             // parts of earlier calls
	last  int                    // index of the last part
	keys  *[Collectives]sizedKey // keys of calls by a Comm
}

// walkPart is a member's part in walks of a collective.
type walkPart struct {
	what Collective
	rel  int32
	*Schedule
}

// sizedKey is a key and its size.
type sizedKey struct {
	size int64
	Key
}

// walks has the algorithms that can be walked. Their messages go along a tree, so no two ranks wait
// for each other. A broadcast has the usual order of MPI libraries.
var walks = func() (w [Collectives]*Algorithm) {
	tree, flat := shapes[0], &shapes[3]
	tree.far = true
	w[OpBcast] = &Algorithm{
		Collective: OpBcast, Name: "binomial", Radix: 2, Class: tree.subtreeClass,
		Make: func(b *Builder) { b.cast(&tree, nil) },
	}
	w[OpReduce] = &Algorithm{
		Collective: OpReduce, Name: "binomial", Radix: 2, Class: tree.subtreeClass,
		Make: func(b *Builder) { b.fold(&tree) },
	}
	w[OpAllreduce] = &Algorithm{
		Collective: OpAllreduce, Name: "binomial", Radix: 2, Class: tree.subtreeClass,
		Make: func(b *Builder) {
			done := b.fold(&tree)
			b.cast(&tree, func(i int32) []id { return []id{done[i]} })
		},
	}
	w[OpGather] = &Algorithm{
		Collective: OpGather, Name: "flat", Class: flat.subtreeClass,
		Make: func(b *Builder) { b.gather(flat, false) },
	}
	return w
}()

// caller returns the member's caller of the team.
func (x *programCall) caller() *caller {
	c, _ := x.lib.Kept(x.team).(*caller)
	if c == nil {
		c = &caller{cache: x.lib.Shared(cacheKey{}, func() any { return &Cache{} }).(*Cache)}
		if x.lib.Port().Direct() {
			if m := x.newComm(c); m.Reaches() {
				c.board = m
			}
		}
		x.lib.Keep(x.team, c)
	}
	return c
}

func (x *programCall) newComm(c *caller) *Comm {
	return newComm(x.r, x.team, c.cache)
}

// do runs the call.
func (x *programCall) do() error {
	c := x.caller()
	c.calls++
	switch {
	case c.board != nil && x.team.Size() > 1:
		return x.runOn(c, c.board)
	case walks[x.what] != nil:
		return x.walk(c)
	}
	if c.comm == nil {
		c.comm = x.newComm(c)
	}
	return x.runOn(c, c.comm)
}

// runOn runs the call by a Comm.
func (x *programCall) runOn(c *caller, m *Comm) error {
	m.r, m.lib = x.r, x.lib
	if c.keys == nil {
		c.keys = new([Collectives]sizedKey)
	}
	k := &c.keys[x.what]
	if k.Algorithm == nil || k.size != x.size {
		key, err := m.Choose(x.what, x.size, 0)
		if err != nil {
			return err
		}
		*k = sizedKey{x.size, key}
	}
	return m.Do(Call{
		Key: k.Key, Root: int(x.root), Blocks: k.Blocks(x.size, x.unit),
		In: x.in, Out: x.out, Combine: x.combine, CombineAll: x.combineAll,
		isProgramCall: true,
	})
}

// schedule returns the member's schedule.
func (c *caller) schedule(what Collective, rel, ranks int32) (*Schedule, error) {
	if c.last < len(c.parts) {
		if a := &c.parts[c.last]; a.what == what && a.rel == rel {
			return a.Schedule, nil
		}
	}
	for i := range c.parts {
		if a := &c.parts[i]; a.what == what && a.rel == rel {
			c.last = i
			return a.Schedule, nil
		}
	}
	k, err := walks[what].Key(Parameters{Ranks: int(ranks)})
	if err != nil {
		return nil, err
	}
	c.last = len(c.parts)
	c.parts = append(c.parts, walkPart{what: what, rel: rel, Schedule: c.cache.Schedule(k, rel)})
	return c.parts[c.last].Schedule, nil
}

// tagOf returns the tag of a call's messages, from its number and its collective. Other and later
// calls do not receive them.
func tagOf(number uint32, what Collective) int32 {
	return int32(1+number%maxCalls)<<collectiveBits | int32(what)
}

// bufferSize returns the size of a temporary buffer in bytes: all data of the call, rounded up to 8.
func (x *programCall) bufferSize() int { return int(x.size+7) &^ 7 }

// dataOf returns the data that a reference names. work has the temporary buffers. The compiler must not
// inline it, so that the stack of a simulated rank stays small.
//
//go:noinline
func (x *programCall) dataOf(p *Place, r *Ref, work []byte) cluster.Data {
	buf := x.in
	if r.Buf == Out {
		buf = x.out
	} else if r.Buf >= temps {
		buf = cluster.Of(work[int(r.Buf-temps)*x.bufferSize():])
	}
	off, n := p.span(*r, p.Rel, p.Rel)
	return buf.Part(off, n)
}

// walk runs the nodes of the schedule one after another.
func (x *programCall) walk(c *caller) error {
	p := Place{Rel: wrap(int32(x.team.Rank())-x.root, int32(x.team.Size())), Root: x.root}
	var err error
	p.Schedule, err = c.schedule(x.what, p.Rel, int32(x.team.Size()))
	if err != nil {
		return err
	}
	p.Blocks = Share(x.size, x.unit, p.Schedule.Parts)
	if x.what.ByMember() {
		p.Blocks = Even(x.size, p.Schedule.Parts)
	}
	var work []byte
	if n := len(p.Schedule.Temps); n > 0 {
		work = x.lib.Scratch(n * x.bufferSize())
	}
	call, tag := x.what.String(), tagOf(c.calls, x.what)
	for i := range p.Schedule.Nodes {
		n := &p.Schedule.Nodes[i]
		switch n.Kind {
		case Send:
			err = x.lib.Send(call, x.team, int(p.Peer(n.Peer)), tag, x.dataOf(&p, &n.Ref, work))
		case Recv:
			err = x.lib.Recv(call, x.team, int(p.Peer(n.Peer)), tag, x.dataOf(&p, &n.Ref, work))
		case Copy:
			copy(x.dataOf(&p, &n.Ref, work).Bytes(), x.dataOf(&p, &n.From, work).Bytes())
		case Combine:
			x.combine(x.dataOf(&p, &n.Ref, work).Bytes(), x.dataOf(&p, &n.From, work).Bytes())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
