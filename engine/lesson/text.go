package lesson

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hybridtop/hybridtop/presets"
)

// Width is the width of a printed lesson.
const Width = 78

// Words returns a paragraph without Markdown: the texts of its spans.
func Words(text string) string {
	spans, err := presets.Spans(text)
	if err != nil {
		return text // the file was refused before
	}
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Wrap wraps a paragraph without Markdown to a width.
func Wrap(p *presets.Paragraph, width int) []string {
	indent := ""
	if p.Item {
		indent, width = "  ", width-2
	}
	lines := Fold(Words(p.Text), width)
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	if p.Item {
		lines[0] = "- " + lines[0][2:]
	}
	return lines
}

// Print writes a lesson as text, with the answers.
func Print(w io.Writer, l *presets.Lesson, r Results) error {
	p := printer{w: w}
	p.line(l.Title)
	p.line(strings.Repeat("=", len([]rune(l.Title))))
	p.line("%s. About %d minutes.", strings.ToUpper(l.Paper[:1])+l.Paper[1:], l.Minutes)
	p.wrap("", "Aim: "+l.Aim)
	if len(l.Before) > 0 {
		p.wrap("", "Before this lesson: "+strings.Join(l.Before, ", "))
	}
	for _, word := range l.Words {
		p.wrap("  ", word.Term+": "+word.Meaning)
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		if i > 0 {
			p.line("")
			p.line(s.Heading)
			p.line(strings.Repeat("-", len([]rune(s.Heading))))
		}
		p.paragraphs(s.Text)
		if s.Show != nil {
			p.line("")
			p.wrap("", "Run: "+command(l, s.Show.Run))
			if s.Show.Against != "" {
				p.wrap("", "Compare with: "+command(l, s.Show.Against))
			}
			if s.Show.Watch != "" {
				p.wrap("", "Watch: "+Words(s.Show.Watch))
			}
		}
		if s.Ask != nil {
			answer, err := r.AnswerText(s.Ask)
			if err != nil {
				return l.Wrong(s.Ask.Line, err)
			}
			p.line("")
			p.wrap("", "Question: "+Words(s.Ask.Text))
			for i, c := range s.Ask.Choices {
				p.wrap("   ", fmt.Sprintf("%d. %s", i+1, Words(c)))
			}
			if s.Ask.Hint != "" {
				p.wrap("", "Hint: "+Words(s.Ask.Hint))
			}
			p.wrap("", "Answer: "+answer)
		}
		p.paragraphs(s.Reveal)
	}
	return p.err
}

// command returns the command line of a named run.
func command(l *presets.Lesson, name string) string {
	r := l.Run(name)
	text := "hybridtop run --preset " + r.Preset
	for _, k := range r.Knobs {
		text += fmt.Sprintf(" --%s %s", k.Name, k.Value)
	}
	return text
}

// AnswerText returns the answer to a question as text, in the unit that the question asks for.
func (r Results) AnswerText(a *presets.Ask) (string, error) {
	v, err := r.Answer(a)
	if err != nil || a.Kind == presets.AskChoice {
		return fmt.Sprintf("%d", int(v)), err
	}
	return InUnit(v, UnitOf(a.Text)), nil
}

// InUnit returns a value in SI base units with three digits in a unit.
func InUnit(v float64, unit string) string {
	return withUnit(fmt.Sprintf("%.3g", v/units[unit]), unit)
}

// printer writes lines. err is the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) wrap(indent, text string) {
	for _, line := range Fold(text, Width-len(indent)) {
		p.line("%s", indent+line)
	}
}

// Fold breaks a text into lines at spaces. A longer word has a separate line.
func Fold(text string, width int) []string {
	var lines []string
	line, columns := "", 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if line != "" && columns+1+n > width {
			lines, line, columns = append(lines, line), "", 0
		}
		if line != "" {
			line, columns = line+" ", columns+1
		}
		line, columns = line+word, columns+n
	}
	return append(lines, line)
}

func (p *printer) paragraphs(all []presets.Paragraph) {
	for i := range all {
		if !all[i].Item || i == 0 || !all[i-1].Item {
			p.line("")
		}
		for _, line := range Wrap(&all[i], Width) {
			if all[i].Teacher {
				line = "| " + line
			}
			p.line("%s", line)
		}
	}
}
