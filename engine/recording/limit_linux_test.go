package recording_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine/recording"
)

// fileLimit is the environment variable with the maximum file size of the child, in bytes.
const fileLimit = "HYBRIDTOP_RECORDING_LIMIT"

func limitFiles(t *testing.T) {
	if n, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: n, Max: n}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
}

// busy returns the processor time of this process, which depends less on other processes than the
// wall time does.
func busy(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A file that cannot grow ends the recording with the reason, and earlier data are kept. The same
// holds for a full disk, if one can be mounted.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("two processes write until the disk is full")
	}
	for name, dir := range map[string]string{"limit": t.TempDir(), "disk": mounted(t, "size=800k", 0)} {
		t.Run(name, func(t *testing.T) {
			if dir == "" {
				t.Skip("cannot mount a file system here")
			}
			file := filepath.Join(dir, "run.htr")
			limit := "1000000000"
			if name == "limit" {
				limit = "800000"
			}
			c, lines := start(t, file, fileLimit+"="+limit)
			said := ""
			for said == "" && lines.Scan() {
				said, _ = strings.CutPrefix(lines.Text(), "failed: ")
				if strings.HasPrefix(said, "at ") || !strings.HasPrefix(lines.Text(), "failed: ") {
					said = ""
				}
			}
			_ = c.Wait()
			if !strings.Contains(said, "run.htr") || !strings.Contains(said, "full") && !strings.Contains(said, "I/O") {
				t.Errorf("it said %q", said)
			}
			if length := whole(t, file); length <= 0 {
				t.Error("no earlier data remain")
			}
		})
	}
}

// mounted mounts a small file system, or returns "" if this is not possible.
func mounted(t *testing.T, options string, flags uintptr) string {
	t.Helper()
	dir := t.TempDir()
	if syscall.Mount("none", dir, "tmpfs", flags, options) != nil {
		return ""
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	return dir
}

// In a folder that is not writable nothing is recorded, but existing recordings can be read.
func TestReadOnlyFolder(t *testing.T) {
	good := small(t)
	dir := mounted(t, "size=2m", 0)
	lock := func() error { return syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "") }
	if dir == "" {
		if os.Geteuid() == 0 {
			t.Skip("root can write everywhere; cannot mount a file system here")
		}
		dir = t.TempDir()
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		lock = func() error { return os.Chmod(dir, 0o555) }
	}
	file := filepath.Join(dir, "a.htr")
	if err := os.WriteFile(file, good, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := lock(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(dir, "new.htr")} {
		if w, err := recording.Create(name); err == nil {
			_ = w.Close()
			t.Errorf("%s is written to", name)
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("%v: which file?", err)
		}
	}
	if err := readAll(file); err != nil {
		t.Error(err)
	}
}
