package session

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Command returns the command line that runs a scenario: the knobs that are not at their defaults,
// and the number of iterations if it is positive.
func Command(sc *engine.Scenario, iterations int) string {
	words := []string{"hybridtop run", ShellWord(sc.Workload)}
	var defaults map[string]string
	if w, err := workload.Find(sc.Workload); err == nil {
		defaults = w.Scenario(nil).Values
	}
	for _, k := range sc.Table {
		usual, ok := defaults[k.Name]
		if !ok {
			usual = k.Default
		}
		if v := sc.Values[k.Name]; v != usual {
			words = append(words, "--"+k.Name, ShellWord(v))
		}
	}
	if iterations > 0 {
		words = append(words, fmt.Sprintf("--iterations %d", iterations))
	}
	return strings.Join(words, " ")
}

// ShellWord quotes a word for a shell if necessary.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool {
		return !strings.ContainsRune("+,-./:=@_", c) && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
