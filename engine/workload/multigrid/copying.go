package multigrid

import "github.com/hybridtop/hybridtop/cluster"

// copying is the copies of a solver. Their bodies are bound once and read their arguments
// here, so that a step of a size-only problem allocates nothing. A body is nil if there are
// only sizes.
type copying struct {
	copyLocal             func(thread, lo, hi int)
	packs, unpacks, store func()

	channel   *channel
	group     *group
	shift     int64
	near, buf cluster.Data
	of        cluster.Strided
	segment   []byte // of another rank
}

// bind creates the bodies.
func (s *solver) bind() {
	c := &s.copy
	_ = s.store.Do(func() error {
		c.copyLocal = func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				of := c.channel.shifted(&c.channel.local[i], c.shift)
				of.Copy(s.mem.Data().Bytes(), s.mem.Data().Bytes(), true)
			}
		}
		return nil
	})
	c.packs = s.store.Body(func() {
		buf := c.buf.Bytes()
		for i := range c.group.pieces {
			of := c.channel.shifted(&c.group.pieces[i], c.shift)
			of.Far = of.Packed().Near
			of.Copy(buf, c.near.Bytes(), true)
			buf = buf[of.Bytes():]
		}
	})
	c.unpacks = s.store.Body(func() {
		buf := c.buf.Bytes()
		for i := range c.group.pieces {
			of := c.channel.shifted(&c.group.pieces[i], c.shift)
			of = of.Packed()
			of.Copy(s.mem.Data().Bytes(), buf, true)
			buf = buf[of.Bytes():]
		}
	})
	c.store = s.store.Body(func() { c.of.Copy(c.segment[s.data.Off:], c.near.Bytes(), true) })
}

// pack copies the pieces of a neighbour into a buffer.
func (s *solver) pack(c *channel, g *group, near, buf cluster.Data, shift int64) {
	s.copy.channel = c
	s.copy.group = g
	s.copy.near = near
	s.copy.buf = buf
	s.copy.shift = shift
	s.copies(g.bytes, g.rows, s.copy.packs)
	s.lap(c.level, partPack)
}

// unpack copies the pieces from a neighbour out of a buffer.
func (s *solver) unpack(c *channel, g *group, buf cluster.Data, shift int64) {
	s.copy.channel = c
	s.copy.group = g
	s.copy.buf = buf
	s.copy.shift = shift
	s.copies(g.bytes, g.rows, s.copy.unpacks)
}
