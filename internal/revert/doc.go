// Package revert has a list of fixes, and tests that each fix has a test.
//
// A file in testdata describes one fix: the source file, the test, the fixed text (old) and the
// text with the defect (new). With CONFORM=1, the test of this package compiles the source with the
// defect and runs the named test, which has to fail.
package revert
