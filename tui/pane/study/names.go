package study

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// comma separates the parts of a name.
const comma = ", "

// shorten limits names to a number of columns so that they stay distinguishable. Parts that all
// names share are dropped first. A name that is still too long is cut at the position where most of
// the cut names still differ. It returns the number of parts that were dropped at the beginning.
func shorten(names []string, cols int) (head int) {
	head = dropShared(names, cols)
	if maxWidth(names) > cols && cols > 2 {
		squeeze(names, cols)
	}
	return head
}

// maxWidth returns the width of the longest name.
func maxWidth(names []string) (cols int) {
	for _, n := range names {
		cols = max(cols, grid.Width(n))
	}
	return cols
}

// dropShared drops the parts that all names share if a name is wider than cols: first at both ends
// and then between. It keeps a part if a name would become empty or equal to another one. It
// returns the number of parts that were dropped at the beginning.
func dropShared(names []string, cols int) (head int) {
	if maxWidth(names) <= cols || len(names) < 2 {
		return 0
	}
	for i, cut := range [...]func(s, sep string) (part, rest string, found bool){strings.Cut, cutLast} {
		for {
			shared, _, found := cut(names[0], comma)
			for _, n := range names[1:] {
				part, _, more := cut(n, comma)
				found = found && more && part == shared
			}
			if !found {
				break
			}
			for k := range names {
				_, names[k], _ = cut(names[k], comma)
			}
			if i == 0 {
				head++
			}
		}
	}
	if maxWidth(names) <= cols {
		return head
	}
	for _, part := range strings.Split(names[0], comma) {
		without := make([]string, 0, len(names))
		for _, n := range names {
			parts := strings.Split(n, comma)
			at := slices.Index(parts, part)
			if at < 0 || len(parts) == 1 {
				break
			}
			without = append(without, strings.Join(slices.Delete(parts, at, at+1), comma))
		}
		if len(without) == len(names) && countDifferent(without) == countDifferent(names) {
			copy(names, without)
		}
	}
	return head
}

// cutLast splits s at the last separator.
func cutLast(s, sep string) (part, rest string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[i+len(sep):], s[:i], true
	}
	return s, "", false
}

// countDifferent returns the number of different names.
func countDifferent(names []string) int {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		seen[n] = true
	}
	return len(seen)
}

// squeeze cuts all names that are too long to cols columns, at the same position. It cuts them at
// the end if they differ before it, otherwise at the last position that keeps as many names
// different as possible.
func squeeze(names []string, cols int) {
	all, maxDifferent := countDifferent(names), 0
	best, cut := []string(nil), make([]string, len(names))
	for tail := 0; tail < cols && maxDifferent < all; tail++ {
		for i, n := range names {
			if r := []rune(n); len(r) <= cols {
				cut[i] = n
			} else {
				cut[i] = string(r[:cols-1-tail]) + "…" + string(r[len(r)-tail:])
			}
		}
		if n := countDifferent(cut); n > maxDifferent {
			maxDifferent, best = n, slices.Clone(cut)
		}
	}
	copy(names, best)
}
