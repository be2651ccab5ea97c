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
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// A table writes blocks of rows with aligned columns, and lines of text between them. On a terminal
// it has colours, and wide cells wrap inside their column. In a pipe it has no escapes, no trailing
// blanks, and one line per row. It stores the first error.
type table struct {
	w      io.Writer
	styles *grid.Styles // nil: no escapes
	width  int          // of the terminal; 0: as wide as its cells
	rows   [][]string   // of the current block
	headed bool         // the first row is a header
	label  int          // width of the labels of commands
	err    error
}

// looks has the styles of tables. They use the terminal's own sixteen colours, so there is no need
// to query the terminal's background and wait.
var looks = func() *grid.Styles {
	th, _ := grid.ThemeByName("sixteen")
	return &th.Styles
}()

func newTable(w io.Writer) *table {
	t := &table{w: w}
	if f, ok := terminalFile(w); ok {
		t.w, t.styles = colorprofile.NewWriter(f, os.Environ()), looks
		t.width, _, _ = term.GetSize(f.Fd())
	}
	return t
}

// title writes a heading.
func (t *table) title(s string) {
	t.flush()
	s = inText(s)
	if t.styles != nil {
		s = t.styles.Title.Render(t.wrap(s))
	}
	t.write(s + "\n")
}

// head starts a block with the names of its columns.
func (t *table) head(cells ...string) {
	t.flush()
	t.rows, t.headed = append(t.rows, cleaned(cells)), true
}

// row adds a row to the block. A single cell is a line of text, and no cell is a blank line; both
// end the block.
func (t *table) row(cells ...string) {
	switch len(cells) {
	case 0:
		t.flush()
		t.write("\n")
	case 1:
		t.flush()
		t.write(t.wrap(inText(cells[0])) + "\n")
	default:
		row := make([]string, len(cells))
		for i, cell := range cells {
			row[i] = inText(cell)
		}
		t.rows = append(t.rows, row)
	}
}

// inText returns a safe text for a cell, in the units of the user.
func inText(s string) string { return safetext.Clean(inUnits.Text(s)) }

// cleaned returns safe texts for cells.
func cleaned(cells []string) []string {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = safetext.Clean(cell)
	}
	return texts
}

// command writes a command line. It is never wrapped, so that it can be copied. Its label has the width of those above.
func (t *table) command(label, line string) {
	label, line = safetext.Clean(label), safetext.Clean(line)
	if len(t.rows) > 0 {
		t.label = 0
	}
	t.label = max(t.label, lipgloss.Width(label))
	for _, r := range t.rows {
		t.label = max(t.label, lipgloss.Width(r[0]))
	}
	t.flush()
	label += strings.Repeat(" ", t.label+columnGap-lipgloss.Width(label))
	t.write(label + strings.ReplaceAll(line, "\n", "\n"+strings.Repeat(" ", t.label+columnGap)) + "\n")
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

// columnGap is the number of blanks between columns.
const columnGap = 2

// flush writes the current block.
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

// style returns the style of a cell. Headers stand out, and kinds of number have their colours.
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

// widths returns the columns' widths with gaps. If a block is too wide for the terminal, the widest
// columns shrink, and their text wraps between words.
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

// list writes one item per line.
func (t *table) list(items ...string) {
	t.flush()
	all := list.New().Enumerator(list.Dash).ItemStyle(lipgloss.NewStyle())
	for _, item := range items {
		item = safetext.Clean(item)
		if t.width > 0 {
			item = lipgloss.Wrap(item, max(t.width-columnGap, 1), "")
		}
		all.Item(item)
	}
	t.write(all.String() + "\n")
}
