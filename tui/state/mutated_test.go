package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/hostile"
)

// TestMutatedFiles tests that damaged files of settings are read, or reported with printable text. The
// next change of the settings replaces them.
func TestMutatedFiles(t *testing.T) {
	dir := t.TempDir()
	mouse := true
	s, _ := Open(dir, dir)
	if err := s.Keep(t.Context(), Kept{Theme: "dark", Units: "binary", Mouse: &mouse, Markers: "braille",
		Workloads: map[string]Workload{"dot": {Knobs: map[string]string{"elements": "64", "fabric": "sim"}}}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config.toml", "state.toml"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			valid, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if s, _ := Open(dir, dir); len(s.Warnings) > 0 {
				t.Fatal(s.Warnings)
			}
			warned, n := 0, 0
			for data := range hostile.Files(t, valid) {
				n++
				if err := os.WriteFile(file, data, 0o644); err != nil {
					t.Fatal(err)
				}
				s, k := Open(dir, dir)
				text := strings.Join(s.Warnings, "\n")
				hostile.Check(t, "Open", strings.ReplaceAll(text, dir, ""))
				if text != "" {
					warned++
				}
				s.Began(k)
				k.Theme += "x"
				if err := s.Keep(t.Context(), k); err != nil {
					hostile.Check(t, "Keep", err.Error())
				}
			}
			t.Logf("%d of %d files are refused", warned, n)
			if err := os.WriteFile(file, valid, 0o644); err != nil {
				t.Fatal(err)
			}
			if n >= hostile.Batch && (warned == 0 || warned == n) {
				t.Errorf("%d of %d files are refused: want some of both", warned, n)
			}
		})
	}
}
