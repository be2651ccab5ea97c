// Package tty gives the screen a terminal and restores the terminal however the program ends.
//
// [Open] starts the program a second time. The first process is the holder: it only holds the
// terminal. The second process, its child, is the program:
//
//	shell ── holder ── program
//
//	for {
//		select {
//		case s := <-signals:  // forward it; kill a program that does not end in time
//		case <-continued:     // the program takes the terminal again
//		case <-changed:
//			stopped → restore the terminal if necessary, stop the job, continue the program
//			ended   → restore the terminal if necessary, print the program's standard error,
//			          exit with its status
//		}
//	}
//
// After a panic, a fatal error of the runtime, SIGKILL or lack of memory, the holder restores the
// terminal: its modes, the main screen, the cursor, the mouse, pasting, focus reports, the keyboard
// and the title.
//
// Both processes form one job of the shell, a process group that stops and continues together. A
// socket between them carries whether the program has taken the terminal. It also shows each
// process when the other one has ended.
//
// On systems without such processes (Windows), or if the second one cannot be started, the program
// restores the terminal itself as far as it can.
package tty
