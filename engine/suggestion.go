package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longestWord is the maximum length in bytes of a word that DidYouMean compares.
const longestWord = 64

// DidYouMean returns `; did you mean "NAME"?` with the name that is most similar to an unknown
// word, or "" if none is similar. It is appended to the error. The first of equally similar names
// wins. The word itself is not in the result, so the result is safe to print if the names are.
func DidYouMean(word string, names []string) string {
	word = strings.ToLower(word)
	if word == "" || len(word) > longestWord || !utf8.ValidString(word) {
		return ""
	}
	typed := []rune(word)
	limit := 1 + len(typed)/4 // mistakes that a word of this length may have
	best, least := "", min(limit, len(typed)-1)+1
	for _, name := range names {
		lower := strings.ToLower(name)
		distance := editDistance(typed, []rune(lower))
		if len(typed) > 2 && strings.HasPrefix(lower, word) {
			distance = 1
		}
		if distance < least {
			best, least = name, distance
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance returns the number of inserted, deleted, replaced and swapped neighbouring runes
// that turn a into b (optimal string alignment).
func editDistance(a, b []rune) int {
	var before []int // the row before the previous one
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
