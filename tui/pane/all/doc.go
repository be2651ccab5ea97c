// Package all is the registry of panes: a line a pane, in the order in which
// they are listed and numbered.
package all
