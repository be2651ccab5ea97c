//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain also runs as the subprocess of a test that sets a system limit.
func TestMain(m *testing.M) {
	if file := os.Getenv("WRITE_LIMITED"); file != "" {
		limited(file)
	}
	os.Exit(m.Run())
}

// A new file has mode 0644 without the umask. A replaced file gets no more permissions than before.
func TestMode(t *testing.T) {
	file := filepath.Join(in(t, "a"), "a")
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	for _, c := range []struct {
		umask     int
		was, want os.FileMode // was 0: a new file
	}{
		{0, 0, 0o644}, {0o077, 0, 0o600}, {0o022, 0, 0o644},
		{0, 0o666, 0o644}, {0, 0o600, 0o600}, {0, 0o755, 0o644}, {0o022, 0o640, 0o640},
	} {
		_ = os.Remove(file)
		if c.was != 0 {
			put(t, file, "old", c.was)
		}
		syscall.Umask(c.umask)
		err := Write(t.Context(), file, []byte("new"))
		syscall.Umask(0)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != c.want {
			t.Errorf("umask %o over %o: mode %o, want %o", c.umask, c.was, info.Mode(), c.want)
		}
	}
}

// A pipe or a device is an error, and Write does not wait for its other end.
func TestPipeAndDevice(t *testing.T) {
	pipe := filepath.Join(in(t, "pipe"), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	for _, name := range []string{pipe, "/dev/null"} {
		for what, err := range map[string]error{"Check": Check(name), "Write": Write(t.Context(), name, []byte("a"))} {
			if err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s of %s: got %v", what, name, err)
			}
		}
	}
}

// If the system truncates a file (a full disk, a limit), the old file does not change.
func TestFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(in(t, "a"), "a")
	put(t, file, "old", 0o644)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "WRITE_LIMITED="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := file + ": file too large"; !strings.Contains(string(out), want) {
		t.Errorf("printed %q, want %q", out, want)
	}
	holds(t, file, "old")
}

// A file that is changed in place is regular as well.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(file, link), syscall.Mkfifo(pipe, 0o644)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: "", link: "is a link", pipe: "not a regular file", dir: "is a folder",
		"/dev/null": "not a regular file"} {
		f, err := Open(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
		if err == nil {
			err = f.Close()
		}
		if again := CheckTarget(name); (again == nil) != (err == nil) {
			t.Errorf("%s: CheckTarget returns %v, Open %v", name, again, err)
		}
	}
}
