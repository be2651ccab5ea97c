package grid

// Tile is the columns and rows of each of nx × ny cells that fill a room together: all
// alike, and as large as they fit. Cells are never higher than they are wide; those of more
// than some columns are no flatter than four columns a row, two to one to the eye.
func Tile(w, h, nx, ny, some int) (wide, high int) {
	wide, high = max(w/max(nx, 1), 1), max(h/max(ny, 1), 1)
	high = min(high, (wide+1)/2)
	return min(wide, max(some, 4*high)), high
}

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
