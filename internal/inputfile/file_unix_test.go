//go:build unix

package inputfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only regular files of limited size are opened. Opening another file returns at once.
func TestOpen(t *testing.T) {
	in := t.TempDir()
	file, pipe, link := filepath.Join(in, "file"), filepath.Join(in, "pipe"), filepath.Join(in, "link")
	if err := os.WriteFile(file, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		limit int64
		want  string // "": no error
	}{
		{file, 5, ""}, {file, Unlimited, ""}, {link, 5, ""},
		{file, 4, "5 bytes, want at most 4"}, {pipe, 5, "not a regular file"}, {in, 5, "not a regular file"},
		{"/dev/null", 5, "not a regular file"}, {"", 5, "empty"}, {file + "x", 5, "no such file"},
	} {
		data, err := Read(c.name, c.limit)
		if c.want == "" && (err != nil || string(data) != "12345") {
			t.Errorf("%s, limit %d: %q, %v", c.name, c.limit, data, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, limit %d: error %v, want %q", c.name, c.limit, err, c.want)
		}
	}
}

// A file without a size in its folder, such as a file of /proc, is limited as well.
func TestReadLimitsWhatItReads(t *testing.T) {
	const name = "/proc/self/status"
	if _, err := os.Stat(name); err != nil {
		t.Skip("this system has no /proc")
	}
	if _, err := Read(name, 10); err == nil || !strings.Contains(err.Error(), "want at most 10") {
		t.Error(err)
	}
}
