// Package tty gives the screen a terminal, and the terminal back to the user
// whatever the program dies of.
//
// [Open] starts the program a second time. The first process holds the terminal
// and does nothing else; the second one, its child, is the program:
//
//	shell ── holder ── program
//
//	for {
//		select {
//		case s := <-signals:  // passed on; a program that does not end in time is killed
//		case <-continued:     // the program takes the terminal anew
//		case <-changed:
//			stopped → restore the terminal if need be, stop the job, continue the program
//			ended   → restore the terminal if need be, print what the program said on
//			          standard error, exit with its status
//		}
//	}
//
// So a panic, a fatal error of the runtime, SIGKILL and the system's want of
// memory leave the terminal as it was: its modes, the main screen, the cursor,
// the mouse, pasting, focus reports, the keyboard and the title.
//
// Both processes are one job of the shell: one process group, which stops and
// continues as one. A socket between them tells the holder whether the terminal
// is taken, and each of them when the other one is gone.
//
// Where there are no such processes (Windows), or the second one cannot be
// started, the program restores the terminal itself as far as it can.
package tty
