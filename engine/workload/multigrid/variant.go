package multigrid

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// variant is a rung of the paper's ladder: how a step's pieces move. Each rung keeps what
// the one below has.
type variant struct {
	name   string
	packs  bool         // one message to a neighbour, packed by the program
	puts   bool         // which is put and signalled, not sent
	path   cluster.Path // of puts inside a node
	local  bool         // pieces inside a node are copied by loads and stores, without calls
	vis    bool         // a piece for another node is one strided put
	groups bool         // ranks synchronize with their neighbours, not with all
	loose  bool         // tests: not even with them
}

var variants = []*variant{
	{name: "mpi", packs: true},
	{name: "bulk", packs: true, puts: true},
	{name: "natural", path: cluster.PathAdapter},
	{name: "shm"},
	{name: "local", local: true},
	{name: "vis", local: true, vis: true},
	{name: "groupsync", local: true, vis: true, groups: true},
}

func variantOf(name string) *variant {
	i := slices.IndexFunc(variants, func(v *variant) bool { return v.name == name })
	return variants[i]
}

// barriers reports whether a step begins and ends with a barrier of all ranks, those that
// have no part in it too.
func (v *variant) barriers() bool { return !v.packs && !v.groups }

// move moves what a step moves of a vector; down and up have theirs in the pieces.
//
// Neighbours that synchronize need to do so once, behind the transfer: whoever gives has
// to know that its neighbour has read what it got the time before. In a Chebyshev pass
// another vector was exchanged since (paper 3, section V). After a residual the same
// vector is the next that is exchanged on its level, but only after a coarser solution has
// come up, to which every rank's residual has gone down.
func (s *solver) move(at, way, vector int) error {
	c := s.levels[at].channels[way]
	shift := int64(vector) * s.levels[at].vectorBytes()
	if s.r == nil {
		return nil // one box
	}
	if way <= sides && c.inside > 0 {
		var copies func()
		if s.real {
			copies = func() {
				for i := range c.own {
					of := c.own[i].shifted(shift)
					of.Copy(s.r.Segment(), s.r.Segment(), true)
				}
			}
		}
		s.copies(c.inside, copies)
		s.lap(at, partPack)
	}
	s.count(c)
	near := s.r.Segment()
	if way >= down {
		near = cluster.Bytes(s.levels[at].scratch[way-down])
	}
	switch v := s.variant; {
	case v.packs && v.puts:
		return s.bulk(c, near, shift)
	case v.packs:
		return s.twoSided(c, near, shift)
	case v.barriers():
		if err := s.r.Barrier(s.r.All()); err != nil {
			return err
		}
	}
	s.lap(at, partSync)
	if err := s.rows(c, near, shift); err != nil {
		return err
	}
	s.lap(at, partTransfer)
	var err error
	if s.variant.barriers() {
		err = s.r.Barrier(s.r.All())
	} else if len(c.peers) > 0 && !s.variant.loose {
		err = s.r.SyncNeighbours(s.r.All(), c.peers)
	}
	s.lap(at, partSync)
	return err
}

func total(pieces []piece) (n int64) {
	for i := range pieces {
		n += pieces[i].of.Bytes()
	}
	return n
}

// shifted is what a piece moves of another vector.
func (p *piece) shifted(by int64) cluster.Strided {
	of := p.of
	of.Near.Off += by
	of.Far.Off += by
	return of
}

// given is a piece of another vector as its giver has it: only vectors within a level are
// given out of the segment.
func (c *channel) given(p *piece, shift int64) cluster.Strided {
	of := p.of
	if c.way <= sides {
		of.Near.Off += shift
		of.Far.Off += shift
	}
	return of
}

// pack copies what goes to a neighbour into a buffer, and unpack what came out of one.
func (c *channel) pack(g *group, near, buf []byte, shift int64) {
	for i := range g.pieces {
		of := c.given(&g.pieces[i], shift)
		to := of.Packed()
		of.Far = to.Near
		of.Copy(buf, near, true)
		buf = buf[of.Bytes():]
	}
}

func (c *channel) unpack(g *group, segment, buf []byte, shift int64) {
	for i := range g.pieces {
		of := c.given(&g.pieces[i], shift)
		of = of.Packed()
		of.Copy(segment, buf, true)
		buf = buf[of.Bytes():]
	}
}

// lend gives a buffer of n bytes; nil where no bytes are there.
func (s *solver) lend(n int64) []byte {
	if !s.real {
		return nil
	}
	if int64(len(s.buffer)) < n {
		s.buffer = make([]byte, n)
	}
	return s.buffer[:n]
}

// twoSided is the variant mpi: receives, a message to each neighbour, wait, unpack.
func (s *solver) twoSided(c *channel, near []byte, shift int64) error {
	r := s.r
	n := len(c.in) + len(c.out)
	s.requests = slices.Grow(s.requests[:0], n)[:n]
	tag := c.level*ways + c.way
	for i := range c.in {
		g := &c.in[i]
		var err error
		if s.real {
			for len(s.inboxes) <= i {
				s.inboxes = append(s.inboxes, nil)
			}
			if int64(len(s.inboxes[i])) < g.bytes {
				s.inboxes[i] = make([]byte, g.bytes)
			}
			err = r.Irecv(&s.requests[i], r.All(), g.peer, tag, cluster.Of(s.inboxes[i][:g.bytes]))
		} else {
			err = r.Irecv(&s.requests[i], r.All(), g.peer, tag, cluster.Sized(g.bytes))
		}
		if err != nil {
			return err
		}
	}
	s.lap(c.level, partTransfer)
	out := s.lend(sumOf(c.out))
	for i := range c.out {
		g := &c.out[i]
		var buf []byte
		if s.real {
			buf, out = out[:g.bytes], out[g.bytes:]
		}
		var pack func() // made where it is called: many ranks only charge it
		if s.real {
			pack = func() { c.pack(g, near, buf, shift) }
		}
		s.copies(g.bytes, pack)
		s.lap(c.level, partPack)
		var err error
		if s.real {
			err = r.Isend(&s.requests[len(c.in)+i], r.All(), g.peer, tag, cluster.Of(buf))
		} else {
			err = r.Isend(&s.requests[len(c.in)+i], r.All(), g.peer, tag, cluster.Sized(g.bytes))
		}
		if err != nil {
			return err
		}
		s.lap(c.level, partTransfer)
	}
	if err := r.Waitall(s.requests, nil); err != nil {
		return err
	}
	s.lap(c.level, partTransfer)
	for i := range c.in {
		g := &c.in[i]
		var unpack func()
		if s.real {
			unpack = func() { c.unpack(g, r.Segment(), s.inboxes[i], shift) }
		}
		s.copies(g.bytes, unpack)
	}
	s.lap(c.level, partPack)
	return nil
}

func sumOf(groups []group) (n int64) {
	for i := range groups {
		n += groups[i].bytes
	}
	return n
}

// bulk puts what goes to each neighbour into its inbox of the step's parity and adds to
// its flag there; a neighbour is never more than a step ahead.
func (s *solver) bulk(c *channel, near []byte, shift int64) error {
	r, l := s.r, s.layout
	if err := r.Quiet(); err != nil { // of the step before
		return err
	}
	inbox := l.origin.data + l.inbox[c.level][c.way] + int64(c.epoch%2)*l.room[c.level][c.way]
	flag := l.origin.flags + l.flag[c.level][c.way]
	c.epoch++
	for i := range c.out {
		g := &c.out[i]
		buf := s.lend(g.bytes)
		var pack func() // made where it is called: many ranks only charge it
		if s.real {
			pack = func() { c.pack(g, near, buf, shift) }
		}
		s.copies(g.bytes, pack)
		s.lap(c.level, partPack)
		var err error
		if sig := flag + 8*int64(g.source); s.real {
			err = r.PutWith(&cluster.Put{To: cluster.At(g.peer, inbox+g.inbox), Data: cluster.Of(buf), Signal: cluster.Signal{Op: cluster.SigAdd, Off: sig, Value: 1}, Until: cluster.Source}, nil, nil)
		} else {
			err = r.PutWith(&cluster.Put{To: cluster.At(g.peer, inbox), Data: cluster.Sized(g.bytes), Signal: cluster.Signal{Op: cluster.SigAdd, Off: sig, Value: 1}, Until: cluster.Source}, nil, nil)
		}
		if err != nil {
			return err
		}
		s.lap(c.level, partTransfer)
	}
	at := inbox
	for i := range c.in {
		g := &c.in[i]
		if _, err := r.Await(flag+8*int64(i), cluster.CmpGreaterEqual, c.epoch); err != nil {
			return err
		}
		s.lap(c.level, partTransfer)
		var unpack func()
		if s.real {
			from := r.Segment()[at:]
			unpack = func() { c.unpack(g, r.Segment(), from, shift) }
		}
		s.copies(g.bytes, unpack)
		at += g.bytes
		s.lap(c.level, partPack)
	}
	return nil
}

// rows puts each piece where it belongs, in its own grain.
func (s *solver) rows(c *channel, near []byte, shift int64) error {
	if len(c.out) == 0 {
		return nil
	}
	s.requests = s.requests[:0]
	err := s.r.Using(cluster.Means{Path: s.variant.path}, func() error {
		for i := range c.out {
			g := &c.out[i]
			for k := range g.pieces {
				of := c.given(&g.pieces[k], shift)
				if err := s.put(g.peer, &of, near); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.r.Waitall(s.requests, nil); err != nil {
		return err
	}
	return s.r.Quiet()
}

// put moves a piece by the variant: a put for each row, one for all, or stores.
func (s *solver) put(to int, of *cluster.Strided, near []byte) error {
	r, far := s.r, s.r.Spec().Layout.ClassOf(s.r.ID(), to) == cluster.Remote
	switch {
	case s.variant.local && !far:
		segment := r.Reach(to)
		if segment == nil && s.real { // a live rank of another process
			return r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(near), Shape: *of, Until: cluster.Later}, nil, nil)
		}
		r.Account(to, 1, of.Bytes())
		s.copies(of.Bytes(), func() { of.Copy(segment, near, true) })
		return nil
	case s.variant.vis && far && s.real:
		return r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(near), Shape: *of, Until: cluster.Later}, nil, nil)
	case s.variant.vis && far:
		s.requests = append(s.requests, cluster.Request{})
		return r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Sized(of.Bytes()), Shape: *of}, &s.requests[len(s.requests)-1], nil)
	}
	rows, planes := max(of.Count[0], 1), max(of.Count[1], 1)
	if s.real {
		for k := range planes {
			for j := range rows {
				n := int64(j)*of.Near.Stride[0] + int64(k)*of.Near.Stride[1] + of.Near.Off
				f := int64(j)*of.Far.Stride[0] + int64(k)*of.Far.Stride[1] + of.Far.Off
				if err := r.PutWith(&cluster.Put{To: cluster.At(to, f), Data: cluster.Of(near[n : n+of.Block]), Until: cluster.Later}, nil, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
	part := *of
	for k := 0; k < planes; k += part.Count[1] {
		part.Count[1] = min(cluster.MaxTrain/rows, planes-k)
		part.Far.Off = of.Far.Off + int64(k)*of.Far.Stride[1]
		s.requests = append(s.requests, cluster.Request{})
		if err := r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Sized(part.Bytes()), Shape: part, Train: true}, &s.requests[len(s.requests)-1], nil); err != nil {
			return err
		}
	}
	return nil
}
