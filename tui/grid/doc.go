// Package grid provides the grid of cells on which hybridtop draws its screens, and widgets that
// draw on it.
//
// A screen is a rectangle of cells (rune, foreground, background, attributes) instead of styled
// strings. A pane gets a [View], a window on the grid with its own coordinates. The view clips all
// drawing, so a pane cannot damage its neighbours. When all panes have drawn, the grid is written
// once as run-length encoded ANSI text. The same cells are used for golden files, mouse clicks and
// pictures.
//
// One function checks every rune before it enters a cell. Control characters are replaced,
// combining and invisible characters are dropped, and a wide rune uses two cells. Printed text can
// therefore neither break a row nor reach the terminal as a command.
//
// Widgets are plain structs. Their exported fields describe the content, and their Draw method
// draws it. They accept any size, empty data, NaN, ±Inf and huge values. They keep their scratch
// buffers, so a widget that lives as long as its pane hardly allocates. Primitives of ntcharts draw
// curves, lines, columns and box plots, behind one adapter, ntcharts.go. Widgets and grids are not
// safe for concurrent use.
package grid
