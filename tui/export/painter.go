package export

import (
	"image"
	"math"
)

// painter draws the shapes of one cell into an image, with smooth edges and clipped to the cell.
// Positions are in units from the corner of the cell.
type painter struct {
	img   *image.RGBA
	clip  image.Rectangle // the cell, in pixels
	scale float64         // pixels per unit
	fg    [3]uint8
}

// blend draws the colour over a pixel; cover is 0 to 1.
func (p *painter) blend(x, y int, cover float64) {
	if cover <= 0 {
		return
	}
	i := p.img.PixOffset(x, y)
	px := p.img.Pix[i : i+4 : i+4]
	for k, v := range p.fg {
		px[k] = uint8(float64(px[k]) + (float64(v)-float64(px[k]))*min(cover, 1) + 0.5)
	}
	px[3] = 255
}

// rect fills a rectangle, aligned to pixels so that lines are sharp. It is at least one pixel wide
// and high.
func (p *painter) rect(x, y, w, h, opacity float64) {
	x0, y0 := int(math.Round(x*p.scale)), int(math.Round(y*p.scale))
	x1, y1 := int(math.Round((x+w)*p.scale)), int(math.Round((y+h)*p.scale))
	r := image.Rect(x0, y0, max(x1, x0+1), max(y1, y0+1)).Add(p.clip.Min).Intersect(p.clip)
	for py := r.Min.Y; py < r.Max.Y; py++ {
		for px := r.Min.X; px < r.Max.X; px++ {
			p.blend(px, py, opacity)
		}
	}
}

// cover draws a shape that is given by the signed distance of a position, in units: negative
// inside. The shape is between the two corners.
func (p *painter) cover(x0, y0, x1, y1 float64, distance func(x, y float64) float64) {
	r := image.Rect(
		int(math.Floor(x0*p.scale))-1, int(math.Floor(y0*p.scale))-1,
		int(math.Ceil(x1*p.scale))+1, int(math.Ceil(y1*p.scale))+1,
	).Add(p.clip.Min).Intersect(p.clip)
	for py := r.Min.Y; py < r.Max.Y; py++ {
		for px := r.Min.X; px < r.Max.X; px++ {
			x := (float64(px-p.clip.Min.X) + 0.5) / p.scale
			y := (float64(py-p.clip.Min.Y) + 0.5) / p.scale
			p.blend(px, py, 0.5-distance(x, y)*p.scale)
		}
	}
}

// dot fills a circle.
func (p *painter) dot(cx, cy, radius float64) {
	p.cover(cx-radius, cy-radius, cx+radius, cy+radius, func(x, y float64) float64 {
		return math.Hypot(x-cx, y-cy) - radius
	})
}

// line draws a line with round ends through points. A pixel that several pieces touch is coloured
// once.
func (p *painter) line(width float64, pts ...point) {
	x0, y0, x1, y1 := bounds(pts)
	half := width / 2
	p.cover(x0-half, y0-half, x1+half, y1+half, func(x, y float64) float64 {
		best := math.Inf(1)
		for i := 1; i < len(pts); i++ {
			best = min(best, toSegment(x, y, pts[i-1], pts[i]))
		}
		return best - half
	})
}

// fill fills a polygon.
func (p *painter) fill(pts ...point) {
	x0, y0, x1, y1 := bounds(pts)
	p.cover(x0, y0, x1, y1, func(x, y float64) float64 {
		best, inside := math.Inf(1), false
		a := pts[len(pts)-1]
		for _, b := range pts {
			best = min(best, toSegment(x, y, a, b))
			if (a.y > y) != (b.y > y) && x < a.x+(b.x-a.x)*(y-a.y)/(b.y-a.y) {
				inside = !inside
			}
			a = b
		}
		if inside {
			return -best
		}
		return best
	})
}

// toSegment returns the distance of a position from a segment.
func toSegment(x, y float64, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	t := 0.0
	if n := dx*dx + dy*dy; n > 0 {
		t = max(0, min(((x-a.x)*dx+(y-a.y)*dy)/n, 1))
	}
	return math.Hypot(x-a.x-t*dx, y-a.y-t*dy)
}

func bounds(pts []point) (x0, y0, x1, y1 float64) {
	x0 = pts[0].x
	y0 = pts[0].y
	x1 = pts[0].x
	y1 = pts[0].y
	for _, q := range pts[1:] {
		x0 = min(x0, q.x)
		y0 = min(y0, q.y)
		x1 = max(x1, q.x)
		y1 = max(y1, q.y)
	}
	return x0, y0, x1, y1
}
