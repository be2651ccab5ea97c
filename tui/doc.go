// Package tui is the screen: a thin view over the snapshots that a session
// publishes, and a sender of commands to it.
//
// The main loop is Bubble Tea's, and does little (program.go):
//
//	tick → session.Load() → is it another snapshot? → screen.draw(app, w, h) → cached frame
//	key  → the key table → the screen, the focused pane or the overlay acts, or a command goes out
//	View → the cached frame; it runs after every message and never does work
//
// Three parts stand behind it, and none of them knows a terminal. The [app] is
// what the user has chosen, and the panes and overlays of the registries. The
// key table (keys.go) is made of what these bring and of the screen's own
// actions: dispatch, footer, help, command line, documentation and tests read
// it. The screen lays the panes out by their places on a [grid.Grid], and draws
// again only those whose inputs have changed or that have acted.
//
// No rank ever waits for the screen, and a frozen screen does not freeze the
// run.
package tui
