package presets

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed claims.toml
var claimFile []byte

// Claim is a statement that a paper publishes and a run can check.
type Claim struct {
	Number int
	Paper  int
	Place  string
	Says   string
}

// Claims returns the claims of all papers, sorted by number.
func Claims() ([]Claim, error) { return decodeClaims("claims.toml", claimFile) }

func decodeClaims(file string, data []byte) ([]Claim, error) {
	d, err := parse(file, data, func(key string) bool {
		number, is := strings.CutPrefix(key, "claims.")
		n, err := strconv.Atoi(number)
		return key == "claims" || is && err == nil && n >= 1 && n <= maxClaim && strconv.Itoa(n) == number
	}, func(string) string { return fmt.Sprintf("want claims, numbered from 1 to %d", maxClaim) })
	if err != nil {
		return nil, err
	}
	table, _ := d.tree["claims"].(map[string]any)
	var all []Claim
	for number, v := range table {
		c := Claim{}
		c.Number, _ = strconv.Atoi(number) // parse has checked that it is a number
		parts, _ := v.([]any)
		var words []string
		for _, p := range parts {
			if s, ok := p.(string); ok && s != "" {
				words = append(words, s)
			}
		}
		if len(parts) != 3 || len(words) != 3 {
			return nil, d.fail("claims."+number, "wants paper, place and words: %s", `["1", "section 2", "what it says"]`)
		}
		c.Paper, err = strconv.Atoi(words[0])
		if err != nil || c.Paper < 1 {
			return nil, d.fail("claims."+number, "has paper %q; want its number", shorten(words[0]))
		}
		c.Place, c.Says = words[1], words[2]
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Claim) int { return a.Number - b.Number })
	return all, nil
}

// Missing returns the claims without a check in figures.
func Missing(claims []Claim, figures []Figure) []Claim {
	served := make(map[int]bool)
	for i := range figures {
		for _, n := range figures[i].Claims() {
			served[n] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return served[c.Number] })
}
