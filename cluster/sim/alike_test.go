package sim_test

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// alikeRun has the observations of a program with alike calls, and the outcome of its run.
type alikeRun struct {
	ends    [][]cluster.Time // by rank: end of each call
	traffic []cluster.Traffic
	hash    uint64
	total   cluster.Time
	events  uint64
	path    sim.Path
	part    sim.Path
	lanes   [][]timeline.Interval
	sums    []timeline.Sums
}

// alikeCase is a program whose ranks make a call alike.
type alikeCase struct {
	name  string
	m     cluster.Machine
	nodes int
	cores int
	size  int64
	key   func(ranks int) (coll.Key, error)
	from  int // first rank with marks
}

// prepare makes the communicator of the call and its key.
func (c *alikeCase) prepare(r *cluster.Rank) (*coll.Comm, coll.Key, error) {
	comm, err := coll.New(r, r.World())
	if err != nil {
		return nil, coll.Key{}, err
	}
	key, err := c.key(r.Ranks())
	return comm, key, err
}

// alikeProgram starts at the same time, makes a call with bytes and one with sizes, and ends with an
// allreduce, which is not alike.
func alikeProgram(c alikeCase, out *alikeRun) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		comm, key, err := c.prepare(r)
		if err != nil {
			return err
		}
		what := key.Algorithm.Collective
		in, outSize := what.Lengths(r.Ranks(), true, c.size)
		bytes := [2][]byte{make([]byte, in), make([]byte, outSize)}
		for i := range bytes[0] {
			bytes[0][i] = byte(7*r.ID() + 13*i)
		}
		unit := int64(1)
		if what.Combines() {
			unit = 8
		}
		for k := range 3 {
			if err := r.Barrier(r.World()); err != nil {
				return err
			}
			r.Compute(cluster.Work{Until: cluster.Time(k+1) * 100 * cluster.Millisecond}, nil)
			mark := func(begin bool) {
				if r.ID() >= c.from {
					r.Lib().Port().(interface{ Mark(bool) }).Mark(begin)
				}
			}
			mark(true)
			call := coll.Call{Key: key, Blocks: key.Blocks(c.size, unit), In: cluster.Of(bytes[0]), Out: cluster.Of(bytes[1]),
				Combine: func(acc, in []byte) {
					for i := range acc {
						acc[i] += in[i]
					}
				}}
			if k == 1 {
				call.In, call.Out = cluster.Sized(in), cluster.Sized(outSize)
			}
			if err := comm.DoAlike(call); err != nil {
				return err
			}
			mark(false)
			r.Lib().Port().Now()
			out.ends[r.ID()] = append(out.ends[r.ID()], sim.Clock(r.Lib().Port()))
			if err := r.Barrier(r.World()); err != nil {
				return err
			}
			if wrong := wrongByte(what, r, c.size, bytes[1]); wrong >= 0 {
				return fmt.Errorf("rank %d, call %d: byte %d is wrong", r.ID(), k, wrong)
			}
		}
		if err := comm.Free(); err != nil {
			return err
		}
		to := (r.ID() + 1) % r.Ranks()
		var q cluster.Request
		if err := r.Irecv(&q, r.World(), (r.ID()+r.Ranks()-1)%r.Ranks(), 1, cluster.Sized(100)); err != nil {
			return err
		}
		if err := r.Send(r.World(), to, 1, cluster.Sized(100)); err != nil {
			return err
		}
		if _, err := r.Wait(&q); err != nil {
			return err
		}
		out.traffic[r.ID()] = *r.Traffic()
		return nil
	}
}

// wrongByte returns the first wrong byte of a result, or −1.
func wrongByte(what coll.Collective, r *cluster.Rank, size int64, got []byte) int {
	in := func(rank int, i int64) byte { return byte(7*rank + 13*int(i)) }
	for i := range int64(len(got)) {
		from, at := int(i/size), i%size
		want := byte(0)
		switch what {
		case coll.OpExchange:
			want = in(from, int64(r.ID())*size+at)
		case coll.OpAllgather:
			want = in(from, at)
		case coll.OpAllreduce:
			for k := range r.Ranks() {
				want += in(k, i)
			}
		case coll.OpReduceScatter:
			for k := range r.Ranks() {
				want += in(k, int64(r.ID())*size+i)
			}
		}
		if got[i] != want {
			return int(i)
		}
	}
	return -1
}

// runAlike runs the program of a case.
func runAlike(t *testing.T, c alikeCase, f *sim.Fabric, lanes bool) *alikeRun {
	t.Helper()
	s := clustertest.Spec(c.m, c.nodes, c.cores)
	out := &alikeRun{ends: make([][]cluster.Time, c.nodes*c.cores), traffic: make([]cluster.Traffic, c.nodes*c.cores)}
	if lanes {
		s.Timeline = timeline.NewRecorder(s.Layout, false)
	}
	run, err := simulate(t, f, s, alikeProgram(c, out))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	out.hash, out.total, out.events, out.path, out.part = run.Hash(), run.Total(), run.Events(), run.Path(), run.Explained()
	if lanes {
		view := timeline.Of(&s).View()
		for i := range view.Lanes {
			lane := &view.Lanes[i]
			out.lanes = append(out.lanes, slices.Collect(lane.Intervals(0, lane.To())))
			out.sums = append(out.sums, lane.Sums(lane.To(), nil))
		}
	}
	return out
}

// keyOf returns a function that returns the key of an algorithm.
func keyOf(what coll.Collective, name string, p coll.Parameters) func(ranks int) (coll.Key, error) {
	return func(ranks int) (coll.Key, error) {
		p.Ranks = ranks
		for _, a := range coll.Of(what) {
			if a.Name == name {
				return a.Key(p)
			}
		}
		return coll.Key{}, fmt.Errorf("no algorithm %s of %s", name, what)
	}
}

// alikeAlgorithms are algorithms in which all ranks do the same.
var alikeAlgorithms = []struct {
	what coll.Collective
	name string
}{
	{coll.OpExchange, "flat"}, {coll.OpExchange, "pairwise"}, {coll.OpExchange, "bruck"},
	{coll.OpAllgather, "ring"}, {coll.OpAllgather, "bruck"}, {coll.OpAllreduce, "ring"}, {coll.OpReduceScatter, "pairwise"},
}

// TestAlikeCalls runs programs whose ranks make calls alike. The hash, all times, the traffic, the critical paths and the
// timelines are the same, whether one node represents all nodes or every node is simulated.
func TestAlikeCalls(t *testing.T) {
	layouts := [][2]int{{2, 1}, {3, 2}, {4, 5}}
	sizes := []int64{8, 3000}
	seeds := uint64(6)
	if os.Getenv("CONFORM") != "" {
		layouts, sizes, seeds = append(layouts, [2]int{7, 9}, [2]int{30, 2}), append(sizes, 20_000), 8
	}
	runs, merged := 0, 0
	for _, a := range alikeAlgorithms {
		for _, layout := range layouts {
			for _, size := range sizes {
				for seed := range seeds {
					m := uniform(seed)
					c := alikeCase{fmt.Sprintf("%s by %s on %d × %d, %d B, seed %d", a.what, a.name, layout[0], layout[1], size, seed), m,
						layout[0], layout[1], size, keyOf(a.what, a.name, coll.Parameters{}), 0}
					if a.what.Combines() {
						c.size = size / 8 * 8
						if c.size == 0 {
							continue
						}
					}
					merged += compareAlike(t, c)
					runs++
				}
			}
		}
	}
	if t.Logf("one node represented all in %d of %d programs", merged, runs); 2*merged < runs {
		t.Error("want at least half of them")
	}
}

// TestAlikeCallsOfUncopiedBytes runs alike calls with rendezvous inside and between nodes on machines whose copies
// depend on the bytes that a sender's receivers have not copied yet.
func TestAlikeCallsOfUncopiedBytes(t *testing.T) {
	for seed := range uint64(4) {
		m := uniform(seed)
		m.EagerLimit = 1
		node := &m.Classes[cluster.InNode]
		node.EagerCopy, node.SingleCopy, node.Uncached = 5e9, 5e9, cluster.Uncached{Limit: 4000, Copy: 2e9}
		for _, name := range []string{"flat", "pairwise"} {
			compareAlike(t, alikeCase{name: fmt.Sprintf("%s, seed %d", name, seed), m: m, nodes: 4, cores: 5, size: 3000,
				key: keyOf(coll.OpExchange, name, coll.Parameters{})})
		}
	}
}

// TestAlikeCallsWithMarksOfSomeRanks marks calls only on the ranks of the last node.
func TestAlikeCallsWithMarksOfSomeRanks(t *testing.T) {
	compareAlike(t, alikeCase{name: "marks of some ranks", m: uniform(0), nodes: 4, cores: 5, size: 3000,
		key: keyOf(coll.OpExchange, "pairwise", coll.Parameters{}), from: 15})
}

// TestAlikeCallsOfManyRanks is TestAlikeCalls with 1,024 ranks.
func TestAlikeCallsOfManyRanks(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("long; runs with CONFORM=1")
	}
	for _, seed := range []uint64{0, 3} {
		c := alikeCase{fmt.Sprintf("exchange by pairwise, seed %d", seed), uniform(seed), 32, 32, 8,
			keyOf(coll.OpExchange, "pairwise", coll.Parameters{}), 0}
		if compareAlike(t, c) == 0 {
			t.Errorf("%s: no node represented the others", c.name)
		}
	}
}

// TestAlikeCallNeedsBarrier tests that a run ends with an error if a rank sends a message after a call that is
// alike, before all ranks have ended it.
func TestAlikeCallNeedsBarrier(t *testing.T) {
	c := alikeCase{m: uniform(0), key: keyOf(coll.OpExchange, "pairwise", coll.Parameters{})}
	_, err := simulate(t, sim.New(), clustertest.Spec(c.m, 4, 5), func(r *cluster.Rank) error {
		comm, key, err := c.prepare(r)
		if err != nil {
			return err
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		r.Compute(cluster.Work{Until: cluster.Millisecond}, nil)
		all := cluster.Sized(int64(3000 * r.Ranks()))
		if err := comm.DoAlike(coll.Call{Key: key, Blocks: key.Blocks(3000, 1), In: all, Out: all}); err != nil {
			return err
		}
		return r.Send(r.World(), (r.ID()+1)%r.Ranks(), 0, cluster.Sized(8))
	})
	if err == nil || !strings.Contains(err.Error(), "let all ranks enter a barrier first") {
		t.Errorf("error %v, want one about a missing barrier", err)
	}
}

// TestFailureInAlikeCall tests that a panic and a wrong size in a call that one node makes for all nodes end every rank.
func TestFailureInAlikeCall(t *testing.T) {
	for _, text := range []string{"panic", "size", "algorithm"} {
		_, err := simulate(t, sim.New(), clustertest.Spec(uniform(0), 3, 2), func(r *cluster.Rank) error {
			comm, err := coll.New(r, r.World())
			if err != nil {
				return err
			}
			name := "ring"
			if text == "algorithm" && r.ID() == 4 {
				name = "recursive-doubling"
			}
			key, err := keyOf(coll.OpAllreduce, name, coll.Parameters{})(r.Ranks())
			if err != nil {
				return err
			}
			if err := r.Barrier(r.World()); err != nil {
				return err
			}
			r.Compute(cluster.Work{Until: cluster.Millisecond}, nil)
			size := int64(8 * r.Ranks())
			if text == "size" && r.ID() == 4 {
				size *= 2
			}
			in, out := make([]byte, size), make([]byte, size)
			return comm.DoAlike(coll.Call{Key: key, Blocks: key.Blocks(size, 8), In: cluster.Of(in), Out: cluster.Of(out),
				Combine: func(_, _ []byte) {
					if text == "panic" {
						panic("a combination failed")
					}
				}})
		})
		if err == nil {
			t.Errorf("%s: no error", text)
		} else {
			t.Log(err)
		}
	}
}

// uniform returns a machine with one adapter per node and no shared link. Without a seed its times are round, so
// that many events have the same time.
func uniform(seed uint64) cluster.Machine {
	if seed == 0 {
		m := clustertest.Priced()
		m.Classes[cluster.Remote].Bandwidth = 1e10
		m.Classes[cluster.Remote].Overhead, m.Classes[cluster.Remote].Gap = 100*cluster.Nanosecond, 100*cluster.Nanosecond
		return m
	}
	m := burdened(seed)
	m.Topology, m.LinkNoise, m.ComputeNoise, m.Slow, m.Server = cluster.Topology{}, 0, 0, nil, cluster.Server{}
	m.DetourRate, m.DetourLength, m.Device = 0, 0, cluster.Device{}
	remote := &m.Classes[cluster.Remote]
	remote.Adapters, remote.Gap, remote.Latency = 1, max(remote.Gap, 1), max(remote.Latency, 1)
	return m
}

// compareAlike runs a case in both ways, and returns 1 if one node represented all.
func compareAlike(t *testing.T, c alikeCase) int {
	t.Helper()
	each := runAlike(t, c, &sim.Fabric{EachNode: true}, false)
	one := runAlike(t, c, &sim.Fabric{}, false)
	if each.hash != one.hash || each.total != one.total || !slices.EqualFunc(each.ends, one.ends, slices.Equal) {
		t.Fatalf("%s: hash %016x and %d ps with one node, %016x and %d ps with each; ends\n%v\n%v", c.name, one.hash, one.total, each.hash,
			each.total, one.ends, each.ends)
	}
	if each.events != one.events {
		t.Fatalf("%s: %d events with one node, %d with each", c.name, one.events, each.events)
	}
	if !reflect.DeepEqual(each.traffic, one.traffic) {
		t.Fatalf("%s: the traffic differs", c.name)
	}
	tracedEach := runAlike(t, c, &sim.Fabric{EachNode: true, Trace: true}, false)
	tracedOne := runAlike(t, c, &sim.Fabric{Trace: true}, false)
	merged := 0
	if tracedOne.path.Records < tracedEach.path.Records {
		merged = 1
	}
	for _, p := range []*sim.Path{&tracedEach.path, &tracedEach.part, &tracedOne.path, &tracedOne.part} {
		p.Records, p.Choices = 0, 0
	}
	if tracedOne.hash != each.hash || !reflect.DeepEqual(tracedEach.path, tracedOne.path) {
		t.Fatalf("%s: the critical path differs:\n%+v\n%+v", c.name, tracedOne.path, tracedEach.path)
	}
	if !reflect.DeepEqual(tracedEach.part, tracedOne.part) {
		t.Fatalf("%s: the path of the last call differs:\n%+v\n%+v", c.name, tracedOne.part, tracedEach.part)
	}
	lanesEach, lanesOne := runAlike(t, c, &sim.Fabric{EachNode: true}, true), runAlike(t, c, &sim.Fabric{}, true)
	for i := range lanesEach.lanes {
		if !slices.Equal(lanesEach.lanes[i], lanesOne.lanes[i]) || lanesEach.sums[i] != lanesOne.sums[i] {
			t.Fatalf("%s: the lane of rank %d differs:\n%v\n%v", c.name, i, lanesOne.lanes[i], lanesEach.lanes[i])
		}
	}
	return merged
}
