package engine

import (
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	names := []string{"group", "nodes", "ranks-per-node", "seed", "fabric", "n"}
	for word, want := range map[string]string{
		"grup":                      "group",
		"gruop":                     "group", // a swap is one mistake
		"GROUP":                     "group",
		"node":                      "nodes",
		"rank-per-node":             "ranks-per-node",
		"ranks":                     "ranks-per-node", // a beginning
		"speed":                     "seed",
		"x":                         "",
		"":                          "",
		"colour":                    "",
		"gr\x1b[31mup":              "",
		"\xff":                      "",
		strings.Repeat("group", 20): "",
	} {
		if want != "" {
			want = `; did you mean "` + want + `"?`
		}
		if got := DidYouMean(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// Errors of knobs suggest the nearest knob, and the nearest value.
func TestKnobErrorsSuggest(t *testing.T) {
	s := base()
	for _, c := range []struct{ knob, value, want string }{
		{"grup", "4", `did you mean "group"?`},
		{"ranking", "sequental", `did you mean "sequential"?`},
	} {
		if err := s.Set(c.knob, c.value); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s = %s: %v, want %q", c.knob, c.value, err, c.want)
		}
	}
}
