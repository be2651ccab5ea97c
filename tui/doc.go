// Package tui shows the snapshots of a session in a terminal and sends the user's commands to the
// session.
//
// The main loop is Bubble Tea's (program.go) and does little work:
//
//	tick → session.Load() → new snapshot? → screen.draw(app, w, h) → cached frame
//	key  → key table → action of the screen, the focused pane or the overlay, or a command
//	View → the cached frame; it runs after every message and does no work
//
// The program uses three parts that do not know a terminal. The [app] holds the user's choices, the
// panes and the overlays. The key table (keys.go) joins the actions of the screen, the panes and
// the overlays; dispatch, footer, help, command line, documentation and tests read it. The screen
// places the panes on a [grid.Grid], and redraws only panes whose inputs have changed or that have
// acted.
//
// Ranks never wait for the screen. A frozen screen does not stop the run.
package tui
