package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// longest is the maximum number of lines of a Go file; half of it is a good size.
const longest = 600

// vague names do not describe the content of a package.
var vague = []string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "base", "shared"}

// Every package has a package comment in doc.go.
func TestEveryPackageHasADoc(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		documented[f.pkg] = documented[f.pkg] || path.Base(f.path) == "doc.go" && f.syntax.Doc.Text() != ""
		if name := f.syntax.Name.Name; slices.Contains(vague, name) || slices.Contains(vague, path.Base(f.pkg)) {
			t.Errorf("%s: the name of package %s is vague", f.path, f.pkg)
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc.go with a package comment", pkg)
		}
	}
}

func TestGoFiles(t *testing.T) {
	open := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
	sleep := []byte("time.Sl" + "eep(")
	files := goFiles(t)
	bubbled := map[string]bool{} // packages whose tests run on synctest's clock, where to sleep costs nothing
	for _, f := range files {
		if f.test && slices.Contains(f.imports, "testing/synctest") {
			bubbled[f.pkg] = true
		}
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > longest {
			t.Errorf("%s has %d lines, more than %d: split it", f.path, n, longest)
		}
		for _, word := range open {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s: %s: finish it, or remove it", f.path, word)
			}
		}
		if f.test && !bubbled[f.pkg] && bytes.Contains(text, sleep) {
			t.Errorf("%s sleeps: wait for a condition, or use testing/synctest", f.path)
		}
	}
}

// Every relative link of a page points to a file. Code blocks have no links.
func TestLinks(t *testing.T) {
	code := regexp.MustCompile("(?ms)^```.*?^```$")
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	pages := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, ".md") {
			return nil
		}
		pages++
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllSubmatch(code.ReplaceAll(text, nil), -1) {
			to := string(m[1])
			// In lessons, the target of a quoted number is "paper" (docs/lessons.md).
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") || to == "paper" {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(p), filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which does not exist", p, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages == 0 {
		t.Error("no pages found")
	}
}

// ARCHITECTURE.md lists every package; all workloads, panes and overlays share one row per kind.
func TestArchitectureListsEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range goFiles(t) {
		pkg := f.pkg
		if up := path.Dir(pkg); up == "engine/workload" || up == "tui/pane" || up == "tui/overlay" {
			pkg = up
		}
		if !seen[pkg] && !bytes.Contains(text, []byte("`"+pkg+"`")) {
			t.Errorf("ARCHITECTURE.md does not list %s", pkg)
		}
		seen[pkg] = true
	}
}
