package overlay

import (
	"slices"
	"strings"
	"unicode"
)

// fuzzy returns how well a text matches a query. The letters of each word must occur in the text in
// order; runs of letters and starts of words score higher. false means no match. An empty query
// matches every text equally.
func fuzzy(query, text string) (score int, ok bool) {
	low := []rune(strings.ToLower(text))
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		best, found := 0, false
		for from := range low {
			if s, ok := fuzzyWord([]rune(word), low, from); ok && (s > best || !found) {
				best, found = s, true
			}
		}
		if !found {
			return 0, false
		}
		score += best
	}
	return score, true
}

// fuzzyWord matches the letters of word with text, starting at from.
func fuzzyWord(word, text []rune, from int) (score int, ok bool) {
	if text[from] != word[0] {
		return 0, false
	}
	i, run := 0, 0
	for at := from; at < len(text) && i < len(word); at++ {
		if text[at] != word[i] {
			run = 0
			continue
		}
		score += 1 + 2*run
		if at == 0 || !unicode.IsLetter(text[at-1]) && !unicode.IsDigit(text[at-1]) {
			score += 3
		}
		run++
		i++
	}
	return score*4 - min(len(text), 60)/10, i == len(word)
}

// Scores of a literal match, all above the score of any match of scattered letters.
const (
	asWord  = 3000
	asStart = 2000
	asPart  = 1000
)

// literal returns the score of the words of a query that occur literally in a text.
func literal(query, text string) int {
	low, sum := strings.ToLower(text), 0
	isSeparator := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	words := strings.FieldsFunc(low, isSeparator)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		best := 0
		switch {
		case slices.Contains(words, word) || slices.Contains(strings.Fields(low), word):
			best = asWord
		case slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, word) }):
			best = asStart
		case strings.Contains(low, word):
			best = asPart
		}
		if best > 0 { // earlier is better: names come first
			best -= min(strings.Index(low, word), 500)
		}
		sum += best
	}
	return sum
}

// Rank returns the items that match a query, best first: whole words, then starts of words, parts
// of words, and letters in order. Items with equal scores keep their order.
func Rank[T any](items []T, query string, text func(T) string) []T {
	type scored struct {
		item  T
		score int
	}
	var fit []scored
	for _, it := range items {
		if s, ok := fuzzy(query, text(it)); ok {
			fit = append(fit, scored{it, s + literal(query, text(it))})
		}
	}
	if strings.TrimSpace(query) != "" {
		slices.SortStableFunc(fit, func(a, b scored) int { return b.score - a.score })
	}
	out := make([]T, len(fit))
	for i := range fit {
		out[i] = fit[i].item
	}
	return out
}
