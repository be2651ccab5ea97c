package clustertest

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

// team makes n teams by one call, and checks their members.
func (w *player) team(c *call) {
	plan, me := &w.x.teams[c.index], w.World().Rank()
	var made []*cluster.Team
	var err error
	switch plan.how {
	case byDup:
		made = make([]*cluster.Team, 1)
		made[0], err = w.Dup(w.World())
	case bySubteam:
		made = make([]*cluster.Team, 1)
		made[0], err = w.Subteam(w.World(), plan.members)
	case byEndpoints:
		made, err = w.Endpoints(w.World(), c.n)
	case bySplit:
		made = make([]*cluster.Team, c.n)
		var t *cluster.Team
		t, err = w.Split(w.World(), plan.colors[me], plan.keys[me])
		if color := plan.colors[me]; color >= 0 {
			made[color] = t
		} else {
			w.check(t == nil, "a rank without a color is in a team")
		}
	}
	w.ok(err)
	same(w.proc, "teams", len(made), c.n)
	for i, t := range made {
		if t == nil {
			continue
		}
		want := w.x.teams[c.index+i].members
		same(w.proc, "size of a team", t.Size(), len(want))
		for j, r := range t.Members() {
			same(w.proc, "member of a team", int(r), want[j])
		}
		same(w.proc, "own number in a team", want[t.Rank()], w.ID())
		w.teams[c.index+i] = t
		w.newComm(c.index + i)
	}
}

// newComm prepares a team for collectives, if the program calls any.
func (w *player) newComm(team int) {
	if len(w.x.joints) > 0 && !w.x.teams[team].stream.shared() {
		w.comms[team] = w.comm(w.teams[team])
	}
}

// collective makes a call on a team, or completes one.
func (w *player) collective(c *call) {
	x := &w.x.joints[c.index]
	if c.verb == vFinish {
		w.finish(c)
		return
	}
	team, comm := w.teams[x.team], w.comms[x.team]
	if x.style == ofProgram {
		w.program(c.index, x.what, team, x.size, x.root)
		return
	}
	all := serving(comm, x.what)
	call, check := w.salted(c.index, all[x.which%len(all)], team, x.size, x.root, coll.Modes{})
	if w.x.Store.SizeOnly() {
		call.In = cluster.Sized(call.In.Len())
		call.Out = cluster.Sized(call.Out.Len())
		check = func() {}
	}
	switch {
	case call.Key.Ranks == 0: // the algorithm cannot serve the team
	case x.style == ofComm:
		w.ok(comm.Do(call))
		check()
	default:
		run, err := comm.Start(call)
		w.ok(err)
		w.runs[c.index] = startedCall{run, check}
	}
}

// finish completes a call that was started.
func (w *player) finish(c *call) {
	s := w.runs[c.index]
	if s.run == nil {
		return
	}
	for done := c.style == 0; !done; {
		var err error
		done, err = s.run.Test()
		w.ok(err)
	}
	if c.style == 0 {
		w.ok(s.run.Wait())
	}
	delete(w.runs, c.index)
	s.check()
}

// window makes a window, uses it in an epoch, and frees it.
func (w *player) window(x *jointCall) {
	v, err := rma.NewWindow(w.Rank, w.World(), windowBytes)
	w.ok(err)
	n, me := w.World().Size(), w.World().Rank()
	to, from := (me+x.by)%n, (me+n*x.by-x.by)%n
	out := w.payload(rankNumbers+me, x.size)
	switch x.style {
	case fenceEpoch:
		w.ok(v.Fence())
		w.ok(v.Put(to, 0, out.Data()))
		w.ok(v.Fence())
		back := w.buffer(x.size)
		w.ok(v.Get(to, 0, back.Data()))
		w.ok(v.Fence())
		w.matches("get from a window", back.Slice(), out.Slice())
	case postEpoch:
		w.ok(v.Post([]int{from}))
		w.ok(v.Start([]int{to}))
		w.ok(v.Put(to, 0, out.Data()))
		w.ok(v.Complete())
		w.ok(v.Wait())
	case lockEpoch:
		w.locked(v, x)
	}
	if x.style != lockEpoch {
		in, err := v.Local()
		w.ok(err)
		w.matches("window", in[:x.size], payload(rankNumbers+from, x.size))
	}
	if x.style == fenceEpoch {
		w.ok(v.Fence())
	}
	w.ok(v.Free())
}

// locked adds to one member's window under its lock.
func (w *player) locked(v *rma.Window, x *jointCall) {
	n, me := w.World().Size(), w.World().Rank()
	w.ok(v.Lock([]rma.LockKind{rma.LockShared, rma.LockExclusive}[x.which], x.root))
	w.ok(rma.Accumulate(v, x.root, 8, []int64{int64(me + 1)}))
	w.ok(v.Unlock(x.root))
	w.ok(w.Barrier(w.World()))
	w.ok(v.Lock(rma.LockShared, x.root))
	sum := []int64{0}
	w.ok(v.Get(x.root, 8, cluster.Of(sum)))
	w.ok(v.Unlock(x.root))
	same(w.proc, "sum in a window", sum[0], int64(n*(n+1)/2))
	w.ok(w.Barrier(w.World()))
}
