// Package pane defines the panes of the screen, for the screen and for authors of panes.
//
// A pane is one folder below this one and one line in the registry, package all. Its [Spec] has
// a name, a title and a place. Its [Pane] draws a snapshot into a rectangle and handles keys.
// The screen calls each pane that it shows:
//
//	in := p.Inputs(host)         // what it depends on
//	if in != before || acted {   // anything new?
//		border := p.Draw(view, host)
//	}
//
// A pane owns its state (a scroll position, a time window, a cursor) and the data that it caches
// between frames. Only its actions and the mouse change that state. The screen draws the pane
// again after each of them. A pane receives actions only while it is shown: the keys of [Generic]
// actions go to the focused pane and have the same meaning in every pane.
//
// The [Host] is a pane's view of the screen. The screen creates one and keeps it up to date.
package pane
