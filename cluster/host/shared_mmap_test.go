//go:build linux && (amd64 || arm64)

package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// share returns memory that the test closes.
func share(t *testing.T, n int64) *Shared {
	t.Helper()
	s, err := Share(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestProcessesShareMemory lets another process read a byte of shared memory and write the next one.
func TestProcessesShareMemory(t *testing.T) {
	if name := os.Getenv("SHARED"); name != "" {
		s, err := MapShared(name, 100)
		if err != nil {
			t.Fatal(err)
		}
		s.Bytes()[99] = s.Bytes()[98] + 1
		return
	}
	s := share(t, 100)
	if len(s.Bytes()) != 100 || strings.Trim(string(s.Bytes()), "\x00") != "" {
		t.Errorf("new memory has %d B: %q, want 100 zeros", len(s.Bytes()), s.Bytes())
	}
	s.Bytes()[98] = 7
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesShareMemory$")
	cmd.Env = append(os.Environ(), "SHARED="+s.Name())
	if out, err := cmd.CombinedOutput(); err != nil || s.Bytes()[99] != 8 {
		t.Errorf("the other process wrote %d, want 8: %v\n%s", s.Bytes()[99], err, out)
	}
}

// TestClosedMemoryReadsAsZeros closes memory in one of two places. A slice of it stays valid there, and the other
// place keeps its bytes.
func TestClosedMemoryReadsAsZeros(t *testing.T) {
	s := share(t, 10)
	other, err := MapShared(s.Name(), 10)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mine := s.Bytes()
	mine[3] = 5
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if mine[3] != 0 || other.Bytes()[3] != 5 {
		t.Errorf("after closing, the slice has %d and the other mapping has %d, want 0 and 5", mine[3], other.Bytes()[3])
	}
	mine[3] = 1
	if other.Bytes()[3] != 5 {
		t.Error("a store to closed memory reached the other mapping")
	}
	if _, err := MapShared(s.Name(), 10); err == nil {
		t.Error("closed memory can be mapped")
	}
}

// TestMapSharedRefusesOtherFiles tests names that a damaged message could have.
func TestMapSharedRefusesOtherFiles(t *testing.T) {
	s := share(t, 10)
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	loose, err := unix.MemfdCreate(sharedFile, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(loose)
	if err := unix.Ftruncate(loose, sharedHead+10); err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(s.Name(), " ")
	own := fmt.Sprintf("%d/fd/", os.Getpid())
	for _, c := range []struct {
		name string
		n    int64
		want string
	}{
		{"", 10, "does not name"},
		{"../etc/passwd x", 10, "does not name"},
		{own + "../fd/0 x", 10, "does not name"},
		{"self/cwd/x y", 10, "does not name"},
		{own + "99999 x", 10, "no such file"},
		{fmt.Sprint(own, file.Fd(), " x"), 10, "another file"},
		{fmt.Sprint(own, loose, " x"), 10, "fixed size"},
		{s.Name(), 11, "want 75 B"},
		{path + " x", 10, "another process"},
		{s.Name() + strings.Repeat("x", 100), 10, "does not name"},
	} {
		if m, err := MapShared(c.name, c.n); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with %d B: error %v, want %q", c.name, c.n, err, c.want)
			if m != nil {
				m.Close()
			}
		}
	}
}
