package barneshut

import "github.com/hybridtop/hybridtop/cluster"

// The list of bodies is a shared array of the group. Each thread has a copy of it.

// publish writes the bodies that this rank computed.
func (s *simulation) publish() error {
	for _, b := range s.order.bodies[s.share.lo:s.share.hi] {
		at := int(b) * bodySize
		if err := s.list.PutRange(at, s.state[at:][:bodySize]); err != nil {
			return err
		}
	}
	return s.r.Barrier(s.r.Group())
}

// readList reads all bodies, one block at a time.
func (s *simulation) readList() error { return s.blocks(s.list.GetRange) }

// writeList writes all bodies.
func (s *simulation) writeList() error { return s.blocks(s.list.PutRange) }

func (s *simulation) blocks(do func(int, []float64) error) error {
	for at := 0; at < len(s.state); at += s.list.Block() {
		if err := do(at, s.state[at:min(at+s.list.Block(), len(s.state))]); err != nil {
			return err
		}
	}
	return nil
}

// gather sends all new bodies to all ranks.
func (s *simulation) gather() error {
	if s.groups > 1 && s.r.Spec().Layout.Model == cluster.NestedMultiple {
		return s.exchange()
	}
	if err := s.publish(); err != nil {
		return err
	}
	if s.thread == 0 || s.groups == 1 {
		if err := s.readList(); err != nil {
			return err
		}
	}
	if s.groups == 1 {
		return nil // insert begins with a barrier
	}
	if err := s.exchange(); err != nil || s.thread == 0 {
		return err
	}
	return s.readList()
}
