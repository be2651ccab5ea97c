package export

// arms describes every box-drawing character from U+2500 on by its left, right, upper and lower
// arm: none (0), light (1), heavy (2) or double (3). Dashed and rounded characters are drawn
// separately.
const arms = "" +
	"1100 2200 0011 0022 .... .... .... .... .... .... .... .... " + // ─━│┃ dashes
	"0101 0201 0102 0202 1001 2001 1002 2002 0110 0210 0120 0220 1010 2010 1020 2020 " + // ┌ ┐ └ ┘
	"0111 0211 0121 0112 0122 0221 0212 0222 1011 2011 1021 1012 1022 2021 2012 2022 " + // ├ ┤
	"1101 2101 1201 2201 1102 2102 1202 2202 1110 2110 1210 2210 1120 2120 1220 2220 " + // ┬ ┴
	"1111 2111 1211 2211 1121 1112 1122 2121 1221 2112 1212 2221 2212 2122 1222 2222 " + // ┼
	".... .... .... .... 3300 0033 " + // dashes ═║
	"0301 0103 0303 3001 1003 3003 0310 0130 0330 3010 1030 3030 " + // ╒╓╔ ╕╖╗ ╘╙╚ ╛╜╝
	// ╞╟╠ ╡╢╣ ╤╥╦ ╧╨╩ ╪╫╬
	"0311 0133 0333 3011 1033 3033 3301 1103 3303 3310 1130 3330 3311 1133 3333 " +
	".... .... .... .... .... .... .... " + // ╭╮╯╰╱╲╳
	"1000 0010 0100 0001 2000 0020 0200 0002 1200 0012 2100 0021 " // ╴╵╶╷ ╸╹╺╻ ╼╽╾╿

// drawBox draws the box-drawing characters, U+2500 to U+257F.
func drawBox(s sink, r rune) {
	switch r {
	case '╭', '╮', '╯', '╰':
		drawCorner(s, r)
		return
	case '╱', '╲', '╳':
		if r != '╲' {
			s.line(thin, point{0, cellH}, point{cellW, 0})
		}
		if r != '╱' {
			s.line(thin, point{0, 0}, point{cellW, cellH})
		}
		return
	}
	if n, heavy, upright := dashes(r); n > 0 {
		drawDashes(s, n, heavy, upright)
		return
	}
	at := 5 * int(r-0x2500)
	left := arms[at]
	right := arms[at+1]
	up := arms[at+2]
	down := arms[at+3]
	across, along := overhang(up, down), overhang(left, right)
	if left == right {
		drawArm(s, left, 0, cellW, false)
	} else {
		drawArm(s, left, 0, midX+across, false)
		drawArm(s, right, midX-across, cellW, false)
	}
	if up == down {
		drawArm(s, up, 0, cellH, true)
	} else {
		drawArm(s, up, 0, midY+along, true)
		drawArm(s, down, midY-along, cellH, true)
	}
}

// armWidth returns the width of an arm and the distance of its lines from the middle.
func armWidth(kind byte) (width, off float64) {
	switch kind {
	case '1':
		return thin, 0
	case '2':
		return thick, 0
	case '3':
		return thin, 1.5
	}
	return 0, 0
}

// overhang returns the length beyond the middle that closes the corner with crossing arms.
func overhang(a, b byte) float64 {
	wa, oa := armWidth(a)
	wb, ob := armWidth(b)
	return max(wa/2+oa, wb/2+ob, thin/2)
}

// drawArm draws an arm between two distances from the left edge, or from the top edge if it is
// vertical.
func drawArm(s sink, kind byte, from, to float64, upright bool) {
	width, off := armWidth(kind)
	for _, o := range [2]float64{-off, off} {
		switch {
		case width == 0:
		case upright:
			s.rect(midX+o-width/2, from, width, to-from, 1)
		default:
			s.rect(from, midY+o-width/2, to-from, width, 1)
		}
		if off == 0 {
			return
		}
	}
}

// dashes returns the number of dashes in a dashed line, or 0 for another rune.
func dashes(r rune) (n int, heavy, upright bool) {
	switch {
	case r >= '┄' && r <= '┋':
		n, r = 3+int(r-'┄')/4, r-'┄'
	case r >= '╌' && r <= '╏':
		n, r = 2, r-'╌'
	default:
		return 0, false, false
	}
	return n, r&1 == 1, r&2 == 2
}

func drawDashes(s sink, n int, heavy, upright bool) {
	width := thin
	if heavy {
		width = thick
	}
	length := cellW
	if upright {
		length = cellH
	}
	step := length / float64(n)
	for i := range n {
		at := (float64(i) + 0.2) * step
		if upright {
			s.rect(midX-width/2, at, width, step*0.6, 1)
		} else {
			s.rect(at, midY-width/2, step*0.6, width, 1)
		}
	}
}

// drawCorner draws a rounded corner: a quarter of a circle and straight lines to the edges.
func drawCorner(s sink, r rune) {
	dx, dy := 1.0, 1.0 // direction of the edges that it joins
	if r == '╮' || r == '╯' {
		dx = -1
	}
	if r == '╯' || r == '╰' {
		dy = -1
	}
	const radius = midX
	pts := []point{{midX + dx*midX, midY}}
	quarter := circle(midX+dx*radius, midY+dy*radius, radius)
	first := map[rune]int{'╭': 18, '╮': 0, '╯': 6, '╰': 12}[r] // of 24, clockwise from the top
	for i := range 7 {
		pts = append(pts, quarter[(first+i)%24])
	}
	if r == '╭' || r == '╯' { // their quarter runs from the vertical to the horizontal side
		for i, j := 1, len(pts)-1; i < j; i, j = i+1, j-1 {
			pts[i], pts[j] = pts[j], pts[i]
		}
	}
	pts = append(pts, point{midX, midY + dy*midY})
	s.line(thin, pts...)
}
