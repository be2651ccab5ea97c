package main

import (
	"bytes"
	"database/sql"
	"image"
	_ "image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
)

// recordedFile is the recording of a short simulation.
func recordedFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.htr")
	c := newRecord()
	c.SetArgs([]string{"randomaccess", "--fabric", "sim", "--machine", "demo", "--elements", "4096", "--accesses", "64",
		"--iterations", "3", "--timeline", "on", "--out", file})
	c.SetOut(&bytes.Buffer{})
	c.SetErr(&bytes.Buffer{})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	return file
}

func pageOf(t *testing.T, file string) string {
	t.Helper()
	f, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if err := writeRecordingPage(&b, f, &f.Runs[0], drawnOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Texts from an untrusted file do not become markup. A file with unreadable snapshots still has a
// page.
func TestTextsOfAFileAreEscapedOnAPage(t *testing.T) {
	file := recordedFile(t)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	const bad = `<script>alert(1)</script>`
	for _, s := range []string{
		`UPDATE launch SET workload=?1, failure=?1, detail=?1, fabric=?1, kind=?1`,
		`UPDATE knob SET value=?1, label=?1, unit=?1`,
		`UPDATE metric SET name=name||?1, unit=?1, kind=?1`, `UPDATE run SET version=?1, build=?1, sweep=?1`,
		`UPDATE machine SET name=?1, toml=?1`,
		`INSERT INTO mark SELECT id, 1, ?1 FROM run`, `INSERT INTO command SELECT id, 99, 1, 1, ?1, ?1, ?1, ?1 FROM run`,
		`UPDATE frame SET crc=0 WHERE ?1<>''`,
	} {
		if _, err := db.Exec(s, bad); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text := pageOf(t, file)
	if strings.Contains(text, "<script") {
		t.Error("a text of the file is markup")
	}
	if n := strings.Count(text, "&lt;script&gt;"); n < 10 {
		t.Errorf("%d texts of the file are on the page", n)
	}
}

// Each span has its minimum and maximum, in their original order.
func TestTrace(t *testing.T) {
	a := newTrace()
	for i, y := range []float64{3, 1, 2, math.NaN(), 5, 4, 4, 7} {
		a.add(i/4, float64(i), y)
	}
	a.flush()
	if want := []float64{3, 1, 4, 7}; !cmp.Equal(a.y, want) || !cmp.Equal(a.x, []float64{0, 1, 5, 7}) {
		t.Errorf("%v at %v: want %v", a.y, a.x, want)
	}
}

// Chromium opens a page from a file and draws it, light and dark. It uses no network: the page's
// policy forbids it.
func TestChromiumDrawsAPage(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || os.Getenv("CONFORM") == "" {
		t.Skip("runs where chromium is, as part of make conform")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "a.html")
	if err := os.WriteFile(file, []byte(pageOf(t, recordedFile(t))), 0o644); err != nil {
		t.Fatal(err)
	}
	grounds := make(map[uint32]bool)
	for _, scheme := range []string{"0", "1"} { // dark, light
		picture := filepath.Join(folder, scheme+".png")
		c := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync",
			"--user-data-dir="+t.TempDir(), "--blink-settings=preferredColorScheme="+scheme, "--window-size=1000,2000",
			"--screenshot="+picture, "file://"+file)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		f, err := os.Open(picture)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := image.Decode(f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		colours := make(map[uint32]bool)
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				r, g, b, _ := m.At(x, y).RGBA()
				colours[r>>8<<16|g>>8<<8|b>>8] = true
			}
		}
		if len(colours) < 50 {
			t.Errorf("%d colours: nothing is drawn", len(colours))
		}
		r, _, _, _ := m.At(2, 2).RGBA()
		grounds[r>>8] = true
	}
	if len(grounds) != 2 {
		t.Error("the light and the dark page have one ground")
	}
}

// A chart of access times over a launch has two lines per class; one interval has no chart.
func TestLatenciesOverALaunchAreACurve(t *testing.T) {
	at := func(to time.Duration, c cluster.Class) recording.LatencyInfo {
		return recording.LatencyInfo{From: to - time.Second, To: to, Class: c,
			Quantiles: engine.Quantiles{Count: 5, P50: 1e-7, P99: 1e-6}}
	}
	l := &recording.LaunchInfo{Kind: engine.Measured}
	c, there := spreadChart([]recording.LatencyInfo{at(time.Second, cluster.InNode), at(2*time.Second, cluster.InNode),
		at(2*time.Second, cluster.Remote)}, l)
	if !there || len(c.Curves) != 4 || c.Curves[0].Label != "intra-node: median" ||
		!slices.Equal(c.Curves[0].X, []float64{1, 2}) || !slices.Equal(c.Curves[1].Y, []float64{1e-6, 1e-6}) ||
		len(c.Curves[2].X) != 1 {
		t.Errorf("%v, %+v", there, c.Curves)
	}
	if _, there := spreadChart([]recording.LatencyInfo{at(time.Second, cluster.InNode), at(time.Second, cluster.Remote)},
		l); there {
		t.Error("one interval has a chart")
	}
}
