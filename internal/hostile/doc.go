// Package hostile makes damaged files for tests, and checks that texts do not control a terminal.
//
//	for _, data := range hostile.Files(t, valid) {
//		err := decode(data)
//		hostile.Check(t, err.Error())
//	}
//
// A half of the files has a few changed words, numbers or lines, so that many of them are still valid.
// The other half has changed bytes.
package hostile
