package overlay

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// List is a list of rows with a selected one.
type List struct {
	At   int  // number of the selected row
	None bool // no row is selected yet
	top  int  // first visible row
	all  int
	area grid.Rect // position on the screen in the last drawing
}

// Draw draws the rows around the selected one. all is the number of rows.
func (l *List) Draw(v grid.View, all int, th *grid.Theme, row func(i int, v grid.View, selected bool)) {
	at := min(l.At, max(0, all-1))
	l.all, l.area = all, v.Rect()
	l.top = min(max(at-v.H()/2, 0), max(0, all-v.H()))
	for y := 0; y < v.H() && l.top+y < all; y++ {
		in := v.Sub(grid.Rect{Y: y, W: v.W(), H: 1})
		selected := l.top+y == at && !l.None
		if selected {
			in.Tint(in.Local(), th.Selected.Bg, th.Selected.Attr)
		}
		row(l.top+y, in, selected)
	}
}

// Move moves the selection down by n rows, within all rows.
func (l *List) Move(n, all int) { l.At = min(max(l.At+n, 0), max(0, all-1)) }

// Row returns the number of the row under a cell of the screen, and false if there is none.
func (l *List) Row(x, y int) (int, bool) {
	i := l.top + y - l.area.Y
	return i, l.area.Contains(x, y) && i < l.all
}

// Fits reports whether a text contains all words. Both must be in lower case.
func Fits(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
