// Package safetext makes text from outside safe to show: names on the command line, texts of files,
// and errors of libraries.
//
//	any text → Writer → terminal, pipe or file
//	any text → Clean  → a cell of a table, a cell of the screen
//	any text → Cell   → a cell of a CSV file
//
// A terminal obeys escape sequences, and text with bidirectional controls reads differently from
// its bytes. Thus, U+FFFD (�) replaces each of these characters. A spreadsheet runs a cell that
// begins with "=" as a formula. Thus, such a cell gets an apostrophe in front.
package safetext
