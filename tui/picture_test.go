package tui

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
)

// A picture has the requested size in both formats, and complete series.
func TestPicture(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	s := demo(4, 4, 4)
	svg, err := Picture(&PictureOf{File: "a.svg", W: 120, H: 36}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`width="960" height="576"`, ">demo-access<", "4 Locality", "group 2→4"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	b, err := Picture(&PictureOf{File: "a.PNG", W: 120, H: 36}, s)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != 120*8*pngScale || got.Y != 36*16*pngScale {
		t.Errorf("the picture has %v pixels", got)
	}
	for _, file := range []string{"a.gif", "a", ".", ""} {
		if _, err := Picture(&PictureOf{File: file, W: 120, H: 36}, s); err == nil ||
			!strings.Contains(err.Error(), "want a .svg or .png file") {
			t.Errorf("%q: got %v", file, err)
		}
	}
}

// The command line writes the screen without the command line itself.
func TestPictureOfTheScreen(t *testing.T) {
	if race.Enabled {
		t.Skip("drawing, in seconds")
	}
	file := filepath.Join(t.TempDir(), "screen.svg")
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	x.press(":picture " + file + "\r")
	x.shows("picture written to")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, "1 Cluster") || strings.Contains(s, "tab complete") {
		t.Errorf("the picture is not the screen's:\n%.2000s", s)
	}
	x.press(":picture screen.gif\r")
	x.shows("want a .svg or .png file")
	x.press("\x15picture /no/such/folder/screen.svg\r")
	x.shows("no such file or directory")
}

// A pane is drawn alone at the requested size. An unknown pane or a size that is too large is an
// error with the valid values.
func TestPictureOfAPane(t *testing.T) {
	s := demo(4, 4, 4)
	for _, c := range []struct {
		of         PictureOf
		want, none string
	}{
		{PictureOf{File: "a.svg", Pane: "latency", W: 100, H: 30}, "Latency", "Cluster"},
		{PictureOf{File: "a.svg", Pane: "cluster", W: 30, H: 8}, "Cluster", "Latency"},
		{PictureOf{File: "a.svg", W: 120, H: 36}, "Latency", "Zoomed"},
	} {
		b, err := Picture(&c.of, s)
		if err != nil {
			t.Fatal(err)
		}
		svg := string(b)
		size := fmt.Sprintf(`width="%d" height="%d"`, c.of.W*8, c.of.H*16)
		if alone := !strings.Contains(svg, ">demo-access<") && !strings.Contains(svg, "quit"); alone != (c.of.Pane != "") {
			t.Errorf("%+v: without header and footer: %v", c.of, alone)
		}
		if !strings.Contains(svg, size) || !strings.Contains(svg, c.want) || strings.Contains(svg, c.none) {
			t.Errorf("%+v: want %s, %s and no %s:\n%.3000s", c.of, size, c.want, c.none, svg)
		}
	}
	for _, c := range []struct {
		of   PictureOf
		want string
	}{
		{PictureOf{File: "a.svg", Pane: "speed", W: 100, H: 30}, `unknown pane "speed": want one of cluster, `},
		{PictureOf{File: "a.svg", Pane: "latency", W: 29, H: 30}, "too small for a pane: want at least 30×8"},
		{PictureOf{File: "a.png", Pane: "latency", W: 1000, H: 1000}, "is too large: want at most 64 million pixels"},
	} {
		for what, err := range map[string]error{"check": c.of.Check(),
			"draw": func() error { _, err := Picture(&c.of, s); return err }()} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %+v: %v, want %s", what, c.of, err, c.want)
			}
		}
	}
}

// A picture command has a file, a pane and a size.
func TestReadPicture(t *testing.T) {
	for _, c := range []struct {
		text string
		want PictureOf
		err  string
	}{
		{"a.svg", PictureOf{File: "a.svg"}, ""},
		{"my own.png ", PictureOf{File: "my own.png"}, ""},
		{"a.svg latency", PictureOf{File: "a.svg", Pane: "latency"}, ""},
		{"a.svg 100x30", PictureOf{File: "a.svg", W: 100, H: 30}, ""},
		{"my own.svg latency  100x30", PictureOf{File: "my own.svg", Pane: "latency", W: 100, H: 30}, ""},
		{"a.svg 100x30 latency", PictureOf{File: "a.svg", Pane: "latency", W: 100, H: 30}, ""},
		{"a.gif latency", PictureOf{}, "want a .svg or .png file"},
		{"a.svg speed", PictureOf{}, `unknown pane "speed": want one of cluster, `},
		{"a.svg 9000x30", PictureOf{}, "size 9000x30: want columns and rows from 1 to 1000"},
		{"a.svg latency knobs", PictureOf{}, `"knobs": want FILE [PANE] [WxH]`},
	} {
		of, err := readPicture(c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %s", c.text, err, c.err)
			}
		case err != nil || *of != c.want:
			t.Errorf("%q: %+v, %v", c.text, of, err)
		}
	}
}

// A picture of a pane leaves the screen as it was.
func TestPictureOfAPaneOfTheScreen(t *testing.T) {
	if race.Enabled {
		t.Skip("drawing, in seconds")
	}
	file := filepath.Join(t.TempDir(), "pane.svg")
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	x.press(":picture " + file + " latency 100x30\r")
	x.shows("picture written to")
	x.shows("1 Cluster")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, `width="800" height="480"`) || !strings.Contains(s, "Latency") ||
		strings.Contains(s, "Cluster") {
		t.Errorf("the picture is not the pane's:\n%.2000s", s)
	}
	x.press(":picture " + file + " speed\r")
	x.shows(`unknown pane "speed": want one of cluster`)
}
