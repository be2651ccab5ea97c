package main

import (
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/list"
	gloss "charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// table writes blocks of rows whose cells stand below each other, and lines of text
// between them. On a terminal it wears a theme, and what is wider wraps inside its
// column; piped it has no escapes, no trailing blanks and a line a row. It keeps the
// first error.
type table struct {
	w      io.Writer
	styles *grid.Styles // nil: no escapes
	width  int          // of the terminal; 0: as wide as its cells
	rows   [][]string   // of the block under way
	headed bool         // the first of them is a head
	err    error
}

// looks is the theme of tables: its colours are those of the terminal's owner, so that
// nobody has to ask the terminal whether its ground is dark, and wait.
var looks = func() *grid.Styles {
	th, _ := grid.ThemeByName("sixteen")
	return &th.Styles
}()

func newTable(w io.Writer) *table {
	t := &table{w: w}
	if f, ok := terminalFile(w); ok {
		t.w, t.styles = colorprofile.NewWriter(w, os.Environ()), looks
		t.width, _, _ = term.GetSize(f.Fd())
	}
	return t
}

// title writes a line that says what follows.
func (t *table) title(s string) {
	t.flush()
	s = inUnits.Text(s)
	if t.styles != nil {
		s = t.styles.Title.Render(t.wrap(s))
	}
	t.write(s + "\n")
}

// head begins a block with the names of its columns.
func (t *table) head(cells ...string) {
	t.flush()
	t.rows, t.headed = append(t.rows, cells), true
}

// row adds a row to the block. A cell alone is a line of text, and none a blank line;
// both end the block.
func (t *table) row(cells ...string) {
	switch len(cells) {
	case 0:
		t.flush()
		t.write("\n")
	case 1:
		t.flush()
		t.write(t.wrap(inUnits.Text(cells[0])) + "\n")
	default:
		row := make([]string, len(cells))
		for i, cell := range cells {
			row[i] = inUnits.Text(cell)
		}
		t.rows = append(t.rows, row)
	}
}

// command writes a command line, which is never wrapped, so that it can be copied.
func (t *table) command(label, line string) {
	first := lipgloss.Width(label)
	for _, r := range t.rows {
		first = max(first, lipgloss.Width(r[0]))
	}
	t.flush()
	label += strings.Repeat(" ", first+columnGap-lipgloss.Width(label))
	t.write(label + strings.ReplaceAll(line, "\n", "\n"+strings.Repeat(" ", first+columnGap)) + "\n")
}

func (t *table) close() error {
	t.flush()
	return t.err
}

func (t *table) wrap(s string) string {
	if t.width == 0 {
		return s
	}
	return lipgloss.Wrap(s, t.width, "")
}

func (t *table) write(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, s)
	}
}

// columnGap is the blanks between columns.
const columnGap = 2

// flush writes the block under way.
func (t *table) flush() {
	if len(t.rows) == 0 {
		return
	}
	rows, headed := t.rows, t.headed
	t.rows, t.headed = nil, false
	widths := t.widths(rows)
	total := 0
	for _, w := range widths {
		total += w
	}
	block := gloss.New().Border(lipgloss.Border{}).BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).BorderRow(false).Rows(rows...).Width(total).
		StyleFunc(func(row, col int) lipgloss.Style {
			st := lipgloss.NewStyle()
			if t.styles != nil && col < len(rows[row]) {
				st = t.style(row == 0 && headed, rows[row][col])
			}
			if col < len(widths)-1 {
				st = st.PaddingRight(columnGap)
			}
			return st.Width(widths[col])
		})
	for line := range strings.Lines(block.String() + "\n") {
		if t.styles == nil {
			line = strings.TrimRight(line, " \n") + "\n"
		}
		t.write(line)
	}
}

// style is the look of a cell: heads stand out, and kinds of number have their colours.
func (t *table) style(head bool, cell string) lipgloss.Style {
	if head {
		return t.styles.Title
	}
	for i, k := range engine.Kinds {
		if cell == string(k) {
			return t.styles.Kinds[i]
		}
	}
	return t.styles.Text
}

// widths are the columns' widths, gaps included. Where a block is too wide for the
// terminal the widest columns give way, and what is in them wraps between words.
func (t *table) widths(rows [][]string) []int {
	var widths, words []int // of the longest cell, and of the longest word
	for _, r := range rows {
		for col, cell := range r {
			if col == len(widths) {
				widths, words = append(widths, 0), append(words, 0)
			}
			widths[col] = max(widths[col], lipgloss.Width(cell))
			for word := range strings.FieldsSeq(cell) {
				words[col] = max(words[col], lipgloss.Width(word))
			}
		}
	}
	total, limit := columnGap*(len(widths)-1), 0
	for _, w := range widths {
		total, limit = total+w, max(limit, w)
	}
	for ; t.width > 0 && total > t.width && limit > 0; limit-- {
		for col, w := range widths {
			if w == limit && w > words[col] {
				widths[col]--
				total--
			}
		}
	}
	for col := range len(widths) - 1 {
		widths[col] += columnGap
	}
	return widths
}

// list writes items below each other.
func (t *table) list(items ...string) {
	t.flush()
	all := list.New().Enumerator(list.Dash).ItemStyle(lipgloss.NewStyle())
	for _, item := range items {
		if t.width > 0 {
			item = lipgloss.Wrap(item, max(t.width-columnGap, 1), "")
		}
		all.Item(item)
	}
	t.write(all.String() + "\n")
}
