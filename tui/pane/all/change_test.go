package all

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A change of one pane's drawing changes one golden file. With CONFORM=1 the test changes one cell
// of each pane, one pane at a time. It runs all tests of the screen and counts the golden files
// that differ.
func TestAChangeOfOnePaneChangesOneGolden(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("slow: builds and runs the tests of the screen for each pane (CONFORM=1 enables it)")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	panes := map[string][]string{} // by folder
	for _, s := range Panes {
		_, folder, _ := strings.Cut(reflect.TypeOf(s.New()).Elem().PkgPath(), "/tui/pane/")
		panes[folder] = append(panes[folder], s.Name)
	}
	table := fmt.Sprintf("%-14s %-45s %s\n", "folder", "panes", "golden files that differ")
	for _, folder := range slices.Sorted(maps.Keys(panes)) {
		files := differing(t, root, changed(t, filepath.Join(root, "tui/pane", folder)))
		table += fmt.Sprintf("%-14s %-45s %d: %s\n", folder, strings.Join(panes[folder], " "), len(files),
			strings.Join(files, " "))
		if len(files) != 1 {
			t.Errorf("a change of %s changes %d golden files, want 1: %v", folder, len(files), files)
		}
	}
	t.Logf("\n%s", table)
}

var drawing = regexp.MustCompile(`func \((\w+) \*Pane\) Draw\(`)

// changed returns an overlay for go build that changes one cell of the panes in a folder.
func changed(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !drawing.Match(source) {
			continue
		}
		source = drawing.ReplaceAll(source, []byte("func ($1 *Pane) drawUnchanged("))
		source = append(source, `
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	b := p.drawUnchanged(v, h)
	v.Set(0, 0, grid.Cell{Rune: '§'})
	return b
}
`...)
		dir := t.TempDir()
		other, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
		replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: other}})
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{other: source, overlay: replace} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return overlay
	}
	t.Fatalf("%s: found no method Draw of a Pane", folder)
	return ""
}

var differs = regexp.MustCompile(`_test\.go:\d+: (\S+) (?:differs|has no section)`)

// differing runs the tests of the screen with an overlay and returns the golden files that differ.
func differing(t *testing.T, root, overlay string) []string {
	t.Helper()
	run := exec.CommandContext(t.Context(), "go", "test", "-json", "-short", "-vet=off", "-overlay", overlay, "./tui/...")
	run.Dir = root
	run.Env = append(os.Environ(), "CONFORM=")
	out, err := run.Output()
	if err == nil {
		return nil // no test fails
	}
	files := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e struct{ Action, Package, Output string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if e.Action == "build-fail" {
			t.Fatalf("the changed pane does not build:\n%s", out)
		}
		if m := differs.FindStringSubmatch(e.Output); m != nil {
			_, folder, _ := strings.Cut(e.Package, "/tui")
			files[path.Join("tui"+folder, m[1])] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(files))
}
