package glossary

import (
	"slices"
	"strings"
)

// Term is one entry of the glossary.
type Term struct {
	Name    string   // in lower case, as in a sentence
	Also    []string // other names, abbreviations and symbols
	Text    string   // the definition, in one or two sentences
	Formula string   // empty: none
	Source  string   // place in a paper; empty: the term is general or hybridtop's own
}

// Names returns the name of a term and its other names in one line.
func (t *Term) Names() string { return strings.Join(append([]string{t.Name}, t.Also...), ", ") }

// Definition returns the definition with its formula and its source.
func (t *Term) Definition() string {
	s := t.Text
	if t.Formula != "" {
		s += " " + t.Formula + "."
	}
	if t.Source != "" {
		s += " (" + t.Source + ")"
	}
	return s
}

// Find returns the terms that contain every word of a query, in any case. Matches of a name come
// first, then matches of a definition. An empty query returns all terms in
// alphabetical order.
func Find(query string) []Term {
	words := strings.Fields(strings.ToLower(query))
	has := func(text string) bool {
		text = strings.ToLower(text)
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	var named, described []Term
	for i := range terms {
		switch t := &terms[i]; {
		case has(t.Names()):
			named = append(named, *t)
		case has(t.Names() + " " + t.Definition()):
			described = append(described, *t)
		}
	}
	return append(named, described...)
}
