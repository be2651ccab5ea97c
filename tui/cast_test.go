package tui

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/internal/race"
)

// A terminal emulator reads a cast. At its end and at each chapter it shows the same as the screen
// does.
func TestACastShowsTheScreensOfItsRecording(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	_, p := replayable(t, threading, "fabric", "sim", "machine", "demo")
	const w, h = 100, 30
	var b bytes.Buffer
	if err := Cast(&b, p, CastOf{W: w, H: h, Title: "a <title>"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	var head struct {
		Version int
		Title   string
		Term    struct{ Cols, Rows int }
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
		t.Fatal(err)
	}
	if head.Version != 3 || head.Term.Cols != w || head.Term.Rows != h || head.Title != "a <title>" {
		t.Errorf("the head is %+v", head)
	}
	em := vt.NewEmulator(w, h)
	at := time.Duration(0)
	chapters := []string{}
	ended := false
	screens := 0
	for _, l := range lines[1:] {
		var event [3]any
		if err := json.Unmarshal([]byte(l), &event); err != nil {
			t.Fatalf("%v in %s", err, l)
		}
		seconds, _ := event[0].(float64)
		data, _ := event[2].(string)
		if seconds < 0 || ended {
			t.Fatalf("an event %v s behind another, or behind the end: %s", seconds, l)
		}
		at += time.Duration(seconds * float64(time.Second))
		switch event[1] {
		case "o":
			screens++
			if _, err := em.Write([]byte(data)); err != nil {
				t.Fatal(err)
			}
		case "m":
			chapters = append(chapters, data)
		case "x":
			ended = true
		default:
			t.Errorf("event %v", event[1])
		}
	}
	var want []string
	for _, m := range p.Marks {
		want = append(want, m.Label)
	}
	if len(want) == 0 || !cmp.Equal(chapters, want) {
		t.Errorf("chapters %q: the marks are %q", chapters, want)
	}
	if length := p.Length - p.Begin(); at > length || at < length-10*time.Millisecond || screens < 2 {
		t.Errorf("it has %d screens in %v: the recording has %v", screens, at, length)
	}
	last, err := p.At(p.Length)
	if err != nil {
		t.Fatal(err)
	}
	a := newApp()
	a.load(last)
	var sc screen
	for sc.draw(a, w, h); sc.incomplete(); sc.draw(a, w, h) {
	}
	shown := make([]string, h)
	for y := range h {
		var row strings.Builder
		for x := 0; x < w; {
			cell := em.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				row.WriteByte(' ')
				x++
				continue
			}
			row.WriteString(cell.Content)
			x += max(cell.Width, 1)
		}
		shown[y] = strings.TrimRight(row.String(), " ")
	}
	wanted := strings.Split(strings.TrimSuffix(sc.g.PlainText(), "\n"), "\n")
	for y := range wanted {
		wanted[y] = strings.TrimRight(wanted[y], " ")
	}
	if diff := cmp.Diff(wanted, shown); diff != "" {
		t.Errorf("at the end the emulator shows something else (-screen +emulator):\n%s", diff)
	}
}

// The cast of a long recording has a bounded number of screens. A cast may cover a part of the
// recording.
func TestACastIsBounded(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	_, p := replayable(t, threading, "fabric", "sim", "machine", "demo")
	var whole, part bytes.Buffer
	if err := Cast(&whole, p, CastOf{W: 60, H: 20}); err != nil {
		t.Fatal(err)
	}
	half := p.Begin() + (p.Length-p.Begin())/2
	if err := Cast(&part, p, CastOf{W: 60, H: 20, From: half, Until: half}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(part.String(), `,"o",`); n != 1 {
		t.Errorf("%d screens of one moment", n)
	}
	if err := Cast(&part, p, CastOf{W: 60, H: 20, From: p.Length + time.Second}); err == nil {
		t.Error("a cast begins behind the recording's end")
	}
	for _, length := range []time.Duration{0, time.Second, time.Minute, time.Hour, 1000 * time.Hour} {
		if step := castStep(length); step < castEvery || length/step > maxFrames {
			t.Errorf("a recording of %v has a screen each %v", length, step)
		}
	}
}
