package recording

import (
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// The intervals of a lane, and the sums before them, do not depend on the order of reading: in
// sequence, by jumps, or several blocks at a time.
func TestIntervalsIndependentOfReadOrder(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	all := lifelike(12_000, 250)
	before := make([]timeline.Sums, len(all)+1)
	for i, s := range all {
		before[i+1] = before[i]
		before[i+1][s.Activity] += s.End - s.Begin
	}
	file := filepath.Join(t.TempDir(), "a.htr")
	w, err := Create(file)
	if err != nil {
		t.Fatal(err)
	}
	err = w.transaction(func(tx *sql.Tx) error {
		b := &batch{tx: tx, pack: w.pack}
		l := lane{id: 1}
		for from := 0; from < len(all); {
			to := min(from+1+rng.IntN(2000), len(all))
			l.open.start(uint64(from), 0, all[from].Begin, before[from])
			for i := from; i < to; i++ {
				l.open.add(&all[i])
			}
			if err := l.seal(b); err != nil {
				return err
			}
			from = to
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	layout := cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1}
	one := &track{id: 1}
	for range 300 {
		end, want := 1+rng.IntN(len(all)-1), 1+rng.IntN(3000)
		if s := one.strip; s != nil && rng.IntN(2) == 0 {
			end = min(int(s.Count())+rng.IntN(50), len(all)-1)
		}
		d := f.decoding()
		if err := one.read(f, d, uint64(end), uint64(want), rng.IntN(2) == 0); err != nil {
			t.Fatal(err)
		}
		if err := d.end()[one]; err != nil {
			t.Fatal(err)
		}
		first := int(one.strip.First())
		if first > max(end-want, 0) {
			t.Fatalf("%d before %d begin at %d", want, end, first)
		}
		m := timeline.Moment{To: all[end].End, Ranks: 1,
			Lanes: []timeline.LaneMoment{{Count: uint64(end) + 1, Last: all[end]}}}
		v, err := m.Restore(new(timeline.Recorder), layout, []*timeline.Strip{one.strip}, nil)
		if err != nil {
			t.Fatal(err)
		}
		back := &v.Lanes[0]
		if got := slices.Collect(back.After(uint64(first))); !slices.Equal(got, all[first:end+1]) {
			t.Fatalf("intervals %d to %d differ", first, end)
		}
		if at := first + rng.IntN(end-first+1); back.Before(uint64(at)) != before[at] {
			t.Fatalf("before interval %d: got %v, want %v", at, back.Before(uint64(at)), before[at])
		}
	}
}
