// Package knobs is the pane of the knobs with their values. The selected one
// shows where it can be turned, a typed value stands in its place, and what was
// wrong with a value is told below it.
//
//	nodes                4
//	model  ◂ nested-multiple ▸
//	group                3
//	  ✗ group = 3 does not divide 16 ranks: use 2 or 4
package knobs
