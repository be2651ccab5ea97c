// Package all is the registry of panes, one line per pane. If several panes share a place, the
// screen shows the first that the run offers, until another one gets the focus.
package all
