package live

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// unwind ends a thread of an aborted run inside the post of an operation.
func (p *port) unwind(kind cluster.Kind, peer, tag int32) {
	if kind == cluster.KindIprobe || kind == cluster.KindImprobe {
		p.reportPolling(&need{kind: kind, peer: peer, tag: tag})
	}
	panic(unwound{})
}

// checkPolling unwinds from the test of a handle if the run was aborted.
func (p *port) checkPolling(h cluster.Handle) {
	if !p.e.w.aborted.Load() {
		return
	}
	n := need{kind: cluster.KindBarrier}
	switch {
	case h&barrierBit != 0 && h&boardBit != 0:
		n = need{kind: cluster.KindFlagWait, tag: flagOf(h)}
	case h&barrierBit == 0:
		s := p.e.slotOf(h)
		n = need{kind: s.kind, peer: s.peer, tag: s.tag, size: s.size, off: s.off}
	}
	p.reportPolling(&n)
	panic(unwound{})
}

// reportPolling adds a polling thread to the report of a cancel. Such a thread never parks, so only
// this call knows its wait.
func (p *port) reportPolling(n *need) {
	w, rank := p.e.w, int(p.e.id)
	w.errMu.Lock()
	defer w.errMu.Unlock()
	var a *cluster.Abort
	if !errors.As(w.err, &a) || a.Reason != cluster.ReasonCancelled {
		return
	}
	wait := cluster.Wait{Rank: rank, Thread: p.thread, Call: n.String(), Polls: true}
	if i, found := slices.BinarySearchFunc(a.Waits, wait, compareWaits); !found {
		a.Waits = slices.Insert(a.Waits, i, wait)
	}
}

// compareWaits compares waits of a report by rank and thread.
func compareWaits(x, y cluster.Wait) int {
	return cmp.Or(cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Thread, y.Thread))
}
