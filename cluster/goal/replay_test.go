package goal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/goal"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// loggops is a machine of LogGP's terms only.
func loggops(c coll.Cost) cluster.Machine {
	m := cluster.Machine{Name: "loggops", ClockTime: new(cluster.Time), Progress: cluster.ProgressCall,
		EagerLimit: 1 << 40, Flops: 1e12}
	for i := range m.Classes {
		m.Classes[i] = cluster.Link{Latency: c.L, Overhead: c.O, Gap: c.Gap, Bandwidth: 1 / c.G.Seconds(), Adapters: 1}
	}
	return m
}

// replay runs GOAL text on a simulated machine, one rank per node, and returns the end of
// the last rank.
func replay(t *testing.T, text string, m cluster.Machine) (cluster.Time, error) {
	t.Helper()
	p, err := goal.Load(strings.NewReader(text), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.NewReplay(m.Flops)
	if err != nil {
		return 0, err
	}
	spec := cluster.Spec{Machine: m, EagerLimit: -1, Seed: 1,
		Layout: cluster.Layout{Nodes: p.Size(), RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat}}
	last := cluster.Time(0)
	err = cluster.Launch(t.Context(), sim.New(), spec, func(r *cluster.Rank) error {
		err := g.Rank(r)
		last = max(last, r.Now())
		return err
	})
	var a *cluster.Abort
	if errors.As(err, &a) && a.Reason == cluster.ReasonDeadlock {
		err = g.Deadlock(a.Waits)
	}
	return last, err
}

// Foreign programs take the time of the model on a machine of LogGP's terms: chains, rounds, any
// order of arrival, and operations that can start before another ends.
func TestReplayTakesThePrice(t *testing.T) {
	cost := coll.Cost{L: 2500 * ns, O: 1500 * ns, Gap: 1000 * ns, G: 6 * ns}
	for name, text := range map[string]string{
		"one message":   "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n",
		"no operations": "num_ranks 2\n",
		"calculations": "num_ranks 2\nrank 0 {\na: calc 700\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b " +
			"from 0\nb: calc 12345\nb requires a\n}\n",
		"from any": "num_ranks 3\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from -1 tag 7\nb requires " +
			"a\n}\nrank 1 {\nc: calc 5000\ns: send 8b to 0 tag 7\ns requires c\n}\nrank 2 {\nsend 8b to 0 tag 3\n}\n",
		"started": "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb irequires a\n}\nrank 1 {\na: " +
			"recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n",
		"a ring":        ring(7, 400),
		"dissemination": dissemination(16, 100),
	} {
		p, err := goal.Load(strings.NewReader(text), 1<<20)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := p.Price(cost)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := replay(t, text, loggops(cost))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got != want.Last() {
			t.Errorf("%s takes %s (%d), want %s (%d)", name, got, got, want.Last(), want.Last())
		}
	}
}

func ring(ranks, size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d {\ns: send %db to %d\nr: recv %db from %d\n", r, size, (r+1)%ranks, size, (r+ranks-1)%ranks)
		if r > 0 {
			fmt.Fprintln(&b, "s requires r")
		}
		fmt.Fprintln(&b, "}")
	}
	return b.String()
}

func dissemination(ranks, size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d {\n", r)
		for i, d := 0, 1; d < ranks; i, d = i+1, 2*d {
			fmt.Fprintf(&b, "s%d: send %db to %d tag %d\nr%d: recv %db from %d tag %d\n", i, size, (r+d)%ranks, i, i, size,
				(r+ranks-d)%ranks, i)
			if i > 0 {
				fmt.Fprintf(&b, "s%d requires r%d\n", i, i-1)
			}
		}
		fmt.Fprintln(&b, "}")
	}
	return b.String()
}

// The error about a program that cannot end names the waiting ranks. A program that
// calculates on processors of unknown speed is refused before it starts.
func TestReplayRefuses(t *testing.T) {
	m := loggops(coll.Cost{L: 1000 * ns, O: 100 * ns, Gap: 10 * ns, G: 1 * ns})
	_, err := replay(t, "num_ranks 3\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\nrecv "+
		"8b from -1 tag 4\n}\nrank 2 {\nsend 8b to 0\n}\n", m)
	const want = "deadlock: 3 operations left; rank 0 waits for rank 1 with tag 0; rank 1 waits for any rank with tag 4"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	m.EagerLimit = 0 // sends wait as well
	if _, err := replay(t, "num_ranks 2\nrank 1 {\nsend 8b to 0\n}\n", m); err == nil ||
		!strings.Contains(err.Error(), "none of them a receive: sends that wait") ||
		!strings.Contains(err.Error(), "on ranks [1]") {
		t.Errorf("a send that nobody receives: %v", err)
	}
	m.Flops = 0
	if _, err := replay(t, "num_ranks 1\nrank 0 {\ncalc 8\n}\n", m); err == nil ||
		!strings.Contains(err.Error(), "has no flop rate") {
		t.Errorf("no flop/s: %v", err)
	}
}
