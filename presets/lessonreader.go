package presets

import (
	"fmt"
	"strings"
)

// lessonReader reads the Markdown of a lesson: headings, paragraphs, lists, blocks, and quotes for teachers.
type lessonReader struct {
	lesson *Lesson
	lines  []string
	at     int // index of the next line
}

// Limits of a lesson.
const (
	maxSteps      = 40
	maxParagraphs = 40 // of a step
	maxParagraph  = 2000
)

// Marks of a lesson's text.
const (
	revealMark  = "**Reveal.**"
	teacherMark = "**Teacher.**"
)

func (b *lessonReader) wrong(line int, format string, args ...any) error {
	return b.lesson.Wrong(line, fmt.Errorf(format, args...))
}

// read reads the steps.
func (b *lessonReader) read() error {
	for b.at < len(b.lines) {
		line := b.at + 1
		text := strings.TrimRight(b.lines[b.at], " ")
		var err error
		switch {
		case text == "":
			b.at++
		case strings.HasPrefix(text, "#"):
			b.at++
			err = b.heading(text, line)
		case len(b.lesson.Steps) == 0:
			err = b.wrong(line, "want the heading # %s", b.lesson.Title)
		case strings.HasPrefix(text, "```"):
			err = b.block(text, line)
		default:
			err = b.paragraph(line)
		}
		if err != nil {
			return err
		}
	}
	if len(b.lesson.Steps) == 0 {
		return b.wrong(len(b.lines), "the lesson has no text (add the heading # %s)", b.lesson.Title)
	}
	return b.complete()
}

// complete checks that each question has a reveal, and each reveal a question.
func (b *lessonReader) complete() error {
	for i := range b.lesson.Steps {
		s := &b.lesson.Steps[i]
		switch {
		case s.Ask != nil && len(s.Reveal) == 0:
			return b.wrong(s.Ask.Line, "the question has no answer in the text (add a paragraph that begins with %s)", revealMark)
		case s.Ask == nil && len(s.Reveal) > 0:
			return b.wrong(s.Reveal[0].Line, "the reveal has no question before it")
		}
	}
	return nil
}

func (b *lessonReader) step() *Step { return &b.lesson.Steps[len(b.lesson.Steps)-1] }

func (b *lessonReader) heading(text string, line int) error {
	level, title, _ := strings.Cut(text, " ")
	title = strings.TrimSpace(title)
	switch first := len(b.lesson.Steps) == 0; {
	case title == "" || len(title) > 120:
		return b.wrong(line, "want a heading of 1 to 120 bytes")
	case first && (level != "#" || title != b.lesson.Title):
		return b.wrong(line, "want the title as first heading: # %s", b.lesson.Title)
	case !first && level != "##":
		return b.wrong(line, "want a heading of the second level: ## %s", title)
	case len(b.lesson.Steps) == maxSteps:
		return b.wrong(line, "a lesson has at most %d steps", maxSteps)
	}
	b.lesson.Steps = append(b.lesson.Steps, Step{Line: line, Heading: title})
	return nil
}

func (b *lessonReader) block(text string, line int) error {
	var body []string
	for b.at++; ; b.at++ {
		if b.at == len(b.lines) {
			return b.wrong(line, "the block has no end (add a line ```)")
		}
		if strings.TrimRight(b.lines[b.at], " ") == "```" {
			b.at++
			break
		}
		body = append(body, b.lines[b.at])
	}
	s := b.step()
	var err error
	switch kind := strings.TrimPrefix(text, "```"); {
	case len(s.Reveal) > 0:
		return b.wrong(line, "a block must come before the reveal")
	case kind == "ask" && s.Ask == nil:
		s.Ask, err = b.ask(body, line)
	case kind == "run" && s.Show == nil:
		s.Show, err = b.show(body, line)
	case kind == "ask" || kind == "run":
		return b.wrong(line, "a step has one block %s", kind)
	default:
		return b.wrong(line, "unknown block %q: want ```ask or ```run", shorten(kind))
	}
	return err
}

// paragraph reads the lines of a paragraph, an item of a list or a quote.
func (b *lessonReader) paragraph(line int) error {
	p := Paragraph{Line: line}
	first := b.lines[b.at]
	prefix := ""
	switch {
	case strings.HasPrefix(first, "- "):
		p.Item, first = true, first[2:]
	case strings.HasPrefix(first, "> "):
		p.Teacher, prefix, first = true, "> ", first[2:]
		if !strings.HasPrefix(first, teacherMark) {
			return b.wrong(line, "a quote begins with %s", teacherMark)
		}
	}
	parts := []string{strings.TrimSpace(first)}
	for b.at++; b.at < len(b.lines); b.at++ {
		next, ok := strings.CutPrefix(b.lines[b.at], prefix)
		if !ok || strings.TrimSpace(next) == "" || strings.HasPrefix(next, "#") || strings.HasPrefix(next, "```") ||
			strings.HasPrefix(next, "- ") || prefix == "" && strings.HasPrefix(next, "> ") {
			break
		}
		parts = append(parts, strings.TrimSpace(next))
	}
	p.Text = strings.Join(parts, " ")
	if len(p.Text) > maxParagraph {
		return b.wrong(line, "the paragraph has %d bytes: want at most %d", len(p.Text), maxParagraph)
	}
	if _, err := Spans(p.Text); err != nil {
		return b.wrong(line, "%v", err)
	}
	s := b.step()
	rest, reveals := strings.CutPrefix(p.Text, revealMark)
	switch {
	case len(s.Text)+len(s.Reveal) == maxParagraphs:
		return b.wrong(line, "a step has at most %d paragraphs", maxParagraphs)
	case reveals && len(s.Reveal) > 0:
		return b.wrong(line, "a step has one reveal")
	case reveals:
		p.Text = strings.TrimSpace(rest)
		s.Reveal = append(s.Reveal, p)
	case len(s.Reveal) > 0:
		s.Reveal = append(s.Reveal, p)
	default:
		s.Text = append(s.Text, p)
	}
	return nil
}

// Style is the style of a span of text.
type Style int

// The styles.
const (
	Plain Style = iota
	Bold
	Emphasis
	Code
	Link // Target has the target
)

// Span is a piece of a paragraph in one style.
type Span struct {
	Style  Style
	Text   string
	Target string
}

// Spans splits a paragraph of Markdown: **bold**, *emphasis*, `code` and [text](target).
func Spans(text string) ([]Span, error) {
	var out []Span
	plain := 0
	add := func(from, to int, s Span) {
		if plain < from {
			out = append(out, Span{Text: text[plain:from]})
		}
		out = append(out, s)
		plain = to
	}
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		mark, style := "", Plain
		switch {
		case strings.HasPrefix(rest, "**"):
			mark, style = "**", Bold
		case rest[0] == '*' && len(rest) > 1 && rest[1] != ' ':
			mark, style = "*", Emphasis
		case rest[0] == '`':
			mark, style = "`", Code
		case rest[0] == '[':
			label, after, ok := strings.Cut(rest[1:], "](")
			end := closing(after)
			if !ok || end < 0 || strings.Contains(label, "[") {
				return nil, fmt.Errorf("the link %q has no end: want [text](target)", shorten(rest))
			}
			to := i + 1 + len(label) + 2 + end + 1
			add(i, to, Span{Style: Link, Text: label, Target: after[:end]})
			i = to - 1
			continue
		default:
			continue
		}
		inside, _, ok := strings.Cut(rest[len(mark):], mark)
		if !ok {
			return nil, fmt.Errorf("%s has no end: %q", mark, shorten(rest))
		}
		to := i + 2*len(mark) + len(inside)
		add(i, to, Span{Style: style, Text: inside})
		i = to - 1
	}
	if plain < len(text) {
		out = append(out, Span{Text: text[plain:]})
	}
	return out, nil
}

// closing returns the position of the parenthesis that closes a target, or −1.
func closing(s string) int {
	open := 0
	for i, c := range s {
		switch {
		case c == '(':
			open++
		case c == ')' && open == 0:
			return i
		case c == ')':
			open--
		}
	}
	return -1
}
