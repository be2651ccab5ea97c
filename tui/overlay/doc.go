// Package overlay says what lies over the panes and takes the keys.
//
// An overlay is one folder below this one, and a line in the registry, package
// all. Its [Spec] tells the action that opens it and the words for its mode; its
// [Overlay] draws over the screen's body, and its actions are the keys that are
// in force until it is closed:
//
//	if spec.New(host).Open() { // once for New
//		overlay.Draw(body) // after the panes
//		overlay.Actions()  // are the mode's part of the key table
//		overlay.Line()     // takes every other key, where text is typed
//	}
//
// The [Host] is that of the panes, with what only overlays may ask for.
package overlay
