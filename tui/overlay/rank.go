package overlay

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sahilm/fuzzy"
)

// Ranks of a word in a text, above the score of any match of scattered letters.
const (
	asPart  = 1000 * (iota + 1) // inside a word
	asStart                     // at the start of a word
	asWord                      // a whole word
)

// inName is the rank of letters in order that are all in the name.
const inName = 500

// score returns how well the words of a query match a text, and false if one does not. Words of the text
// count most, then starts and parts of words, then letters in order, by the score of the library. The first
// line of the text is a name.
func score(words []string, text string) (sum int, ok bool) {
	low := strings.ToLower(text)
	name, _, _ := strings.Cut(low, "\n")
	for _, word := range words {
		if found := fuzzy.FindNoSort(word, []string{name}); len(found) > 0 {
			sum += inName + found[0].Score
		} else if found := fuzzy.FindNoSort(word, []string{low}); len(found) > 0 {
			sum += found[0].Score
		} else {
			return 0, false
		}
		best := 0
		for at := strings.Index(low, word); at >= 0 && best < asWord; {
			best = max(best, place(low, at, at+len(word))-min(at, 500)) // earlier is better: names come first
			next := strings.Index(low[at+1:], word)
			if next < 0 {
				break
			}
			at += 1 + next
		}
		sum += best
	}
	return sum, true
}

// place returns the rank of the part of a text from one byte to another.
func place(text string, from, to int) int {
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, after := []rune(text[:from]), []rune(text[to:])
	switch {
	case len(before) > 0 && in(before[len(before)-1]):
		return asPart
	case len(after) > 0 && in(after[0]):
		return asStart
	}
	return asWord
}

// Rank returns the items that match a query, best first. Items with equal scores keep their order, and an
// empty query matches all.
func Rank[T any](items []T, query string, text func(T) string) []T {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return items
	}
	type scored struct {
		item  T
		score int
	}
	var fit []scored
	for _, it := range items {
		if s, ok := score(words, text(it)); ok {
			fit = append(fit, scored{it, s})
		}
	}
	slices.SortStableFunc(fit, func(a, b scored) int { return b.score - a.score })
	out := make([]T, len(fit))
	for i := range fit {
		out[i] = fit[i].item
	}
	return out
}
