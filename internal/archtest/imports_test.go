package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/hybridtop/hybridtop"

// table lists the packages of the module that each package may import. A pattern ends in /* for the
// folders directly below, or in /** for the folder and all folders below it. The first matching
// line counts. A package without a line fails the test: add a line.
const table = `
models                 :
cluster                :
cluster/upc            : cluster cluster/coll
cluster/rma            : cluster
cluster/match          : cluster
cluster/memory         :
cluster/coll           : cluster cluster/memory models
cluster/host           : cluster
cluster/codec          :
cluster/codec/codectest : cluster/codec
cluster/timeline       : cluster cluster/codec
cluster/goal           : cluster cluster/coll
cluster/live/far       : cluster cluster/host
cluster/mpi            :
cluster/live/far/socket : cluster/live/far
cluster/live           : cluster cluster/live/far cluster/match cluster/memory cluster/host cluster/sim/topology cluster/timeline
cluster/sim            : cluster cluster/match cluster/memory cluster/host cluster/sim/topology cluster/timeline
cluster/sim/topology   : cluster
cluster/clustertest    : cluster cluster/timeline cluster/upc cluster/rma cluster/coll internal/race
presets                : cluster internal/xdg internal/atomicfile internal/inputfile internal/tomlkeys
engine                 : cluster cluster/codec cluster/timeline
engine/workload        : engine cluster cluster/coll models
engine/workload/all    : engine/workload/*
engine/algorithm       : engine engine/study cluster cluster/coll cluster/sim cluster/sim/topology presets
engine/workload/dense  : engine cluster/codec
engine/workload/domain : engine cluster/codec
engine/workload/*      : engine engine/workload engine/workload/dense engine/workload/domain engine/workload/network engine/study engine/algorithm cluster cluster/codec cluster/coll cluster/sim/topology cluster/timeline cluster/upc cluster/rma models
engine/study           : engine cluster models
engine/glossary        :
engine/recording       : engine engine/workload cluster cluster/codec cluster/sim cluster/timeline internal/atomicfile internal/build internal/inputfile internal/safetext
engine/session/sessiontest : engine engine/session cluster
engine/session         : engine engine/algorithm engine/study engine/workload/** cluster/** presets models
engine/bench           : engine engine/workload/** cluster/** presets models internal/inputfile
engine/calibrate       : engine engine/workload/** cluster/** presets models
engine/tuner           : engine engine/algorithm cluster/** presets models internal/atomicfile internal/inputfile internal/tomlkeys
engine/lesson          : engine engine/workload engine/session cluster presets internal/atomicfile internal/inputfile internal/safetext internal/xdg
engine/explain         : engine engine/session cluster cluster/sim cluster/timeline presets
engine/job/jobtest     : engine/job cluster/live/far/socket
engine/job             : engine engine/session engine/tuner engine/workload/all cluster cluster/live cluster/live/far cluster/codec internal/build internal/safetext
engine/pairs           : engine engine/session models
engine/advise          : engine engine/algorithm engine/explain engine/session engine/workload cluster models presets
engine/shapes          : engine engine/advise engine/explain engine/session engine/workload cluster cluster/host
engine/reproduce       : engine engine/workload/** engine/session engine/tuner cluster/** presets models internal/atomicfile internal/inputfile
tui                    : engine/** presets models cluster cluster/timeline tui/grid tui/export tui/tty tui/pane/** tui/overlay/** tui/state internal/atomicfile
tui/pane               : engine engine/advise engine/explain engine/pairs engine/shapes engine/tuner presets cluster tui/grid
tui/pane/all           : tui/pane tui/pane/*
tui/overlay            : cluster presets tui/grid tui/pane
tui/overlay/all        : tui/overlay tui/overlay/*
tui/overlay/*          : engine engine/glossary engine/workload presets cluster tui/grid tui/pane tui/overlay
tui/pane/panetest      : engine engine/study engine/workload presets models cluster cluster/timeline tui/grid tui/pane internal/golden
tui/pane/panetest/runs : engine engine/session engine/study engine/workload engine/workload/all presets cluster tui/pane tui/pane/panetest internal/golden
tui/pane/*             : engine engine/advise engine/explain engine/pairs engine/shapes engine/tuner engine/workload engine/workload/* engine/study presets models cluster cluster/sim cluster/timeline tui/grid tui/pane
tui/grid               :
tui/state              : internal/atomicfile internal/inputfile internal/tomlkeys
tui/tty                :
tui/tty/ttytest        :
tui/export             : tui/grid
cmd/hybridtop          : **
cmd/hybridtop-mpi      : cluster cluster/live cluster/live/far cluster/live/far/socket cluster/clustertest cluster/mpi engine engine/job engine/session engine/workload engine/workload/all
internal/addressspace  :
internal/atomicfile    :
internal/golden        :
internal/hostile       :
internal/inputfile     :
internal/archtest         :
internal/build         :
internal/mutate        : internal/mutate/mutant
internal/mutate/mutant :
internal/prose         :
internal/race          :
internal/release       :
internal/revert        :
internal/safetext      :
internal/soak          : internal/inputfile
internal/tomlkeys      :
internal/xdg           :
`

// layers are the layers, from the lowest. A layer imports only lower ones. A test can also import
// its own layer (the conformance suite, a fabric, a machine from a file) and packages below
// internal.
var layers = []string{"models", "cluster", "presets", "engine", "tui", "cmd"}

// banned are imports from outside the module that a package must not have, by pattern. Time,
// waiting, randomness and files come from the Rank. A program that gets them from the host behaves
// differently on another fabric.
var banned = []struct{ packages, imports, why string }{
	{"engine/workload/*", "time sync sync/atomic os math/rand math/rand/v2", "a workload has these from its Rank"},
	{"cluster", "time sync os math/rand", "the contract is free of clocks, locks and files; seeded generators are " +
		"math/rand/v2"},
	{"cluster/upc", "time sync os math/rand math/rand/v2", "a library has these from its Rank"},
	{"cluster/rma", "time sync os math/rand math/rand/v2", "a library has these from its Rank"},
	{"cluster/coll", "time sync os math/rand math/rand/v2", "a collective has these from its Rank"},
	{"cluster/match", "time sync os math/rand", "matching is plain data"},
	{"cluster/timeline", "time os math/rand math/rand/v2", "the caller passes the time"},
	{"models", "time sync os math/rand math/rand/v2", "models are functions of numbers"},
}

// terminal lists the terminal libraries. Only the screen and the command line may import them.
var terminal = []string{"charm.land/", "github.com/charmbracelet/", "github.com/NimbleMarkets/", "github.com/spf13/"}

// ntcharts may only be imported by one adapter.
const ntcharts = "github.com/NimbleMarkets/ntcharts/"

// file is one Go file of the module.
type file struct {
	path    string // slashes, from the root
	pkg     string // folder, from the root
	test    bool
	imports []string
	syntax  *ast.File
}

const root = "../.."

// goFiles parses the imports of every Go file of the module.
func goFiles(t *testing.T) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); p != root && (n == "testdata" || n == "dist" || strings.HasPrefix(n, ".") ||
				strings.HasPrefix(n, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		f := file{path: filepath.ToSlash(rel), test: strings.HasSuffix(p, "_test.go"), syntax: syntax}
		f.pkg = path.Dir(f.path)
		for _, i := range syntax.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, name)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no Go files under %s", root)
	}
	return files
}

// matches reports whether a package matches a pattern of the table.
func matches(pattern, pkg string) bool {
	if pattern == "**" {
		return true
	}
	if head, ok := strings.CutSuffix(pattern, "/**"); ok {
		return pkg == head || strings.HasPrefix(pkg, head+"/")
	}
	if head, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == head
	}
	return pkg == pattern
}

// allowed returns the patterns of the packages that pkg may import, and whether the table has a
// line for it.
func allowed(table, pkg string) ([]string, bool) {
	for line := range strings.Lines(table) {
		name, may, ok := strings.Cut(line, ":")
		if ok && matches(strings.TrimSpace(name), pkg) {
			return strings.Fields(may), true
		}
	}
	return nil, false
}

func layerOf(pkg string) int {
	first, _, _ := strings.Cut(pkg, "/")
	return slices.Index(layers, first)
}

// wrong returns the reason why an import is not allowed, or "".
func wrong(table string, f *file, imported string) string {
	inside, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		if f.test {
			return ""
		}
		for _, b := range banned {
			if matches(b.packages, f.pkg) && slices.Contains(strings.Fields(b.imports), imported) {
				return b.why
			}
		}
		if strings.HasPrefix(imported, ntcharts) && f.path != "tui/grid/ntcharts.go" {
			return "ntcharts has one adapter, tui/grid/ntcharts.go"
		}
		if layerOf(f.pkg) < layerOf("tui") {
			for _, prefix := range terminal {
				if strings.HasPrefix(imported, prefix) {
					return "terminal libraries belong to tui and cmd"
				}
			}
		}
		return ""
	}
	may, known := allowed(table, f.pkg)
	if !known {
		return "package " + f.pkg + " has no line in the table"
	}
	if slices.ContainsFunc(may, func(p string) bool { return matches(p, inside) }) {
		return ""
	}
	if f.test && (inside == f.pkg || strings.HasPrefix(inside, "internal/") ||
		layerOf(inside) >= 0 && layerOf(inside) <= layerOf(f.pkg)) {
		return ""
	}
	return "the table allows: " + strings.Join(may, " ")
}

func TestImports(t *testing.T) {
	for _, f := range goFiles(t) {
		if _, known := allowed(table, f.pkg); !known {
			t.Errorf("%s: package %s has no line in the import table", f.path, f.pkg)
			continue
		}
		for _, imported := range f.imports {
			if why := wrong(table, &f, imported); why != "" {
				t.Errorf("%s imports %s: %s", f.path, imported, why)
			}
		}
	}
}

// Each line has a package. A line of a removed package would apply to its successor without a
// review.
func TestEveryLineHasAPackage(t *testing.T) {
	files := goFiles(t)
	for line := range strings.Lines(table) {
		pattern, _, ok := strings.Cut(line, ":")
		pattern = strings.TrimSpace(pattern)
		if ok && !slices.ContainsFunc(files, func(f file) bool { return matches(pattern, f.pkg) }) {
			t.Errorf("the import table has a line for %s, which does not exist", pattern)
		}
	}
}

// The rule also works on imports that are not in the tree.
func TestImportRule(t *testing.T) {
	const our = module + "/"
	for _, c := range []struct {
		path     string
		imported string
		fails    bool
	}{
		{"models/fit.go", our + "cluster", true},
		{"models/fit.go", "gonum.org/v1/gonum/stat", false},
		{"cluster/rank.go", our + "cluster/live", true},
		{"cluster/rank.go", "time", true},
		{"cluster/rank_test.go", our + "cluster/live", false},
		{"cluster/rank_test.go", our + "engine", true},
		{"cluster/live/live_test.go", our + "internal/soak", false},
		{"cluster/live/engine.go", our + "internal/soak", true},
		{"cluster/live/engine.go", our + "cluster/match", false},
		{"cluster/live/engine.go", "time", false},
		{"engine/workload/dot/dot.go", our + "models", false},
		{"engine/workload/dot/dot.go", our + "cluster/live", true},
		{"engine/workload/dot/dot.go", our + "engine/workload/pingpong", true},
		{"engine/workload/dot/dot.go", "math/rand/v2", true},
		{"engine/session/loop.go", our + "engine/workload/dot", false},
		{"engine/session/loop.go", our + "tui", true},
		{"engine/session/loop.go", "charm.land/bubbletea/v2", true},
		{"engine/recording/file.go", our + "engine/session", true},
		{"engine/nowhere/store.go", our + "engine", true}, // no line
		{"tui/app.go", our + "engine/session", false},
		{"tui/app.go", our + "cluster/live", true},
		{"tui/app.go", "charm.land/bubbletea/v2", false},
		{"tui/pane/why/why.go", our + "engine/session", true},
		{"tui/pane/why/why.go", our + "tui", true},
		{"tui/pane/pane.go", our + "tui/pane/why", true},
		{"tui/overlay/edit/edit.go", our + "tui/overlay/machines", true},
		{"tui/export/svg.go", our + "engine", true},
		{"tui/grid/ntcharts.go", "github.com/NimbleMarkets/ntcharts/v2/canvas", false},
		{"tui/grid/linechart.go", "github.com/NimbleMarkets/ntcharts/v2/canvas", true},
		{"cmd/hybridtop/main.go", our + "tui", false},
	} {
		f := file{path: c.path, pkg: path.Dir(c.path), test: strings.HasSuffix(c.path, "_test.go")}
		if why := wrong(table, &f, c.imported); (why != "") != c.fails {
			t.Errorf("%s imports %s: got %q, want a failure: %v", c.path, c.imported, why, c.fails)
		}
	}
}
