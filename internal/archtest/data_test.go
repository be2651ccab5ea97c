package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A workload does not branch on the kind of its data. Its parts choose a cluster.Store, and
// only Make, Alloc, Body, Do and workload.Parts know which one.
func TestWorkloadsDoNotBranchOnTheirData(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "engine", "workload", "*", "*.go"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files of workloads: %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range branchesOnData(f) {
			t.Errorf("%s: a branch on bytes or sizes: use the methods of cluster.Store and workload.Parts", set.Position(at))
		}
	}
}

// The rule finds every test for the kind of data.
func TestBranchesOnDataAreFound(t *testing.T) {
	for code, want := range map[string]int{
		"if b.SizeOnly() { f() }":                                 1,
		"x := store.SizeOnly(); _ = x":                            1,
		"if buf.Slice() == nil { f() }":                           1,
		"if len(buf.Slice()) > 0 { f() }":                         1,
		"for len(b.Data().Bytes()) > 0 { f() }":                   1,
		"switch { case d.Bytes() != nil: f() }":                   1,
		"if store.Body(g) == nil { f() }":                         1,
		"ok := a && b.Slice() != nil; _ = ok":                     1,
		"if x.real { f() }":                                       1,
		"if !phantom && n > 1 { f() }":                            1,
		"for i := range buf.Slice() { f(i) }":                     0,
		"if real(z) > 1 { f() }":                                  0,
		"if verified != timed { f() }":                            0,
		"_ = store.Do(func() error { return nil })":               0,
		"r.Compute(w, store.Body(func() { copy(b.Slice(), c) }))": 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {"+code+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(branchesOnData(f)); got != want {
			t.Errorf("%s: %d branches, want %d", code, got, want)
		}
	}
}

// branchesOnData returns the positions where a program tests the kind of its data: calls of
// SizeOnly, and conditions on the elements of a buffer, on the bytes of a payload, on a body, or on
// a name for the kind.
func branchesOnData(f *ast.File) (at []token.Pos) {
	seen, builtin := map[token.Pos]bool{}, map[token.Pos]bool{}
	note := func(p token.Pos) {
		if !seen[p] {
			seen[p] = true
			at = append(at, p)
		}
	}
	condition := func(e ast.Expr) {
		if e == nil {
			return
		}
		ast.Inspect(e, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if s, ok := x.Fun.(*ast.SelectorExpr); ok && len(x.Args) == 0 && (s.Sel.Name == "Slice" || s.Sel.Name == "Bytes") {
					note(e.Pos())
				}
				if s, ok := x.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Body" {
					note(e.Pos())
				}
				if b, ok := x.Fun.(*ast.Ident); ok && b.Name == "real" { // of a complex number
					builtin[b.Pos()] = true
				}
			case *ast.Ident:
				if builtin[x.Pos()] {
					return true
				}
				switch x.Name {
				case "real", "phantom", "phantoms", "sizeOnly", "bytewise":
					note(e.Pos())
				}
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if x.Sel.Name == "SizeOnly" {
				note(x.Pos())
			}
		case *ast.IfStmt:
			condition(x.Cond)
		case *ast.ForStmt:
			condition(x.Cond)
		case *ast.SwitchStmt:
			condition(x.Tag)
		case *ast.CaseClause:
			for _, e := range x.List {
				condition(e)
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				condition(x)
			}
		}
		return true
	})
	return at
}
