package tui

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A picture has the size that was asked for, in both formats, and all of the
// series.
func TestPicture(t *testing.T) {
	s := demo(4, 4, 4)
	svg, err := Picture("a.svg", s, 120, 36)
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
	b, err := Picture("a.PNG", s, 120, 36)
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
		if _, err := Picture(file, s, 120, 36); err == nil || !strings.Contains(err.Error(), "want a name that ends in .svg or .png") {
			t.Errorf("%q: got %v", file, err)
		}
	}
}

// The command line writes what is on the screen, without itself.
func TestPictureOfTheScreen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "screen.svg")
	x := open(t, running(), nil)
	x.shows("1 Cluster")
	x.press(":picture " + file + "\r")
	x.shows("the screen is in")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, "1 Cluster") || strings.Contains(s, "tab completes") {
		t.Errorf("the picture is not the screen's:\n%.2000s", s)
	}
	x.press(":picture screen.gif\r")
	x.shows("want a name that ends in")
	x.press("\x15picture /no/such/folder/screen.svg\r")
	x.shows("no such file or directory")
}
