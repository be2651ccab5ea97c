package bench

import (
	"context"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// Units of a row.
const (
	seconds   = "s"
	perSecond = "1/s"
	bytesRate = "B/s"
)

// Case is one hot path and its limit.
type Case struct {
	Name   string
	Doc    string // what one operation is
	Unit   string
	Limit  string  // what the limit is
	Target float64 // see Row
	Why    string  // where the target comes from, or what the row is for
	Ranks  int

	threads int   // of a rank; 0: one
	segment int64 // bytes of segment a rank
	buffer  int   // bytes of each buffer in common
	size    int   // bytes an operation moves, for a rate in B/s
	least   int   // iterations in a turn, where its edges would show
	// computes: ranks meet nobody, so that the least time counts, of several
	// launches, because it also depends on where memory came to lie.
	computes bool
	// cpu: what counts is not the time that goes by, but that which the process has of the
	// processors.
	cpu bool
	// beyond: an iteration of the value has one of the limit in it, and what it takes
	// beyond that counts.
	beyond bool
	// bound is how many times the path may beat its limit before the limit is wrong;
	// 0: the limit is another way to do it, and may lose by any factor.
	bound float64
	// Operations in one iteration of each side.
	valueOps, limitOps float64
	// sides makes the two sides for one rank. Each runs n iterations, on every
	// rank; when rank 0's call returns, the iterations are done.
	sides func(r *cluster.Rank, c *common) (value, limit side, err error)
}

// Bounds: hard is that of a limit that only noise beats; pipelined is that of one line
// at a time, for a core has about ten on their way at once.
const (
	hard      = 1.5
	pipelined = 10
)

// side runs n iterations.
type side func(n int) error

// order is what rank 0 has everyone do next.
type order struct {
	what which
	n    int
}

type which int

const (
	leave which = iota
	playValue
	playLimit
)

// turner has every rank run n iterations of one side, and gives rank 0's time
// for them.
type turner func(what which, n int) (time.Duration, error)

// launch runs the case's ranks; referee runs on rank 0 and orders the turns.
func (k *Case) launch(ctx context.Context, f cluster.Fabric, m cluster.Machine, referee func(turner) error) error {
	spec := cluster.Spec{
		Machine:    m,
		Layout:     cluster.Layout{Nodes: 1, RanksPerNode: k.Ranks, ThreadsPerRank: max(1, k.threads), Ranking: cluster.Sequential, Model: cluster.Flat},
		Segment:    k.segment,
		EagerLimit: -1,
		Seed:       1,
	}
	c := newCommon(k.Ranks, k.buffer)
	return cluster.Launch(ctx, f, spec, func(r *cluster.Rank) error {
		stayed := false
		defer func() { // also when the fabric unwinds the rank
			if !stayed {
				c.abandon()
			}
		}()
		err := k.play(r, c, referee)
		stayed = err == nil
		return err
	})
}

func (k *Case) play(r *cluster.Rank, c *common, referee func(turner) error) error {
	value, limit, err := k.sides(r, c)
	if err != nil {
		return err
	}
	var now order // this rank's copy of the order
	run := func() error {
		switch now.what {
		case playValue:
			return value(now.n)
		case playLimit:
			return limit(now.n)
		}
		return nil
	}
	// A turn stands between two barriers: after the first the order may be read,
	// after the second it may be written again.
	if r.ID() != 0 {
		for {
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
			if now = c.order; now.what == leave {
				return nil
			}
			if err := run(); err != nil {
				return err
			}
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
		}
	}
	turn := func(what which, n int) (time.Duration, error) {
		now = order{what, n}
		c.order = now
		if err := r.Barrier(r.All()); err != nil {
			return 0, err
		}
		took := k.watch()
		err := run()
		span := took()
		if err != nil {
			return 0, err
		}
		return span, r.Barrier(r.All())
	}
	if err := referee(turn); err != nil {
		return err
	}
	c.order.what = leave
	return r.Barrier(r.All())
}

// watch begins a turn; what it gives says how long the turn took.
func (k *Case) watch() func() time.Duration {
	if k.cpu {
		had, _ := processorTime()
		return func() time.Duration {
			has, _ := processorTime()
			return has - had
		}
	}
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Cases lists the hot paths, in the order of the table.
func Cases() []Case {
	var all []Case
	for _, some := range [][]Case{memoryCases(), messageCases(), barrierCases()} {
		all = append(all, some...)
	}
	return all
}

// Names lists the rows.
func Names() []string {
	var names []string
	for _, k := range Cases() {
		names = append(names, k.Name)
	}
	return names
}
