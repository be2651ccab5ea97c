package reproduce

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/hostile"
	"github.com/hybridtop/hybridtop/presets"
)

// reach returns a figure of the mean access time of pairs, which is 124 ns, 4 ns of them for bytes
// at an assumed rate.
func reach(maxValue float64) []presets.Figure {
	return small(func(f *presets.Figure) {
		f.Checks = append(f.Checks,
			presets.Check{Name: "reach", Claim: 8, Quantity: "access_time", Series: []string{"pairs"}, Use: presets.UseCheck,
				Rule: presets.Range, Least: 1e-9, Most: maxValue, DependsOn: []string{"in_node.bandwidth_bytes_per_s"}})
	})
}

func sensed(t *testing.T, figures []presets.Figure, check string) *Row {
	t.Helper()
	r, err := Run(t.Context(), figures, Options{Sense: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Check == check })
	return &r.Rows[i]
}

// The row lists the effect of halving or doubling an assumed constant, and whether it changes the
// verdict. A sourced constant stays unchanged.
func TestSensitivity(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	find := func(r *Row, key string, factor float64) *presets.Move {
		for i := range r.Moves {
			if m := &r.Moves[i]; m.Key == key && m.Factor == factor {
				return m
			}
		}
		return nil
	}
	const key = "in_rank.bandwidth_bytes_per_s"
	wide, narrow := sensed(t, reach(1), "reach"), sensed(t, reach(125e-9), "reach")
	for _, r := range []*Row{wide, narrow} {
		if !r.Pass || !r.Sensed {
			t.Errorf("%+v", r)
		}
		if m := find(r, "remote.latency_s", 2); m != nil {
			t.Errorf("a sourced constant was doubled: %+v", m)
		}
		if m := find(r, "remote.gap_s", 2); m != nil {
			t.Errorf("the gap affects intra-node accesses: %+v", m)
		}
	}
	var flips []string
	for _, m := range narrow.Moves {
		if m.Flips {
			flips = append(flips, moveText(&m))
		}
	}
	if !slices.Equal(flips,
		[]string{"in_rank.bandwidth_bytes_per_s × 0.5 (+1.41 %)", "in_node.bandwidth_bytes_per_s × 0.5 (+1.45 %)"}) {
		t.Errorf("flips: %q", flips)
	}
	if m := find(wide, key, 0.5); m == nil || m.Flips || math.Abs(m.By) < 0.01 {
		t.Errorf("half of %s: %+v", key, m)
	}
	if text := narrow.Sensitivity(); text !=
		"can change the verdict: in_rank.bandwidth_bytes_per_s × 0.5 (+1.41 %), in_node.bandwidth_bytes_per_s × 0.5 (+1.45 %)" {
		t.Errorf("in words: %s", text)
	}
	if r := sensed(t, reach(1), "share"); r.Sensed || r.Moves != nil || r.Base != "" {
		t.Errorf("a formula depends on an assumption: %+v", r)
	}
}

// The recorded sensitivity is used as long as the runs, the assumed constants and the limits are the
// recorded ones.
func TestRecordedSensitivity(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	figures := reach(125e-9)
	first, err := Run(t.Context(), figures, Options{Sense: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range figures[0].Checks {
		c := &figures[0].Checks[i]
		c.Record = first.Records()[figures[0].Name][c.Name]
	}
	recorded := func() (text string, fresh bool) {
		r, err := Run(t.Context(), figures, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		row := &r.Rows[slices.IndexFunc(r.Rows, func(row Row) bool { return row.Check == "reach" })]
		_, fresh = row.Effects()
		return row.Sensitivity(), fresh
	}
	if text, fresh := recorded(); !fresh ||
		text != "can change the verdict: in_rank.bandwidth_bytes_per_s × 0.5 (+1.41 %), in_node.bandwidth_bytes_per_s × 0.5 "+
			"(+1.45 %), as recorded" {
		t.Errorf("fresh %v: %s", fresh, text)
	}
	figures[0].Checks[2].Most = 126e-9
	if text, fresh := recorded(); fresh {
		t.Errorf("recorded for other limits: %s", text)
	}
	figures[0].Checks[2].Most = 125e-9
	figures[0].Knobs[2].Value = "301"
	if text, fresh := recorded(); fresh {
		t.Errorf("recorded for other runs: %s", text)
	}
}

// A long point runs only on request; otherwise its row is the recorded one.
func TestLongPoints(t *testing.T) {
	figures := small(func(f *presets.Figure) {
		f.Series[1].Long = []float64{64}
		f.Checks[1].Published["pairs"] = append(f.Checks[1].Published["pairs"], presets.Point{X: 64, Value: .5})
	})
	run := func(o Options) (*Report, int) {
		total := 0
		r, err := Run(t.Context(), figures, o, func(p *session.Progress) { total = p.Total })
		if err != nil {
			t.Fatal(err)
		}
		return r, total
	}
	without, runs := run(Options{})
	if len(without.Rows) != 3 || runs != 4 {
		t.Errorf("%d rows of %d runs without anything recorded", len(without.Rows), runs)
	}
	long, runs := run(Options{Long: true})
	if len(long.Rows) != 4 || runs != 5 {
		t.Fatalf("%d rows of %d runs", len(long.Rows), runs)
	}
	row := long.Rows[2]
	if !row.Long || row.Kept || row.Name != "pairs at 64" || row.Hash == "" || !row.Changed() {
		t.Errorf("%+v", row)
	}
	for i := range figures[0].Checks {
		c := &figures[0].Checks[i]
		c.Record = long.Records()[figures[0].Name][c.Name]
	}
	again, runs := run(Options{})
	kept := again.Rows[2]
	if runs != 4 || !kept.Kept || kept.Pass != row.Pass || kept.Hash != row.Hash || kept.Simulated != row.Simulated ||
		kept.Changed() {
		t.Errorf("%d runs, recorded as %+v", runs, kept)
	}
	if got, want := again.Records(), long.Records(); len(got[figures[0].Name]["share"].Long) != 1 ||
		got[figures[0].Name]["share"].Long[0] != want[figures[0].Name]["share"].Long[0] {
		t.Errorf("recorded again: %+v, want %+v", got, want)
	}
	if c := again.Curves[1]; len(c.Simulated) != len(c.Series.X) {
		t.Errorf("the curve has %d points, its series %d", len(c.Simulated), len(c.Series.X))
	}
}

// The same program does not run finished points again, even after an interruption. It does so for
// a broken file and for points of another program.
func TestStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "points")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func() *Store {
		s, err := NewStore(folder, program)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	run := func() (there int, r *Report) {
		there = -1
		r, err := Run(t.Context(), small(nil), Options{Keep: open()}, func(p *session.Progress) {
			if there < 0 {
				there = p.Done
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return there, r
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := Run(ctx, small(nil), Options{Keep: open()}, func(p *session.Progress) {
		if p.Done > 0 {
			cancel(enough)
		}
	}); !errors.Is(err, enough) {
		t.Fatalf("error %v", err)
	}
	if there, _ := run(); there < 1 {
		t.Errorf("%d points stored after an interruption", there)
	}
	there, kept := run()
	if there != 4 {
		t.Errorf("%d of 4 points stored", there)
	}
	plain, err := Run(t.Context(), small(nil), Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range plain.Rows {
		if a, b := plain.Rows[i], kept.Rows[i]; a.Simulated != b.Simulated || a.Hash != b.Hash || a.Note != b.Note {
			t.Errorf("kept %+v, run %+v", b, a)
		}
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if err := os.Truncate(files[0], 20); err != nil {
		t.Fatal(err)
	}
	if there, _ := run(); there != 3 {
		t.Errorf("%d of 4 points stored after damage to one", there)
	}
	damage := func(i int) {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		for damaged := range hostile.Files(t, data) {
			if err := os.WriteFile(files[i], damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			if snap, err := open().load(files[i]); err != nil || snap != nil && !bytes.Equal(damaged, data) {
				t.Errorf("a damaged point is loaded, error %v", err)
			}
		}
	}
	damage(1)
	if err := os.WriteFile(program, []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if there, _ := run(); there != 0 {
		t.Errorf("%d points of another program were used", there)
	}
	if err := open().Clear(); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
}
