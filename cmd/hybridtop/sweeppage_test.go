package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
)

// sweepPages returns two reports of one sweep: by sweep --html, and by export from its recording.
func sweepPages(t *testing.T) map[string]string {
	t.Helper()
	folder := t.TempDir()
	recorded, swept, exported := filepath.Join(folder, "a.htr"), filepath.Join(folder, "a.html"), filepath.Join(folder, "b.html")
	for _, args := range [][]string{
		{"sweep", "randomaccess", "--fabric", "sim", "--group", "1,2,4,8,16", "--iterations", "2", "--html", swept},
		{"record", "randomaccess", "--fabric", "sim", "--group", "1,2,4,8,16", "--iterations", "2", "--out", recorded},
		{"export", recorded, "--to", "html", "--out", exported},
	} {
		var errs bytes.Buffer
		if code := command(args, &bytes.Buffer{}, &errs); code != 0 {
			t.Fatalf("%v: %s", args, errs.String())
		}
	}
	pages := make(map[string]string)
	for _, file := range []string{swept, exported} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages[file] = string(b)
	}
	return pages
}

// checkSweepPage checks that the first chart has one mark per point and the law, in the order of the
// groups, and that nothing over wall time comes before it.
func checkSweepPage(t *testing.T, text string) {
	t.Helper()
	first, _, _ := strings.Cut(text, "</figure>")
	for _, kind := range []string{"simulated", "the law, modelled"} {
		var found []string
		for _, m := range regexp.MustCompile(`<g class="mark"><title>`+kind+`: group (\d+), `).FindAllStringSubmatch(first, -1) {
			found = append(found, m[1])
		}
		if fmt.Sprint(found) != "[1 2 4 8 16]" {
			t.Errorf("the first chart has marks of groups %v (%s), want one for each of 1, 2, 4, 8, 16", found, kind)
		}
	}
	why := strings.Index(text, "of its accesses to other nodes")
	law := strings.Index(text, "The law l_avg = ")
	wall := strings.Index(text, "over wall time</h")
	if why < 0 || law < why || wall >= 0 && wall < strings.LastIndex(text, "All points") {
		t.Errorf("the sentence is at %d, the law at %d, the first wall time at %d", why, law, wall)
	}
}

func TestTheReportOfASweepHasAllPoints(t *testing.T) {
	if race.Enabled {
		t.Skip("the script of sweep runs sweeps")
	}
	for _, text := range sweepPages(t) {
		checkSweepPage(t, text)
	}
}

// TestChromiumDrawsASweep checks that Chromium finds the same marks in the report of a sweep. With -update it
// writes the picture of docs/recordings.md.
func TestChromiumDrawsASweep(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || os.Getenv("CONFORM") == "" {
		t.Skip("runs where chromium is, as part of make conform")
	}
	browse := func(file string, action ...string) []byte {
		args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
			"--user-data-dir=" + t.TempDir()}, action...)
		out, err := exec.Command(chromium, append(args, "file://"+file)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for file := range sweepPages(t) {
		checkSweepPage(t, string(browse(file, "--dump-dom")))
		if *update && filepath.Base(file) == "a.html" {
			picture, err := filepath.Abs("../../docs/sweep.png")
			if err != nil {
				t.Fatal(err)
			}
			browse(file, "--window-size=900,1290", "--screenshot="+picture)
		}
	}
}
