package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

const (
	maxWords   = 30 // in a sentence
	maxSubject = 72 // characters in the subject of a commit
)

//go:embed forms.txt
var formText string

//go:embed exceptions.txt
var exceptionText string

// A form is a phrase to replace.
type form struct {
	pattern     *regexp.Regexp
	unless      *regexp.Regexp // the form is right if the text after it begins with this; nil: never
	replacement string
	refused     bool // in every file, not only on changed lines
}

var forms, exceptions = parseForms(formText), parseExceptions(exceptionText)

// parseForms reads lines of the form "! PATTERN /unless/ EXCEPTION => REPLACEMENT".
func parseForms(text string) []form {
	var out []form
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, replacement, ok := strings.Cut(line, " => ")
		if !ok {
			panic("prose: forms.txt: a line without =>: " + line)
		}
		f := form{replacement: replacement}
		pattern, f.refused = strings.CutPrefix(pattern, "! ")
		pattern, unless, ok := strings.Cut(pattern, " /unless/ ")
		if ok {
			f.unless = regexp.MustCompile("(?i)^\\s*(?:" + unless + ")")
		}
		f.pattern = regexp.MustCompile("(?i)" + pattern)
		out = append(out, f)
	}
	return out
}

// parseExceptions returns the sentences that no rule applies to.
func parseExceptions(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out[line] = true
		}
	}
	return out
}

// matches reports whether a sentence contains the form.
func (f form) matches(text string) bool {
	for _, at := range f.pattern.FindAllStringIndex(text, -1) {
		if f.unless == nil || !f.unless.MatchString(text[at[1]:]) {
			return true
		}
	}
	return false
}

// check returns what a sentence should have instead, one text per broken rule.
func check(s sentence) []string {
	if exceptions[s.text] {
		return nil
	}
	var out []string
	for _, f := range forms {
		if f.matches(s.text) {
			out = append(out, fmt.Sprintf("%q: write %s", f.pattern.FindString(s.text), f.replacement))
		}
	}
	if n := len(strings.Fields(s.text)); n > maxWords {
		out = append(out, fmt.Sprintf("%d words: want at most %d", n, maxWords))
	}
	if s.names != "" && !begins(s.text, s.names) {
		first, _, _ := strings.Cut(s.text, " ")
		out = append(out, fmt.Sprintf("doc comment begins with %q: want %q", first, s.names))
	}
	return out
}

// begins reports whether a doc comment begins with the name it documents, after an optional article.
func begins(text, name string) bool {
	for _, article := range []string{"", "A ", "An ", "The "} {
		rest, ok := strings.CutPrefix(text, article+name)
		if ok && (rest == "" || !strings.ContainsAny(rest[:1], "abcdefghijklmnopqrstuvwxyz")) {
			return true
		}
	}
	return strings.HasPrefix(text, "Deprecated:")
}

var (
	subjectForm = regexp.MustCompile(`^[a-z0-9_./,*{}-]+: [a-z]`)
)

// checkSubject returns the fault of a commit's subject, or an empty string.
func checkSubject(s string) string {
	switch {
	case len([]rune(s)) > maxSubject:
		return fmt.Sprintf("%d characters: want at most %d", len([]rune(s)), maxSubject)
	case !subjectForm.MatchString(s) && !strings.HasPrefix(s, "Revert "):
		return `want "package: imperative in lower case"`
	case strings.HasSuffix(s, "."):
		return "ends with a period"
	}
	return ""
}
