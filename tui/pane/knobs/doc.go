// Package knobs is the pane of the knobs and their values. Arrows at the selected knob show that
// it can be changed. A value that is being typed replaces the old one. The error of a rejected
// value is shown below its knob.
//
//	nodes                4
//	model  ◂ nested-multiple ▸
//	group                3
//	  ✗ group = 3 does not divide 16 ranks: use 2 or 4
package knobs
