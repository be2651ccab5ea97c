package overlay

import (
	"testing"

	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
)

func TestFuzzy(t *testing.T) {
	items := []string{"set group", "freeze", "zoom-bandwidth", "shorter", "set ranks-per-node", "set seed"}
	for query, want := range map[string]string{
		"sg": "set group", "grp": "set group", "frz": "freeze", "zb": "zoom-bandwidth",
		"rpn": "set ranks-per-node", "seed": "set seed", "node set": "set ranks-per-node",
	} {
		got := Rank(items, query, func(s string) string { return s })
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %s first", query, got, want)
		}
	}
	for query, want := range map[string]string{"log": "log", "row": "next row", "go": "go on"} {
		got := Rank([]string{"show the longer logo", "catalog", "arrows grow", "going", "next row", "go on", "log"}, query,
			func(s string) string { return s })
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %s first", query, got, want)
		}
	}
	if got := Rank(items, "qqq", func(s string) string { return s }); len(got) != 0 {
		t.Errorf("qqq finds %v", got)
	}
}
