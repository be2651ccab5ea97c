package export

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// maxPixels is the maximum size of a picture, 64 million pixels.
const maxPixels = 64 << 20

// PNG returns the grid as a PNG file with scale pixels per unit: a cell is 8·scale pixels wide and
// 16·scale pixels high. It fails if the picture would have no or too many pixels.
func PNG(g *grid.Grid, o Options, scale int) ([]byte, error) {
	if err := CheckPNG(g.W, g.H, scale); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, Image(g, o, scale)); err != nil {
		return nil, fmt.Errorf("encoding the picture: %w", err)
	}
	return b.Bytes(), nil
}

// CheckPNG returns the error of PNG for a grid of w columns and h rows, or nil.
func CheckPNG(w, h, scale int) error {
	if w <= 0 || h <= 0 || scale <= 0 {
		return fmt.Errorf("picture of %d×%d cells at scale %d has no pixels", w, h, scale)
	}
	// The factors are limited first, and their product is counted in 64 bits.
	if scale > 64 || w > 1<<20 || h > 1<<20 || int64(w)*int64(h)*int64(scale*scale) > maxPixels/int64(cellW*cellH) {
		return fmt.Errorf("picture of %d×%d cells at scale %d is too large: want at most %d million pixels",
			w, h, scale, maxPixels>>20)
	}
	return nil
}

// Image returns the grid as an image with scale pixels per unit; see [PNG].
func Image(g *grid.Grid, o Options, scale int) *image.RGBA {
	w, h := int(cellW)*scale, int(cellH)*scale
	img := image.NewRGBA(image.Rect(0, 0, g.W*w, g.H*h))
	for y := range g.H {
		for x := range g.W {
			c := g.At(x, y)
			p := painter{img: img, scale: float64(scale), clip: image.Rect(x*w, y*h, (x+1)*w, (y+1)*h)}
			fg, bg := o.colors(c)
			p.fg[0], p.fg[1], p.fg[2], _ = bg.Components()
			p.rect(0, 0, cellW, cellH, 1)
			if c.Rune == grid.Continued {
				continue // its left half shows the rune
			}
			p.fg[0], p.fg[1], p.fg[2], _ = fg.Components()
			drawCell(&p, c, x+1 < g.W && g.At(x+1, y).Rune == grid.Continued)
		}
	}
	return img
}

// drawCell draws the rune of a cell. A rune that is neither a shape nor in the font becomes a
// similar ASCII character or an empty frame.
func drawCell(p *painter, c grid.Cell, wide bool) {
	width := 1.15
	if c.Attr&grid.Bold != 0 {
		width = 1.75
	}
	if c.Rune != ' ' && !drawShape(p, c.Rune) && !drawLetter(p, c.Rune, width) {
		if like := grid.ASCIIRune(c.Rune); wide || like == '?' || !drawLetter(p, like, width) {
			p.line(0.8, closed([]point{{1.2, 3}, {6.8, 3}, {6.8, 12.5}, {1.2, 12.5}})...)
		}
	}
	if c.Attr&grid.Underline != 0 {
		p.rect(0, cellH-2, cellW, thin, 1)
	}
}
