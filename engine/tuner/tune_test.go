package tuner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/presets"
)

// on returns a fabric with a machine.
func on(t testing.TB, f cluster.Fabric, machine string) Site {
	t.Helper()
	m, err := presets.Machine(machine)
	if err != nil {
		t.Fatal(err)
	}
	return Site{Fabric: f, Machine: m, Seed: 1}
}

// small returns a tuning of a second or less.
func small(t testing.TB) Options {
	return Options{Site: on(t, sim.New(), "ranger"),
		Collectives: []coll.Collective{coll.OpBcast, coll.OpAllreduce, coll.OpBarrier},
		Ranks:       []int{2, 3, 4, 6, 8}, PerNode: 1, Sizes: []int64{8, 512, 32768}}
}

// smaller returns a tuning of some milliseconds.
func smaller(t testing.TB) Options {
	o := small(t)
	o.Ranks, o.Sizes = []int{3, 4}, []int64{8, 4096}
	return o
}

func text(t testing.TB, o *Options, table *coll.Table) string {
	t.Helper()
	var b strings.Builder
	if err := (&File{Fabric: o.Fabric.Name(), Machine: o.Machine.Name, Table: table}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The index contains every algorithm, and every tuple has valid candidates. The best one by the
// model is never pruned.
func TestIndex(t *testing.T) {
	cost := &coll.Cost{L: 2500 * cluster.Nanosecond, O: 1500 * cluster.Nanosecond, Gap: cluster.Microsecond, G: 600}
	for c := range coll.Collective(coll.Collectives) {
		if len(Index(c)) != len(coll.Of(c)) {
			t.Errorf("%s: %d lines of the index, %d algorithms", c, len(Index(c)), len(coll.Of(c)))
		}
		for _, ranks := range []int32{1, 2, 3, 7, 8, 64, 100} {
			for _, n := range []int64{0, 8, 4096, 1 << 20} {
				at := coll.Tuple{Collective: c, Ranks: ranks, Bytes: n}
				all := Candidates(at)
				if len(all) == 0 {
					t.Fatalf("%s: no candidates", at)
				}
				least := cluster.Time(1) << 62
				for i, x := range all {
					k, err := x.Key(ranks)
					if err != nil || !x.Algorithm.Takes(at) {
						t.Fatalf("%s: %s does not work: %v", at, x, err)
					}
					if slices.Contains(all[:i], x) {
						t.Errorf("%s: %s twice", at, x)
					}
					least = min(least, k.Predict(cost, n))
				}
				few := prune(all, at, cost, keepVirtual)
				if !slices.ContainsFunc(few, func(x coll.Choice) bool {
					k, _ := x.Key(ranks)
					return k.Predict(cost, n) == least
				}) {
					t.Errorf("%s: the best prediction is pruned", at)
				}
			}
		}
	}
}

// For tuples that were not tuned, a table's choice is within 5 % of the best of all candidates on
// average, although the model prunes many of them.
func TestRegret(t *testing.T) {
	o, unseen := small(t), 30
	if testing.Short() {
		o.Sizes, unseen = o.Sizes[:2], 10
	}
	r, err := Tune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Measured*5 > r.Choices*4 && !testing.Short() {
		t.Errorf("the model kept %d of %d candidates", r.Measured, r.Choices)
	}
	held := o.HeldOut(unseen, 7)
	if len(held) != unseen {
		t.Fatalf("%d tuples held out", len(held))
	}
	misses, err := Regret(t.Context(), o, r.Table.Find, held, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range misses {
		t.Logf("%s: %s, best %s: %.1f %%", m.At, m.Chosen, m.Best, 100*m.Regret())
		if m.Regret() < 0 {
			t.Errorf("%s: %s in %s is better than the best, %s in %s", m.At, m.Chosen, m.Took, m.Best, m.Least)
		}
	}
	t.Logf("mean regret %.2f %% on %d tuples, seed 7", 100*Mean(misses), len(held))
	if Mean(misses) > 0.05 {
		t.Errorf("mean regret %.1f %%, want at most 5 %%", 100*Mean(misses))
	}
}

// A tuning that was interrupted at any point and continued produces the same table as an
// uninterrupted one. It does not repeat measurements in the journal.
func TestResume(t *testing.T) {
	o := smaller(t)
	whole, err := Tune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := text(t, &o, whole.Table)
	kills, cuts := []int{1, 7, whole.Tuples - 1}, []int{0, 1, 9}
	if testing.Short() {
		kills, cuts = kills[1:2], cuts[1:]
	}
	for _, after := range kills {
		o := smaller(t)
		o.Journal = filepath.Join(t.TempDir(), "journal")
		ctx, kill := context.WithCancelCause(t.Context())
		killed := errors.New("killed")
		o.Progress = func(p Progress) {
			if p.Done == after {
				kill(killed)
			}
		}
		if _, err := Tune(ctx, o); !errors.Is(err, killed) {
			t.Fatalf("after %d: %v", after, err)
		}
		data, err := os.ReadFile(o.Journal)
		if err != nil {
			t.Fatal(err)
		}
		records := bytes.Count(data, []byte("\n")) - 1
		for _, cut := range cuts { // the last record is incomplete
			if err := os.WriteFile(o.Journal, data[:len(data)-cut], 0o644); err != nil {
				t.Fatal(err)
			}
			o.Progress = nil
			again, err := Tune(t.Context(), o)
			if err != nil {
				t.Fatalf("after %d, %d bytes cut off: %v", after, cut, err)
			}
			if got := text(t, &o, again.Table); got != want {
				t.Errorf("after %d, %d bytes cut off: the table differs", after, cut)
			}
			if lost := min(cut, 1); again.FromJournal != records-lost {
				t.Errorf("after %d, %d bytes cut off: %d tuples from the journal, want %d", after, cut, again.FromJournal,
					records-lost)
			}
		}
	}
}

// A journal of another tuning is refused, and other files remain unchanged.
func TestJournalErrors(t *testing.T) {
	dir := t.TempDir()
	o := small(t)
	o.Collectives, o.Ranks = []coll.Collective{coll.OpBarrier}, []int{2}
	o.Journal = filepath.Join(dir, "journal")
	if _, err := Tune(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	other := o
	other.Machine.PollTime++
	if _, err := Tune(t.Context(), other); err == nil ||
		!strings.Contains(err.Error(), "journal of another tuning: got sim ranger") {
		t.Errorf("the journal of another machine: %v", err)
	}
	for name, data := range map[string]string{
		"text":   "dear diary\n",
		"json":   `{"schema":"else","of":""}` + "\n",
		"broken": `{"schema":"hybridtop.tuning.v1","of":"` + o.identity() + `"}` + "\n{\n{}\n",
	} {
		o.Journal = filepath.Join(dir, name)
		if err := os.WriteFile(o.Journal, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Tune(t.Context(), o); err == nil || !strings.Contains(err.Error(), name+": line ") {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(o.Journal); string(now) != data {
			t.Errorf("%s was changed", name)
		}
	}
}

// On a real clock a tuning also produces a table of valid choices.
func TestLive(t *testing.T) {
	o := Options{Site: on(t, live.New(), "this-host"), Collectives: []coll.Collective{coll.OpAllreduce}, Ranks: []int{3},
		PerNode: 4, Sizes: []int64{8, 4096}}
	r, err := Tune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	misses, err := Regret(t.Context(), o, r.Table.Find, o.HeldOut(2, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range misses {
		if m.Took <= 0 || m.Regret() < 0 {
			t.Errorf("%s: %s took %s, the best %s", m.At, m.Chosen, m.Took, m.Least)
		}
	}
}

func TestTuneErrors(t *testing.T) {
	o := small(t)
	o.Ranks, o.PerNode = []int{6}, 4
	if _, err := Tune(t.Context(), o); err == nil || !strings.Contains(err.Error(), "cannot hold exactly 6 ranks") {
		t.Errorf("6 ranks on nodes of 4: %v", err)
	}
	o = small(t)
	o.Machine.Nodes = 7
	if _, err := Tune(t.Context(), o); err == nil || !strings.Contains(err.Error(), "machine ranger has 7") {
		t.Errorf("8 nodes of 7: %v", err)
	}
	o = small(t)
	o.Sizes = nil
	if _, err := Tune(t.Context(), o); err == nil || !strings.Contains(err.Error(), "nothing to tune") {
		t.Errorf("no sizes: %v", err)
	}
}
