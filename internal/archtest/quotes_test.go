package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// quote matches a line that is only a link to a Go or TOML file, and the block of code after it.
var quote = regexp.MustCompile("(?m)^\\[([^\\]]+\\.(?:go|toml))\\]\\(([^)]+)\\):\n\n```(?:go|toml)\n((?s:.*?))```$")

// TestQuotedFilesAreVerbatim checks that each text that CONTRIBUTING quotes is equal to its file. CONTRIBUTING quotes
// every file of the example workload, a question, and the rules of a library.
func TestQuotedFilesAreVerbatim(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var quoted []string
	for _, m := range quote.FindAllSubmatch(page, -1) {
		name := string(m[2])
		if string(m[1]) != name {
			t.Errorf("the link to %s has the text %s", name, m[1])
		}
		quoted = append(quoted, name)
		file, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		} else if string(file) != string(m[3]) {
			t.Errorf("CONTRIBUTING.md quotes %s, but the file has another text: copy it", name)
		}
	}
	example, err := filepath.Glob(filepath.Join(root, "engine", "workload", "ring", "*.go"))
	if err != nil || len(example) == 0 {
		t.Fatalf("the example has no files: %v", err)
	}
	for _, name := range []string{"presets/questions/larger-messages.toml", "presets/testdata/our-mpi.toml"} {
		if !slices.Contains(quoted, name) {
			t.Errorf("CONTRIBUTING.md does not quote %s", name)
		}
	}
	for _, file := range example {
		if name := "engine/workload/ring/" + filepath.Base(file); !slices.Contains(quoted, name) {
			t.Errorf("CONTRIBUTING.md does not quote %s", name)
		}
	}
}
