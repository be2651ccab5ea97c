package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// remembering opens the screen with its files in a folder.
func remembering(t *testing.T, folder string, args ...string) *ttytest.Terminal {
	t.Helper()
	cmd := program(t, append([]string{"--machine", "this-host"}, args...)...)
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+folder, "XDG_STATE_HOME="+folder)
	return ttytest.Start(t, 120, 40, cmd)
}

// A second screen starts with the state of the first one; flags override it.
func TestTheScreenRemembers(t *testing.T) {
	if race.Enabled {
		t.Skip("other tests run the screen")
	}
	folder := t.TempDir()
	x := remembering(t, folder)
	x.Shows("verified")
	x.Type(":group 8\r")
	x.Shows("◂ 8 ▸")
	x.Shows("groups of 8")
	x.Shows("running  ") // what has not begun to run is not kept
	x.Type(":theme mono\r")
	x.Type("3")
	x.Shows("all panes")
	x.Type("q")
	x.Ends(0)
	state, err := os.ReadFile(filepath.Join(folder, "hybridtop", "state.toml"))
	if err != nil || !strings.Contains(string(state), "group = 8") ||
		!strings.Contains(string(state), "focus = 'latency'") {
		t.Errorf("%v: state.toml is\n%s", err, state)
	}
	config, err := os.ReadFile(filepath.Join(folder, "hybridtop", "config.toml"))
	if err != nil || !strings.Contains(string(config), "theme = 'mono'") {
		t.Errorf("%v: config.toml is\n%s", err, config)
	}

	x = remembering(t, folder)
	x.Shows("settings of the last screen: group 8")
	x.Shows("all panes")
	x.Type("z")
	x.Shows("◂ 8 ▸")
	x.Type("q")
	x.Ends(0)

	x = remembering(t, folder, "--group", "2", "--pane", "knobs", "--paused")
	x.Shows("◂ 2 ▸")
	x.Shows("PAUSED")
	x.Type("q")
	x.Ends(0)

	x = remembering(t, folder, "--fresh")
	x.Shows("◂ 4 ▸")
	x.Type("q")
	x.Ends(0)

	x = remembering(t, folder, "--ranks-per-node", "1") // group 8 is more than 4 ranks
	x.Shows("cannot run with the stored knobs")
	x.Type("q")
	x.Ends(0)
}

// Unreadable files are named on the screen and after it closes; the screen still runs.
func TestTheScreenNamesABrokenFile(t *testing.T) {
	if race.Enabled {
		t.Skip("other tests run the screen")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "hybridtop", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("theme = \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := remembering(t, folder)
	x.Shows("hybridtop/config.toml:1:")
	x.Type(":theme mono\r")
	x.Shows("broken file replaced")
	x.Type("q")
	x.Ends(0)
	if b, err := os.ReadFile(file + ".broken"); err != nil || string(b) != "theme = \n" {
		t.Errorf("the copy is %q, %v", b, err)
	}
}

// TestAStoredFabricNeedsALauncher tests that the message about it fits a screen of 80 columns.
func TestAStoredFabricNeedsALauncher(t *testing.T) {
	if race.Enabled {
		t.Skip("other tests run the screen")
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "hybridtop"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "hybridtop", "state.toml"), []byte("[workloads.randomaccess.knobs]\nfabric = 'mpi'\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "--machine", "this-host")
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+folder, "XDG_STATE_HOME="+folder)
	x := ttytest.Start(t, 80, 24, cmd)
	x.Shows(`running  stored knob skipped: fabric mpi (use --launcher "mpirun -n 2")`)
	x.Type("q")
	x.Ends(0)
}
