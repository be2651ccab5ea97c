package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// TestRankingsArePermutations tests that every ranking gives each rank its own position, and the position decides the node and the
// socket.
func TestRankingsArePermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := layouts.Draw(t, "layout")
		if rapid.Bool().Draw(t, "list") {
			at := make([]int32, l.Ranks())
			for i := range at {
				at[i] = int32(i)
			}
			l.Ranking = cluster.ListOf(rapid.Permutation(at).Draw(t, "positions"))
		}
		sockets := rapid.IntRange(0, 5).Draw(t, "sockets")
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		per := (l.RanksPerNode + max(sockets, 1) - 1) / max(sockets, 1)
		taken := make([]bool, l.Ranks())
		for rank := range taken {
			at := l.PositionOf(rank, sockets)
			if at < 0 || at >= len(taken) || taken[at] {
				t.Fatalf("%+v: rank %d has position %d, of another rank or out of range", l, rank, at)
			}
			taken[at] = true
			if got, want := l.NodeOf(rank), at/l.RanksPerNode; got != want {
				t.Fatalf("%+v: rank %d at position %d is on node %d, want %d", l, rank, at, got, want)
			}
			if got, want := l.SocketOf(rank, sockets), at%l.RanksPerNode/per; got != want {
				t.Fatalf("%+v: rank %d at position %d is on socket %d, want %d", l, rank, at, got, want)
			}
		}
	})
}

// TestPositions lists the positions of ranks 0, 1, ... for nodes of two sockets.
func TestPositions(t *testing.T) {
	for _, c := range []struct {
		ranking       cluster.Ranking
		nodes, ranks  int
		wantPositions []int
	}{
		{cluster.Sequential, 2, 4, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{cluster.RoundRobin, 2, 4, []int{0, 4, 1, 5, 2, 6, 3, 7}},
		{cluster.PerSocket, 2, 4, []int{0, 2, 1, 3, 4, 6, 5, 7}},
		{cluster.PerSocket, 1, 5, []int{0, 3, 1, 4, 2}}, // the second socket has two ranks
		{cluster.Cubes, 4, 4, []int{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}},
		{"3-1", 1, 1, nil},
		{"6 0-5 7", 2, 4, []int{6, 0, 1, 2, 3, 4, 5, 7}},
	} {
		l := cluster.Layout{Nodes: c.nodes, RanksPerNode: c.ranks, ThreadsPerRank: 1, Ranking: c.ranking, Model: cluster.Flat}
		if c.wantPositions == nil {
			if err := l.Validate(); err == nil {
				t.Errorf("%s: not refused", c.ranking)
			}
			continue
		}
		var got []int
		for rank := range l.Ranks() {
			got = append(got, l.PositionOf(rank, 2))
		}
		if !slices.Equal(got, c.wantPositions) {
			t.Errorf("%s on %d×%d: %v, want %v", c.ranking, c.nodes, c.ranks, got, c.wantPositions)
		}
	}
}

// TestCubesKeepNeighbours tests that a node of cubes has a box of the grid. On 64 nodes of 8 ranks, it
// has 2 × 2 × 2 of 8 × 8 × 8 ranks. Three of six neighbours of every rank are in its node. In rank order a node has a row, and two are.
func TestCubesKeepNeighbours(t *testing.T) {
	for ranking, want := range map[cluster.Ranking]int{cluster.Sequential: 2, cluster.Cubes: 3} {
		l := cluster.Layout{Nodes: 64, RanksPerNode: 8, ThreadsPerRank: 1, Ranking: ranking, Model: cluster.Flat}
		near := 0
		for rank := range l.Ranks() {
			x := [3]int{rank / 64, rank / 8 % 8, rank % 8}
			for d := range x {
				for _, step := range []int{1, 7} {
					y := x
					y[d] = (y[d] + step) % 8
					if l.NodeOf(rank) == l.NodeOf(y[0]*64+y[1]*8+y[2]) {
						near++
					}
				}
			}
		}
		if near != want*512 {
			t.Errorf("%s: %d neighbours in the node, want %d", ranking, near, want*512)
		}
	}
}

// TestListsAreRefused tests that a list that is not a permutation is refused.
func TestListsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"0 1 1 3": "position 1: has ranks 1 and 2", "0-2 4": "rank 3 at position 4: want positions 0 to 3",
		"0 x": `"x": want a position`, "0-4194304": "want a position", "3-0": "want a position",
		"0-4194303 0-4194303": "more than 4194304 positions", "0-2": "a list of 3 positions: want one for each of 4 ranks",
		"0 \x1b[2J": `"\x1b[2J": want`, strings.Repeat("0 ", 40000): "want at most 65536",
	} {
		l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 1, Ranking: cluster.Ranking(text), Model: cluster.Flat}
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// TestRankFiles tests that a rank file has one position per line. Everything else is refused with the line.
func TestRankFiles(t *testing.T) {
	for text, want := range map[string]string{
		"0\n1\n2\n3\n": "0-3", "3\n2\n1\n0": "3 2 1 0", "0\r\n1\r\n": "0-1", "0\n2\n3\n1\n": "0 2-3 1",
		"":                                       `"ranks", line 1: want the position of rank 0`,
		"0\n\n1\n":                               `"ranks", line 2: "": want the position of rank 1`,
		"0\n0\n":                                 `line 2: position 0 is also on line 1`,
		"0\n5\n":                                 `line 2: position 5: want 0 to 1, because the file has 2 lines`,
		"0\n4194304\n":                           `line 2: position 4194304: want at most 4194303`,
		"-1\n":                                   `line 1: "-1": want the position of rank 0`,
		"0\n\x1b]0;x\a\n":                        `line 2: "\x1b]0;x\a": want`,
		"0\n" + strings.Repeat("1", 99) + "\n":   "line 2: 99 bytes: want",
		"0\n" + strings.Repeat("1", 5000) + "\n": "line 2: want the position of rank 1, at most 16 bytes",
		strings.Repeat("0000000\n", 1<<16):       "line 2: position 0 is also",
	} {
		got, err := cluster.ReadRanking(strings.NewReader(text), "ranks")
		if out := fmt.Sprint(got, err); !strings.Contains(out, want) {
			t.Errorf("%.30q: %s, want %s", text, out, want)
		}
	}
	var long, shuffled strings.Builder
	for i := range 1 << 17 {
		fmt.Fprintf(&long, "%09d\n", i)
	}
	for i := range 1 << 14 {
		fmt.Fprintln(&shuffled, i^1)
	}
	for text, want := range map[string]string{long.String(): "more than 1 MiB", shuffled.String(): "want at most 65536"} {
		if _, err := cluster.ReadRanking(strings.NewReader(text), "ranks"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %s", len(text), err, want)
		}
	}
}

// FuzzReadRanking tests that a ranking that a file gives is a permutation, and its own text reads back as the same.
func FuzzReadRanking(f *testing.F) {
	f.Add("0\n1\n")
	f.Add("2\n0\n1\n")
	f.Add("00\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := cluster.ReadRanking(strings.NewReader(text), "f")
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(c rune) bool { return c < ' ' }) {
				t.Errorf("control characters in %q", err)
			}
			return
		}
		at, err := r.Positions()
		if err != nil || cluster.ListOf(at) != r {
			t.Errorf("%q reads back as %v, %v", r, at, err)
		}
	})
}

// TestProcessesAreListed checks the list of a process's ranks in errors.
func TestProcessesAreListed(t *testing.T) {
	l := cluster.Layout{Nodes: 4, RanksPerNode: 3, ThreadsPerRank: 1, Group: 1, Ranking: cluster.RoundRobin}
	for _, c := range []struct {
		process, processes int
		want               string
	}{
		{0, 4, "rank 0, rank 4, rank 8"},
		{1, 2, "rank 2, rank 3, rank 6, rank 7, rank 10, rank 11"},
		{0, 1, "rank 0, rank 1, rank 2, rank 3, rank 4, rank 5, rank 6, rank 7, 4 ranks more"},
		{5, 6, "no rank"},
	} {
		if got := l.ListProcess(c.process, c.processes); got != c.want {
			t.Errorf("process %d of %d: %s, want %s", c.process, c.processes, got, c.want)
		}
	}
}
