package export

import (
	"errors"
	"image"
	"image/color"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Tint is the role of a colour on a page. A light and a dark page have different colours for it.
type Tint string

// Tints. Series, Role and Kind return further ones.
const (
	Ink  Tint = "ink"  // text and axes
	Soft Tint = "soft" // grid lines in the background
	Hint Tint = "hint" // ranges and rules
)

// Series returns the tint of line i of a chart. The first eight differ.
func Series(i int) Tint { return Tint("s" + strconv.Itoa(i&7)) }

// Role returns the tint of a locality class or an activity.
func Role(r grid.Role) Tint { return Tint("r" + strconv.Itoa(int(r))) }

// RGBA makes a Tint a color.Color, so that gonum/plot accepts it.
func (t Tint) RGBA() (r, g, b, a uint32) { return color.Black.RGBA() }

// vector is a gonum/plot canvas of w by h points. It becomes an SVG element in a page. It uses the
// colours of the page, and draws text as outlines, which need no font.
type vector struct {
	out   []byte
	w, h  float64
	font  *outlines
	now   pen
	stack []pen
}

// pen is the state that Push saves. The matrix maps (x, y) to (a x + c y + e, b x + d y + f).
type pen struct {
	a, b, c, d, e, f float64
	width, offset    vg.Length
	dash             []vg.Length
	color            color.Color
}

func newVector(w, h vg.Length, f *outlines) *vector {
	v := &vector{w: w.Points(), h: h.Points(), font: f, now: pen{a: 1, d: 1, width: 1, color: Ink}}
	return v
}

func (v *vector) add(parts ...string) {
	for _, p := range parts {
		v.out = append(v.out, p...)
	}
}

// Size returns the size of the canvas.
func (v *vector) Size() (w, h vg.Length) { return vg.Points(v.w), vg.Points(v.h) }

func (v *vector) SetLineWidth(w vg.Length) { v.now.width = w }

func (v *vector) SetLineDash(pattern []vg.Length, offset vg.Length) {
	v.now.dash, v.now.offset = pattern, offset
}

func (v *vector) SetColor(c color.Color) {
	if c == nil {
		c = Ink
	}
	v.now.color = c
}

func (v *vector) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	p := &v.now
	p.a, p.b, p.c, p.d = p.a*cos+p.c*sin, p.b*cos+p.d*sin, p.c*cos-p.a*sin, p.d*cos-p.b*sin
}

func (v *vector) Translate(pt vg.Point) {
	v.now.e, v.now.f = v.at(pt)
}

func (v *vector) Scale(x, y float64) {
	p := &v.now
	p.a *= x
	p.b *= x
	p.c *= y
	p.d *= y
}

func (v *vector) Push() { v.stack = append(v.stack, v.now) }

func (v *vector) Pop() {
	v.now, v.stack = v.stack[len(v.stack)-1], v.stack[:len(v.stack)-1]
}

// at returns a position on the canvas, measured from the bottom.
func (v *vector) at(pt vg.Point) (x, y float64) {
	p := &v.now
	return p.a*pt.X.Points() + p.c*pt.Y.Points() + p.e, p.b*pt.X.Points() + p.d*pt.Y.Points() + p.f
}

// paint returns an attribute with the current colour.
func (v *vector) paint(attribute string) string {
	if t, ok := v.now.color.(Tint); ok {
		return ` ` + attribute + `="var(--` + string(t) + `)"`
	}
	if _, _, _, a := v.now.color.RGBA(); a == 0 {
		return ` ` + attribute + `="none"`
	}
	c := color.NRGBAModel.Convert(v.now.color).(color.NRGBA)
	const digits = "0123456789abcdef"
	hex := make([]byte, 0, 7)
	for _, x := range [...]uint8{c.R, c.G, c.B} {
		hex = append(hex, digits[x>>4], digits[x&15])
	}
	return ` ` + attribute + `="#` + string(hex) + `"`
}

func (v *vector) Stroke(p vg.Path) {
	if v.now.width <= 0 || len(p) == 0 {
		return
	}
	v.add(`<path fill="none" stroke-linejoin="round" stroke-width="`, num(v.now.width.Points()), `"`, v.paint("stroke"))
	if len(v.now.dash) > 0 {
		v.add(` stroke-dasharray="`)
		for i, d := range v.now.dash {
			if i > 0 {
				v.add(",")
			}
			v.add(num(d.Points()))
		}
		v.add(`" stroke-dashoffset="`, num(v.now.offset.Points()), `"`)
	}
	v.path(p)
}

func (v *vector) Fill(p vg.Path) {
	if len(p) == 0 {
		return
	}
	v.add(`<path`, v.paint("fill"))
	v.path(p)
}

func (v *vector) path(p vg.Path) {
	v.add(` d="`)
	for i := range p {
		c := &p[i]
		switch c.Type {
		case vg.MoveComp:
			v.step("M", c.Pos)
		case vg.LineComp:
			v.step("L", c.Pos)
		case vg.CurveComp:
			v.step("C", append(append([]vg.Point{}, c.Control...), c.Pos)...)
		case vg.ArcComp:
			v.arc(c, i == 0)
		case vg.CloseComp:
			v.add("Z")
		}
	}
	v.add(`"/>`, "\n")
}

// step writes a path command. A curve with one control point is quadratic.
func (v *vector) step(command string, pts ...vg.Point) {
	if command == "C" && len(pts) == 2 {
		command = "Q"
	}
	v.add(command)
	for i, pt := range pts {
		x, y := v.at(pt)
		if i > 0 {
			v.add(" ")
		}
		v.add(num(x), " ", num(v.h-y))
	}
}

// arc writes an arc as curves of at most an eighth of a circle.
func (v *vector) arc(c *vg.PathComp, first bool) {
	n := max(int(math.Ceil(math.Abs(c.Angle)/(math.Pi/4))), 1)
	part := c.Angle / float64(n)
	k := vg.Length(4.0 / 3 * math.Tan(part/4))
	on := func(angle float64) (pt, tangent vg.Point) {
		sin, cos := math.Sincos(angle)
		x, y := c.Radius*vg.Length(cos), c.Radius*vg.Length(sin)
		return vg.Point{X: c.Pos.X + x, Y: c.Pos.Y + y}, vg.Point{X: -y * k, Y: x * k}
	}
	from, out := on(c.Start)
	if first {
		v.step("M", from)
	} else {
		v.step("L", from)
	}
	for i := range n {
		to, in := on(c.Start + float64(i+1)*part)
		v.step("C", from.Add(out), to.Sub(in), to)
		from, out = to, in
	}
}

// FillString draws text as outlines of its letters.
func (v *vector) FillString(face plotfont.Face, pt vg.Point, text string) {
	if face.Font.Size == 0 || text == "" {
		return
	}
	unit := face.Font.Size.Points() / float64(face.Face.UnitsPerEm())
	x, y := v.at(pt)
	p := &v.now
	v.add(`<g`, v.paint("fill"), ` transform="matrix(`)
	for _, n := range [...]float64{p.a * unit, -p.b * unit, -p.c * unit, p.d * unit, x} {
		v.add(strconv.FormatFloat(n, 'g', 5, 64), " ")
	}
	v.add(num(v.h-y), `)">`)
	v.font.line(face, text, func(id string, at int) {
		v.add(`<use href="#`, id, `" x="`, strconv.Itoa(at), `"/>`)
	})
	v.add("</g>\n")
}

// DrawImage does nothing, because charts have no images.
func (v *vector) DrawImage(vg.Rectangle, image.Image) {}

// outlines holds the shapes of the letters of a page, each only once.
type outlines struct {
	shapes []byte // SVG of all letters
	ids    map[glyph]string
	buf    sfnt.Buffer
}

type glyph struct {
	font  string
	index sfnt.GlyphIndex
}

// line calls draw for each letter of a text with its position, in units of the font. A letter that
// the font lacks is an empty box.
func (o *outlines) line(face plotfont.Face, text string, draw func(id string, at int)) {
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	at := fixed.Int26_6(0)
	last, hasLast := sfnt.GlyphIndex(0), false
	for _, r := range text {
		i, err := face.Face.GlyphIndex(&o.buf, r)
		if err != nil {
			i = 0
		}
		if hasLast {
			if kern, err := face.Face.Kern(&o.buf, last, i, em, font.HintingNone); err == nil {
				at += kern
			}
		}
		if id := o.id(face, i); id != "" {
			draw(id, int(at))
		}
		if wide, err := face.Face.GlyphAdvance(&o.buf, i, em, font.HintingNone); err == nil {
			at += wide
		}
		last, hasLast = i, true
	}
}

// id returns the name of the shape of a letter, or "" for a blank.
func (o *outlines) id(face plotfont.Face, i sfnt.GlyphIndex) string {
	key := glyph{face.Font.Name(), i}
	if id, ok := o.ids[key]; ok {
		return id
	}
	if o.ids == nil {
		o.ids = make(map[glyph]string)
	}
	id := "g" + strconv.Itoa(len(o.ids))
	segments, err := face.Face.LoadGlyph(&o.buf, i, fixed.Int26_6(face.Face.UnitsPerEm()), nil)
	if err != nil && !errors.Is(err, sfnt.ErrNotFound) || len(segments) == 0 {
		id = ""
	}
	o.ids[key] = id
	if id == "" {
		return ""
	}
	o.shapes = append(o.shapes, `<path id="`+id+`" d="`...)
	for _, s := range segments {
		command, n := "M", 1
		switch s.Op {
		case sfnt.SegmentOpLineTo:
			command = "L"
		case sfnt.SegmentOpQuadTo:
			command, n = "Q", 2
		case sfnt.SegmentOpCubeTo:
			command, n = "C", 3
		}
		o.shapes = append(o.shapes, command...)
		for k, a := range s.Args[:n] {
			if k > 0 {
				o.shapes = append(o.shapes, ' ')
			}
			o.shapes = strconv.AppendInt(o.shapes, int64(a.X), 10)
			o.shapes = append(o.shapes, ' ')
			o.shapes = strconv.AppendInt(o.shapes, int64(a.Y), 10)
		}
	}
	o.shapes = append(o.shapes, "\"/>\n"...)
	return id
}
