package revert

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const root = "../.."

// fix is an entry of the list.
type fix struct {
	file, pkg, test string
	isLong          bool     // the test is skipped with -short
	env             []string // of the test, in addition
	old, new        string
}

// read reads an entry: a txtar archive whose comment has the lines "file PATH" and "test PACKAGE NAME", with
// the word "long" if the test is skipped with -short. Lines "env NAME=VALUE" are for the test.
func read(t *testing.T, name string) *fix {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	x := &fix{}
	for line := range strings.Lines(string(a.Comment)) {
		switch words := strings.Fields(line); {
		case len(words) == 2 && words[0] == "file":
			x.file = words[1]
		case len(words) == 2 && words[0] == "env":
			x.env = append(x.env, words[1])
		case len(words) >= 3 && words[0] == "test":
			x.pkg, x.test, x.isLong = words[1], words[2], len(words) == 4 && words[3] == "long"
		}
	}
	for _, f := range a.Files {
		switch f.Name {
		case "old":
			x.old = string(f.Data)
		case "new":
			x.new = string(f.Data)
		}
	}
	if x.file == "" || x.test == "" || x.old == "" || x.old == x.new {
		t.Fatalf("%s: want a file, a test, an old and another new text", name)
	}
	return x
}

// TestReverts tests that every text of the list is in its file once. With CONFORM=1 it also tests
// that the named test fails without the fix.
func TestReverts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no entries", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			x := read(t, name)
			path, err := filepath.Abs(filepath.Join(root, x.file))
			if err != nil {
				t.Fatal(err)
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), x.old); n != 1 {
				t.Fatalf("%s has the old text %d times, want once", x.file, n)
			}
			if os.Getenv("CONFORM") == "" {
				return
			}
			defect, overlay := filepath.Join(t.TempDir(), "defect.go"), filepath.Join(t.TempDir(), "overlay.json")
			if err := os.WriteFile(defect, []byte(strings.Replace(string(source), x.old, x.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: defect}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(overlay, text, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "test", fmt.Sprintf("-short=%v", !x.isLong), "-count=1", "-vet=off", "-timeout=5m", "-overlay", overlay,
				"-run", "^"+strings.ReplaceAll(x.test, "/", "$/^")+"$", x.pkg)
			cmd.Dir, cmd.Env = root, append(os.Environ(), x.env...)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: ") {
				t.Errorf("%s without the fix of %s: %v, want a failing test\n%s", x.test, x.file, err, out)
			}
		})
	}
}
