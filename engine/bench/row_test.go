package bench

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
)

// Every case runs, verifies its data, and returns a complete row.
func TestRowsOfEveryCase(t *testing.T) {
	if testing.Short() {
		t.Skip("measures every case")
	}
	var heard []string
	rows, err := Rows(t.Context(), Options{Fabric: live.New(), Machine: thisHost, Rounds: 1, Batch: time.Microsecond},
		func(name string) { heard = append(heard, name) })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Name)
		for what, x := range map[string]float64{"value": r.Value, "limit": r.Limit, "ratio": r.Ratio} {
			if had := what == "value" || r.LimitMissing == ""; had && !(x > 0) || math.IsInf(x, 0) {
				t.Errorf("%s: %s is %v, want a positive number", r.Name, what, x)
			}
		}
		if !slices.Contains([]string{seconds, perSecond, bytesRate}, r.Unit) {
			t.Errorf("%s: unit %q is not an SI base unit of the table", r.Name, r.Unit)
		}
		if r.Kind != engine.Measured || r.LimitName == "" || r.Want == "" || r.Compare == "" || r.Note == "" {
			t.Errorf("%s: incomplete row %+v", r.Name, r)
		}
	}
	if diff := cmp.Diff(Names(), got); diff != "" {
		t.Errorf("rows (-cases +rows):\n%s", diff)
	}
	if diff := cmp.Diff(Names(), heard); diff != "" {
		t.Errorf("progress (-cases +heard):\n%s", diff)
	}
}

func TestRowsRefuse(t *testing.T) {
	emulated := cluster.Machine{Name: "demo", Emulated: true}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"no fabric", Options{Machine: thisHost}, "no fabric"},
		{"an emulated machine", Options{Fabric: live.New(), Machine: emulated}, "machine demo is emulated"},
		{"an unknown row", Options{Fabric: live.New(), Machine: thisHost, Only: []string{"put9"}},
			`bench: unknown row "put9"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := Rows(t.Context(), c.o, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || rows != nil {
				t.Errorf("got %v, %v; want an error with %q", rows, err, c.want)
			}
		})
	}
}

func TestRowsEndWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	o := Options{Fabric: live.New(), Machine: thisHost, Rounds: 1 << 30, Only: []string{"pingpong8"}}
	rows, err := Rows(ctx, o, func(string) { cancel(stop) })
	if err == nil || !strings.Contains(err.Error(), "bench pingpong8") || len(rows) != 0 {
		t.Errorf("got %v, %v; want no rows and an error that names pingpong8", rows, err)
	}
}

// If a rank fails in the middle of a limit, the other ranks must not continue to spin.
func TestFailureEndsAllRanks(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit func(r *cluster.Rank, c *common) side
	}{
		{"at a cache line", func(r *cluster.Rank, c *common) side { return c.pingpong(r.ID(), nil) }},
		{"at the gate", func(_ *cluster.Rank, c *common) side { return func(int) error { return c.gate.pass() } }},
	} {
		t.Run(c.name, func(t *testing.T) {
			lost := errors.New("lost")
			k := Case{Name: "broken", Unit: seconds, Ranks: 2, valueOps: 1, limitOps: 1,
				sides: func(r *cluster.Rank, common *common) (value, limit side, err error) {
					limit = c.limit(r, common)
					if r.ID() == 1 {
						limit = func(int) error { return lost }
					}
					return func(int) error { return nil }, limit, nil
				}}
			o := Options{Fabric: live.New(), Machine: thisHost, Rounds: 1, Batch: 1}
			_, err := k.measure(t.Context(), &o)
			if !errors.Is(err, lost) && !errors.Is(err, errAbandoned) {
				t.Errorf("got %v, want the failure of rank 1", err)
			}
		})
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		row         Row
		met, judged bool
	}{
		{Row{Unit: seconds, Ratio: 2.9, Target: 3}, true, true},
		{Row{Unit: seconds, Ratio: 3.1, Target: 3}, false, true},
		{Row{Unit: bytesRate, Ratio: 0.91, Target: 0.9}, true, true},
		{Row{Unit: perSecond, Ratio: 0.5, Target: 0.66}, false, true},
		{Row{Unit: seconds, Ratio: 100}, false, false},
		{Row{Unit: perSecond, Target: 1, LimitMissing: "parked"}, false, false},
	} {
		if met, judged := c.row.Met(); met != c.met || judged != c.judged {
			t.Errorf("%+v: met %v judged %v, want %v %v", c.row, met, judged, c.met, c.judged)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		sorted []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, .5, 7},
		{[]float64{1, 2}, .5, 1.5},
		{[]float64{1, 2, 9}, .5, 2},
		{[]float64{0, 4, 8, 12, 16}, .25, 4},
		{[]float64{0, 10}, 1, 10},
	} {
		if got := quantile(c.sorted, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.sorted, c.q, got, c.want)
		}
	}
}

// Rounds in which the host was busy, on either side, are removed.
func TestQuietRounds(t *testing.T) {
	all := rounds{{2, 1}, {50, 1}, {2.1, 1.1}, {2, 30}, {2.2, 1}, {9, 9}}
	if diff := cmp.Diff(rounds{{2, 1}, {2.2, 1}}, all.quietRounds(), cmp.AllowUnexported(round{})); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	busy := slices.Repeat(rounds{{100, 100}}, 300)
	few := slices.Repeat(rounds{{2, 1}}, 7)
	if got := slices.Concat(busy, few, busy).quietRounds(); !slices.Equal(got, few) {
		t.Errorf("of 7 quiet rounds among 600 busy ones %v are kept", got)
	}
	if one := (rounds{{3, 1}}).quietRounds(); len(one) != 1 {
		t.Errorf("of one round %v is kept", one)
	}
}

// For a row that only computes, the minimum times of all rounds count.
func TestComputeRow(t *testing.T) {
	k := Case{Name: "code", Unit: seconds, Ranks: 1, computes: true, valueOps: 2, limitOps: 1}
	row := k.row(rounds{{9, 1.5}, {8, 1.3}, {8.2, 1}, {20, 1.1}})
	if row.Value != 4 || row.Limit != 1 || row.Ratio != 4 || !strings.Contains(row.Note, "minimum times") {
		t.Errorf("row %+v, want the minimum of each side: 4, 1 and 4 times", row)
	}
}

// Rounds in which the path beats its limit by more than possible do not count: the goroutines of
// the limit were parked. A row with hardly any other rounds has no limit.
func TestImpossibleLimits(t *testing.T) {
	rate := Case{Name: "rate", Unit: perSecond, Ranks: 2, Target: 1, bound: 1.5, valueOps: 128, limitOps: 64}
	real := slices.Repeat(rounds{{value: 10e-6, limit: 5.5e-6}}, 100)   // 12.8 M/s and 11.6
	parked := slices.Repeat(rounds{{value: 10e-6, limit: 100e-6}}, 300) // 12.8 M/s and 0.6
	for _, c := range []struct {
		name   string
		k      Case
		rounds rounds
		limit  float64
		counts bool
		note   string
	}{
		{"nothing was parked", rate, real, 64 / 5.5e-6, true, ""},
		{"three quarters were", rate, slices.Concat(parked, real), 64 / 5.5e-6, true, "300 of 400 rounds do not count"},
		{"all but a few were", rate, slices.Concat(parked, real[:10]), 0, false, ""},
		{"all were", rate, parked, 0, false, ""},
		{"one round of one", rate, real[:1], 64 / 5.5e-6, true, ""},
		{"a time", Case{Unit: seconds, Target: 3, bound: 1.5, valueOps: 2, limitOps: 2}, rounds{{8, 4}, {8, 80}}, 2, true,
			"1 of 2 rounds"},
		{"a limit that may lose", Case{Unit: seconds, Target: 3, valueOps: 1, limitOps: 1}, rounds{{1, 80}}, 80, true, ""},
	} {
		row := c.k.row(c.rounds)
		if c.k.needsLaunch(1, c.rounds) == c.counts || c.k.needsLaunch(launchTries, c.rounds) {
			t.Errorf("%s: another launch: %v after one, %v after %d", c.name, c.k.needsLaunch(1, c.rounds),
				c.k.needsLaunch(launchTries, c.rounds), launchTries)
		}
		met, judged := row.Met()
		if math.Abs(row.Limit-c.limit) > 1e-9*c.limit || judged != c.counts || (row.LimitMissing == "") != c.counts ||
			row.Value <= 0 {
			t.Errorf("%s: limit %g, target judged %v, missing %q; want %g, %v", c.name, row.Limit, judged, row.LimitMissing,
				c.limit, c.counts)
		}
		if !c.counts && (met || row.Ratio != 0 || !strings.Contains(row.LimitMissing, "rounds")) {
			t.Errorf("%s: met %v, ratio %g, missing %q", c.name, met, row.Ratio, row.LimitMissing)
		}
		if c.note != "" && !strings.Contains(row.Note, c.note) || c.note == "" && strings.Contains(row.Note, "do not count") {
			t.Errorf("%s: note %q, want %q", c.name, row.Note, c.note)
		}
	}
}

// The names in the JSON are stable for scripts.
func TestRowJSON(t *testing.T) {
	raw, err := json.Marshal(Row{Name: "put8", Unit: seconds, Limit: 1, Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"name", "value", "unit", "kind", "limit", "limit_name", "ratio", "want", "allocs",
		"ranks", "compare", "note"} {
		if _, ok := got[name]; !ok {
			t.Errorf("%q is missing in %s", name, raw)
		}
	}
}

// The MPI programs are started with their launcher. Their output is parsed by name, value and unit.
// Missing programs are skipped and reported.
func TestPeers(t *testing.T) {
	bin, folder := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	script := func(dir, name, body string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script(bin, "mpirun.openmpi", `[ "$1 $2 $3 $4" = "-n 2 --bind-to core" ] || exit 2; exec "$5"`)
	script(folder, "p2p.openmpi",
		`echo "lat_8B 100.5 ns"; echo "a line of chatter"; echo "msgrate_8B_w64 24 Mmsg/s"; echo "winshared_fetch_and_op 20 Mop/s"; echo "winshared_flag_oneway 50 ns"`)
	script(bin, "mpirun.mpich", `echo -------- >&2; echo "no such luck" >&2; exit 3`)
	script(folder, "p2p.mpich", "")

	rows := []Row{{Name: "pingpong8", Unit: seconds}, {Name: "msgrate8", Unit: perSecond},
		{Name: "fetchadd8", Unit: seconds}, {Name: "barrier64", Unit: seconds}, {Name: "rpc", Unit: seconds}}
	runPeers(t.Context(), folder, "p2p", "coll").addTo(rows)

	peer := func(line string, v float64, unit string, limit float64) []Peer {
		p := Peer{Name: "Open MPI", Value: v, Unit: unit, Kind: engine.Measured, Line: line, Limit: limit}
		if limit > 0 {
			p.Ratio = v / limit
		}
		return []Peer{p}
	}
	want := [][]Peer{
		peer("lat_8B", 100.5e-9, seconds, 50e-9), peer("msgrate_8B_w64", 24e6, perSecond, 20e6),
		peer("winshared_fetch_and_op", 1/20e6, seconds, 0), nil, nil,
	}
	for i, r := range rows {
		same := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) })
		if diff := cmp.Diff(want[i], r.Peers, same); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.Name, diff)
		}
	}
	// Skipped programs are listed in the rows that they would measure.
	if got := rows[0].PeersSkipped; len(got) != 1 || got[0] != "p2p.mpich skipped: exit status 3: no such luck" {
		t.Errorf("pingpong8 lacks %q", got)
	}
	if got := rows[3].PeersSkipped; len(got) != 1 || !strings.Contains(got[0], "coll.openmpi skipped") {
		t.Errorf("barrier64 lacks %q", got)
	}
	if got := rows[4].PeersSkipped; got != nil {
		t.Errorf("rpc lacks %q, and has no peer at all", got)
	}
}

// Every row of the threads runs, verifies its data, and compares with the cache line or with one
// thread.
func TestRowsOfThreads(t *testing.T) {
	rows, err := ThreadRows(t.Context(),
		Options{Fabric: live.New(), Machine: thisHost, Rounds: 1, Batch: time.Microsecond}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Name)
		if !(r.Value > 0) || r.LimitMissing == "" && (!(r.Limit > 0) || !(r.Ratio > 0)) || r.Kind != engine.Measured ||
			r.Ranks != 2 ||
			!strings.Contains(r.Compare, "MPI_THREAD_MULTIPLE") || !strings.Contains(r.Note, "threads per rank") {
			t.Errorf("incomplete row %+v", r)
		}
		if hasReference := r.LimitName == oneThread; hasReference == strings.HasPrefix(r.Name, "mt1") {
			t.Errorf("%s compares with %s", r.Name, r.LimitName)
		}
	}
	if diff := cmp.Diff(ThreadNames(), got); diff != "" {
		t.Errorf("rows (-names +rows):\n%s", diff)
	}
	if _, err := ThreadRows(t.Context(), Options{Fabric: live.New(), Machine: thisHost, Only: []string{"mt9"}},
		nil); err == nil || !strings.Contains(err.Error(), `unknown row "mt9"`) {
		t.Errorf("got %v, want an error about mt9", err)
	}
}

// A peer that gets slower with a second thread shows it in its own ratio.
func TestPeersOfThreads(t *testing.T) {
	bin, folder := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for path, body := range map[string]string{
		filepath.Join(bin, "mpirun.mpich"): `[ "$1 $2 $3 $4" = "-bind-to none -n 2" ] || exit 2; exec "$5"`,
		filepath.Join(folder, "mt.mpich"):  `echo "mt1_msgrate_8B_w64 19 Mmsg/s"; echo "mt2_msgrate_8B_w64 9.5 Mmsg/s"`,
		filepath.Join(folder, "p2p.mpich"): `echo "lat_8B 1 ns"`,
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rows := []Row{{Name: "mt2_msgrate_8B_w64", Unit: perSecond}, {Name: "pingpong8", Unit: seconds}}
	runPeers(t.Context(), folder, "mt").addTo(rows)
	if p := rows[0].Peers; len(p) != 1 || p[0].Name != "MPICH" || p[0].Value != 9.5e6 || p[0].Limit != 19e6 ||
		p[0].Ratio != 0.5 {
		t.Errorf("peers %+v, want MPICH's 9.5 M/s and its 19 M/s", p)
	}
	if got := rows[0].PeersSkipped; len(got) != 1 || !strings.Contains(got[0], "mt.openmpi skipped") {
		t.Errorf("skipped %q", got)
	}
	if rows[1].Peers != nil {
		t.Errorf("pingpong8 has %+v, but the threads' programs do not measure it", rows[1].Peers)
	}
}

// TestCalibrateIgnoresDisturbedTurns tests that a case with an operation of 1 µs fills its batch, although the ranks
// were parked in some turns.
func TestCalibrateIgnoresDisturbedTurns(t *testing.T) {
	k := &Case{valueOps: 1}
	turns := 0
	turn := func(_ which, n int) (time.Duration, error) {
		turns++
		took := time.Duration(n) * time.Microsecond
		if turns%4 != 0 {
			took += time.Millisecond
		}
		return took, nil
	}
	n, err := k.calibrate(turn, playValue, DefaultBatch)
	if want := int(DefaultBatch / time.Microsecond); err != nil || n < want/2 || n > 2*want {
		t.Errorf("%d iterations, %v, want about %d", n, err, want)
	}
}
