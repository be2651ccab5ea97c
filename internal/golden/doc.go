// Package golden compares texts that a test makes with the golden file of its package. The
// file has a section for each text, so that a change of a drawing changes one file:
//
//	golden.Text(t, "ascii", g.PlainText()) // testdata/PACKAGE.golden, section "-- ascii --"
//
// The flag -update writes the file again. Sections that no test has any more go when all
// tests of the package run with it.
package golden
