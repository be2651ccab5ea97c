package coll

import "github.com/hybridtop/hybridtop/cluster"

// This file has the algorithms for teams whose members can load each other's memory. A member
// publishes its data, and the others load the data in one pass, without messages. An algorithm
// "direct" loads from the callers' buffers, so a member waits until the others have finished
// loading. An algorithm "staged" first copies the member's data to the shared control block, so the
// member need not wait.

const threadsPaper = "paper 5, section 3.1: threads of a node"

func init() {
	register(loadAlgorithms(false)...)
	register(loadAlgorithms(true)...)
	register(&Algorithm{
		Collective: OpBarrier, Name: "direct", Paper: threadsPaper, Needs: Reach,
		Doc: "each member signals its arrival in the shared control block and waits for all others",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.await(b.P, b.publish(Ref{}))
		},
		Predict: func(c *Cost, k Key, _ int64) cluster.Time { return c.O + c.L },
	}, &Algorithm{
		Collective: OpAllreduce, Name: "staged", Paper: threadsPaper, Needs: Reach,
		Doc: "each member copies its data to the shared control block, then loads and combines the data of all",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.publishCopy(part(In, 0, -1), whole)))
		},
		Predict: stagedReduceTime,
	}, &Algorithm{
		Collective: OpAllreduce, Name: "direct", Paper: threadsPaper, Needs: Reach,
		Doc: "each member loads and combines a share of all data, then loads the shares of the others",
		Make: func(b *Builder) {
			b.load(me(0), b.P, ofPeer(Out), ofPeer(temps), b.reduceShares())
		},
		Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpAllreduce, Name: "relayed", Paper: threadsPaper, Needs: Reach,
		Doc: "each member copies its data to the shared control block, the first one combines them, and the others load " +
			"the result",
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
			return stagedReduceTime(c, k, n) + c.publishTime(true, n) + c.L + c.loadTime(1, n)
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "staged", Paper: threadsPaper, Needs: Reach,
		Doc: "each member copies its data to the shared control block, and the root loads and combines them",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			given := b.publishCopy(part(In, 0, -1), whole)
			if b.Rel == 0 {
				b.reduce(b.P, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, given))
			}
		},
		Class:   rootClass,
		Predict: stagedReduceTime,
	}, &Algorithm{
		Collective: OpReduce, Name: "direct", Paper: threadsPaper, Needs: Reach,
		Doc: "each member loads and combines a share of all data, then the root loads all shares",
		Make: func(b *Builder) {
			if shared := b.reduceShares(); b.Rel == 0 {
				b.load(me(0), b.P, ofPeer(Out), ofPeer(temps), shared)
			}
		},
		Class: rootClass, Parts: func(k Key) int32 { return k.Ranks }, Predict: sharesTime,
	}, &Algorithm{
		Collective: OpScan, Name: "staged", Paper: threadsPaper, Needs: Reach,
		Doc: "each member copies its data to the shared control block, then combines the data of the members up to itself",
		Make: func(b *Builder) {
			b.s.Marks = b.P
			b.reduce(b.Rel+1, part(Out, 0, -1), part(temps, 0, -1), b.await(b.P, b.publishCopy(part(In, 0, -1), whole)))
		},
		Class:   func(_ Key, rel int32) int64 { return int64(rel) },
		Predict: stagedReduceTime,
	})
}

// loadAlgorithms returns the algorithms that exist both direct and staged.
func loadAlgorithms(staged bool) []*Algorithm {
	all := []*Algorithm{{
		Collective: OpBcast,
		Doc:        "all members load the root's data",
		Make:       func(b *Builder) { b.directBcast(staged) },
		Class:      rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return rootedTime(c, k, staged, n, n)
		},
	}, {
		Collective: OpScatter,
		Doc:        "each member loads its block of the root's data",
		Make:       func(b *Builder) { b.directScatter(staged) },
		Class:      rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return rootedTime(c, k, staged, n*int64(k.Ranks), n)
		},
	}, {
		Collective: OpGather,
		Doc:        "the root loads the blocks of all members",
		Make:       func(b *Builder) { b.directGather(staged) },
		Class:      rootClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			t := c.publishTime(staged, n) + c.L + c.loadTime(k.Ranks-1, n)
			if staged {
				return max(t, c.copies(n)+t)
			}
			return c.copies(n) + t + c.O + c.L
		},
	}, {
		Collective: OpAllgather,
		Doc:        "each member loads the blocks of all others",
		Make:       func(b *Builder) { b.directExchange(staged, mine) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return exchangeTime(c, k, staged, n, n)
		},
	}, {
		Collective: OpExchange,
		Doc:        "each member loads its block from every other member",
		Make:       func(b *Builder) { b.directExchange(staged, whole) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return exchangeTime(c, k, staged, n*int64(k.Ranks), n)
		},
	}, {
		Collective: OpReduceScatter,
		Doc:        "each member loads its block from all members and combines them",
		Make:       func(b *Builder) { b.directReduceScatter(staged) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			all := n * int64(k.Ranks)
			t := c.publishTime(staged, all) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(all)
			if staged {
				return t
			}
			return t + c.O + c.L
		},
	}}
	for _, a := range all {
		a.Name, a.Paper = "direct", threadsPaper
		a.Needs = Reach
		if staged {
			a.Name = "staged"
			a.Doc += ", from copies in the shared control block, so that no member waits for the others' loads"
		}
	}
	return all
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

// stagedReduceTime returns the time until a member has combined the published copies of all data.
func stagedReduceTime(c *Cost, k Key, n int64) cluster.Time {
	return c.publishTime(true, n) + c.L + c.loadTime(k.Ranks-1, n) + c.combines(n*int64(k.Ranks))
}

// sharesTime returns the time of a reduction whose shares all members combine.
func sharesTime(c *Cost, k Key, n int64) cluster.Time {
	each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
	one := c.loadTime(k.Ranks-1, each)
	return 2*(c.O+c.L) + one + c.combines(each*int64(k.Ranks)) + one + c.copies(each)
}
