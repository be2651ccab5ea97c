// Package pane says what a pane of the screen is.
//
// A pane is one folder below this one, and a line in the registry, package
// all. Its [Spec] tells its name, its title and its place; its [Pane] draws a
// snapshot into a rectangle and answers keys. The screen asks each pane that
// it shows:
//
//	in := p.Inputs(host)         // what it depends on
//	if in != before || acted {   // anything new?
//		border := p.Draw(view, host)
//	}
//
// A pane owns its state (a scroll, a window of time, a cursor) and what it
// keeps from frame to frame. Only its actions and the mouse change that state,
// and the screen draws it again after each. It gets an action only while it is
// shown: the keys of [Generic] actions go to the focused pane, and mean the
// same in every one.
//
// The [Host] is what a pane sees of the screen around it; there is one, made
// once.
package pane
