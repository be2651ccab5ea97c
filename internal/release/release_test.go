package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestArchives checks that the archive of each format has the files with their modes in one folder, dated by
// the commit, and that equal files give equal bytes.
func TestArchives(t *testing.T) {
	at := time.Date(2026, 11, 26, 17, 0, 30, 0, time.UTC)
	files := []file{{"hybridtop", 0o755, []byte("program")}, {"man/hybridtop.1", 0o644, []byte(".TH")}}
	want := "f/hybridtop -rwxr-xr-x 2026-11-26T17:00:30Z program\n" +
		"f/man/hybridtop.1 -rw-r--r-- 2026-11-26T17:00:30Z .TH\n"
	for name, c := range map[string]struct {
		pack func(string, []file, time.Time) ([]byte, error)
		list func(*testing.T, []byte) string
	}{"tar.gz": {tarball, listTarball}, "zip": {zipped, listZip}} {
		b, err := c.pack("f", files, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.list(t, b); got != want {
			t.Errorf("%s has\n%swant\n%s", name, got, want)
		}
		if again, err := c.pack("f", files, at); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s of the same files has other bytes (%v)", name, err)
		}
	}
}

func listTarball(t *testing.T, b []byte) string {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text, h.Name, h.FileInfo().Mode(), h.ModTime.UTC().Format(time.RFC3339), string(data))
	}
}

func listZip(t *testing.T, b []byte) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range r.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text, f.Name, f.Mode(), f.Modified.UTC().Format(time.RFC3339), string(data))
	}
	return text.String()
}

// TestPackageHasTheDocuments checks that a package has every document of the archives, dated by the commit.
func TestPackageHasTheDocuments(t *testing.T) {
	r := &release{version: "1.2.0", at: time.Unix(1e9, 0).UTC()}
	for _, name := range []string{"man/hybridtop.1", "completions/hybridtop.bash", "completions/_hybridtop",
		"completions/hybridtop.fish", "README.md", "CHANGELOG.md", "LICENSE", "THIRD-PARTY-LICENSES"} {
		r.shared = append(r.shared, file{name, 0o644, []byte(name)})
	}
	work := t.TempDir()
	b, err := r.configure(work, platform{"linux", "arm64"}, "/x")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{"arch: arm64\n", "version: \"1.2.0\"\n", "mtime: 2001-09-09T01:46:40Z\n", "dst: /usr/bin/hybridtop\n",
		"dst: /usr/bin/hybridtop-mpi\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the configuration lacks %q:\n%s", want, text)
		}
	}
	for _, f := range r.shared {
		if !strings.Contains(text, fmt.Sprintf("src: %q", filepath.Join(work, f.name))) {
			t.Errorf("the packages lack %s:\n%s", f.name, text)
		}
	}
	if got, want := strings.Count(text, "mtime: 2001-09-09"), 1+strings.Count(text, "src: "); got != want {
		t.Errorf("%d times, want one for the package and each file, %d", got, want)
	}
}

// TestChecksums checks the form that sha256sum -c reads.
func TestChecksums(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := checksums(folder); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
	if string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestModuleCanBeInstalled checks that go.mod has no directives that go install MODULE@VERSION refuses.
func TestModuleCanBeInstalled(t *testing.T) {
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if word, _, _ := strings.Cut(line, " "); word == "replace" || word == "exclude" {
			t.Errorf("go.mod has %q", line)
		}
	}
}
