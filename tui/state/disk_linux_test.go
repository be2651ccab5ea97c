package state

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mounted returns a separate file system. It skips tests without the right to mount.
func mounted(t *testing.T, flags uintptr, options string) string {
	t.Helper()
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", flags, options); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
	return folder
}

// A full disk and a read-only one are reported once, and the old file stays.
func TestAFullAndAReadOnlyDisk(t *testing.T) {
	full := mounted(t, 0, "size=4k,nr_inodes=4")
	file := filepath.Join(full, "config.toml")
	write(t, file, "theme = 'light'\n"+strings.Repeat("#", 4000))
	readOnly := mounted(t, unix.MS_RDONLY, "size=4k")
	for folder, want := range map[string]string{full: "no space left on device", readOnly: "read-only file system"} {
		s, _ := Open(folder, "")
		err := s.Keep(context.Background(), Kept{Theme: "dark"})
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), filepath.Join(folder, "config.toml")) {
			t.Errorf("it says %v, want %s", err, want)
		}
		if err := s.Keep(context.Background(), Kept{Theme: "mono"}); err != nil {
			t.Errorf("it says again %v", err)
		}
	}
	if _, k := Open(full, ""); k.Theme != "light" {
		t.Errorf("the file has the theme %q now", k.Theme)
	}
	left, err := os.ReadDir(full)
	if err != nil || len(left) != 1 {
		t.Errorf("the full folder has %v, %v", left, err)
	}
}
