package engine

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Unplaced is the value of the knob ranking for the positions with the fewest bytes between nodes. A
// session adds what they are: "cheapest (2 KiB of 8 KiB between nodes): 0 4 1 5".
const Unplaced = "cheapest"

// Cheapest returns the value of the knob ranking for the positions with the fewest bytes between
// nodes: bytes instead of the bytes of sequential ranking.
func Cheapest(list cluster.Ranking, bytes, sequential int64) string {
	return fmt.Sprintf("%s (%s of %s between nodes): %s", Unplaced, cluster.SizeText(float64(bytes)),
		cluster.SizeText(float64(sequential)), list)
}

// IsCheapest reports whether a value of the knob ranking is the positions with the fewest bytes
// between nodes, found or not yet.
func IsCheapest(value string) bool {
	return value == Unplaced || strings.HasPrefix(value, Unplaced+" (")
}

// splitRanking returns the words before the positions, if a value of the knob ranking has them, and
// its ranking. The ranking is sequential if the cheapest positions are not found yet.
func splitRanking(value string) (words string, r cluster.Ranking) {
	if !IsCheapest(value) {
		return "", cluster.Ranking(value)
	}
	words, list, found := strings.Cut(value, ": ")
	if !found {
		return value, cluster.Sequential
	}
	return words, cluster.Ranking(list)
}

// maxRankingWords is the maximum length of the words before positions, in bytes.
const maxRankingWords = 80

// parseRanking reads a value of the knob ranking that is not one of its choices. It returns false if
// it is not a list.
func parseRanking(text string) (value string, isList bool, err error) {
	words, list := splitRanking(text)
	if !list.IsList() || len(words) > maxRankingWords || !printable(words) {
		return "", false, nil
	}
	at, err := list.Positions()
	if err != nil {
		return "", true, err
	}
	if words != "" {
		words += ": "
	}
	return words + string(cluster.ListOf(at)), true, nil
}
