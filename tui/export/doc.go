// Package export writes pictures of a grid (SVG and PNG), reports with charts (HTML) and recordings
// for terminal players.
//
// Characters that a font may lack are drawn as shapes: box lines, blocks, braille dots and
// geometric symbols. Both formats share the shapes. Letters are text in SVG, and strokes of a small
// built-in font in PNG. A picture therefore looks the same on every machine, and equal grids give
// equal bytes.
//
// A [Page] is a report with charts of gonum/plot, in one self-contained HTML document. Letters in
// charts are outlines. Colours are variables of the page, with a light and a dark set. A [Cast] is
// a sequence of screens for terminal players, and an [Animation] one for browsers.
//
// A cell is 8 units wide and 16 units high. One unit is one pixel in SVG, and scale pixels in PNG.
package export
