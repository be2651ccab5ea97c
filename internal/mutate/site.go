package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// site is a place of a file, with the text that a mutation writes there.
type site struct {
	id             int
	file, operator string
	from, to, line int // offsets in the file, and the line
	old, text      string
	by             int64  // added to an index
	of             string // the type of a constant
}

// String returns the position, the operator, and the change.
func (s site) String() string {
	flat := func(text string) string {
		if text = strings.Join(strings.Fields(text), " "); len(text) > 60 {
			text = text[:57] + "..."
		}
		return text
	}
	return fmt.Sprintf("%s:%d: %s: %s → %s", s.file, s.line, s.operator, flat(s.old), flat(s.text))
}

// excluded lists the files that are not the program itself: studies, plans, models, costs and texts.
var excluded = []string{"doc.go", "study.go", "workload.go", "plan.go", "knobs.go", "model.go", "words.go", "weak.go",
	"drawing.go", "flow.go", "picture.go", "published.go", "comparison.go", "lines.go", "convergence.go", "histogram.go",
	"links.go", "cost.go", "pricing.go", "trace.go", "table.go", "tablebuild.go", "tuned.go", "choice.go", "prefer.go",
	"checker.go", "callcheck.go", "verify.go", "judge.go", "skewed.go", "sequential.go", "oracle.go", "registry.go",
	"estimate.go", "estimation.go", "transit.go", "crossing.go", "signature.go", "busy.go"}

// sitesOf returns the places of a folder's files that can be mutated. Without entry functions, all functions count.
func sitesOf(root, folder string, entry []string) ([]site, error) {
	names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	set, files, sources := token.NewFileSet(), map[string]*ast.File{}, map[string][]byte{}
	var order []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		order = append(order, name)
		files[name], sources[name] = f, source
	}
	reached := reachable(files, order, entry)
	var sites []site
	for _, name := range order {
		if slices.Contains(excluded, filepath.Base(name)) || strings.HasSuffix(name, "collective/field.go") || // the decision map
			strings.HasSuffix(name, "barneshut/direct.go") { // an oracle
			continue
		}
		file, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		for _, d := range files[name].Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && (reached == nil || reached[f.Name.Name]) &&
				!untouched(f.Name.Name) {
				c := collector{set: set, source: sources[name], file: filepath.ToSlash(file), elses: map[*ast.IfStmt]bool{}}
				ast.Inspect(f.Body, c.visit)
				sites = append(sites, c.sites...)
			}
		}
	}
	return sites, nil
}

// untouched reports whether a function only has costs, texts or measurements.
func untouched(name string) bool {
	switch name {
	case "closedForm", "report", "String", "init", "charge", "Predict", "lap", "accountAll",
		"accountLoads", "accountMessage", "count":
		return true
	}
	return strings.HasSuffix(name, "Work") || verifies(name)
}

// reachable returns the names of the functions that the entry functions name, directly or through others.
func reachable(files map[string]*ast.File, order, entry []string) map[string]bool {
	if len(entry) == 0 {
		return nil
	}
	bodies := map[string][]*ast.FuncDecl{}
	for _, name := range order {
		for _, d := range files[name].Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				bodies[f.Name.Name] = append(bodies[f.Name.Name], f)
			}
		}
	}
	reached, open := map[string]bool{}, entry
	for len(open) > 0 {
		name := open[0]
		open = open[1:]
		if reached[name] {
			continue
		}
		reached[name] = true
		for _, f := range bodies[name] {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && bodies[id.Name] != nil {
					open = append(open, id.Name)
				}
				return true
			})
		}
	}
	return reached
}

// collector collects the sites of a function.
type collector struct {
	set    *token.FileSet
	source []byte
	file   string
	sites  []site
	elses  map[*ast.IfStmt]bool // behind an else
}

// visit adds the sites of a node. It reports whether the nodes below may have sites.
func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if next, ok := n.Else.(*ast.IfStmt); ok {
			c.elses[next] = true
		}
		if verifies(c.text(n.Cond)) {
			break
		}
		if !isNilTest(n.Cond) {
			c.add("condition", n.Cond, "!("+c.text(n.Cond)+")")
		} else if isErrorTest(n) && !c.elses[n] && !verifies(c.text(n.Init)) {
			c.add("call", n, "")
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && c.text(call.Fun) != "panic" && !verifies(c.text(call)) {
			c.add("call", n, "")
		}
	case *ast.IndexExpr:
		change, by := " + 1", int64(1)
		if n.Pos()%2 == 0 {
			change, by = " - 1", -1
		}
		c.add("index", n.Index, "("+c.text(n.Index)+")"+change)
		c.sites[len(c.sites)-1].by = by
	case *ast.BasicLit:
		switch n.Kind {
		case token.INT:
			c.add("constant", n, "("+n.Value+" + 1)")
		case token.FLOAT:
			if x, err := strconv.ParseFloat(n.Value, 64); err == nil && x != 0 {
				c.add("constant", n, "("+n.Value+" * 1.05)")
			} else {
				c.add("constant", n, "("+n.Value+" + 0.05)")
			}
		}
	case *ast.CallExpr: // the texts of errors and checks
		switch fun := c.text(n.Fun); {
		case strings.HasSuffix(fun, "Errorf"), strings.HasPrefix(fun, "fmt."), strings.HasSuffix(fun, ".Verify"),
			strings.HasSuffix(fun, ".Report"), strings.HasSuffix(fun, ".Part"), strings.HasSuffix(fun, ".Account"):
			return false
		}
	case *ast.CompositeLit:
		return c.text(n.Type) != "cluster.Work"
	}
	return true
}

// text returns the source of a node.
func (c *collector) text(n ast.Node) string {
	if e, ok := n.(ast.Expr); ok && e == nil || n == nil {
		return ""
	}
	return string(c.source[c.set.Position(n.Pos()).Offset:c.set.Position(n.End()).Offset])
}

// add adds a site.
func (c *collector) add(operator string, n ast.Node, text string) {
	at := c.set.Position(n.Pos())
	c.sites = append(c.sites, site{file: c.file, operator: operator, from: at.Offset, to: c.set.Position(n.End()).Offset,
		line: at.Line, old: c.text(n), text: text})
}

// verifies reports whether a call belongs to the verification or to the display, by its name.
func verifies(call string) bool {
	call = strings.ToLower(call)
	return strings.Contains(call, "verif") || strings.Contains(call, "check") || strings.Contains(call, "wrong") ||
		strings.Contains(call, "report") || strings.Contains(call, ".step(")
}

// isNilTest reports whether a condition compares with nil.
func isNilTest(cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "nil"
		return true
	})
	return found
}

// isErrorTest reports whether a statement has the form if err := call(); err != nil { return … }.
func isErrorTest(n *ast.IfStmt) bool {
	a, ok := n.Init.(*ast.AssignStmt)
	if !ok || n.Else != nil || len(a.Rhs) != 1 || len(n.Body.List) != 1 {
		return false
	}
	_, call := a.Rhs[0].(*ast.CallExpr)
	_, returns := n.Body.List[0].(*ast.ReturnStmt)
	return call && returns
}
