package golden

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sections holds the golden file of the tested package.
type sections struct {
	path  string
	names []string // in the order of the file
	texts map[string]string
	owner map[string]string // test of the section
	err   error
}

var (
	mu   sync.Mutex
	open = sync.OnceValue(load)
)

// heading matches the first line of a section.
var heading = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// load reads the golden file. It starts with an empty file if all tests of the package update it.
func load() *sections {
	s := &sections{texts: map[string]string{}, owner: map[string]string{}}
	dir, err := os.Getwd()
	if err != nil {
		s.err = err
		return s
	}
	s.path = filepath.Join("testdata", filepath.Base(dir)+".golden")
	if *update && whole() {
		return s
	}
	b, err := os.ReadFile(s.path)
	if err != nil && !(*update && os.IsNotExist(err)) {
		s.err = err
		return s
	}
	s.parse(string(b))
	return s
}

// whole reports whether all tests of the package run, at full size.
func whole() bool {
	for _, name := range []string{"test.run", "test.skip"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return !testing.Short()
}

func (s *sections) parse(text string) {
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		s.put(text[m[2]:m[3]], text[m[1]:end])
	}
}

func (s *sections) put(name, text string) {
	if _, exists := s.texts[name]; !exists {
		s.names = append(s.names, name)
	}
	s.texts[name] = text
}

func (s *sections) write() error {
	var b strings.Builder
	for _, name := range s.names {
		b.WriteString("-- " + name + " --\n" + s.texts[name])
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(s.path, []byte(b.String()), 0o644)
}

// Text compares a text with the section called name in the golden file of the package. Each section
// belongs to one test.
func Text(t *testing.T, name, got string) {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	s := open()
	if s.err != nil {
		t.Fatalf("%v (-update writes it)", s.err)
	}
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if heading.MatchString(got) || !heading.MatchString("-- "+name+" --\n") {
		t.Fatalf("the text of %q looks like a heading of %s, or its name cannot be one", name, s.path)
	}
	if owner := s.owner[name]; owner != "" && owner != t.Name() {
		t.Fatalf("%s and %s both have the section %q of %s", owner, t.Name(), name, s.path)
	}
	s.owner[name] = t.Name()
	if *update {
		s.put(name, got)
		if err := s.write(); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, exists := s.texts[name]
	if !exists {
		t.Errorf("%s has no section %q (-update writes it):\n%s", s.path, name, got)
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs in %q (-want +got; -update rewrites it):\n%s\n%s", s.path, name, diff, got)
	}
}
