// Package all is the registry of panes: a line a pane. Of those that have one
// place, the first that a run has anything for is shown there until another one
// gets the focus.
package all
