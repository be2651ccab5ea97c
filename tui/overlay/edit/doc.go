// Package edit is the overlay for typing a value of the selected knob. The pane of knobs draws its
// input line instead of the value.
package edit
