package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// collective is a row of collectives: one call with a number of bytes.
type collective struct {
	what  coll.Collective
	name  string // MPI's name, used in rows
	bytes int    // of the data, or of each block of an all-to-all
	peer  string // the size in the names of values that the programs print
}

var collectives = []collective{
	{coll.OpBcast, "bcast", 8, "8B"}, {coll.OpBcast, "bcast", 65536, "64K"},
	{coll.OpAllreduce, "allreduce", 8, "8B"}, {coll.OpAllreduce, "allreduce", 65536, "64K"},
	{coll.OpExchange, "alltoall", 8, "8B"}, {coll.OpExchange, "alltoall", 4096, "4K"},
}

var collectiveRanks = []int{2, 8, 64}

// CollectiveCases returns collectives with the library's choice of algorithm. Each call is between
// two barriers. The same calls follow back to back, which measures the rate of issue.
func CollectiveCases() []Case {
	var all []Case
	for _, withBarrier := range []bool{true, false} {
		for _, ranks := range collectiveRanks {
			for _, c := range collectives {
				all = append(all, c.row(ranks, withBarrier))
			}
		}
	}
	return all
}

// CollectiveNames returns the names of the rows.
func CollectiveNames() []string {
	var names []string
	for _, k := range CollectiveCases() {
		names = append(names, k.Name)
	}
	return names
}

// backToBack is the suffix of rows whose calls have no barrier between them.
const backToBack = "_row"

// collectiveLine returns the name of a row's value in the output of the programs, or "" for other
// rows.
func collectiveLine(row string) string {
	row, isBackToBack := strings.CutSuffix(row, backToBack)
	for _, ranks := range collectiveRanks {
		for _, c := range collectives {
			if row != c.row(ranks, true).Name {
				continue
			}
			line := fmt.Sprintf("np%d_%s_%s", ranks, c.name, c.peer)
			if !isBackToBack {
				line += "_apart"
			}
			return line
		}
	}
	return ""
}

func (c collective) row(ranks int, withBarrier bool) Case {
	k := Case{
		Name: fmt.Sprintf("%s%d_%d", c.name, c.bytes, ranks), Unit: seconds, Ranks: ranks, beyond: withBarrier,
		Doc: fmt.Sprintf("a call of coll's %s on %d B among %d ranks: time in addition to the barrier after it", c.what,
			c.bytes, ranks),
		Limit: "only the barrier", Why: "at most Open MPI's time", least: 10, valueOps: 1, limitOps: 1,
	}
	if !withBarrier {
		k.Name += backToBack
		k.Doc = fmt.Sprintf("a call of coll's %s on %d B among %d ranks, back to back", c.what, c.bytes, ranks)
		k.Why = "the rate of issue"
	}
	k.sides = func(r *cluster.Rank, _ *common) (value, limit side, err error) {
		call, err := c.call(r)
		if err != nil {
			return nil, nil, err
		}
		limit = func(n int) error {
			for range n {
				if err := r.Barrier(r.All()); err != nil {
					return err
				}
			}
			return nil
		}
		value = func(n int) error {
			for range n {
				if err := call(); err != nil {
					return err
				}
				if !withBarrier {
					continue
				}
				if err := r.Barrier(r.All()); err != nil {
					return err
				}
			}
			return nil
		}
		return value, limit, nil
	}
	return k
}

// call returns a collective on a team of all ranks. It checks the result of the first call.
func (c collective) call(r *cluster.Rank) (func() error, error) {
	comm, err := coll.New(r, r.All())
	if err != nil {
		return nil, err
	}
	key, err := comm.Choose(c.what, int64(c.bytes), 0)
	if err != nil {
		return nil, err
	}
	words, me := c.bytes/8, int64(r.ID())
	x := coll.Call{Key: key, Blocks: key.Blocks(int64(c.bytes), 8)}
	x.Combine, err = coll.Combining[int64](r, "combine", cluster.Sum)
	if err != nil {
		return nil, err
	}
	x.CombineAll, err = coll.CombiningAll[int64](r, "combine", cluster.Sum)
	if err != nil {
		return nil, err
	}
	blocks := 1
	if c.what == coll.OpExchange {
		blocks = r.Ranks()
	}
	in, out := make([]int64, blocks*words), make([]int64, blocks*words)
	for i := range in {
		in[i] = 1000*me + int64(i/words)
	}
	x.In, x.Out = cluster.Of(in), cluster.Of(out)
	want := func(block int) int64 { return 1000*int64(block) + me } // value that member block has for this one
	switch {
	case c.what == coll.OpBcast:
		x.In = cluster.Data{}
		want = func(int) int64 { return 0 }
		if me != 0 {
			out[0] = 1
		}
	case c.what == coll.OpAllreduce:
		want = func(int) int64 { return 500 * int64(r.Ranks()) * int64(r.Ranks()-1) }
	}
	if err := comm.Do(x); err != nil {
		return nil, err
	}
	for i, v := range out {
		if v != want(i/words) {
			return nil,
				fmt.Errorf("rank %d: %s by %s: word %d is %d, want %d", r.ID(), c.what, key.Algorithm.Name, i, v, want(i/words))
		}
	}
	return func() error { return comm.Do(x) }, nil
}

// CollectiveRows measures collectives of several sizes among 2, 8 and 64 ranks, each against only
// the barrier.
func CollectiveRows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	return newTable("bench collectives", CollectiveCases(), "collectives").rows(ctx, &o, progress)
}
