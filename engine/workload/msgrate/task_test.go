package msgrate

import (
	"context"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// TestMistakesAreNoticed tests that a lost, a repeated, an unknown and a damaged message are noticed.
func TestMistakesAreNoticed(t *testing.T) {
	spec := cluster.Spec{Layout: cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat}}
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		const before = 7
		for _, c := range []struct {
			what  string
			taken [][]task
			says  string
		}{
			{"all", [][]task{{{0, 8}, {1, 9}}, {{1, 8}, {0, 9}}}, ""},
			{"one lost", [][]task{{{0, 8}, {1, 9}}, {{1, 8}}}, "took 3 messages, want 4"},
			{"one twice", [][]task{{{0, 8}, {1, 9}}, {{1, 8}, {1, 9}}}, "thread 1: took message 9 of thread 1 twice"},
			{"an old one", [][]task{{{0, 7}}, nil}, "message 7 of thread 0 twice, or it is not a message of this iteration"},
			{"of no thread", [][]task{{{2, 8}}, nil}, "message 8 of thread 2 twice, or it is not a message of this iteration"},
		} {
			x := &tasks{times: [][]cluster.Time{make([]cluster.Time, 2), make([]cluster.Time, 2)}, taken: c.taken}
			if got := x.verify(r, before); (c.says == "") != (got == "") || !strings.Contains(got, c.says) {
				t.Errorf("%s: %q, want %q", c.what, got, c.says)
			}
		}

		for _, c := range []struct {
			what  string
			spoil func(b []byte)
			says  string
		}{
			{"nothing", func([]byte) {}, ""},
			{"the number", func(b []byte) { stamp(b, 4) }, "got message 4, want 5"},
			{"the last byte", func(b []byte) { b[len(b)-1]++ }, "byte 15 of message 0 of a window is"},
		} {
			l := &channel{tag: 3, slots: [][]byte{make([]byte, 16)}}
			fill(l.slots[0], 3)
			stamp(l.slots[0], 5)
			c.spoil(l.slots[0])
			l.check(r, l.slots[0], 5)
			l.checkRest(r)
			if (c.says == "") != (l.wrong == "") || !strings.Contains(l.wrong, c.says) {
				t.Errorf("%s: %q, want %q", c.what, l.wrong, c.says)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
