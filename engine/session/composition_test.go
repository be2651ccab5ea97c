package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ringAllreduce = `title = "A ring"
collective = "allreduce"

[part-1]
collective = "reduce-scatter"
algorithm = "ring"

[part-2]
collective = "allgather"
algorithm = "ring"
`

// TestCompositionOfAFile checks that a run has the current parts of its composition's file. Mistakes
// in the file have its line and key, and a hint.
func TestCompositionOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.toml")
	write := func(old, text string) {
		if err := os.WriteFile(file, []byte(strings.Replace(ringAllreduce, old, text, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sc, err := Scenario("allreduce")
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{{"fabric", "sim"}, {"algorithm", "composed"}, {"composition", file}} {
		if err := sc.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}}
	write("", "")
	s := start(t, sc, o)
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	snap := s.Load()
	if got, want := snap.Scenario.Text("composition"), file+": reduce-scatter ring + allgather ring"; got != want ||
		!strings.Contains(snap.Verification.Detail, "allreduce by reduce-scatter ring + allgather ring") {
		t.Errorf("composition %q, want %q; %s", got, want, snap.Verification.Detail)
	}
	write(`algorithm = "ring"`, `algorithm = "pairwise"`)
	if got, err := Composition(&snap.Scenario); err != nil || got != file+": reduce-scatter pairwise + allgather ring" {
		t.Errorf("after a change: %q, %v", got, err)
	}
	for _, x := range [][3]string{
		{`algorithm = "ring"`, `algorithm = "rings"`, `mine.toml:4: part-1: reduce-scatter by "rings": want one of`},
		{`algorithm = "ring"`, `algorithms = "ring"`, `mine.toml:6: part-1.algorithms: unknown key; a part has level`},
		{`"allgather"`, `"gather"`, `mine.toml:8: part-2: gather by "ring": want one of`},
		{`"allreduce"`, `"bcast"`, `mine.toml:2: collective: bcast composed of`},
		{`"allreduce"`, `"sum"`, `mine.toml:2: collective: collective "sum": want one of`},
		{"algorithm = \"ring\"", "algorithm = \"ring\"\nlevel = \"rack\"", "mine.toml:7: part-1.level: want one of"},
	} {
		write(x[0], x[1])
		if _, err := Composition(&snap.Scenario); err == nil || !strings.Contains(err.Error(), x[2]) {
			t.Errorf("%s: %v, want %q", x[1], err, x[2])
		}
	}
	if err := os.Remove(file); err != nil { // as a recording from another host
		t.Fatal(err)
	}
	if got, err := Composition(&snap.Scenario); err != nil || got != snap.Scenario.Text("composition") {
		t.Errorf("without the file: %q, %v", got, err)
	}
}
