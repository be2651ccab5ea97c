package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
)

func on(v bool) *bool { return &v }

// full returns settings with a value of every type.
func full() Kept {
	return Kept{
		Theme: "mono", Units: "decimal", Mouse: on(false), Markers: "blocks",
		Recent: []string{"set group 8", "theme mono"},
		Workloads: map[string]Workload{
			"dot":      {Knobs: map[string]string{"nodes": "8", "dilation": "auto", "pace": "1e-06", "threading": "multiple"}},
			"pingpong": {Layout: &Layout{Focus: "timeline", Zoomed: true, Panes: []string{"traffic", "timeline"}}},
		},
	}
}

// opened opens the store in a folder, without warnings.
func opened(t *testing.T, folder string) (*Store, Kept) {
	t.Helper()
	s, k := Open(folder, folder)
	if len(s.Warnings) > 0 {
		t.Fatalf("it says %q", s.Warnings)
	}
	return s, k
}

func keep(t *testing.T, s *Store, k Kept) {
	t.Helper()
	if err := s.Keep(context.Background(), k); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhatIsKeptComesBack(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not", "there", "yet")
	s, k := opened(t, folder)
	if d := cmp.Diff(Kept{}, k); d != "" {
		t.Errorf("out of nothing comes something:\n%s", d)
	}
	keep(t, s, full())
	_, k = opened(t, folder)
	if d := cmp.Diff(full(), k); d != "" {
		t.Error(d)
	}
}

// Initial settings are not written: a flag applies only to one run.
func TestOnlyChangesAreKept(t *testing.T) {
	folder := t.TempDir()
	s, _ := opened(t, folder)
	s.Began(full())
	keep(t, s, full())
	if _, err := os.Stat(filepath.Join(folder, "config.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
	next := full()
	next.Theme = "dark"
	keep(t, s, next)
	_, k := opened(t, folder)
	if d := cmp.Diff(Kept{Theme: "dark"}, k); d != "" {
		t.Error(d)
	}
}

// If two screens write, the last value of a key wins, and the keys of both are kept.
func TestTwoScreens(t *testing.T) {
	folder := t.TempDir()
	a, _ := opened(t, folder)
	b, _ := opened(t, folder)
	keep(t, a, Kept{Theme: "light", Workloads: map[string]Workload{"dot": {Knobs: map[string]string{"nodes": "2"}}}})
	keep(t, b, Kept{Theme: "mono", Workloads: map[string]Workload{"spmv": {Knobs: map[string]string{"nodes": "4"}}}})
	keep(t, a,
		Kept{Theme: "light", Mouse: on(true),
			Workloads: map[string]Workload{"dot": {Knobs: map[string]string{"nodes": "2"}, Layout: &Layout{Focus: "why"}}}})
	_, k := opened(t, folder)
	want := Kept{Theme: "mono", Mouse: on(true), Workloads: map[string]Workload{
		"dot":  {Knobs: map[string]string{"nodes": "2"}, Layout: &Layout{Focus: "why"}},
		"spmv": {Knobs: map[string]string{"nodes": "4"}},
	}}
	if d := cmp.Diff(want, k); d != "" {
		t.Error(d)
	}
}

// Many screens that write at the same time lose no keys.
func TestManyScreensAtOnce(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	const screens, writes = 8, 10
	for i := range screens {
		s, _ := Open(folder, folder)
		all.Go(func() {
			now := Kept{Workloads: map[string]Workload{}}
			for n := range writes {
				next := Kept{Workloads: map[string]Workload{fmt.Sprintf("w%d-%d", i, n): {Knobs: map[string]string{"nodes": "1"}}}}
				for name, w := range now.Workloads {
					next.Workloads[name] = w
				}
				now = next
				if err := s.Keep(context.Background(), now); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_, k := Open(folder, folder)
	if lockless := lock(context.Background(), filepath.Join(folder, "none")); lockless == nil {
		t.Error("a lock that cannot be had has no end")
	}
	if len(k.Workloads) != screens*writes {
		t.Errorf("%d keys are there, %d were written", len(k.Workloads), screens*writes)
	}
}

// A broken file is reported and not used. A copy is kept when it is replaced.
func TestABrokenFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "config.toml")
	for i, text := range []string{"theme = \n", "version = \"one\"\n", "\x00\xff", strings.Repeat("[", 20000)} {
		write(t, file, text)
		s, k := Open(folder, folder)
		if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], file+":") ||
			!strings.HasSuffix(s.Warnings[0], ": not used") || visible(s.Warnings[0]) != s.Warnings[0] {
			t.Errorf("%q: it says %q", text[:5], s.Warnings)
		}
		if d := cmp.Diff(Kept{}, k); d != "" {
			t.Errorf("%q: something is used:\n%s", text[:5], d)
		}
		copied := file + ".broken"
		if i > 0 {
			copied = fmt.Sprintf("%s.broken-%d", file, i+1)
		}
		if err := s.Keep(context.Background(), Kept{Theme: "dark"}); err == nil ||
			!strings.Contains(err.Error(), "kept as "+copied) {
			t.Errorf("%q: replaced with %v", text[:5], err)
		}
		if got := read(t, copied); got != text {
			t.Errorf("the copy has %q", got)
		}
		_, k = opened(t, folder)
		if k.Theme != "dark" {
			t.Errorf("the new file has %+v", k)
		}
	}
	write(t, file, "theme = \n") // a copy exists already
	s, _ := Open(folder, folder)
	if err := s.Keep(context.Background(), Kept{Theme: "dark"}); err == nil ||
		!strings.HasSuffix(err.Error(), file+".broken") {
		t.Errorf("replaced again with %v", err)
	}
}

// A file with too many keys is refused before it is decoded, which takes quadratic time.
func TestManyKeys(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "state.toml")
	var text strings.Builder
	for i := range 2 * maxKeys {
		fmt.Fprintf(&text, "a%d=1\n", i)
	}
	write(t, file, text.String())
	s, _ := Open(folder, folder)
	want := fmt.Sprintf("%s:%d: more than %d keys: not used", file, maxKeys+1, maxKeys)
	if len(s.Warnings) != 1 || s.Warnings[0] != want {
		t.Errorf("it says %q, want %q", s.Warnings, want)
	}
}

// A newer file is reported, not used and not changed.
func TestANewerFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "config.toml")
	text := "version = 2\ntheme = { dark = 1 }\n"
	write(t, file, text)
	s, k := Open(folder, folder)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], file+": version 2 of a newer hybridtop, want at most "+
		"1: neither used nor changed") {
		t.Errorf("it says %q", s.Warnings)
	}
	if k.Theme != "" {
		t.Errorf("%q is used", k.Theme)
	}
	keep(t, s, full())
	if got := read(t, file); got != text {
		t.Errorf("it is %q now", got)
	}
	if _, k := Open(folder, folder); len(k.Workloads) != 2 {
		t.Error("the other file is not written")
	}
}

// Unknown keys are reported, one line each, and stay in the file.
func TestUnknownKeys(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "config.toml"),
		"colour = \"red\"\ntheme = 3\nmouse = \"on\"\nmarkers = \"a\\u001b[2J\"\n")
	write(t, filepath.Join(folder, "state.toml"), `
shape = 1
[workloads]
dot = 4
[workloads.spmv]
speed = 1
knobs.nodes = [1]
knobs.group = 2
layout.zoomed = 1
layout.panes = ["why", 3]
layout.corner = "left"
`)
	s, k := Open(folder, folder)
	want := []string{
		"config.toml: colour: unknown key, want theme, units, mouse or markers: skipped",
		"config.toml: markers: text is not printable: skipped",
		"config.toml: mouse: want true or false: skipped",
		"config.toml: theme: want text in quotes: skipped",
		"state.toml: shape: unknown key, want workloads or recent: skipped",
		"state.toml: workloads.dot: want a table: skipped",
		"state.toml: workloads.spmv.knobs.nodes: want text in quotes: skipped",
		"state.toml: workloads.spmv.layout.corner: unknown key, want focus, zoomed, panes or folded: skipped",
		"state.toml: workloads.spmv.layout.panes: want text in quotes: skipped",
		"state.toml: workloads.spmv.layout.zoomed: want true or false: skipped",
		"state.toml: workloads.spmv.speed: unknown key, want knobs or layout: skipped",
	}
	for i := range s.Warnings {
		s.Warnings[i] = strings.TrimPrefix(s.Warnings[i], folder+string(filepath.Separator))
	}
	if d := cmp.Diff(want, s.Warnings); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Kept{Workloads: map[string]Workload{"spmv": {Knobs: map[string]string{"group": "2"},
		Layout: &Layout{Panes: []string{"why"}}}}}, k); d != "" {
		t.Error(d)
	}
	keep(t, s, Kept{Theme: "dark"})
	if text := read(t, filepath.Join(folder, "config.toml")); !strings.Contains(text, "colour = 'red'") ||
		!strings.Contains(text, "theme = 'dark'") {
		t.Errorf("the file is now\n%s", text)
	}
}

// If nothing can be written, each file reports it once.
func TestNoPlaceToWrite(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "plain"), "")
	s, _ := Open(filepath.Join(folder, "plain"), folder)
	if len(s.Warnings) != 1 {
		t.Errorf("it says %q", s.Warnings)
	}
	err := s.Keep(context.Background(), full())
	if err == nil || !strings.HasPrefix(err.Error(), "settings not saved: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("it says %v", err)
	}
	next := full()
	next.Theme, next.Workloads = "dark", map[string]Workload{"beff": {Layout: &Layout{Focus: "why"}}}
	keep(t, s, next) // reported already
	if _, k := Open("", folder); len(k.Workloads) != 3 {
		t.Errorf("the other file has %v", k.Workloads)
	}
	none, _ := Open("", "")
	keep(t, none, full())
}

// A link to a file in another folder stays a link.
func TestALinkStays(t *testing.T) {
	folder, dots := t.TempDir(), t.TempDir()
	to := filepath.Join(dots, "hybridtop.toml")
	write(t, to, "theme = 'mono'\n")
	if err := os.Symlink(to, filepath.Join(folder, "config.toml")); err != nil {
		t.Skip(err)
	}
	s, k := opened(t, folder)
	if k.Theme != "mono" {
		t.Errorf("theme %q", k.Theme)
	}
	keep(t, s, Kept{Theme: "dark"})
	if !strings.Contains(read(t, to), "theme = 'dark'") {
		t.Errorf("the file itself is %q", read(t, to))
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("theme = 'dark'\nmouse = false\n[workloads.dot]\nknobs.nodes = 3\nlayout.panes = ['why']\n")
	f.Add("version = 99\n")
	f.Add("[workloads.\"\\u001b\"]\nknobs = {\"\\u009b\" = 1.5}\n")
	f.Fuzz(func(t *testing.T, text string) {
		folder := t.TempDir()
		for _, name := range []string{"config.toml", "state.toml"} {
			write(t, filepath.Join(folder, name), text)
		}
		s, _ := Open(folder, folder)
		for _, w := range s.Warnings {
			if visible(w) != w {
				t.Errorf("a warning has what a terminal would obey: %q", w)
			}
		}
		_ = s.Keep(context.Background(), full())
		if s.refused[s.config.name] || s.refused[s.state.name] {
			return // newer
		}
		if _, k := Open(folder, folder); k.Theme != "mono" || *k.Mouse || k.Workloads["dot"].Knobs["pace"] != "1e-06" {
			t.Errorf("kept is %+v", k)
		}
	})
}
