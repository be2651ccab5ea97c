package xdg

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestFolders(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "c"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "s"))
	if got, want := Config("machines"), filepath.Join(home, "c", "hybridtop", "machines"); got != want {
		t.Errorf("config is %s, want %s", got, want)
	}
	if got, want := State(), filepath.Join(home, "s", "hybridtop"); got != want {
		t.Errorf("state is %s, want %s", got, want)
	}
	if runtime.GOOS != "linux" {
		return
	}
	t.Setenv("XDG_CONFIG_HOME", "relative")
	t.Setenv("XDG_STATE_HOME", "relative")
	if got, want := Config(), filepath.Join(home, ".config", "hybridtop"); got != want {
		t.Errorf("with a relative variable, config is %s, want %s", got, want)
	}
	if got, want := State(), filepath.Join(home, ".local", "state", "hybridtop"); got != want {
		t.Errorf("with a relative variable, state is %s, want %s", got, want)
	}
	t.Setenv("HOME", "")
	if got := Config() + State(); got != "" {
		t.Errorf("without a home: %q", got)
	}
}
