package grid

// Tile is the columns and rows of each of nx × ny cells that fill a room together: all
// alike, and as large as they fit. Cells are never higher than they are wide; those of more
// than some columns are no flatter than four columns a row, two to one to the eye.
func Tile(w, h, nx, ny, some int) (wide, high int) {
	wide, high = max(w/max(nx, 1), 1), max(h/max(ny, 1), 1)
	high = min(high, (wide+1)/2)
	return min(wide, max(some, 4*high)), high
}

// Lanes is how n bars below each other share a room out: each has a lane of so many rows,
// and fills the first of them, the same for all and at most highest; the others are blank.
// Bars are one row high, and close, in a room that a screen of 24 rows can have.
func Lanes(w, h, n, highest int) (lane, bar int) {
	if highest <= 1 || h < roomy {
		return 1, 1
	}
	_, lane = Tile(w, h, 1, n, w)
	lane = min(lane, (3*highest+1)/2)
	return lane, max(lane*2/3, 1)
}

// roomy is the rows of a chart from which its bars grow.
const roomy = 20

// numerals are the digits on three columns and five rows, the first row in the highest bits.
var numerals = [10]uint16{
	0b111_101_101_101_111, 0b010_110_010_010_111, 0b111_001_111_100_111, 0b111_001_111_001_111, 0b101_101_111_001_001,
	0b111_100_111_001_111, 0b111_100_111_101_111, 0b111_001_001_001_001, 0b111_101_111_101_111, 0b111_101_111_001_111,
}

// Numerals is how many times their size digits are drawn where numbers of so many of them
// have w columns and h rows, for those who sit far away; 0: there is room for text alone.
func Numerals(w, h, digits int) int {
	return max(min((w-2)/(2*(4*digits-1)), max(min(h/5, 1), h*3/20)), 0)
}

// Numeral draws digits in the middle of v, at a scale of [Numerals].
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
