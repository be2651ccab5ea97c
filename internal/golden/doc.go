// Package golden compares texts of a test with the golden file of its package. The file has one
// section per text, so a changed drawing changes only one file:
//
//	golden.Text(t, "ascii", g.PlainText()) // testdata/PACKAGE.golden, section "-- ascii --"
//
// The flag -update rewrites the file. If all tests of the package run with it, it also removes
// sections that no test uses.
package golden
