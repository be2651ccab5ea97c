// Package ttytest runs a program on a pseudo-terminal. An emulator at the other end records
// everything that the program does to the terminal.
//
//	x := ttytest.Start(t, 80, 24, cmd)
//	x.Shows("running")      // waits for a text on the screen
//	x.Signal(syscall.SIGTERM)
//	x.Ends(143)             // the exit status
//	x.AsBefore()            // modes, main screen, cursor, mouse, title
package ttytest
