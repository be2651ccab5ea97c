package sim

// In a call that is alike, one node represents all. Its records then belong to one rank of each node. Two
// records change the node to which the earlier records of a chain belong.

// turnNode is the record of a change of the node. The ranks of the earlier records are a number of ranks after
// the ranks of the later records. enterCall is the record of the begin of a call. There the chain of each rank
// continues with its own cause.
const (
	turnNode Note = Notes + iota
	enterCall
)

// turned returns a chain whose ranks are by ranks after the ranks of a given chain.
func (t *trace) turned(cause, by int32) int32 {
	if cause == noCause || t.records >= maxRecords {
		return cause
	}
	return t.add(cause, 0, 0, turnNode, by)
}

// turnedHold is turned for a resource.
func (t *trace) turnedHold(h hold, by int32) hold {
	h.cause = t.turned(h.cause, by)
	h.rank = (h.rank + by) % int32(t.ranks)
	return h
}

// turnAdapter is turned for an adapter.
func (t *trace) turnAdapter(h adapterHold, by int32) adapterHold {
	return adapterHold{t.turnedHold(h.free, by), t.turnedHold(h.handshakeFree, by), t.turnedHold(h.handshakeNext, by)}
}

// enterAlike records that all ranks begin a call, and that the first node represents the others.
func (t *trace) enterAlike(w *world) {
	causes := make([]int32, len(w.ranks))
	for i := range w.ranks {
		causes[i] = w.ranks[i].main.cause
	}
	a := &w.alike
	a.accounts = a.accounts[:0]
	for i := range w.perNode {
		if t.records < maxRecords {
			w.ranks[i].main.cause = t.add(int32(len(t.calls)), 0, 0, enterCall, i)
		}
		if t.current[i] == nil { // a rank that it represents may have marks
			t.current[i] = &interval{represents: true}
		}
		a.accounts = append(a.accounts, t.current[i].account)
	}
	t.calls = append(t.calls, causes)
}

// copyNode copies the causes of the first node to another one.
func (t *trace) copyNode(w *world, node int32) {
	first := node * w.perNode
	t.out[node], t.in[node] = t.turnAdapter(t.out[0], first), t.turnAdapter(t.in[0], first)
	t.memories[node] = t.turnedHold(t.memories[0], first)
	for i := range w.perNode {
		to := first + i
		t.movers[to] = t.turnedHold(t.movers[i], first)
		main, engine := w.ranks[to].main, w.ranks[to].engine
		main.cause = t.turned(main.cause, first)
		if engine != nil {
			engine.cause = t.turned(engine.cause, first)
		}
		*causeIn(&t.injections, to) = t.turned(*causeIn(&t.injections, i), first)
		*causeIn(&t.handshakes, to) = t.turned(*causeIn(&t.handshakes, i), first)
		if own := t.current[to]; own != nil {
			own.account.add(&t.current[i].account, &w.alike.accounts[i])
		}
	}
}

// leaveAlike removes the intervals that enterAlike has added.
func (t *trace) leaveAlike(w *world) {
	if !t.on {
		return
	}
	for i := range w.perNode {
		if x := t.current[i]; x != nil && x.represents {
			t.current[i] = nil
		}
	}
}

// add adds the difference of two accounts.
func (a *Account) add(now, before *Account) {
	for i := range a.Spent {
		a.Spent[i] += now.Spent[i] - before.Spent[i]
	}
	for i := range a.Waited {
		a.Waited[i] += now.Waited[i] - before.Waited[i]
	}
	a.Device += now.Device - before.Device
}

// follow returns the record before a record of another node, and the number of ranks by which the earlier
// records are shifted. ok reports whether it is such a record.
func (t *trace) follow(r *record, shift int32) (before, shifted int32, ok bool) {
	switch r.note() {
	case turnNode:
		return r.before, (shift + r.rank()) % int32(t.ranks), true
	case enterCall:
		return t.calls[r.before][(shift+r.rank())%int32(t.ranks)], 0, true
	}
	return 0, shift, false
}
