package multigrid

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// variant is a rung of the paper's ladder: the way in which a step's pieces move. Each rung
// includes the changes of the rungs below it.
type variant struct {
	name           string
	packs          bool         // one message per neighbour, packed by the program
	puts           bool         // the message is a put with signal, not a send
	path           cluster.Path // path of puts inside a node
	local          bool         // pieces inside a node are copied by loads and stores, without calls
	vis            bool         // a piece for another node is one strided put
	groups         bool         // ranks synchronize with their neighbours, not with all
	unsynchronized bool         // tests: no synchronization at all
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

// barriers reports whether a step begins and ends with a barrier of all ranks, including those that
// have no part in it.
func (v *variant) barriers() bool { return !v.packs && !v.groups }

// move does all data movements of a step for a vector. For down and up the pieces name the vector.
//
// Neighbours only need to synchronize once, after the transfer: a sender must know that its
// neighbour has read the previous data. In a Chebyshev pass another vector was exchanged since then
// (paper 3, section V). After a residual the next exchange on its level has the same vector, but
// only after a coarser solution has come up, and every rank's residual has contributed to it.
func (s *solver) move(at, way, vector int) error {
	c := s.levels[at].channels[way]
	shift := int64(vector) * s.levels[at].vectorBytes()
	if s.r == nil {
		return nil // one box
	}
	if way <= sides && c.localBytes > 0 {
		s.copy.channel, s.copy.shift = c, shift
		s.skew.Delay()
		err := s.loops.Run(c.localCount, cluster.Work{Bytes: 2 * float64(c.localBytes), Loops: float64(c.localRows)}, s.copy.copyLocal)
		if err != nil {
			return err
		}
		s.lap(at, partPack)
	}
	s.count(c)
	near := s.mem.Data()
	if way >= down {
		near = s.levels[at].scratch[way-down].Data()
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
	} else if len(c.peers) > 0 && !s.variant.unsynchronized {
		err = s.r.SyncNeighbours(s.r.All(), c.peers)
	}
	s.lap(at, partSync)
	return err
}

// shifted returns a piece shifted to another vector. Only vectors within a level are sent out of
// the segment.
func (c *channel) shifted(p *piece, shift int64) cluster.Strided {
	of := p.of
	if c.way <= sides {
		of.Near.Off += shift
		of.Far.Off += shift
	}
	return of
}

// twoSided implements the variant mpi: post receives, send a message to each neighbour, wait,
// unpack.
func (s *solver) twoSided(c *channel, near cluster.Data, shift int64) error {
	r := s.r
	n := len(c.in) + len(c.out)
	s.requests = slices.Grow(s.requests[:0], n)[:n]
	tag := c.level*ways + c.way
	at := 0
	for i := range c.in {
		g := &c.in[i]
		n := int(g.bytes / 8)
		if err := r.Irecv(&s.requests[i], r.All(), g.peer, tag, s.inbox.Part(at, at+n).Data()); err != nil {
			return err
		}
		at += n
	}
	s.lap(c.level, partTransfer)
	at = 0
	for i := range c.out {
		g := &c.out[i]
		n := int(g.bytes / 8)
		out := s.outbox.Part(at, at+n).Data()
		s.pack(c, g, near, out, shift)
		if err := r.Isend(&s.requests[len(c.in)+i], r.All(), g.peer, tag, out); err != nil {
			return err
		}
		s.lap(c.level, partTransfer)
		at += n
	}
	if err := r.Waitall(s.requests, nil); err != nil {
		return err
	}
	s.lap(c.level, partTransfer)
	at = 0
	for i := range c.in {
		g := &c.in[i]
		n := int(g.bytes / 8)
		s.unpack(c, g, s.inbox.Part(at, at+n).Data(), shift)
		at += n
	}
	s.lap(c.level, partPack)
	return nil
}

func groupBytes(groups []group) (n int64) {
	for i := range groups {
		n += groups[i].bytes
	}
	return n
}

// bulk puts the data for each neighbour into its inbox of the step's parity, and adds to its flag
// there. A neighbour is at most one step ahead.
func (s *solver) bulk(c *channel, near cluster.Data, shift int64) error {
	r, l := s.r, s.layout
	if err := r.Quiet(); err != nil { // of the step before
		return err
	}
	inbox := l.inbox[c.level][c.way] + int64(c.epoch%2)*l.inboxBytes[c.level][c.way]
	flag := s.flags.Off + l.flag[c.level][c.way]
	c.epoch++
	for i := range c.out {
		g := &c.out[i]
		out := s.outbox.Part(0, int(g.bytes/8)).Data()
		s.pack(c, g, near, out, shift)
		err := r.PutWith(&cluster.Put{
			To: s.data.On(g.peer).Add(int((inbox + g.inbox) / 8)).Target, Data: out,
			Signal: cluster.Signal{Op: cluster.SigAdd, Off: flag + 8*int64(g.source), Value: 1}, Until: cluster.Source,
		}, nil, nil)
		if err != nil {
			return err
		}
		s.lap(c.level, partTransfer)
	}
	at := int(inbox / 8)
	for i := range c.in {
		g := &c.in[i]
		if _, err := r.Await(flag+8*int64(i), cluster.CmpGreaterEqual, c.epoch); err != nil {
			return err
		}
		s.lap(c.level, partTransfer)
		n := int(g.bytes / 8)
		s.unpack(c, g, s.mem.Part(at, at+n).Data(), shift)
		at += n
		s.lap(c.level, partPack)
	}
	return nil
}

// rows puts each piece directly to its destination, as fine-grained puts.
func (s *solver) rows(c *channel, near cluster.Data, shift int64) error {
	if len(c.out) == 0 {
		return nil
	}
	err := s.r.Using(cluster.Means{Path: s.variant.path}, func() error {
		for i := range c.out {
			g := &c.out[i]
			for k := range g.pieces {
				of := c.shifted(&g.pieces[k], shift)
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
	return s.r.Quiet()
}

// put moves a piece by the method of the variant: stores, one put for all rows, or one put per row
// as packet trains.
func (s *solver) put(to int, of *cluster.Strided, near cluster.Data) error {
	r, v := s.r, s.variant
	far := r.Spec().Layout.ClassOf(r.ID(), to) == cluster.Remote
	p := cluster.Put{To: s.data.On(to).Target, Data: near, Shape: *of, Until: cluster.Later}
	if v.local && !far {
		s.copy.segment = r.Reach(to)
		if s.copy.segment != nil {
			r.Account(to, 1, of.Bytes())
			s.copy.of, s.copy.near = *of, near
			s.copies(of.Bytes(), int64(of.Blocks()), s.copy.store)
			return nil
		}
	}
	if v.local && !far || v.vis { // a live rank of another process, or another node's
		return r.PutWith(&p, nil, nil)
	}
	p.Train = true
	rows, planes := max(of.Count[0], 1), max(of.Count[1], 1)
	for k := 0; k < planes; k += p.Shape.Count[1] {
		p.Shape.Count[1] = min(cluster.MaxTrain/rows, planes-k)
		p.Shape.Near.Off, p.Shape.Far.Off = of.Near.At(0, k), of.Far.At(0, k)
		if err := r.PutWith(&p, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
