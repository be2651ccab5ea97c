package coll

import "github.com/hybridtop/hybridtop/cluster"

// Where loads reach all members nobody sends: who has something marks it, and the others
// take it from there, in one pass. An algorithm "direct" loads out of the callers'
// buffers, so that a member stays until nobody loads from it any more; "staged" copies
// what it gives to the board first, and goes.
func init() {
	for _, staged := range []bool{false, true} {
		name, doc, paper := "direct", "", "paper 5, section 3.1: threads of a node"
		if staged {
			name, doc = "staged", ", out of copies at the board, so that nobody waits for those who load"
		}
		add := func(of Collective, words string, make func(b *Builder), class func(k Key, rel int32) int64, predict func(c *Cost, k Key, n int64) cluster.Time) {
			register(&Algorithm{Collective: of, Name: name, Doc: words + doc, Paper: paper, Needs: Reach, Make: make, Class: class, Predict: predict})
		}
		add(OpBcast, "all load what the root has", func(b *Builder) { b.showing(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			return shownTime(c, k, staged, n, n)
		})
		add(OpScatter, "each loads its block of what the root has", func(b *Builder) { b.dealing(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			return shownTime(c, k, staged, n*int64(k.Ranks), n)
		})
		add(OpGather, "the root loads the blocks of all", func(b *Builder) { b.collecting(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			t := c.given(staged, n) + c.L + c.looks(k.Ranks-1, n)
			if staged {
				return max(t, c.copies(n)+t)
			}
			return c.copies(n) + t + c.O + c.L
		})
		add(OpAllgather, "each loads the blocks of all others", func(b *Builder) { b.taking(staged, part(In, 0, -1), mine) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			return takenTime(c, k, staged, n, n)
		})
		add(OpExchange, "each loads its block of what each other one has", func(b *Builder) { b.taking(staged, part(In, 0, -1), whole) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			return takenTime(c, k, staged, n*int64(k.Ranks), n)
		})
		add(OpReduceScatter, "each loads its block of what all have, and combines them", func(b *Builder) { b.adding(staged) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			t := c.given(staged, n*int64(k.Ranks)) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
			if staged {
				return t
			}
			return t + c.O + c.L
		})
	}
	register(&Algorithm{
		Collective: OpBarrier, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each says at the board that it is there, and waits for all others",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.await(b.P, b.mark(Ref{}))
		},
		Predict: func(c *Cost, k Key, _ int64) cluster.Time { return c.O + c.L },
	}, &Algorithm{
		Collective: OpAllreduce, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each copies what it gives to the board, loads what all have there, and combines it",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.giving(part(In, 0, -1), whole)))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.given(true, n) + c.L + c.looks(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each loads a share of what all have and combines it, then the shares of all others",
		Make: func(b *Builder) {
			b.load(me(0), b.P, theirs(Out), theirs(temps), b.sharing())
		},
		Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpAllreduce, Name: "relayed", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each copies what it gives to the board, the first one loads and combines it, and the others load the result",
		Make: func(b *Builder) {
			b.s.Marks = b.P + 1
			given := b.giving(part(In, 0, -1), whole)
			result := part(temps, 0, -1) // in the place of what the first one gave
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
		Doc: "each copies what it gives to the board, and the root loads and combines it",
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
		Doc: "each loads a share of what all have and combines it, then the root loads the shares of all others",
		Make: func(b *Builder) {
			if shared := b.sharing(); b.Rel == 0 {
				b.load(me(0), b.P, theirs(Out), theirs(temps), shared)
			}
		},
		Class: rootClass, Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpScan, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each copies what it gives to the board, then loads and combines what those up to it have",
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

// rootClass tells the root from the others.
func rootClass(_ Key, rel int32) int64 { return int64(min(rel, 1)) }

// giving copies what a member gives to the board and marks it.
func (b *Builder) giving(what, window Ref) id {
	t := b.temp(window)
	return b.mark(what.at(t), b.copy(what.at(t), what))
}

// offer marks what a member gives, or a copy of it; the buffer is where the others load.
func (b *Builder) offer(staged bool, what, window Ref) (mark id, buf Buf) {
	if staged {
		return b.giving(what, window), temps
	}
	return b.mark(what), what.Buf
}

// showing is a broadcast.
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

// dealing is a scatter.
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

// collecting is a gather.
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

// taking is an allgather, or an exchange: In has the own block, or one for each.
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

// adding is a reduce-scatter.
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

// sharing leaves a share of the reduction at each member's board; it gives the node with
// which all are there, and nobody loads what members gave any more.
func (b *Builder) sharing() id {
	b.s.Marks = 2 * b.P
	t := b.temp(mine)
	all := b.await(b.P, b.mark(part(In, 0, -1)))
	share := b.reduce(b.P, from(t, 0, 1), from(In, 0, 1), all)
	return b.await(2*b.P, b.mark(from(t, 0, 1), share))
}

// looks is the time of loads of n bytes each from so many others.
func (c *Cost) looks(from int32, n int64) cluster.Time {
	return cluster.Time(from) * (c.L + c.carry(n))
}

// given is the time until a member has marked n bytes.
func (c *Cost) given(staged bool, n int64) cluster.Time {
	if staged {
		return c.copies(n) + c.O
	}
	return c.O
}

// shownTime is the time of a root that gives, and others that take some of it.
func shownTime(c *Cost, k Key, staged bool, give, take int64) cluster.Time {
	t := c.given(staged, give) + c.L + c.looks(1, take)
	if !staged {
		t += c.O + c.L
	}
	return t
}

// takenTime is the time of members that all give, and take of each other.
func takenTime(c *Cost, k Key, staged bool, give, take int64) cluster.Time {
	t := c.given(staged, give) + c.copies(take) + c.L + c.looks(k.Ranks-1, take)
	if !staged {
		t += c.O + c.L
	}
	return t
}

// sharesTime is the time of a reduction whose shares all members combine.
func sharesTime(c *Cost, k Key, n int64) cluster.Time {
	each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
	one := c.looks(k.Ranks-1, each)
	return 2*(c.O+c.L) + one + c.combines(each*int64(k.Ranks)) + one + c.copies(each)
}
