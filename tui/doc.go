// Package tui is the screen: a thin view over the snapshots that a session
// publishes, and a sender of commands to it.
//
// The main loop is Bubble Tea's, and does little (program.go):
//
//	tick → session.Load() → is it another snapshot? → screen.draw(app, w, h) → cached frame
//	key  → the key table → an action changes the app, or asks for an engine.Command
//	View → the cached frame; it runs after every message and never does work
//
// Three parts stand behind it, and none of them knows a terminal. The [app] is
// what the person has chosen, plain data that actions change. The key table
// (keys.go) is the one list of keys, actions and their words: dispatch, footer,
// help, palette, documentation and tests are made of it. The screen draws the
// app and its snapshot on a [grid.Grid], one file a pane, and draws again only
// the panes whose inputs have changed.
//
// No rank ever waits for the screen, and a frozen screen does not freeze the
// run.
package tui
