// Package edit is the overlay in which a value is typed for the selected knob.
// It lies inside the pane of knobs, which draws the line in the value's place.
package edit
