// Package export draws pictures of a grid: SVG for pages and papers, PNG for
// everything else.
//
// The main idea: what a terminal font may lack is drawn, not written. Box
// lines, blocks, braille dots and geometric marks are described once as
// shapes of a cell, and both formats draw these shapes; letters are text in
// SVG, and strokes of a small built-in font in PNG. So a picture looks the
// same on every machine, and the same grid gives the same bytes.
//
// A cell is 8 units wide and 16 high. One unit is one pixel of an SVG, and
// scale pixels of a PNG.
package export
