package panetest

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Watch records the texts that are drawn on a grid.
type Watch struct{ texts []grid.Written }

// Reset clears the texts, because everything is drawn again.
func (w *Watch) Reset() { w.texts = w.texts[:0] }

// Add records a text. It is a callback for [grid.Grid.Watch].
func (w *Watch) Add(x grid.Written) { w.texts = append(w.texts, x) }

// Faults describes the texts that are cut off by an edge, or covered by something else. If the view
// scrolls, rows above and below it are not faults.
func (w *Watch) Faults(g *grid.Grid, scrolls bool) []string {
	var all []string
	for i := range w.texts {
		if text := fault(g, &w.texts[i], scrolls); text != "" {
			all = append(all, text)
		}
	}
	return all
}

func fault(g *grid.Grid, x *grid.Written, scrolls bool) string {
	if x.Clip.Empty() || strings.TrimSpace(x.Text) == "" {
		return "" // it is only measured
	}
	at := fmt.Sprintf("%q at %d,%d", x.Text, x.X, x.Y)
	if x.Y < x.Clip.Y || x.Y >= x.Clip.Y+x.Clip.H {
		if scrolls {
			return ""
		}
		return at + " is above or below its view"
	}
	text := []rune(x.Text)
	col := x.X
	for i, r := range text {
		n := grid.Width(string(r))
		if x.Short && col+n >= x.Clip.X+x.Clip.W {
			return short(text, i, at)
		}
		if r != ' ' && n > 0 {
			if !x.Clip.Contains(col, x.Y) || !x.Clip.Contains(col+n-1, x.Y) {
				return at + " is cut off"
			}
			if now := g.At(col, x.Y).Rune; now != r && (!g.ASCII || now != grid.ASCIIRune(r)) {
				return fmt.Sprintf("%s is drawn over: %q is in column %d", at, now, col)
			}
		}
		col += n
	}
	return ""
}

// short reports an ellipsis that replaces a part of a number or its unit.
func short(text []rune, i int, at string) string {
	words := strings.Fields(string(text[:i]))
	if n := len(words); n > 0 && words[n-1][0] >= '0' && words[n-1][0] <= '9' {
		return at + " is cut within a number"
	}
	return ""
}
