package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// firstMinute are the keys that the README's recording shows, each at a time of the session in seconds.
var firstMinute = []struct {
	at   float64
	keys string
}{
	{7, "\x1b[C"}, {15, "\x1b[D"}, {20, "\x1b[D"}, {28, "\x1b[C"}, {34, "R"},
}

// sessionClock is the time of the session in the status line.
var sessionClock = regexp.MustCompile(` (\d+\.\d) s  iteration`)

// TestFirstMinute plays the first minute on a terminal, records it, and exports the recording as the animated
// picture of the README. The picture has both results of the first key. -update writes the picture.
func TestFirstMinute(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("takes a minute; part of make conform, and of make pictures")
	}
	folder := t.TempDir()
	recorded, drawn := filepath.Join(folder, "first-minute.htr"), filepath.Join(folder, "first-minute.svg")
	x := ttytest.Start(t, 120, 36, program(t, "--fresh", "--fabric", "sim"))
	x.Shows("iteration")
	x.Type(":capture " + recorded + "\r")
	x.Shows("recording to")
	for _, k := range firstMinute {
		x.Until(fmt.Sprintf("a session of %v s", k.at), func(text string) bool {
			m := sessionClock.FindStringSubmatch(text)
			if m == nil {
				return false
			}
			now, err := strconv.ParseFloat(m[1], 64)
			return err == nil && now >= k.at
		})
		x.Type(k.keys)
	}
	x.Shows("recorded: hybridtop replay")
	x.Type("q")
	x.Ends(0)
	var errs bytes.Buffer
	if code := command([]string{"export", recorded, "--to", "svg", "--size", "100x30", "--out", drawn}, &bytes.Buffer{}, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	b, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(b)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(string(b), "<set "); n < 100 {
		t.Errorf("%d rows change, want motion", n)
	}
	sentences := map[string]bool{}
	for _, m := range regexp.MustCompile(`>(Group \d+ \w+)`).FindAllStringSubmatch(string(b), -1) {
		sentences[m[1]] = true
	}
	if len(sentences) < 2 {
		t.Errorf("it shows the sentences %v, want one before and one after the first key", sentences)
	}
	if *update {
		if strings.Contains(string(b), "fell behind") {
			t.Fatal("the picture has a warning about this host: repeat it on a quiet host")
		}
		if err := os.WriteFile("../../docs/first-minute.svg", b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
