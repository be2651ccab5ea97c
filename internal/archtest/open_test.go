package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// openers are the packages that may open a file by its name: the functions that check it first, and
// programs of the project itself.
var openers = []string{"internal/inputfile", "internal/atomicfile", "internal/golden", "internal/mutate", "internal/mutate/mutant", "internal/prose",
	"internal/release", "tui/tty/ttytest"}

// A file is opened by inputfile or atomicfile, which refuse links, pipes and devices.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	banned := []string{"Open", "OpenFile", "Create", "ReadFile", "WriteFile"}
	for _, f := range goFiles(t) {
		if f.test || slices.Contains(openers, f.pkg) || filepath.Base(f.path) == "lock_unix.go" { // locks a folder
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(banned, s.Sel.Name) {
				t.Errorf("%s calls os.%s: use internal/inputfile or internal/atomicfile", f.path, s.Sel.Name)
			}
			return true
		})
	}
}
