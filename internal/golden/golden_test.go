package golden

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file that is parsed and written has the same sections, with blank lines at their ends.
func TestSectionsRoundTrip(t *testing.T) {
	t.Chdir(t.TempDir())
	a := &sections{path: "testdata/x.golden", texts: map[string]string{}}
	a.put("one", "a\n\n")
	a.put("two, ascii", "-- \n --\n")
	a.put("three", "")
	a.put("one", "b\n\n\n")
	if err := a.write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	b := &sections{texts: map[string]string{}}
	b.parse(string(text))
	if diff := cmp.Diff(a.names, b.names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.texts, b.texts); diff != "" {
		t.Error(diff)
	}
}

// The golden file has the name of the package.
func TestTextUsesPackageFile(t *testing.T) {
	Text(t, "the section of this test", "a text\nof two lines")
	if s := open(); s.path != "testdata/golden.golden" || s.texts["the section of this test"] != "a text\nof two lines\n" {
		t.Errorf("%s has %q", s.path, s.texts)
	}
}
