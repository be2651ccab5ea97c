package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// wideScenario has texts of wide characters, which the screen shows below the panes.
const wideScenario = `
title = "広域ネットワーク 한국어"
watch = "一个请求需要 2 µs。ネットワークの遅延は距離に比例します。한국어 텍스트도 있습니다. 🚀"
steps = ["群を 8 に変える。", "然后设为 16。"]
workload = "randomaccess"

[knobs]
fabric = "sim"
`

// tmuxServer is a tmux server with the program in its only window.
type tmuxServer struct {
	t      *testing.T
	socket string
}

// startTmux runs a command in a window of a new tmux server.
func startTmux(t *testing.T, size string, cmd *exec.Cmd) *tmuxServer {
	t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux here")
	}
	dir, err := os.MkdirTemp("", "tmux") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	x := &tmuxServer{t: t, socket: filepath.Join(dir, "s")}
	columns, rows, _ := strings.Cut(size, "x")
	start := exec.Command(path, append([]string{"-S", x.socket, "-f", "/dev/null", "-u", "new-session", "-d", "-x", columns,
		"-y", rows, cmd.Path}, cmd.Args[1:]...)...)
	start.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command(path, "-S", x.socket, "kill-server").Run() })
	return x
}

// run runs a command of tmux, and returns its output.
func (x *tmuxServer) run(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// until waits until the window satisfies a condition, and returns its text.
func (x *tmuxServer) until(what string, holds func(string) bool) string {
	x.t.Helper()
	text := ""
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if text = x.run("capture-pane", "-p"); holds(text) {
			return text
		}
		<-time.After(20 * time.Millisecond)
	}
	x.t.Fatalf("not within 30 s: %s. The window:\n%s", what, text)
	return ""
}

// shows waits for a text.
func (x *tmuxServer) shows(text string) string {
	x.t.Helper()
	return x.until(text, func(now string) bool { return strings.Contains(now, text) })
}

// TestWideCharactersInTmux changes rows of wide characters in a window of tmux: the text is hidden and shown, and a page
// opens and closes. Then the window has the same rows as after a complete redraw, and each row of the text ends with its border.
func TestWideCharactersInTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("four seconds")
	}
	file := filepath.Join(t.TempDir(), "wide.toml")
	if err := os.WriteFile(file, []byte(wideScenario), 0o600); err != nil {
		t.Fatal(err)
	}
	const columns = 120
	x := startTmux(t, "120x40", program(t, "--fresh", "--preset", file))
	x.shows("iteration")
	x.run("send-keys", "Space")
	x.shows("PAUSED")
	for range 3 {
		x.run("send-keys", "W")
		x.until("hidden text", func(now string) bool { return !strings.Contains(now, "ネットワーク") })
		x.run("send-keys", "W")
		x.shows("ネットワーク")
		x.run("send-keys", "?")
		x.shows("Help and glossary")
		x.run("send-keys", "Escape")
		x.until("no page", func(now string) bool { return !strings.Contains(now, "Help and glossary") })
	}
	changed := panesOf(x.shows("PAUSED"))
	x.run("resize-window", "-x", "100")
	x.until("a narrow screen", func(now string) bool { return panesOf(now) != changed })
	x.run("resize-window", "-x", "120")
	x.until("the same screen after a complete redraw:\n"+changed, func(now string) bool { return panesOf(now) == changed })
	boxed := 0
	for row := range strings.Lines(changed) {
		row = strings.TrimRight(row, "\n")
		if !strings.ContainsAny(row, "広群然一") {
			continue
		}
		boxed++
		if w := ansi.StringWidth(row); w != columns || !strings.HasSuffix(row, "│") && !strings.HasSuffix(row, "╮") {
			t.Errorf("a row has %d columns, want %d and the border at the end:\n%s", w, columns, row)
		}
	}
	if boxed < 4 {
		t.Errorf("%d rows of wide characters, want 4:\n%s", boxed, changed)
	}
}
