package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

const root = "../.."

// Each case of testdata is a file and the findings in it.
func TestFindings(t *testing.T) {
	datadriven.RunTest(t, "testdata/findings", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		switch d.Cmd {
		case "file":
			var name string
			d.ScanArgs(t, "name", &name)
			for _, s := range sentences(name, []byte(d.Input)) {
				for _, f := range check(s) {
					fmt.Fprintf(&out, "%d: %s\n", s.line, f)
				}
			}
		case "subject":
			for line := range strings.Lines(d.Input) {
				if f := checkSubject(strings.TrimSpace(line)); f != "" {
					fmt.Fprintln(&out, f)
				}
			}
		default:
			d.Fatalf(t, "command %q: want file or subject", d.Cmd)
		}
		if out.Len() == 0 {
			return "nothing\n"
		}
		return out.String()
	})
}

// No file contains a form that has no right use here.
func TestNoRefusedForms(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every file; make lint checks the changed lines")
	}
	files := 0
	err := walk(root, func(path string, text []byte) {
		files++
		if strings.HasPrefix(path, "internal/prose/") || path == "docs/style.md" {
			return // they quote the forms
		}
		for _, s := range sentences(path, text) {
			for _, f := range forms {
				if f.refused && !exceptions[s.text] && f.matches(s.text) {
					t.Errorf("%s:%d: %q: write %s | %s", path, s.line, f.pattern.FindString(s.text), f.replacement, s.text)
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Fatalf("read %d files: want the whole checkout", files)
	}
}

// refusedWords are words of the glossary's old terms. They are unambiguous in names, too.
var refusedWords = []string{"Phantom", "Mood", "Moods", "Whoever", "Told", "Asked", "Anew", "Beside"}

// No exported name contains an old term.
func TestNoRefusedNames(t *testing.T) {
	word := regexp.MustCompile(`[A-Z][a-z]*`)
	refused := map[string]bool{}
	for _, w := range refusedWords {
		refused[w] = true
	}
	names := 0
	err := walk(root, func(path string, text []byte) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			t.Error(err)
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, id := range declared(n) {
				if !id.IsExported() {
					continue
				}
				names++
				for _, w := range word.FindAllString(id.Name, -1) {
					if refused[w] {
						t.Errorf("%s: name %s contains the old term %q (docs/style.md)", files.Position(id.Pos()), id.Name, w)
					}
				}
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if names < 1000 {
		t.Fatalf("read %d exported names: want the whole checkout", names)
	}
}

// declared returns the names that a node of a syntax tree declares.
func declared(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	}
	return nil
}
