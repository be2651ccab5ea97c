package main

import (
	"bytes"
	"image/color"
	"io"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// helpColors are those of the themes dark and light, as the terminal's ground is.
func helpColors(pick lipgloss.LightDarkFunc) fang.ColorScheme {
	dark, _ := grid.ThemeByName("dark")
	light, _ := grid.ThemeByName("light")
	role := func(of func(*grid.Styles) lipgloss.Style) color.Color {
		return pick(of(&light.Styles).GetForeground(), of(&dark.Styles).GetForeground())
	}
	text := role(func(s *grid.Styles) lipgloss.Style { return s.Text })
	dim := role(func(s *grid.Styles) lipgloss.Style { return s.Dim })
	accent := role(func(s *grid.Styles) lipgloss.Style { return s.Accent })
	number := role(func(s *grid.Styles) lipgloss.Style { return s.Kinds[grid.Simulated] })
	return fang.ColorScheme{
		Base: text, Description: text, Argument: text, Help: text, Codeblock: lipgloss.NoColor{},
		Title:   role(func(s *grid.Styles) lipgloss.Style { return s.Focus }),
		Program: accent, Command: accent, Flag: role(func(s *grid.Styles) lipgloss.Style { return s.OK }),
		FlagDefault: dim, DimmedArgument: dim, Comment: dim, Dash: dim, QuotedString: number,
		ErrorHeader: [2]color.Color{text, role(func(s *grid.Styles) lipgloss.Style { return s.Error })},
	}
}

// terminalFile gives the terminal that w writes to, if it does.
func terminalFile(w io.Writer) (term.File, bool) {
	f, ok := w.(term.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// trimmed writes lines without blanks at their ends. Help is laid out in blocks that
// are filled up with blanks, which nobody wants in a pipe.
type trimmed struct {
	w    io.Writer
	line []byte // that has not ended
}

func (t *trimmed) Write(b []byte) (int, error) {
	n := len(b)
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			t.line = append(t.line, b...)
			return n, nil
		}
		t.line = append(bytes.TrimRight(append(t.line, b[:end]...), " "), '\n')
		if _, err := t.w.Write(t.line); err != nil {
			return n - len(b), err
		}
		t.line, b = t.line[:0], b[end+1:]
	}
}

// close writes a line that has no end.
func (t *trimmed) close() error {
	_, err := t.w.Write(t.line)
	t.line = nil
	return err
}
