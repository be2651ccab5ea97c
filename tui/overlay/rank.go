package overlay

import (
	"slices"
	"strings"
	"unicode"
)

// fuzzy tells how well the words of a query fit a text: each word's letters
// must stand in it in order; runs and beginnings of words count more. Higher
// is better, and false means no fit. An empty query fits everything alike.
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

// fuzzyWord fits the letters of word into text, the first one at from.
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

// What a word of a query is worth where it stands in a text as it is: above any fit of
// scattered letters.
const (
	asWord  = 3000
	asStart = 2000
	asPart  = 1000
)

// literal is what the words of a query are worth that stand in a text as they are.
func literal(query, text string) int {
	low, sum := strings.ToLower(text), 0
	apart := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	words := strings.FieldsFunc(low, apart)
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
		if best > 0 { // the earlier, the better: names come first
			best -= min(strings.Index(low, word), 500)
		}
		sum += best
	}
	return sum
}

// Rank keeps the items that fit a query, the best first: those that have its words as
// whole words, then as beginnings, as parts, and as letters in their order. Equals keep
// their order.
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
