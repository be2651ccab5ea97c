package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A sentence is one sentence of prose with its place in a file.
type sentence struct {
	text      string
	line, end int    // first and last line of the paragraph
	names     string // the exported name that a doc comment must begin with; empty: not the first sentence of one
}

// sentences returns the sentences of a Markdown, Go or TOML file.
func sentences(name string, text []byte) []sentence {
	switch path.Ext(name) {
	case ".md":
		return split(markdown(string(text)))
	case ".toml":
		return split(toml(string(text)))
	}
	return split(source(name, text))
}

// A paragraph is running text that may span several lines.
type paragraph struct {
	sentence
	lines []string
}

func (p *paragraph) add(line int, text string) {
	if len(p.lines) == 0 {
		p.line = line
	}
	p.end = line
	p.lines = append(p.lines, text)
}

var (
	item   = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+`)
	code   = regexp.MustCompile("`[^`]*`")
	target = regexp.MustCompile(`\]\([^)]*\)`)
	end    = regexp.MustCompile(`[.!?]["')]*\s+["'(]*[A-Z]`)
)

// markdown returns the paragraphs, list items, cells and headings outside code blocks.
func markdown(text string) []paragraph {
	var out []paragraph
	var p paragraph
	flush := func() {
		out = append(out, p)
		p = paragraph{}
	}
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		n := i + 1
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"), trimmed == "+++": // a block of code, or front matter
			flush()
			fenced = !fenced
		case fenced:
		case trimmed == "", strings.HasPrefix(trimmed, "<!--"), strings.HasPrefix(trimmed, "#"):
			flush()
		case strings.HasPrefix(line, "    ") && len(p.lines) == 0:
		case strings.HasPrefix(trimmed, "|"):
			flush()
			for cell := range strings.SplitSeq(trimmed, "|") {
				p.add(n, cell)
				flush()
			}
		case item.MatchString(line):
			flush()
			p.add(n, item.ReplaceAllString(line, ""))
		default:
			p.add(n, trimmed)
		}
	}
	flush()
	return out
}

var tomlText = regexp.MustCompile(`(?:=|\[|,)\s*("(?:[^"\\]|\\.)*")`)

// toml returns the strings of a TOML file that look like sentences, and its comments.
func toml(text string) []paragraph {
	var out []paragraph
	for i, line := range strings.Split(text, "\n") {
		var p paragraph
		if comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			p.add(i+1, comment)
		} else if m := tomlText.FindStringSubmatch(line); m != nil {
			if s, err := strconv.Unquote(m[1]); err == nil && isProse(s) {
				p.add(i+1, s)
			}
		}
		out = append(out, p)
	}
	return out
}

// source returns the comments of a Go file, and its strings that look like sentences. Strings of tests are left out.
func source(name string, text []byte) []paragraph {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return nil // the compiler reports it
	}
	docs := map[*ast.CommentGroup]string{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			docs[d.Doc] = d.Name.Name
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					docs[t.Doc] = t.Name.Name
					if !d.Lparen.IsValid() {
						docs[d.Doc] = t.Name.Name
					}
				}
			}
		}
	}
	var out []paragraph
	for _, group := range file.Comments {
		p := paragraph{sentence: sentence{names: docs[group]}}
		for _, c := range group.List {
			line := files.Position(c.Pos()).Line
			for i, s := range strings.Split(c.Text, "\n") {
				if strings.HasPrefix(s, "//go:") {
					continue
				}
				body := strings.Trim(strings.TrimPrefix(s, "//"), "/*")
				if strings.TrimSpace(body) == "" || strings.HasPrefix(body, "\t") || strings.HasPrefix(body, "   ") {
					out = append(out, p)
					p = paragraph{}
					continue
				}
				p.add(line+i, strings.TrimSpace(body))
			}
		}
		out = append(out, p)
	}
	if strings.HasSuffix(name, "_test.go") {
		return out
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && isProse(s) {
				var p paragraph
				p.add(files.Position(lit.Pos()).Line, s)
				p.end = files.Position(lit.End()).Line
				out = append(out, p)
			}
		}
		return true
	})
	return out
}

// isProse reports whether a string looks like a sentence: four words or more, and no markup.
func isProse(s string) bool {
	words := 0
	for w := range strings.FieldsSeq(s) {
		if len(w) > 1 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,;:'()%-") == "" {
			words++
		}
	}
	return words >= 4 && !strings.ContainsAny(s, "{}<>\\")
}

// split divides paragraphs into sentences. Code and link targets are masked.
func split(paragraphs []paragraph) []sentence {
	var out []sentence
	for _, p := range paragraphs {
		text := code.ReplaceAllString(strings.Join(p.lines, " "), "CODE")
		text = strings.Join(strings.Fields(target.ReplaceAllString(text, "]")), " ")
		names := p.names
		for text != "" {
			stop := len(text)
			if at := end.FindStringIndex(text); at != nil {
				stop = at[1] - 1
			}
			out = append(out, sentence{strings.TrimSpace(text[:stop]), p.line, p.end, names})
			text = text[stop:]
			names = ""
		}
	}
	return out
}
