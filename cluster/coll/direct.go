package coll

import "github.com/hybridtop/hybridtop/cluster"

// Algorithms for teams whose members can load each other's memory. A member publishes its data, and
// the others load the data in one pass, without messages. An algorithm "direct" loads from the
// callers' buffers, so a member waits until the others have finished loading. An algorithm "staged"
// first copies the member's data to the shared control block, so the member need not wait.
func init() {
	for _, staged := range []bool{false, true} {
		name, doc, paper := "direct", "", "paper 5, section 3.1: threads of a node"
		if staged {
			name, doc = "staged", ", from copies in the shared control block, so that no member waits for the others' loads"
		}
		add := func(of Collective, words string, make func(b *Builder), class func(k Key, rel int32) int64, predict func(c *Cost, k Key, n int64) cluster.Time) {
			register(&Algorithm{Collective: of, Name: name, Doc: words + doc, Paper: paper, Needs: Reach, Make: make, Class: class, Predict: predict})
		}
		add(OpBcast, "all members load the root's data", func(b *Builder) { b.directBcast(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			return rootedTime(c, k, staged, n, n)
		})
		add(OpScatter, "each member loads its block of the root's data", func(b *Builder) { b.directScatter(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			return rootedTime(c, k, staged, n*int64(k.Ranks), n)
		})
		add(OpGather, "the root loads the blocks of all members", func(b *Builder) { b.directGather(staged) }, rootClass, func(c *Cost, k Key, n int64) cluster.Time {
			t := c.publishTime(staged, n) + c.L + c.loadTime(k.Ranks-1, n)
			if staged {
				return max(t, c.copies(n)+t)
			}
			return c.copies(n) + t + c.O + c.L
		})
		add(OpAllgather, "each member loads the blocks of all others", func(b *Builder) { b.directExchange(staged, part(In, 0, -1), mine) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			return exchangeTime(c, k, staged, n, n)
		})
		add(OpExchange, "each member loads its block from every other member", func(b *Builder) { b.directExchange(staged, part(In, 0, -1), whole) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			return exchangeTime(c, k, staged, n*int64(k.Ranks), n)
		})
		add(OpReduceScatter, "each member loads its block from all members and combines them", func(b *Builder) { b.directReduceScatter(staged) }, nil, func(c *Cost, k Key, n int64) cluster.Time {
			t := c.publishTime(staged, n*int64(k.Ranks)) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
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
			b.await(b.P, b.publish(Ref{}))
		},
		Predict: func(c *Cost, k Key, _ int64) cluster.Time { return c.O + c.L },
	}, &Algorithm{
		Collective: OpAllreduce, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, then loads and combines the data of all",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.publishCopy(part(In, 0, -1), whole)))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.publishTime(true, n) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member loads and combines a share of all data, then loads the shares of the others",
		Make: func(b *Builder) {
			b.load(me(0), b.P, ofPeer(Out), ofPeer(temps), b.reduceShares())
		},
		Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpAllreduce, Name: "relayed", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, the first one combines them, and the others load the result",
		Make: func(b *Builder) {
			b.s.Marks = b.P + 1
			given := b.publishCopy(part(In, 0, -1), whole)
			result := part(temps, 0, -1) // replaces the data of the first member
			if b.Rel == 0 {
				sum := b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, given))
				b.publish(result, b.copy(result, part(Out, 0, -1), sum))
				return
			}
			b.load(Peer{Root: true}, 1, part(Out, 0, -1), result, b.await(b.P+1, given))
		},
		Class: rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.publishTime(true, n) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(n*int64(k.Ranks)) + c.publishTime(true, n) + c.L + c.loadTime(1, n)
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, and the root loads and combines them",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			given := b.publishCopy(part(In, 0, -1), whole)
			if b.Rel == 0 {
				b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, given))
			}
		},
		Class: rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.publishTime(true, n) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "direct", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member loads and combines a share of all data, then the root loads all shares",
		Make: func(b *Builder) {
			if shared := b.reduceShares(); b.Rel == 0 {
				b.load(me(0), b.P, ofPeer(Out), ofPeer(temps), shared)
			}
		},
		Class: rootClass, Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpScan, Name: "staged", Paper: "paper 5, section 3.1: threads of a node", Needs: Reach,
		Doc: "each member copies its data to the shared control block, then combines the data of the members up to itself",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.Rel+1, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.publishCopy(part(In, 0, -1), whole)))
		},
		Class: func(_ Key, rel int32) int64 { return int64(rel) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.publishTime(true, n) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
		},
	})
}

// rootClass distinguishes the root from the other members.
func rootClass(_ Key, rel int32) int64 { return int64(min(rel, 1)) }

// publishCopy copies a member's data to the shared control block and publishes the copy.
func (b *Builder) publishCopy(what, window Ref) id {
	t := b.temp(window)
	return b.publish(what.at(t), b.copy(what.at(t), what))
}

// publishData publishes a member's data, or a copy of them. It also returns the buffer that the
// others load from.
func (b *Builder) publishData(staged bool, what, window Ref) (mark id, buf Buf) {
	if staged {
		return b.publishCopy(what, window), temps
	}
	return b.publish(what), what.Buf
}

// directBcast builds a broadcast.
func (b *Builder) directBcast(staged bool) {
	buf := Out
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, 1
	}
	switch {
	case b.Rel == 0 && staged:
		b.publishCopy(part(Out, 0, -1), whole)
	case b.Rel == 0:
		b.await(b.P, b.publish(part(Out, 0, -1)))
	default:
		if staged {
			b.temp(whole)
		}
		got := b.load(Peer{Root: true}, 1, part(Out, 0, -1), part(buf, 0, -1), b.await(1))
		if !staged {
			b.publish(Ref{}, got)
		}
	}
}

// directScatter builds a scatter.
func (b *Builder) directScatter(staged bool) {
	buf := In
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, 1
	}
	if b.Rel == 0 {
		published, _ := b.publishData(staged, part(In, 0, -1), whole)
		b.copy(from(Out, 0, 1), from(In, 0, 1), published)
		if !staged {
			b.await(b.P, published)
		}
		return
	}
	if staged {
		b.temp(whole)
	}
	got := b.load(Peer{Root: true}, 1, from(Out, 0, 1), from(buf, 0, 1), b.await(1))
	if !staged {
		b.publish(Ref{}, got)
	}
}

// directGather builds a gather.
func (b *Builder) directGather(staged bool) {
	buf := In
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, b.P-1
	}
	if b.Rel != 0 {
		if published, _ := b.publishData(staged, from(In, 0, 1), mine); !staged {
			b.await(b.P, published)
		}
		return
	}
	if staged {
		b.temp(mine)
	}
	copied := b.copy(from(Out, 0, 1), from(In, 0, 1))
	if b.P == 1 {
		b.s.Marks = max(b.s.Marks, 1)
		b.publish(Ref{}, copied)
		return
	}
	got := b.load(me(1), b.P-1, ofPeer(Out), ofPeer(buf), copied, b.await(b.P-1, copied))
	if !staged {
		b.publish(Ref{}, got)
	}
}

// directExchange builds an allgather (In has the member's block) or an exchange (In has a block for
// each member).
func (b *Builder) directExchange(staged bool, in, window Ref) {
	b.s.Marks = 2 * b.P
	if staged {
		b.s.Marks = b.P
	}
	if window == mine {
		in = from(In, 0, 1)
	}
	published, buf := b.publishData(staged, in, window)
	src := from(buf, 0, 1)
	if window == mine {
		src = ofPeer(buf)
	}
	copied := b.copy(from(Out, 0, 1), from(In, 0, 1), published)
	all := b.await(b.P, copied)
	if b.P > 1 {
		all = b.load(me(1), b.P-1, ofPeer(Out), src, all)
	}
	if !staged {
		b.await(2*b.P, b.publish(Ref{}, all))
	}
}

// directReduceScatter builds a reduce-scatter.
func (b *Builder) directReduceScatter(staged bool) {
	b.s.Marks = 2 * b.P
	if staged {
		b.s.Marks = b.P
	}
	published, buf := b.publishData(staged, part(In, 0, -1), whole)
	got := b.reduce(b.P, from(Out, 0, 1), from(buf, 0, 1), b.await(b.P, published))
	if !staged {
		b.await(2*b.P, b.publish(Ref{}, got))
	}
}

// reduceShares leaves a share of the reduction in each member's part of the control block. It
// returns the node after which all shares are complete and no member loads the contributions any
// more.
func (b *Builder) reduceShares() id {
	b.s.Marks = 2 * b.P
	t := b.temp(mine)
	all := b.await(b.P, b.publish(part(In, 0, -1)))
	share := b.reduce(b.P, from(t, 0, 1), from(In, 0, 1), all)
	return b.await(2*b.P, b.publish(from(t, 0, 1), share))
}

// loadTime returns the time of loads of n bytes from each of a number of members.
func (c *Cost) loadTime(from int32, n int64) cluster.Time {
	return cluster.Time(from) * (c.L + c.bytesTime(n))
}

// publishTime returns the time until a member has published n bytes.
func (c *Cost) publishTime(staged bool, n int64) cluster.Time {
	if staged {
		return c.copies(n) + c.O
	}
	return c.O
}

// rootedTime returns the time of an algorithm in which the root publishes data and the others load
// a part.
func rootedTime(c *Cost, k Key, staged bool, give, take int64) cluster.Time {
	t := c.publishTime(staged, give) + c.L + c.loadTime(1, take)
	if !staged {
		t += c.O + c.L
	}
	return t
}

// exchangeTime returns the time of an algorithm in which all members publish data and load from
// each other.
func exchangeTime(c *Cost, k Key, staged bool, give, take int64) cluster.Time {
	t := c.publishTime(staged, give) + c.copies(take) + c.L + c.loadTime(k.Ranks-1, take)
	if !staged {
		t += c.O + c.L
	}
	return t
}

// sharesTime returns the time of a reduction whose shares all members combine.
func sharesTime(c *Cost, k Key, n int64) cluster.Time {
	each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
	one := c.loadTime(k.Ranks-1, each)
	return 2*(c.O+c.L) + one + c.combines(each*int64(k.Ranks)) + one + c.copies(each)
}
