// Package addressspace ends a program at its start if a limit of its address space (ulimit -v) is too
// low for the Go runtime. Without it, the runtime ends with a trace of itself.
//
// A program imports the package for this effect. With cgo, a constructor of the C library checks the
// limit before the Go runtime starts. Without cgo, the check runs when the package is initialized. It
// imports little, so that it precedes packages that allocate.
package addressspace
