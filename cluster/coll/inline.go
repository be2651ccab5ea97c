package coll

// perform runs all nodes inline, one after another. The schedule has no messages.
func (x *Run) perform() error {
	c, bound := x.comm, x.bound
	x.takeSlot()
	x.waitForFlag(c.board.doneFlag(x.boardSlot), x.doneBefore)
	if bound == nil {
		x.allocTemps()
	} else {
		x.tempOffsets = append(x.tempOffsets[:0], bound.tempOffsets...)
		x.allocTempBytes(bound.tempSize)
	}
	nodes := x.Schedule.Nodes
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case Mark:
			x.publish(&n.Ref)
			x.incrementFlag(arrivalFlag(x.boardSlot))
		case Meet:
			x.waitForFlag(arrivalFlag(x.boardSlot), x.arrivalsBefore+uint64(n.Count))
		default:
			at := &x.strides
			if bound != nil {
				at = &bound.nodes[i]
			} else {
				*at = x.stridesOf(n)
			}
			if n.Kind == Load || n.Kind == Fold {
				x.accountLoads(n, at)
			}
			x.runInline(n, at)
			if !c.board.isDirect {
				x.chargeNow(n)
			}
		}
	}
	c.board.uncounted++
	if x.isLastOfGroup() && x.endCalls(c.board.takeUncounted()) {
		x.incrementFlag(c.board.doneFlag(x.boardSlot))
	}
	err := x.err
	x.free()
	return err
}

// chargeNow charges the time of a node, and waits until it has passed.
func (x *Run) chargeNow(n *Node) {
	lib := x.comm.lib
	x.charge(n)
	x.op.Then = nil
	if h := lib.Port().Post(&x.op); h != 0 {
		lib.Await(h)
	}
}
