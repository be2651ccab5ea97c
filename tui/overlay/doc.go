// Package overlay defines overlays: boxes that cover the panes and receive the keys.
//
// An overlay is a folder below this package and an entry in the registry, package all. Its [Spec]
// has the action that opens it and the name of its mode. Its [Overlay] draws over the body of the
// screen, and its actions are the active keys until it is closed:
//
//	if spec.New(host).Open() { // once for New
//		overlay.Draw(body) // after the panes
//		overlay.Actions()  // the part of the key table for its mode
//		overlay.Line()     // receives every other key, if it has an input line
//	}
//
// The [Host] extends the host of the panes with functions for overlays only.
package overlay
