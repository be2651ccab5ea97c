package session

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The explanation comes from the first study with a text. If a study has a row but no text, there
// is none. Otherwise it describes the states of the ranks.
func TestWhy(t *testing.T) {
	states := []engine.RankView{{Share: [cluster.States]float64{cluster.Computing: 1}}}
	spent := "In the last second, ranks spent 100% of the time computing, 0% in calls and 0% waiting."
	row := []engine.Row{{Key: "8"}}
	for _, c := range []struct {
		what    string
		studies []engine.StudyView
		want    string
	}{
		{"none", nil, spent},
		{"no row yet", []engine.StudyView{{Now: -1}}, spent},
		{"a row", []engine.StudyView{{Rows: row}}, ""},
		{"the second has words", []engine.StudyView{{Rows: row}, {Why: "that rules"}, {Why: "another"}}, "that rules"},
	} {
		if got := why(&engine.Snapshot{Ranks: states, Studies: c.studies}, &cluster.Machine{}); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if got := why(&engine.Snapshot{Ranks: states, Kind: engine.Simulated, Phase: engine.Ended}, &cluster.Machine{}); got != "" {
		t.Errorf("after the end of a simulation: %q", got)
	}
}

func TestWhyWithoutStudies(t *testing.T) {
	s := &engine.Snapshot{Ranks: []engine.RankView{
		{Share: [cluster.States]float64{cluster.Computing: 0.5, cluster.Waiting: 0.5}},
		{Share: [cluster.States]float64{cluster.Calling: 1}},
	}}
	want := "In the last second, ranks spent 25% of the time computing, 50% in calls and 25% waiting."
	if got := why(s, &cluster.Machine{}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := why(&engine.Snapshot{}, &cluster.Machine{}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
