package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The list of machines reports which of the user's files it skips.
func TestPickerTellsOfSkippedFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	a := newApp()
	a.load(demo(4, 4, 4))
	keys(a, "o")
	if a.notice != "" {
		t.Errorf("it says %q of an empty folder", a.notice)
	}
	keys(a, "esc")
	file := filepath.Join(home, "hybridtop", "machines", "ours.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("title = 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	keys(a, "o")
	if want := "skipped: " + file + ":1: title"; !strings.HasPrefix(a.notice, want) {
		t.Errorf("it says %q, want %s", a.notice, want)
	}
}
