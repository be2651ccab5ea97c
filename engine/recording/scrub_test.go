package recording_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
)

// longRun returns a recording of hours: snapshots of a simulation, repeated at later times, with
// as many samples as a session shows.
func longRun(b testing.TB, samples int) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "long.htr")
	last, w, r := begun(b, file)
	const (
		shown        = 12000 // of a session's series
		snapshotEach = 200   // samples, so that the writer keeps up
	)
	all := make([]engine.Sample, 0, samples)
	for i := range samples {
		at := time.Duration(i+1) * 50 * time.Millisecond
		all = append(all,
			engine.Sample{At: at, Fabric: cluster.Time(i), Local: 0.5, Access: 1e-6,
				Rate: [cluster.Classes]float64{1, 2, float64(i)}})
		if i%snapshotEach != snapshotEach-1 {
			continue
		}
		s := last
		s.Seq = uint64(i + 1)
		s.Elapsed = at
		s.Phase = engine.Running
		s.Series = all[max(0, len(all)-shown):len(all):len(all)]
		r.Published(&s)
	}
	r.Over()
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return file
}

// A window of samples does not depend on the order of reading (in sequence, backwards or by
// jumps). It is also the same for packed samples and for table rows, which an interrupted
// recording has.
func TestSamplesIndependentOfReadOrder(t *testing.T) {
	const samples = 6_000
	file := longRun(t, samples)
	const seed = 8
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var times []time.Duration
	for range 20 {
		times = append(times, time.Duration(rng.Int64N(samples*int64(50*time.Millisecond))))
	}
	read := func(change string) (all [][]engine.Sample) {
		if change != "" {
			db, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(change); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		f := open(t, file)
		p, err := f.Player(f.Runs[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range times {
			s, err := p.At(at)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s.Series)
		}
		return all
	}
	packed := read("")
	for i, at := range times {
		last := packed[i][len(packed[i])-1]
		if last.At > at && i > 0 && last.At > 10*time.Second ||
			last.Rate[cluster.Remote] != float64(last.At/(50*time.Millisecond)-1) {
			t.Errorf("at %v the last sample is %+v", at, last)
		}
	}
	slices.Reverse(times)
	backwards := read("")
	slices.Reverse(times)
	slices.Reverse(backwards)
	rows := read(`DELETE FROM block WHERE kind=3 AND first>=2048`)
	for i := range times {
		if !cmp.Equal(packed[i], backwards[i], cmpopts.EquateNaNs()) || !cmp.Equal(packed[i], rows[i], cmpopts.EquateNaNs()) {
			t.Errorf("at %v the samples differ", times[i])
		}
	}
	f := open(t, file)
	if s, m, err := f.Dropped(f.Runs[0].ID); s != 0 || m != 0 || err != nil {
		t.Errorf("%d intervals, %d messages, %v", s, m, err)
	}
}

// jump seeks random positions in a recording. worst-ms and p99-ms are wall times, which other
// processes increase.
func jump(b *testing.B, file string) {
	f, err := recording.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	p, err := f.Player(f.Runs[0].ID)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var all []time.Duration
	was := busy(b)
	for b.Loop() {
		began := time.Now()
		if _, err := p.At(time.Duration(rng.Int64N(int64(p.Length)))); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(began))
	}
	b.ReportMetric(1e3*(busy(b)-was).Seconds()/float64(b.N), "core-ms")
	slices.Sort(all)
	b.ReportMetric(1e3*all[len(all)*99/100].Seconds(), "p99-ms")
	b.ReportMetric(1e3*all[len(all)-1].Seconds(), "worst-ms")
	b.ReportMetric(float64(sizeOf(b, file))/1e6, "MB")
}

// A jump to any position of a long recording, or of one with many threads, including the data for
// the frame shown there.
func BenchmarkScrub(b *testing.B) {
	for _, samples := range []int{20_000, 200_000} {
		b.Run(fmt.Sprintf("samples=%d", samples), func(b *testing.B) { jump(b, longRun(b, samples)) })
	}
	for _, nodes := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("lanes=%dx8", nodes), func(b *testing.B) {
			file, _, _ := eventful(b, nodes, true, func(stretches, _ int) bool { return stretches < 20e6 })
			jump(b, file)
		})
	}
}
