package grid

// Tile returns the columns and rows of each of nx × ny equal cells that fill an area of w × h.
// Cells are as large as possible, but never higher than wide. A cell with more than limit columns
// has at most four columns per row, which looks like 2:1.
func Tile(w, h, nx, ny, limit int) (wide, high int) {
	wide, high = max(w/max(nx, 1), 1), max(h/max(ny, 1), 1)
	high = min(high, (wide+1)/2)
	return min(wide, max(limit, 4*high)), high
}

// BarRows divides an area among n bars below each other. A bar starts every pitch rows and
// fills bar of them, at most highest; the others are blank. In an area that fits on a screen of 24 rows,
// bars are one row high without blank rows.
func BarRows(w, h, n, highest int) (pitch, bar int) {
	if highest <= 1 || h < tallChart {
		return 1, 1
	}
	_, pitch = Tile(w, h, 1, n, w)
	pitch = min(pitch, (3*highest+1)/2)
	return pitch, max(pitch*2/3, 1)
}

// tallChart is the minimum number of rows of a chart whose bars are higher than one row.
const tallChart = 20

// numerals holds the digits as bitmaps of three columns and five rows, the first row in the highest
// bits.
var numerals = [10]uint16{
	0b111_101_101_101_111, 0b010_110_010_010_111, 0b111_001_111_100_111, 0b111_001_111_001_111, 0b101_101_111_001_001,
	0b111_100_111_001_111, 0b111_100_111_101_111, 0b111_001_001_001_001, 0b111_101_111_101_111, 0b111_101_111_001_111,
}

// Numerals returns the scale of large digits, readable from a distance, for numbers with the given
// digits in w columns and h rows. 0: only normal text fits.
func Numerals(w, h, digits int) int {
	return max(min((w-2)/(2*(4*digits-1)), max(min(h/5, 1), h*3/20)), 0)
}

// Numeral draws large digits in the middle of v, at a scale from [Numerals].
func (v View) Numeral(text string, scale int, st Style) {
	left, top := (v.W()-2*scale*(4*len(text)-1))/2, (v.H()-5*scale)/2
	for i, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			continue
		}
		for y := range 5 * scale {
			for x := range 6 * scale {
				if numerals[digit-'0']>>(14-y/scale*3-x/(2*scale))&1 != 0 {
					v.Rune(left+8*scale*i+x, top+y, '█', st)
				}
			}
		}
	}
}
