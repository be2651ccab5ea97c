package main

import (
	"bytes"
	"image/color"
	"io"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"

	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// helpColors returns the colours of the theme dark or light, like the terminal's background.
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

// terminalFile returns the terminal that w writes to; false: w is not a terminal.
func terminalFile(w io.Writer) (term.File, bool) {
	if safe, ok := w.(*safetext.Writer); ok {
		w = safe.Unwrap()
	}
	f, ok := w.(term.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// trimmed writes lines without trailing blanks. Help is padded to blocks, and the padding is
// useless in a pipe.
type trimmed struct {
	w    io.Writer
	line []byte // without an end so far
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

// close writes a last line without a line feed.
func (t *trimmed) close() error {
	_, err := t.w.Write(t.line)
	t.line = nil
	return err
}
