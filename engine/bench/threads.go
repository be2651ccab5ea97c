package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// The limit of every row with more than one thread.
const oneThread = "one thread, in alternating turns"

// ThreadCase is a path between pairs of threads of two ranks, all at the same time: thread i of
// rank 0 with thread i of rank 1. Each pair has its own team, as MPI programs use one communicator
// per thread.
type ThreadCase struct {
	Case
	Reference *ThreadCase // the same path with one thread; nil: this is that path
}

// ThreadCases returns the rows of the threads, in the order of the table.
func ThreadCases() []ThreadCase {
	lat := threadCase("mt1_lat_8B", 1, false, pairTrips)
	rate := threadCase("mt1_msgrate_8B_w64", 1, false, pairStream)
	cases := []ThreadCase{lat, rate}
	for _, k := range []ThreadCase{
		threadCase("mt2_lat_8B", 2, false, pairTrips),
		threadCase("mt2_msgrate_8B_w64", 2, false, pairStream),
		threadCase("ep2_lat_8B", 2, true, pairTrips),
		threadCase("ep2_msgrate_8B_w64", 2, true, pairStream),
	} {
		k.Reference = &lat
		k.Limit = oneThread
		k.Why = "compare with one thread"
		k.bound = hard
		if k.Unit == perSecond {
			k.Reference = &rate
			k.Target = 1
			k.Why = "threads do not slow each other down"
			k.bound *= max(1, min(float64(k.threads), float64(runtime.GOMAXPROCS(0))/float64(k.Ranks)))
		}
		cases = append(cases, k)
	}
	return cases
}

// ThreadNames returns the names of the rows.
func ThreadNames() []string {
	var names []string
	for _, k := range ThreadCases() {
		names = append(names, k.Name)
	}
	return names
}

// pairSide returns the operation of one thread in an iteration with its partner in the other rank.
type pairSide func(t *cluster.Thread, team *cluster.Team) func() error

func threadCase(name string, threads int, endpoints bool, pair pairSide) ThreadCase {
	k := ThreadCase{Case: Case{
		Name: name, Ranks: 2, threads: threads,
		Unit: seconds, Limit: "cache line to the other core, one way", Why: "compare with pingpong8",
		Doc:      "Send and Recv of 8 B there and back, one way; the slowest pair",
		valueOps: 2, limitOps: 2, bound: hard,
	}}
	if name[len(name)-1] == '4' {
		k.Unit = perSecond
		k.Limit = "one message per cache line to the other core, one way"
		k.Why = "compare with msgrate8"
		k.Doc = fmt.Sprintf("Isend and Irecv of 8 B, %d outstanding per pair, one reply per window; all pairs together",
			window)
		k.valueOps, k.bound = float64(window*threads), pipelined
	}
	how := "one duplicate of MPI_COMM_WORLD per thread"
	if endpoints {
		how = "one endpoint per thread"
	}
	k.Doc = fmt.Sprintf("%s; %d threads per rank, %s", k.Doc, threads, how)
	k.sides = func(r *cluster.Rank, c *common) (value, limit side, err error) {
		teams, err := pairTeams(r, threads, endpoints)
		if err != nil {
			return nil, nil, err
		}
		value = func(n int) error {
			return r.Fork(threads, func(t *cluster.Thread) error {
				once := pair(t, teams[t.Number()])
				for range n {
					if err := once(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return value, c.pingpong(r.ID(), nil), nil
	}
	return k
}

// pairTeams returns a team for each thread.
func pairTeams(r *cluster.Rank, threads int, endpoints bool) ([]*cluster.Team, error) {
	if endpoints {
		return r.Endpoints(r.World(), threads)
	}
	teams := make([]*cluster.Team, threads)
	for i := range teams {
		var err error
		teams[i], err = r.Dup(r.World())
		if err != nil {
			return nil, err
		}
	}
	return teams, nil
}

// pairTrips sends 8 bytes there and back.
func pairTrips(t *cluster.Thread, team *cluster.Team) func() error {
	out, in := make([]uint64, 1), make([]uint64, 1)
	sent, got := cluster.Bytes(out), cluster.Bytes(in)
	other := 1 - t.ID()
	send := func() error { return t.Send(team, other, tagData, cluster.Of(sent)) }
	receive := func() error {
		if _, err := t.Recv(team, other, tagData, cluster.Of(got)); err != nil {
			return err
		}
		if in[0] != out[0] {
			return fmt.Errorf("rank %d thread %d: message %d has the number %d", t.ID(), t.Number(), out[0], in[0])
		}
		return nil
	}
	first, second := send, receive
	if t.ID() == 1 {
		first, second = receive, send
	}
	return func() error {
		out[0]++
		if err := first(); err != nil {
			return err
		}
		return second()
	}
}

// pairStream sends a window of messages from rank 0 to rank 1 and a reply back.
func pairStream(t *cluster.Thread, team *cluster.Team) func() error {
	words := make([]uint64, window)
	requests := make([]cluster.Request, window)
	ack := make([]byte, 1)
	other := 1 - t.ID()
	if t.ID() == 0 {
		for i := range words {
			words[i] = uint64(i) + 1
		}
		return func() error {
			for i := range requests {
				if err := t.Isend(&requests[i], team, other, tagData, cluster.Of(words[i:i+1])); err != nil {
					return err
				}
			}
			if err := t.Waitall(requests, nil); err != nil {
				return err
			}
			_, err := t.Recv(team, other, tagAck, cluster.Of(ack))
			return err
		}
	}
	return func() error {
		for i := range requests {
			if err := t.Irecv(&requests[i], team, other, tagData, cluster.Of(words[i:i+1])); err != nil {
				return err
			}
		}
		if err := t.Waitall(requests, nil); err != nil {
			return err
		}
		for i, w := range words {
			if w != uint64(i)+1 {
				return fmt.Errorf("rank 1 thread %d: message %d of the window is %d, want %d", t.Number(), i, w, i+1)
			}
			words[i] = 0
		}
		return t.Send(team, other, tagAck, cluster.Of(ack))
	}
}

// ThreadRows measures the rows of the threads. One thread per rank is compared with the cache
// line's one-way time. More threads are compared with one thread, which has alternating turns in a
// separate cluster.
func ThreadRows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	t := &table[ThreadCase]{
		name:     "bench threads",
		cases:    ThreadCases(),
		nameOf:   func(k *ThreadCase) string { return k.Name },
		measure:  (*ThreadCase).measure,
		programs: []string{"mt"},
	}
	return t.rows(ctx, &o, progress)
}

func (k *ThreadCase) measure(ctx context.Context, o *Options) (Row, error) {
	var row Row
	var err error
	if k.Reference == nil {
		row, err = k.Case.measure(ctx, o)
	} else {
		row, err = k.measureWithReference(ctx, o)
	}
	row.Compare = "MPI_THREAD_MULTIPLE, " + row.Compare
	return row, err
}

// measureWithReference runs the rounds of a case alternating with the rounds of its reference case,
// each in its own cluster. The ranks of the other cluster are parked meanwhile.
func (k *ThreadCase) measureWithReference(ctx context.Context, o *Options) (Row, error) {
	var all rounds
	allocs := 0.0
	limited := k.Case
	limited.limitOps = k.Reference.valueOps
	for launch := 0; launch == 0 || limited.needsLaunch(launch, all); launch++ {
		err := k.launchBoth(ctx, o, func(value, reference turner) error {
			some, a, err := k.alternate(o, value, &k.Reference.Case, reference, playValue)
			all, allocs = append(all, some...), max(allocs, a)
			return err
		})
		if err != nil {
			return Row{}, err
		}
	}
	row := limited.row(all)
	row.Allocs = allocs
	row.Compare = comparedRun(k.Ranks*k.threads, runtime.GOMAXPROCS(0))
	return row, nil
}

// launchBoth launches both clusters. The referee orders the turns of both.
func (k *ThreadCase) launchBoth(ctx context.Context, o *Options, referee func(value, reference turner) error) error {
	return k.Reference.launch(ctx, o.Fabric, o.Machine, func(reference turner) error {
		referenceValue := func(_ which, n int) (time.Duration, error) { return reference(playValue, n) }
		return k.launch(ctx, o.Fabric, o.Machine, func(value turner) error { return referee(value, referenceValue) })
	})
}
