package reproduce

import (
	"reflect"
	"testing"

	"github.com/hybridtop/hybridtop/presets"
)

// A row has changed if its verdict differs from the recorded one, or if another term refutes it.
func TestChanged(t *testing.T) {
	refuted := presets.Record{Verdict: presets.Refuted, Refuted: []string{"a at 2"}, Decided: []string{"gaps"}}
	for _, c := range []struct {
		what    string
		row     Row
		verdict presets.Verdict
		changed bool
	}{
		{"passes still", Row{Name: "a at 1", Pass: true, Recorded: refuted}, presets.Pass, false},
		{"is refuted still", Row{Name: "a at 2", Term: "gaps", Recorded: refuted}, presets.Refuted, false},
		{"is refuted now", Row{Name: "a at 1", Term: "gaps", Recorded: refuted}, presets.Refuted, true},
		{"passes now", Row{Name: "a at 2", Pass: true, Term: "bytes", Recorded: refuted}, presets.Pass, true},
		{"is refuted by another term", Row{Name: "a at 2", Term: "bytes", Recorded: refuted}, presets.Refuted, true},
		{"has no terms", Row{Name: "a at 2", Recorded: refuted}, presets.Refuted, false},
		{"is not recorded", Row{Name: "a at 1", Pass: true}, presets.Pass, true},
		{"has failed", Row{Name: "a at 2", Failed: true, Recorded: refuted}, Failed, false},
	} {
		if v, changed := c.row.Verdict(), c.row.Changed(); v != c.verdict || changed != c.changed {
			t.Errorf("what %s: %s, changed %v; want %s, %v", c.what, v, changed, c.verdict, c.changed)
		}
	}
}

// The records of a report make an equal report match them, figure by figure. A figure with a
// failed run is not recorded.
func TestRecords(t *testing.T) {
	r := &Report{Rows: []Row{
		{Figure: "f", Check: "c", Name: "a at 1", Pass: true, Use: presets.UseCheck},
		{Figure: "f", Check: "c", Name: "a at 2", Term: "gaps", Use: presets.UseCheck},
		{Figure: "f", Check: "c", Name: "b at 2", Term: "gaps", Use: presets.UseCheck},
		{Figure: "f", Check: "d", Name: "a", Pass: true, Term: "bytes", Use: presets.UseExact},
		{Figure: "g", Check: "c", Name: "a", Pass: true, Use: presets.UseFit},
		{Figure: "g", Check: "e", Name: "a", Failed: true, Use: presets.UseFit},
	}}
	if got, want := r.Summary(), "1 exact, 2 fitted (1 failed to run), 3 predicted (2 refuted), 0 verified; 5 not "+
		"as recorded"; got != want {
		t.Errorf("not recorded: %s, want %s", got, want)
	}
	all := r.Records()
	want := map[string]map[string]presets.Record{"f": {
		"c": {Verdict: presets.Refuted, Refuted: []string{"a at 2", "b at 2"}, Decided: []string{"gaps"}},
		"d": {Verdict: presets.Pass},
	}}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("records %+v, want %+v", all, want)
	}
	r.Rows = r.Rows[:4]
	for i := range r.Rows {
		r.Rows[i].Recorded = all[r.Rows[i].Figure][r.Rows[i].Check]
	}
	if got, want := r.Summary(),
		"1 exact, 0 fitted, 3 predicted (2 refuted), 0 verified; all as recorded"; got != want || r.Any((*Row).Changed) {
		t.Errorf("recorded: %s, want %s", got, want)
	}
}

// A check is recorded as refuted if only a long row is refuted, and its short rows still pass.
func TestRecordsOfLongRows(t *testing.T) {
	r := &Report{Rows: []Row{
		{Figure: "f", Check: "c", Name: "a at 1", Pass: true, Use: presets.UseCheck},
		{Figure: "f", Check: "c", Name: "a at 64", Simulated: 2, Hash: "h", Long: true, Kept: true, Use: presets.UseCheck},
		{Figure: "f", Check: "d", Name: "a at 64", Simulated: 3, Hash: "h", Long: true, Pass: true, Use: presets.UseCheck},
	}}
	all := r.Records()
	want := map[string]map[string]presets.Record{"f": {
		"c": {Verdict: presets.Refuted,
			Long: []presets.LongResult{{Row: "a at 64", Verdict: presets.Refuted, Value: 2, Hash: "h"}}},
		"d": {Verdict: presets.Pass,
			Long: []presets.LongResult{{Row: "a at 64", Verdict: presets.Pass, Value: 3, Hash: "h"}}},
	}}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("records %+v, want %+v", all, want)
	}
	for i := range r.Rows {
		r.Rows[i].Recorded = all["f"][r.Rows[i].Check]
	}
	if got, want := r.Summary(), "0 exact, 0 fitted, 3 predicted (1 refuted), 0 verified; all as recorded"; got != want {
		t.Errorf("recorded: %s, want %s", got, want)
	}
}
