package coll

// blockNumber returns the block number of a rank, counted from the root.
func (p *Place) blockNumber(rel int32) int64 {
	if p.Schedule.Collective.ByMember() {
		rel = wrap(rel+p.Root, p.Schedule.Ranks)
	}
	return int64(rel)
}

// stride is the position of a one-block reference for all members: at base + i × step for member i,
// with length each.
type stride struct{ base, step, each int64 }

// strides has the strides of both sides of a node.
type strides struct {
	to, from   stride
	isEven     bool // both sides have strides and blocks of the same length
	isFromEven bool // the loaded side has strides
}

func (x *Run) stridesOf(n *Node) (s strides) {
	var to bool
	s.to, to = x.strideOf(&n.Ref, false)
	s.from, s.isFromEven = x.strideOf(&n.From, n.Kind == Load || n.Kind == Fold)
	s.isEven = to && s.isFromEven && s.to.each == s.from.each
	return s
}

// strideOf returns the stride of a reference to one block, if all blocks have the same length. The
// buffer is the peers' or this rank's.
func (x *Run) strideOf(r *Ref, isPeers bool) (s stride, ok bool) {
	sizes, parts := x.sizes(r.Buf), x.Schedule.Parts
	if sizes.Displ != nil || sizes.Elems%int64(parts) != 0 || r.Run != 0 || r.Lo != 0 {
		return s, false
	}
	s.each = sizes.Elems / int64(parts) * sizes.Unit
	w := x.Schedule.window(r.Buf)
	switch {
	case r.Buf >= temps && (x.Schedule.Temps[r.Buf-temps].Loose || x.Schedule.Temps[r.Buf-temps].Slots):
		return s, false
	case r.Base == Fixed && r.N < 0 && w.Base == Fixed && w.N == parts: // the whole node
		s.each *= int64(parts)
		return s, true
	case r.N != 1 && !(r.N < 0 && parts == 1):
		return s, false
	case w.Base == FromMe && w.Lo == 0 && w.N == 1 && (r.Base == FromPeer && isPeers || r.Base == FromMe && !isPeers):
		return s, true
	case w.Base != Fixed || w.N != parts:
		return s, false
	case r.Base == FromMe:
		s.base = s.each * x.blockNumber(x.Rel)
		return s, true
	case r.Base == FromPeer:
		s.step = s.each
		return s, true
	}
	return s, false
}

// bound caches the positions of the blocks of a member's call. The next call in the same role
// usually has the same positions.
type bound struct {
	root        int32
	blocks      Blocks
	sizes       [temps]int64 // sizes of the caller's buffers
	tempOffsets []int64      // offsets of the temporary buffers
	tempSize    int64        // total size of these
	nodes       []strides
}

// boundOf returns the bound of an inline call on evenly divided blocks; otherwise nil.
func (x *Run) boundOf(plan *plan) *bound {
	if !x.Schedule.isInline || x.Blocks.Displ != nil || x.Into != nil {
		return nil
	}
	if plan.bound == nil {
		plan.bound = &bound{}
	}
	k := plan.bound
	// as many parts as the schedule has
	if k.root == x.Root && k.blocks.Elems == x.Blocks.Elems && k.blocks.Unit == x.Blocks.Unit && k.nodes != nil {
		return k
	}
	k.root, k.blocks = x.Root, x.Blocks
	k.nodes = k.nodes[:0]
	for b := range k.sizes {
		k.sizes[b] = 0
		if x.Schedule.Collective.uses(Buf(b), x.Rel) {
			k.sizes[b] = x.Size(Buf(b))
		}
	}
	k.tempOffsets, k.tempSize = x.tempLayout(k.tempOffsets)
	for i := range x.Schedule.Nodes {
		k.nodes = append(k.nodes, strides{})
		if n := &x.Schedule.Nodes[i]; n.Kind != Mark && n.Kind != Meet {
			k.nodes[i] = x.stridesOf(n)
		}
	}
	return k
}
