package coll

import "github.com/hybridtop/hybridtop/cluster"

// Algorithms for teams whose members can load each other's memory. A member marks its data, and the
// others load the data in one pass, without messages. An algorithm "direct" loads from the callers'
// buffers, so a member waits until the others have finished loading. An algorithm "staged" first
// copies the member's data to the shared control block, so the member need not wait.
func init() {
	for _, staged := range []bool{false, true} {
		name, doc, paper := "direct", "", "paper 5, section 3.1: threads of a node"
		if staged {
			name, doc = "staged", ", from copies in the shared control block, so that no member waits for the others' loads"
		}
		add := func(of Collective, words string, make func(b *Builder), class func(k Key, rel int32) int64, predict func(c *Cost, k Key, n int64) cluster.Time) {
			register(&Algorithm{Collective: of, Name: name, Doc: words + doc, Paper: paper, Needs: Reach, Make: make, Class: class, Predict: predict})
		}
		add(OpBcast, "all members load the root's data", func(b *Builder) { b.showing(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			return shownTime(c, k, staged, n, n)
		})
		add(OpScatter, "each member loads its block of the root's data", func(b *Builder) { b.dealing(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			return shownTime(c, k, staged, n*int64(k.Ranks), n)
		})
		add(OpGather, "the root loads the blocks of all members", func(b *Builder) { b.collecting(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			t := c.given(staged, n) + c.L + c.looks(k.Ranks-1, n)
			if staged {
				return max(t, c.copies(n)+t)
			}
			return c.copies(n) + t + c.O + c.L
		})
		add(OpAllgather, "each member loads the blocks of all others", func(b *Builder) { b.taking(staged, part(In, 0, -1), mine) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			return takenTime(c, k, staged, n, n)
		})
		add(OpExchange, "each member loads its block from every other member", func(b *Builder) { b.taking(staged, part(In, 0, -1), whole) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			return takenTime(c, k, staged, n*int64(k.Ranks), n)
		})
		add(OpReduceScatter, "each member loads its block from all members and combines them", func(b *Builder) { b.adding(staged) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			t := c.given(staged, n*int64(k.Ranks)) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
			if staged {
				return t
			}
			return t + c.O + c.L
		})
	}
	register(&Algorithm{
		Collective: OpBarrier, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member signals its arrival in the shared control block and waits for all others",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.await(b.P, b.mark(Ref{}))
		},
		Predict: func(c *Cost, k Key, _ int64) cluster.Time { return c.O + c.L },
	}, &Algorithm{
		Collective: OpAllreduce, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, then loads and combines the data of all",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.giving(part(In, 0, -1), whole)))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.given(true, n) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member loads and combines a share of all data, then loads the shares of the others",
		Make: func(b *Builder) {
			b.load(me(0), b.P, theirs(Out), theirs(temps), b.sharing())
		},
		Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpAllreduce, Name: "relayed", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, the first one combines them, and the others load the result",
		Make: func(b *Builder) {
			b.s.Marks = b.P + 1
			given := b.giving(part(In, 0, -1), whole)
			result := part(temps, 0, -1) // replaces the data of the first member
			if b.Rel == 0 {
				sum := b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, given))
				b.mark(result, b.copy(result, part(Out, 0, -1), sum))
				return
			}
			b.load(Peer{Root: true}, 1, part(Out, 0, -1), result, b.await(b.P+1, given))
		},
		Class: rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.given(true, n) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks)) + c.given(true, n) + c.L + c.looks(1, n)
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, and the root loads and combines them",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			given := b.giving(part(In, 0, -1), whole)
			if b.Rel == 0 {
				b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, given))
			}
		},
		Class: rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.given(true, n) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member loads and combines a share of all data, then the root loads all shares",
		Make: func(b *Builder) {
			if shared := b.sharing(); b.Rel == 0 {
				b.load(me(0), b.P, theirs(Out), theirs(temps), shared)
			}
		},
		Class: rootClass, Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpScan, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, then combines the data of the members up to itself",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.Rel+1, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.giving(part(In, 0, -1), whole)))
		},
		Class: func(_ Key, rel int32) int64 { return int64(rel) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.given(true, n) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	})
}

// rootClass distinguishes the root from the other members.
func rootClass(_ Key, rel int32) int64 { return int64(min(rel, 1)) }

// giving copies a member's data to the shared control block and marks them.
func (b *Builder) giving(what, window Ref) id {
	t := b.temp(window)
	return b.mark(what.at(t), b.copy(what.at(t), what))
}

// offer marks a member's data, or a copy of them. It returns the buffer that the others load from.
func (b *Builder) offer(staged bool, what, window Ref) (mark id, buf Buf) {
	if staged {
		return b.giving(what, window), temps
	}
	return b.mark(what), what.Buf
}

// showing builds a broadcast.
func (b *Builder) showing(staged bool) {
	buf := Out
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, 1
	}
	switch {
	case b.Rel == 0 && staged:
		b.giving(part(Out, 0, -1), whole)
	case b.Rel == 0:
		b.await(b.P, b.mark(part(Out, 0, -1)))
	default:
		if staged {
			b.temp(whole)
		}
		got := b.load(Peer{Root: true}, 1, part(Out, 0, -1), part(buf, 0, -1), b.await(1))
		if !staged {
			b.mark(Ref{}, got)
		}
	}
}

// dealing builds a scatter.
func (b *Builder) dealing(staged bool) {
	buf := In
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, 1
	}
	if b.Rel == 0 {
		given, _ := b.offer(staged, part(In, 0, -1), whole)
		b.copy(from(Out, 0, 1), from(In, 0, 1), given)
		if !staged {
			b.await(b.P, given)
		}
		return
	}
	if staged {
		b.temp(whole)
	}
	got := b.load(Peer{Root: true}, 1, from(Out, 0, 1), from(buf, 0, 1), b.await(1))
	if !staged {
		b.mark(Ref{}, got)
	}
}

// collecting builds a gather.
func (b *Builder) collecting(staged bool) {
	buf := In
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, b.P-1
	}
	if b.Rel != 0 {
		if given, _ := b.offer(staged, from(In, 0, 1), mine); !staged {
			b.await(b.P, given)
		}
		return
	}
	if staged {
		b.temp(mine)
	}
	own := b.copy(from(Out, 0, 1), from(In, 0, 1))
	if b.P == 1 {
		b.s.Marks = max(b.s.Marks, 1)
		b.mark(Ref{}, own)
		return
	}
	got := b.load(me(1), b.P-1, theirs(Out), theirs(buf), own, b.await(b.P-1, own))
	if !staged {
		b.mark(Ref{}, got)
	}
}

// taking builds an allgather (In has the member's block) or an exchange (In has a block for each
// member).
func (b *Builder) taking(staged bool, in, window Ref) {
	b.s.Marks = 2 * b.P
	if staged {
		b.s.Marks = b.P
	}
	if window == mine {
		in = from(In, 0, 1)
	}
	given, buf := b.offer(staged, in, window)
	src := from(buf, 0, 1)
	if window == mine {
		src = theirs(buf)
	}
	own := b.copy(from(Out, 0, 1), from(In, 0, 1), given)
	all := b.await(b.P, own)
	if b.P > 1 {
		all = b.load(me(1), b.P-1, theirs(Out), src, all)
	}
	if !staged {
		b.await(2*b.P, b.mark(Ref{}, all))
	}
}

// adding builds a reduce-scatter.
func (b *Builder) adding(staged bool) {
	b.s.Marks = 2 * b.P
	if staged {
		b.s.Marks = b.P
	}
	given, buf := b.offer(staged, part(In, 0, -1), whole)
	got := b.reduce(b.P, from(Out, 0, 1), from(buf, 0, 1), b.await(b.P, given))
	if !staged {
		b.await(2*b.P, b.mark(Ref{}, got))
	}
}

// sharing leaves a share of the reduction in each member's part of the control block. It returns
// the node after which all shares are complete and no member loads the contributions any more.
func (b *Builder) sharing() id {
	b.s.Marks = 2 * b.P
	t := b.temp(mine)
	all := b.await(b.P, b.mark(part(In, 0, -1)))
	share := b.reduce(b.P, from(t, 0, 1), from(In, 0, 1), all)
	return b.await(2*b.P, b.mark(from(t, 0, 1), share))
}

// looks returns the time of loads of n bytes from each of a number of members.
func (c *Cost) looks(from int32, n int64) cluster.Time {
	return cluster.Time(from) * (c.L + c.carry(n))
}

// given returns the time until a member has marked n bytes.
func (c *Cost) given(staged bool, n int64) cluster.Time {
	if staged {
		return c.copies(n) + c.O
	}
	return c.O
}

// shownTime returns the time of an algorithm in which the root marks data and the others load a
// part.
func shownTime(c *Cost, k Key, staged bool, give, take int64) cluster.Time {
	t := c.given(staged, give) + c.L + c.looks(1, take)
	if !staged {
		t += c.O + c.L
	}
	return t
}

// takenTime returns the time of an algorithm in which all members mark data and load from each
// other.
func takenTime(c *Cost, k Key, staged bool, give, take int64) cluster.Time {
	t := c.given(staged, give) + c.copies(take) + c.L + c.looks(k.Ranks-1, take)
	if !staged {
		t += c.O + c.L
	}
	return t
}

// sharesTime returns the time of a reduction whose shares all members combine.
func sharesTime(c *Cost, k Key, n int64) cluster.Time {
	each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
	one := c.looks(k.Ranks-1, each)
	return 2*(c.O+c.L) + one + c.combines(each*int64(k.Ranks)) + one + c.copies(each)
}
