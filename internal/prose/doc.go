// Command prose lists sentences that break the writing rules of docs/style.md.
//
// It reads Markdown, Go comments, Go strings that look like sentences, and the texts of TOML files.
// Usage:
//
//	go run ./internal/prose              # the whole checkout
//	go run ./internal/prose -base main   # only lines and commit subjects since main
//
// Each line of the output has the file, the line, the rule, and what to write. With -base, the exit status is
// 1 if a changed line breaks a rule. forms.txt lists the phrases with their replacements. A sentence that
// is right although a rule objects goes to exceptions.txt.
package main
