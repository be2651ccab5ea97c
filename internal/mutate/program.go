package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// A writer writes the program that contains all mutants, and checks its types. A mutation that does not
// compile is left out.
type writer struct {
	root     string
	imports  types.Importer
	packages map[string]listed // by folder
	set      *token.FileSet
}

// newWriter lists the packages of some folders with everything that they import.
func (t *trial) newWriter(folders []string) (*writer, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./" + switches}
	for _, f := range folders {
		args = append(args, "./"+f)
	}
	out, err := t.command(context.Background(), "go", args...).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w\n%s", err, failed.Stderr)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	w := &writer{root: t.root, packages: map[string]listed{}, set: token.NewFileSet()}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if folder, err := filepath.Rel(t.root, p.Dir); err == nil {
			w.packages[filepath.ToSlash(folder)] = p
		}
	}
	w.imports = importer.ForCompiler(w.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return w, nil
}

// switches is the folder of the package that applies a mutation.
const switches = "internal/mutate/mutant"

// check checks the types of a package's files. It returns the types of the expressions, and the errors.
func (w *writer) check(path string, files []*ast.File) (*types.Info, []types.Error) {
	var failed []types.Error
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: w.imports, Error: func(err error) {
		if e, ok := err.(types.Error); ok {
			failed = append(failed, e)
		}
	}}
	_, _ = config.Check(path, w.set, files, info)
	return info, failed
}

// write writes the files of a folder with the given sites into a folder dir, and adds them to the overlay. It
// returns the sites whose mutants compile.
func (w *writer) write(folder string, sites []site, dir string, overlay map[string]string) ([]site, error) {
	p := w.packages[folder]
	sources, original := map[string][]byte{}, []*ast.File{}
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(w.set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		sources[name], original = source, append(original, f)
	}
	info, failed := w.check(p.ImportPath, original)
	if len(failed) > 0 {
		return nil, failed[0]
	}
	sites = w.typed(sites, original, info)
	for {
		var files []*ast.File
		written := map[string]*written{}
		for _, name := range p.GoFiles {
			of := slices.DeleteFunc(slices.Clone(sites), func(s site) bool { return filepath.Base(s.file) != name })
			x := weave(sources[name], of)
			f, err := parser.ParseFile(w.set, name, x.text, parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("%s/%s with mutations: %w", folder, name, err)
			}
			written[name], files = x, append(files, f)
		}
		_, failed := w.check(p.ImportPath, files)
		if len(failed) == 0 {
			for name, x := range written {
				to := filepath.Join(dir, folder, name)
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					return nil, err
				}
				if err := os.WriteFile(to, x.text, 0o644); err != nil {
					return nil, err
				}
				overlay[filepath.Join(p.Dir, name)] = to
			}
			return sites, nil
		}
		out := map[int]bool{}
		for _, e := range failed {
			at := w.set.Position(e.Pos)
			ids := written[at.Filename].at(at.Offset)
			if len(ids) == 0 {
				return nil, fmt.Errorf("%s with mutations: %w", folder, e)
			}
			for _, id := range ids {
				out[id] = true
			}
		}
		sites = slices.DeleteFunc(sites, func(s site) bool { return out[s.id] })
	}
}

// typed completes sites with the types of their constants. It leaves out constant indices out of range,
// which do not compile, and constants without a type of numbers.
func (w *writer) typed(sites []site, files []*ast.File, info *types.Info) []site {
	type place struct {
		file     string
		from, to int
	}
	literals, indices := map[place]types.Type{}, map[place]*ast.IndexExpr{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			at := func(e ast.Expr) place {
				return place{w.set.Position(e.Pos()).Filename, w.set.Position(e.Pos()).Offset, w.set.Position(e.End()).Offset}
			}
			if n, ok := n.(*ast.IndexExpr); ok {
				indices[at(n.Index)] = n
			}
			if e, ok := n.(ast.Expr); ok && info.Types[e].Value != nil { // the parts of a constant have its type
				t := info.Types[e].Type
				ast.Inspect(e, func(n ast.Node) bool {
					if l, ok := n.(*ast.BasicLit); ok && (literals[at(l)] == nil || !isUntyped(t)) {
						literals[at(l)] = t
					}
					return true
				})
			}
			return true
		})
	}
	here := func(p *types.Package) string {
		if p.Name() == files[0].Name.Name {
			return ""
		}
		return p.Name()
	}
	var kept []site
	for _, s := range sites {
		at := place{filepath.Base(s.file), s.from, s.to}
		switch s.operator {
		case "constant":
			t := literals[at]
			if t == nil {
				continue
			}
			if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsNumeric == 0 {
				continue
			}
			s.of = types.TypeString(types.Default(t), here)
		case "index":
			n := indices[at]
			if info.Types[n.Index].IsType() { // a type argument
				continue
			}
			if v := info.Types[n.Index].Value; v != nil {
				if i, exact := constant.Int64Val(constant.ToInt(v)); exact && !inRange(info.Types[n.X].Type, i+s.by) {
					continue
				}
			}
		}
		kept = append(kept, s)
	}
	return kept
}

// isUntyped reports whether a type is one of untyped constants.
func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// inRange reports whether a constant index of a type compiles.
func inRange(t types.Type, i int64) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	a, ok := t.Underlying().(*types.Array)
	return i >= 0 && (!ok || i < a.Len())
}

// write writes and builds the program that contains all mutants. It returns their places.
func (t *trial) write(only string) ([]site, error) {
	folders := slices.Sorted(maps.Keys(t.packages))
	w, err := t.newWriter(folders)
	if err != nil {
		return nil, err
	}
	var all []site
	next := 0
	overlay := map[string]string{}
	for _, folder := range folders {
		var entry []string
		if folder != collectives && folder != "engine/workload/dense" {
			entry = []string{"run"}
		}
		sites, err := sitesOf(t.root, folder, entry)
		if err != nil {
			return nil, err
		}
		sites = slices.DeleteFunc(sites, func(s site) bool { return !strings.Contains(s.file, only) })
		for i := range sites {
			sites[i].id = next
			next++
		}
		if sites, err = w.write(folder, sites, t.dir, overlay); err != nil {
			return nil, err
		}
		all = append(all, sites...)
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(t.dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o644); err != nil {
		return nil, err
	}
	t.program = filepath.Join(t.dir, "mutants")
	out, err := t.command(context.Background(), "go", "build", "-ldflags=-s -w", "-overlay", list, "-o", t.program,
		"./cmd/hybridtop").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return all, nil
}
