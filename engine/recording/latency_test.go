package recording_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/build"
)

// The histograms of a launch, added up to a moment, are the distribution that the screen showed
// then: the same count and the same quantiles.
func TestLatencyIntervals(t *testing.T) {
	if testing.Short() {
		t.Skip("a second and a half")
	}
	file := filepath.Join(t.TempDir(), "run.htr")
	all := record(t, file,
		scenario(t, "randomaccess", "fabric", "live", "machine", "this-host", "nodes", "1", "ranks-per-node", "2", "group",
			"2", "elements", "4096"), session.Limits{For: 1500 * time.Millisecond}, nil)
	f := open(t, file)
	launches, err := f.Launches(f.Runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	infos, err := f.Latencies(launches[0].ID)
	if err != nil || len(all.timed) < 2 {
		t.Fatalf("%d intervals, %v: want a few", len(all.timed), err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	shown := make(map[time.Duration]*engine.Snapshot)
	for _, s := range append(slices.Clone(all.snaps), all.ended[0].Last) {
		shown[s.Elapsed] = s
	}
	names := [cluster.Classes]string{cluster.InRank: "rank", cluster.InNode: "node", cluster.Remote: "remote"}
	var sums [cluster.Classes]*hdrhistogram.Histogram
	before := time.Duration(0)
	for i, x := range all.timed {
		if x.To <= x.From || i > 0 && x.From != before {
			t.Errorf("interval %d is from %v to %v, after one that ends at %v", i, x.From, x.To, before)
		}
		before = x.To
		s := shown[x.To]
		if s == nil {
			t.Fatalf("interval %d ends at %v, without a snapshot", i, x.To)
		}
		for c, class := range names {
			at := slices.IndexFunc(infos, func(q recording.LatencyInfo) bool {
				return q.To == x.To && q.Class == cluster.Class(c)
			})
			if x.Class[c].Count == 0 {
				if at >= 0 {
					t.Errorf("%v, %s: a row without an access", x.To, class)
				}
				continue
			}
			var packed []byte
			if err := db.QueryRow(`SELECT hdr FROM latency WHERE to_ns=? AND class=?`, int64(x.To),
				class).Scan(&packed); err != nil {
				t.Fatal(err)
			}
			h, err := hdrhistogram.Decode(packed)
			if err != nil {
				t.Fatal(err)
			}
			if q := infos[at]; q.From != x.From || q.Count != h.TotalCount() ||
				q.P99 != float64(h.ValueAtPercentile(99))/float64(cluster.Second) || q.Mean != x.Class[c].Mean {
				t.Errorf("%v, %s: %+v, and %d accesses with %d ps at 99 %% in its histogram", x.To, class, q, h.TotalCount(),
					h.ValueAtPercentile(99))
			}
			if sums[c] == nil {
				sums[c] = h
			} else {
				sums[c].Merge(h)
			}
		}
		for c, h := range sums {
			if h == nil {
				continue
			}
			seconds := func(v int64) float64 { return float64(v) / float64(cluster.Second) }
			q := &s.Latency[c]
			if q.Count != h.TotalCount() || q.Min != seconds(h.Min()) || q.P50 != seconds(h.ValueAtPercentile(50)) ||
				q.P99 != seconds(h.ValueAtPercentile(99)) || q.Max != seconds(h.Max()) {
				t.Errorf("%v, %s: the screen showed %d accesses, median %v, 99 %% %v; the histograms have %d, %v, %v", x.To,
					names[c],
					q.Count, q.P50, q.P99, h.TotalCount(), seconds(h.ValueAtPercentile(50)), seconds(h.ValueAtPercentile(99)))
			}
		}
	}
	if last := all.timed[len(all.timed)-1]; last.To != all.ended[0].Last.Elapsed {
		t.Errorf("the last interval ends at %v: want the end of the launch, %v", last.To, all.ended[0].Last.Elapsed)
	}
}

// A recording of an earlier format can be read, does not have what the format lacks, and cannot be
// extended.
func TestEarlierFormatsAreReadOnly(t *testing.T) {
	for format, name := range map[int]string{1: "format1.htr", 2: "live.htr"} {
		file := filepath.Join(t.TempDir(), name)
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		f := open(t, file)
		l, err := f.Launches(f.Runs[0].ID)
		if err != nil || len(l) != 1 || l[0].Iterations != 40 {
			t.Fatal(l, err)
		}
		if all, err := f.Latencies(l[0].ID); (len(all) > 0) != (format > 1) || err != nil {
			t.Errorf("format %d: %d latencies with times, %v", format, len(all), err)
		}
		if r := f.Runs[0]; r.Rules != "" || r.Program().String() != "version unknown" {
			t.Errorf("format %d: rules %q of %q", format, r.Rules, r.Program())
		}
		want := fmt.Sprintf("cannot add a run to a recording of format %d: this program writes format 3", format)
		if _, err := recording.Create(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// A recording has the version of the program and the revision of the simulator's cost rules.
func TestARecordingHasItsProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.htr")
	if err := os.WriteFile(file, small(t), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := open(t, file).Runs[0]; r.Rules != sim.Revision || r.Program() != build.This() {
		t.Errorf("rules %q of %q: want %q of %q", r.Rules, r.Program(), sim.Revision, build.This())
	}
}
