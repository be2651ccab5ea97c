package tui

import tea "charm.land/bubbletea/v2"

// The screen draws at most these columns and rows. The rest of a larger terminal stays empty.
const (
	maxColumns = 800
	maxRows    = 300
)

// sized returns the size that the screen uses on a terminal. A terminal without a size counts as
// one of 80×24.
func sized(columns, rows int) tea.WindowSizeMsg {
	if columns <= 0 || rows <= 0 {
		columns, rows = 80, 24
	}
	return tea.WindowSizeMsg{Width: min(columns, maxColumns), Height: min(rows, maxRows)}
}
