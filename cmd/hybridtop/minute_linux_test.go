package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// minuteSizes are the sizes of the terminals that play the first minute.
var minuteSizes = [][2]int{{80, 24}, {120, 40}, {300, 90}}

// TestMinuteOnABusyHost plays the first minute by keys while two other processes use the host's processors.
// The screen has a question and arrows between nodes. Before the first turn it shows no warning, and its panes change in every second. The first turn of
// group changes the sentence. The recording has no snapshot of a host that fell behind. With CONFORM=1 the
// minute has sixty seconds, at three sizes.
func TestMinuteOnABusyHost(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes the program slower than the machine")
	}
	sizes, before, after := minuteSizes[:1], 2, 0
	if os.Getenv("CONFORM") != "" {
		sizes, before, after = minuteSizes, 20, 40
	}
	for range 2 {
		spin(t)
	}
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) { playMinute(t, size, before, after) })
	}
}

// playMinute plays the minute on a terminal, with some seconds before and after the first turn.
func playMinute(t *testing.T, size [2]int, before, after int) {
	file := filepath.Join(t.TempDir(), "minute.htr")
	x := ttytest.Start(t, size[0], size[1], program(t, "--fresh"))
	x.Shows("locality pay?") // the question
	x.Shows("◂")             // arrows between nodes
	x.Type(":capture " + file + "\r")
	x.Shows("recording to")
	x.Shows("Group 8 ")
	watchPanes(t, x, before)
	x.Type("\x1b[C")
	x.Shows("Group 16 ")
	watchPanes(t, x, after)
	x.Type("R")
	x.Shows("recorded: hybridtop replay")
	x.Type("q")
	x.Ends(0)
	groups := map[string]bool{}
	for _, s := range snapshotsOf(t, file) {
		groups[s.Scenario.Text("group")] = true
		if s.Late() {
			t.Errorf("after %v with a dilation of %g the host fell behind (%s)", s.Elapsed, s.Dilation, s.Keeping)
		}
	}
	if !groups["8"] || !groups["16"] {
		t.Errorf("the recording has the groups %v, want 8 and 16", groups)
	}
}

// statusRow is the row with the clock.
var statusRow = regexp.MustCompile(`(?m)^.* s  iteration .*$`)

// watchPanes requires for some seconds that the panes change in each, and that no warning about the host appears.
// A busy host may stop the whole program for more than a second, so one second in twenty may be longer.
func watchPanes(t *testing.T, x *ttytest.Terminal, seconds int) {
	t.Helper()
	last, still := "", 0
	for i := range seconds + 1 {
		text := x.Text()
		if panesOf(text) == last {
			still++
			x.Until("motion", func(now string) bool { text = now; return panesOf(now) != last })
		}
		if strings.Contains(text, "This host is too slow") {
			t.Fatalf("a warning in second %d:\n%s", i, text)
		}
		last = panesOf(text)
		if i < seconds {
			<-time.After(time.Second)
		}
	}
	if still > 1+seconds/20 {
		t.Errorf("%d of %d seconds had no motion", still, seconds)
	}
}

// panesOf returns a screen without the row of the clock, which changes even if no pane does.
func panesOf(text string) string { return statusRow.ReplaceAllString(text, "") }

// TestAWarningWithoutDilation emulates a machine whose times this host cannot meet.
func TestAWarningWithoutDilation(t *testing.T) {
	x := ttytest.Start(t, 80, 24, program(t, "--fresh", "--dilation", "1"))
	x.Shows("This host is too slow to emulate demo at a time dilation of 1: its times are")
	x.Type("q")
	x.Ends(0)
}

// spin starts a process that uses a processor until the test ends, or for two minutes of its time.
func spin(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -t 120; while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
}

// snapshotsOf returns the snapshots of the only run of a recording.
func snapshotsOf(t *testing.T, file string) (all []*engine.Snapshot) {
	t.Helper()
	f, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := f.Player(f.Runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for at, more := p.Begin(), true; more; at, more = p.Next(at) {
		s, err := p.At(at)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}
