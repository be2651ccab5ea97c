package presets

import (
	"strings"
	"testing"
)

// The claims are numbered without gaps, and every check refers to a claim of its figure's paper.
func TestClaimsMatchFigures(t *testing.T) {
	claims, err := Claims()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		if c.Number != i+1 || c.Paper > 7 {
			t.Errorf("claim %d of paper %d is at position %d", c.Number, c.Paper, i+1)
		}
	}
	figures, err := Figures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		for _, n := range f.Claims() {
			if n > len(claims) || claims[n-1].Paper != f.Paper {
				t.Errorf("%s of paper %d checks claim %d of another paper: see claims.toml", f.Name, f.Paper, n)
			}
		}
	}
}

func TestMissingClaims(t *testing.T) {
	claims := []Claim{{Number: 1}, {Number: 2}, {Number: 3}}
	missing := Missing(claims, []Figure{{Checks: []Check{{Claim: 2}, {Claim: 2}}}})
	if len(missing) != 2 || missing[0].Number != 1 || missing[1].Number != 3 {
		t.Errorf("%v", missing)
	}
	if got := Missing(claims, nil); len(got) != 3 {
		t.Errorf("%v of no figure", got)
	}
}

func TestMistakesInClaims(t *testing.T) {
	for text, want := range map[string]string{
		"[claims]\n0 = [\"1\", \"a\", \"b\"]":         "claims.toml:2: claims.0: unknown key",
		"[claims]\nx = 1":                             "claims.x: unknown key",
		"[claims]\n1 = [\"1\", \"a\"]":                "wants paper, place and words",
		"[claims]\n1 = [\"1\", \"a\", 2]":             "wants paper, place and words",
		"[claims]\n1 = [\"one\", \"a\", \"b\"]":       `has paper "one"`,
		"[claims]\n1 = [\"1\", \"a\", \"b\"]\n1 = [1": "claims.toml:",
	} {
		if _, err := decodeClaims("claims.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
