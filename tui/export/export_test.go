package export

import (
	"bytes"
	"encoding/xml"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hybridtop/hybridtop/tui/grid"
)

var (
	update  = flag.Bool("update", false, "write the golden files anew")
	picture = flag.String("picture", "", "write pictures of a dashboard to this directory")
)

// small is a grid with one of everything: text, markup, a wide rune, a border, braille, blocks,
// attributes and backgrounds.
func small() *grid.Grid {
	g := grid.New(16, 5)
	in := g.Box(g.Bounds(),
		grid.Box{Title: "a<b & c", TitleStyle: grid.Style{Attr: grid.Bold}, Border: grid.Fg(grid.Hex(0x59616f))})
	in.Text(0, 0, "4.1 µs  日", grid.Fg(grid.Hex(0x56b4e9)))
	in.Text(0, 1, "⣀⡠⠔⠊ ▁▄█ ░▒▓", grid.Fg(grid.Hex(0xe69f00)))
	in.Text(0, 2, "on", grid.Style{Attr: grid.Reverse})
	in.Text(3, 2, "●○◆×▲★", grid.Style{Fg: grid.Palette(2), Bg: grid.Hex(0x202040)})
	in.Text(10, 2, "line", grid.Style{Attr: grid.Underline | grid.Italic | grid.Faint})
	return g
}

func TestSVG(t *testing.T) {
	got := SVG(small(), Options{Title: "one <of> everything"})
	path := filepath.Join("testdata", "small.svg")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

func TestSVGIsXMLWhateverIsOnTheScreen(t *testing.T) {
	g := grid.New(64, 1024/64+4)
	for i, r := range []rune("<>&\"'\x00\x1b\u0085\uFFFE\U0001F44D日\xff") {
		g.Set(i*2, 0, grid.Cell{Rune: r, Attr: grid.Attr(i)})
	}
	for r := rune(0x2400); r < 0x2900; r++ {
		g.Set(int(r)%64, 1+int(r-0x2400)/64, grid.Cell{Rune: r, Fg: grid.Hex(uint32(r))})
	}
	for _, size := range []*grid.Grid{g, grid.New(0, 0), grid.New(1, 1)} {
		dec := xml.NewDecoder(bytes.NewReader(SVG(size, Options{Title: "\x00]]>"})))
		for {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTheSameGridGivesTheSameBytes(t *testing.T) {
	if !bytes.Equal(SVG(small(), Options{}), SVG(small(), Options{})) {
		t.Error("two SVGs differ")
	}
	a, errA := PNG(small(), Options{}, 1)
	b, errB := PNG(small(), Options{}, 1)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Error("two PNGs differ", errA, errB)
	}
}

func TestPNGHasTheSizeOfItsCells(t *testing.T) {
	for _, scale := range []int{1, 2, 3} {
		file, err := PNG(small(), Options{}, scale)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); got.X != 16*8*scale || got.Y != 5*16*scale {
			t.Errorf("scale %d: %v pixels", scale, got)
		}
	}
}

func TestPNGRefusesWhatItCannotDraw(t *testing.T) {
	for _, tt := range []struct{ w, h, scale int }{{0, 0, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, -1},
		{1, 1, min(1<<40, math.MaxInt)}, {1000, 1000, 8}} {
		if _, err := PNG(grid.New(tt.w, tt.h), Options{}, tt.scale); err == nil {
			t.Errorf("%d×%d at scale %d gave a picture", tt.w, tt.h, tt.scale)
		}
	}
}

// A full block fills its cell, a light line only its middle, and colours are exact.
func TestPixels(t *testing.T) {
	g := grid.New(3, 1)
	g.Text(0, 0, "█│", grid.Fg(grid.Hex(0xe69f00)))
	g.Set(2, 0, grid.Cell{Bg: grid.Palette(9)})
	img := Image(g, Options{Ground: grid.Hex(0x010203)}, 2)
	for _, tt := range []struct {
		x, y int
		want uint32
	}{
		{0, 0, 0xe69f00}, {15, 31, 0xe69f00}, {16, 0, 0x010203}, {23, 0, 0xe69f00}, {24, 31, 0xe69f00}, {31, 9, 0x010203},
		{40, 9, 0xff0000},
	} {
		c := img.RGBAAt(tt.x, tt.y)
		if got := uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B); got != tt.want || c.A != 255 {
			t.Errorf("pixel %d, %d is %06x, want %06x", tt.x, tt.y, got, tt.want)
		}
	}
}

func TestEveryBoxCharacterIsDescribed(t *testing.T) {
	if len(arms) != 5*0x80 {
		t.Fatalf("the table has %d entries, want %d", len(arms)/5, 0x80)
	}
	for i, r := range map[int]rune{0x1c: '├', 0x2c: '┬', 0x3c: '┼', 0x50: '═', 0x5e: '╞', 0x74: '╴'} {
		if 0x2500+rune(i) != r {
			t.Errorf("%c is not entry %x", r, i)
		}
	}
	for r, want := range map[rune]string{'├': "0111", '┬': "1101", '┼': "1111", '╬': "3333", '╿': "0021",
		'╦': "3303"} {
		if got := arms[5*(r-0x2500):][:4]; got != want {
			t.Errorf("%c reaches %s, want %s", r, got, want)
		}
	}
}

// The program's screens contain only ASCII, shapes and other letters of the font.
func TestEveryMarkOfTheThemesIsDrawn(t *testing.T) {
	want := "µε→←…×–∞✓✗▲▼◁▷□◎■★▣╌┆"
	for r := '!'; r <= '~'; r++ {
		want += string(r)
	}
	for _, th := range grid.Themes() {
		want += string(th.Glyphs[:])
		for _, k := range th.Kinds {
			want += string(k.Symbol)
		}
	}
	for _, r := range want {
		p := painter{img: Image(grid.New(1, 1), Options{}, 1), scale: 1}
		if !drawShape(&p, r) && !drawLetter(&p, r, 1) {
			t.Errorf("%c is not drawn", r)
		}
	}
}

func BenchmarkSVG(b *testing.B) {
	g := scene(grid.Themes()[0])
	for b.Loop() {
		b.SetBytes(int64(len(SVG(g, Options{}))))
	}
}

func BenchmarkPNG(b *testing.B) {
	g := scene(grid.Themes()[0])
	for b.Loop() {
		if _, err := PNG(g, Options{}, 2); err != nil {
			b.Fatal(err)
		}
	}
}

// scene is a dashboard of real widgets.
func scene(th *grid.Theme) *grid.Grid {
	g := grid.New(110, 32)
	g.Mono = th.Name == "mono"
	g.Fill(g.Bounds(), grid.Cell{Bg: th.Background})
	top, rest := g.Bounds().CutTop(1)
	g.View(top).Text(1, 0, "hybridtop  randomaccess   [m]odel nested-multiple  [g]roup 4  ε = 1.24", th.Title)
	upper, lower := rest.CutTop(rest.H / 2)
	panes := make([]grid.Rect, 5)
	panes[0], panes[1] = upper.CutLeft(upper.W * 3 / 5)
	panes[2], lower = lower.CutLeft(lower.W / 3)
	panes[3], panes[4] = lower.CutLeft(lower.W / 2)
	line := &grid.LineChart{
		X: grid.Axis{Unit: grid.Seconds}, Y: grid.Axis{Unit: grid.BytesPerSecond, FromZero: true}, Legend: true,
		VLines: []grid.VLine{{X: 4, Label: "group 2→4"}}, HLines: []grid.HLine{{Y: 3e9, Label: "adapter limit"}},
		Series: []grid.Series{{Name: "in rank"}, {Name: "remote"}, {Name: "model", Shape: grid.Dashed},
			{Name: "paper", Shape: grid.Points}},
	}
	heat := &grid.Heatmap{Cols: 16, Axis: grid.Axis{Unit: grid.Bytes}, Bar: true}
	spark := &grid.Sparkline{}
	for i := range 100 {
		x := float64(i) / 10
		for k := range 3 {
			line.Series[k].X = append(line.Series[k].X, x)
			line.Series[k].Y = append(line.Series[k].Y, 6e9+4e9*math.Sin(x+float64(k)))
		}
		if i%10 == 5 {
			line.Series[3].X = append(line.Series[3].X, x)
			line.Series[3].Y = append(line.Series[3].Y, 7e9)
		}
		spark.Values = append(spark.Values, 3+math.Sin(x*2))
	}
	for i := range 256 {
		heat.Values = append(heat.Values, 8192/float64(1+max(i/16-i%16, i%16-i/16)))
	}
	stack := &grid.Stack{Rows: []grid.StackRow{{Label: "in rank", Parts: []float64{5, 2, 1}},
		{Label: "remote", Parts: []float64{2, 6, 0}}}}
	bars := &grid.Bars{Axis: grid.Axis{Unit: grid.Seconds}, Items: []grid.Bar{
		{Label: "binomial", Value: 1.9e-3, Symbol: '●'}, {Label: "ring", Value: 3.3e-3, Symbol: '◆'},
		{Label: "dissemination", Value: 1.2e-3, Symbol: '×'}}}
	draws := []interface {
		Draw(grid.View, *grid.Theme)
	}{line, heat, spark, stack, bars}
	for i, title := range []string{"Bandwidth, measured", "Traffic", "Time of a step", "Latency (puts & gets)",
		"Algorithms: quick, jumpy, {wxyz}"} {
		draws[i].Draw(g.Box(panes[i],
			grid.Box{Title: title, Right: "GB/s", Border: th.Border, TitleStyle: th.Title, RightStyle: th.Dim}), th)
	}
	return g
}

func TestPictures(t *testing.T) {
	if *picture == "" {
		t.Skip("no -picture directory")
	}
	for _, th := range grid.Themes() {
		g := scene(th)
		file, err := PNG(g, Themed(th.Name, th), 2)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{th.Name + ".png": file, th.Name + ".svg": SVG(g, Themed(th.Name, th))} {
			if err := os.WriteFile(filepath.Join(*picture, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
