package export

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Options sets the parts of a picture that a grid does not define.
type Options struct {
	// Title is the title of an SVG, for readers who cannot see the picture.
	Title string
	// Ground and Ink are the background and foreground of cells with the terminal's default
	// colours. They default to a dark theme. Themes define them in Theme.Ground and Theme.Ink.
	Ground, Ink grid.Color
}

// Themed returns the options for a theme.
func Themed(title string, th *grid.Theme) Options {
	return Options{Title: title, Ground: th.Ground, Ink: th.Ink}
}

// colors returns the visible colours of a cell.
func (o Options) colors(c grid.Cell) (fg, bg grid.Color) {
	fg, bg = c.Fg, c.Bg
	if fg == grid.None {
		fg = o.ink()
	}
	if bg == grid.None {
		bg = o.ground()
	}
	if c.Attr&grid.Reverse != 0 {
		fg, bg = bg, fg
	}
	if c.Attr&grid.Faint != 0 {
		fg = grid.Blend(solid(bg), solid(fg), 0.6)
	}
	return solid(fg), solid(bg)
}

func (o Options) ink() grid.Color {
	if o.Ink == grid.None {
		return grid.Hex(0xd8dce3)
	}
	return solid(o.Ink)
}

func (o Options) ground() grid.Color {
	if o.Ground == grid.None {
		return grid.Hex(0x16181d)
	}
	return solid(o.Ground)
}

// solid converts a palette colour to an RGB colour.
func solid(c grid.Color) grid.Color {
	r, g, b, _ := c.Components()
	return grid.RGB(r, g, b)
}

// SVG returns the grid as an SVG document. Equal grids give equal bytes.
func SVG(g *grid.Grid, o Options) []byte {
	w := svgWriter{o: o}
	w.head(g)
	for y := range g.H {
		w.backgrounds(g, y, 0, g.W)
	}
	w.add(rowFont)
	for y := range g.H {
		w.row(g, y, 0, g.W)
	}
	w.add("</g>\n</svg>\n")
	return w.out
}

// head writes the beginning of a document for grids of a size: the title and the ground.
func (w *svgWriter) head(g *grid.Grid) {
	width, height := num(float64(g.W)*cellW), num(float64(g.H)*cellH)
	w.add(`<svg xmlns="http://www.w3.org/2000/svg" width="`, width, `" height="`, height,
		`" viewBox="0 0 `, width, " ", height, `" role="img">`, "\n")
	if w.o.Title != "" {
		w.add("<title>", escape(w.o.Title), "</title>\n")
	}
	if w.classes != nil {
		w.add("<style>", w.classes.css.String(), "</style>\n")
	}
	w.add(`<rect width="100%" height="100%" fill="`, w.o.ground().String(), `"/>`, "\n")
}

// rowFont begins the group of all rows. A monospaced font advances by 0.6 of its size, so a cell of 8 units needs
// size 13.333.
const rowFont = `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" ` +
	`font-size="13.333" xml:space="preserve">` + "\n"

// svgWriter collects the text of a document and the shapes of the current run of cells.
type svgWriter struct {
	o       Options
	out     []byte
	x, y    float64          // corner of the current cell
	classes *classes         // of elements; nil: elements have attributes instead
	dots    map[string]point // end of the last dot of each width, if elements have classes

	last  box                         // last rectangle, not in a path yet
	fills strings.Builder             // paths that are filled
	faint [4]strings.Builder          // partly opaque filled paths, by quarters of opacity
	lines map[string]*strings.Builder // paths that are stroked, by width
	width []string                    // keys of lines in the order of use
}

func (w *svgWriter) add(parts ...string) {
	for _, p := range parts {
		w.out = append(w.out, p...)
	}
}

// backgrounds writes one rectangle for each run of a background colour in columns of a row.
func (w *svgWriter) backgrounds(g *grid.Grid, y, from, to int) {
	for x := from; x < to; {
		_, bg := w.o.colors(g.At(x, y))
		end := x + 1
		for end < to {
			if _, next := w.o.colors(g.At(end, y)); next != bg {
				break
			}
			end++
		}
		if bg != w.o.ground() {
			w.add(`<rect x="`, num(float64(x)*cellW), `" y="`, num(float64(y)*cellH), `" width="`,
				num(float64(end-x)*cellW), `" height="`, num(cellH), `" `, w.look(`fill="`+bg.String()+`"`), "/>", w.newline())
		}
		x = end
	}
}

// row writes the runs of equal-looking cells in columns of a row, without blanks.
func (w *svgWriter) row(g *grid.Grid, y, from, to int) {
	for x := from; x < to; {
		c := g.At(x, y)
		fg, _ := w.o.colors(c)
		end := x + 1
		for end < to {
			next := g.At(end, y)
			if next.Rune != ' ' && next.Rune != grid.Continued {
				if f, _ := w.o.colors(next); f != fg || next.Attr != c.Attr {
					break
				}
			}
			if next.Rune == ' ' && (next.Attr|c.Attr)&grid.Underline != 0 && next.Attr != c.Attr {
				break
			}
			end++
		}
		w.run(g, y, x, end, grid.Style{Fg: fg, Attr: c.Attr})
		x = end
	}
}

// run writes the cells from column x to end: shapes as paths, and the text between shapes as text.
func (w *svgWriter) run(g *grid.Grid, y, x, end int, st grid.Style) {
	var text strings.Builder
	from, cols := x, 0
	flush := func() {
		if s := text.String(); strings.TrimSpace(s) != "" || st.Attr&grid.Underline != 0 && s != "" {
			w.text(s, from, y, cols, st)
		}
		text.Reset()
		cols = 0
	}
	for col := x; col < end; col++ {
		c := g.At(col, y)
		w.x, w.y = float64(col)*cellW, float64(y)*cellH
		switch {
		case c.Rune == grid.Continued:
			cols++
			continue
		case drawShape(w, c.Rune):
			flush()
			continue
		case c.Rune == ' ' && cols == 0 && st.Attr&grid.Underline == 0:
			continue
		}
		if cols == 0 {
			from = col
		}
		text.WriteRune(c.Rune)
		cols++
	}
	flush()
	w.shapes(st.Fg)
}

// text writes one piece of text, stretched to its columns, so that it is aligned in any font.
func (w *svgWriter) text(s string, x, y, cols int, st grid.Style) {
	if st.Attr&grid.Underline == 0 {
		trimmed := strings.TrimRight(s, " ")
		cols -= len(s) - len(trimmed)
		s = trimmed
	}
	look := `fill="` + st.Fg.String() + `"`
	w.add(`<text x="`, num(float64(x)*cellW), `" y="`, num(float64(y)*cellH+12), `" `)
	if w.classes == nil {
		w.add(look, ` textLength="`, num(float64(cols)*cellW), `" lengthAdjust="spacingAndGlyphs"`)
		look = ""
	} else {
		w.add(`textLength="`, num(float64(cols)*cellW), `"`)
	}
	s = strings.ReplaceAll(s, "  ", "\u00a0\u00a0") // browsers join several blanks, even with xml:space
	if st.Attr&grid.Bold != 0 {
		look += ` font-weight="bold"`
	}
	if st.Attr&grid.Italic != 0 {
		look += ` font-style="italic"`
	}
	if st.Attr&grid.Underline != 0 {
		look += ` text-decoration="underline"`
	}
	if w.classes != nil {
		look = " " + w.look(look)
	}
	w.add(look, ">", escape(s), "</text>", w.newline())
}

// shapes writes the shapes of a run.
func (w *svgWriter) shapes(fg grid.Color) {
	w.endRect()
	if w.fills.Len() > 0 {
		w.add(`<path `, w.look(`fill="`+fg.String()+`"`), ` d="`, w.fills.String(), `"/>`, w.newline())
		w.fills.Reset()
	}
	for i := range w.faint {
		if w.faint[i].Len() > 0 {
			w.add(`<path `, w.look(`fill="`+fg.String()+`" fill-opacity="`+num(float64(i)/4)+`"`), ` d="`, w.faint[i].String(), `"/>`,
				w.newline())
			w.faint[i].Reset()
		}
	}
	for _, width := range w.width {
		w.add(`<path `, w.look(`fill="none" stroke="`+fg.String()+`" stroke-width="`+width+
			`" stroke-linecap="round" stroke-linejoin="round"`), ` d="`, w.lines[width].String(), `"/>`, w.newline())
	}
	w.width, w.lines, w.dots = w.width[:0], nil, nil
}

// box is a rectangle with an opacity of 0 to 1.
type box struct{ x, y, w, h, opacity float64 }

// rect joins adjacent rectangles, such as those of a border.
func (w *svgWriter) rect(x, y, width, height, opacity float64) {
	next := box{x: w.x + x, y: w.y + y, w: width, h: height, opacity: opacity}
	if l := w.last; l.x+l.w == next.x && l.y == next.y && l.h == next.h && l.opacity == opacity {
		w.last.w += width
		return
	}
	w.endRect()
	w.last = next
}

// endRect writes the last rectangle to its path.
func (w *svgWriter) endRect() {
	l := w.last
	w.last = box{}
	if l.w == 0 {
		return
	}
	b := &w.fills
	if l.opacity < 1 {
		b = &w.faint[int(l.opacity*4)]
	}
	b.WriteString("M" + num(l.x) + " " + num(l.y) + "h" + num(l.w) + "v" + num(l.h) + "h" + num(-l.w) + "z")
}

func (w *svgWriter) fill(pts ...point) {
	w.path(&w.fills, pts)
	w.fills.WriteByte('z')
}

func (w *svgWriter) line(width float64, pts ...point) { w.path(w.stroke(width), pts) }

// dot draws a line of length zero with round ends.
func (w *svgWriter) dot(x, y, radius float64) {
	b, next := w.stroke(2*radius), point{w.x + x, w.y + y}
	if key := num(2 * radius); w.classes != nil {
		if last, ok := w.dots[key]; ok {
			b.WriteString("m" + num(next.x-last.x) + " " + num(next.y-last.y) + "h0")
			w.dots[key] = next
			return
		}
		if w.dots == nil {
			w.dots = map[string]point{}
		}
		w.dots[key] = next
	}
	b.WriteString("M" + num(next.x) + " " + num(next.y) + "h0")
}

// classes names the sets of attributes of elements, in the order of their first use. A document with classes is
// shorter than one that repeats the attributes.
type classes struct {
	names map[string]string
	css   strings.Builder
}

// look returns attributes, or the class that has them.
func (w *svgWriter) look(attributes string) string {
	if w.classes == nil {
		return attributes
	}
	name, ok := w.classes.names[attributes]
	if !ok {
		name = "c" + strconv.FormatInt(int64(len(w.classes.names)), 36)
		w.classes.names[attributes] = name
		w.classes.css.WriteString("." + name + "{" + strings.NewReplacer(`="`, ":", `" `, ";", `"`, "").Replace(attributes) + "}")
	}
	return `class="` + name + `"`
}

// newline returns the text after an element. Elements with classes share a line.
func (w *svgWriter) newline() string {
	if w.classes == nil {
		return "\n"
	}
	return ""
}

// stroke returns the path of lines with a width.
func (w *svgWriter) stroke(width float64) *strings.Builder {
	key := num(width)
	if w.lines == nil {
		w.lines = map[string]*strings.Builder{}
	}
	b, ok := w.lines[key]
	if !ok {
		b = &strings.Builder{}
		w.lines[key] = b
		w.width = append(w.width, key)
	}
	return b
}

func (w *svgWriter) path(b *strings.Builder, pts []point) {
	for i, p := range pts {
		if i == 0 {
			b.WriteByte('M')
		} else {
			b.WriteByte('L')
		}
		b.WriteString(num(w.x+p.x) + " " + num(w.y+p.y))
	}
}

// num formats a number with at most two decimals.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

func escape(s string) string {
	var b strings.Builder
	// Writing to a strings.Builder cannot fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
