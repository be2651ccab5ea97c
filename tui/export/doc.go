// Package export draws pictures of a grid: SVG for pages and papers, PNG for
// everything else; and pages with charts.
//
// The main idea: what a terminal font may lack is drawn, not written. Box
// lines, blocks, braille dots and geometric marks are described once as
// shapes of a cell, and both formats draw these shapes; letters are text in
// SVG, and strokes of a small built-in font in PNG. So a picture looks the
// same on every machine, and the same grid gives the same bytes.
//
// A [Page] is a report with charts of gonum/plot, one HTML document that needs nothing
// else: letters of charts are drawn as outlines, and colours are variables of the page,
// once light and once dark. A [Cast] is screens over time, for players of terminals.
//
// A cell is 8 units wide and 16 high. One unit is one pixel of an SVG, and
// scale pixels of a PNG.
package export
