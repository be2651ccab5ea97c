// Package grid is the one cell grid that every screen of hybridtop is drawn
// on, and the widgets that draw on it.
//
// The main idea: a screen is a rectangle of cells (rune, foreground,
// background, attributes), not a pile of styled strings. A pane gets a [View],
// a window on the grid with its own coordinates that clips whatever leaves it,
// so no pane can damage its neighbour. When all panes have drawn, the grid is
// written once as run-length encoded ANSI text, and the same cells serve
// golden files, mouse hits and pictures.
//
// Every rune passes one gate on its way into a cell: control characters are
// replaced, combining marks and invisible characters are dropped, and a wide
// rune takes two cells, so nothing that a program prints can break a row or
// reach the terminal as a command.
//
// Widgets are plain structs whose exported fields describe what to show and
// whose Draw method shows it. They accept any size, empty data, NaN, ±Inf and
// huge values, and keep their scratch buffers, so a widget that lives as long
// as its pane draws almost without allocating. Curves, lines, columns and box
// plots are drawn by ntcharts' primitives behind one adapter, ntcharts.go. A widget is not safe for concurrent
// use, and neither is a grid.
package grid
