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
	Doc    string // description of one operation
	Unit   string
	Limit  string  // description of the limit
	Target float64 // see Row
	Why    string  // reason of the target, or purpose of the row
	Ranks  int

	threads int   // threads per rank; 0: one
	segment int64 // bytes of the segment per rank
	buffer  int   // bytes of each buffer in common.bytes
	size    int   // bytes per operation, for a rate in B/s
	least   int   // minimum iterations per turn, if the ends of a turn would affect the result
	// computes: ranks do not communicate, so the result is the shortest time of several launches.
	// It also depends on the memory layout of a launch.
	computes bool
	// cpu: the result is the processor time of the process, not the elapsed time.
	cpu bool
	// beyond: an iteration of the value contains one of the limit. The result is the difference.
	beyond bool
	// bound is the largest possible ratio by which the path can beat its limit. A larger ratio
	// means that the limit was measured wrong. 0: the limit is an alternative implementation,
	// without a bound.
	bound float64
	// Operations in one iteration of each side.
	valueOps, limitOps float64
	// sides returns the two sides for one rank. Each runs n iterations on every rank. When rank 0's
	// call returns, the iterations are complete.
	sides func(r *cluster.Rank, c *common) (value, limit side, err error)
}

// Bounds. hard can only be exceeded by noise. pipelined applies to a limit that transfers one cache
// line at a time, because a core can have about ten in flight.
const (
	hard      = 1.5
	pipelined = 10
)

// side runs n iterations.
type side func(n int) error

// order is the next command of rank 0 to all ranks.
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

// turner runs n iterations of one side on every rank, and returns rank 0's time.
type turner func(what which, n int) (time.Duration, error)

// launch runs the case's ranks. referee runs on rank 0 and orders the turns.
func (k *Case) launch(ctx context.Context, f cluster.Fabric, m cluster.Machine, referee func(turner) error) error {
	spec := cluster.Spec{
		Machine: m,
		Layout: cluster.Layout{Nodes: 1, RanksPerNode: k.Ranks, ThreadsPerRank: max(1, k.threads),
			Ranking: cluster.Sequential, Model: cluster.Flat},
		Segment:    k.segment,
		EagerLimit: -1,
		Seed:       1,
	}
	c := newCommon(k.Ranks, k.buffer)
	return cluster.Launch(ctx, f, spec, func(r *cluster.Rank) error {
		stayed := false
		defer func() { // also if the fabric unwinds the rank
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
	// A turn is between two barriers. The order can be read after the first, and written again
	// after the second.
	if r.ID() != 0 {
		for {
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
			now = c.order
			if now.what == leave {
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
		now = order{what: what, n: n}
		c.order = now
		if err := r.Barrier(r.All()); err != nil {
			return 0, err
		}
		took := k.startTimer()
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

// startTimer starts a turn. The returned function returns the duration of the turn.
func (k *Case) startTimer() func() time.Duration {
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

// Cases returns the hot paths, in the order of the table.
func Cases() []Case {
	var all []Case
	for _, some := range [][]Case{memoryCases(), messageCases(), barrierCases()} {
		all = append(all, some...)
	}
	return all
}

// Names returns the names of the rows.
func Names() []string {
	var names []string
	for _, k := range Cases() {
		names = append(names, k.Name)
	}
	return names
}
