// Package lesson runs the programs of lessons, and checks the numbers and answers in their texts.
//
// A lesson is a file of package presets. Its named runs are scenarios with changed knobs. A number
// in its text is a link to an expression over their metrics:
//
//	A step takes [473 ms](#packed.step_time), [1.63×](#packed.step_time/slabs.step_time) as long.
//
// [Run] runs the programs. [Results.Value] computes an expression. [Check] compares every number
// with its expression, and every answer with its check. [Answers] has the answers of a student.
package lesson
