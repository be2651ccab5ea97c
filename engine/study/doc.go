// Package study keeps the tables that runs are compared by, and has the two that come
// from the papers: locality (paper 1) and ε (paper 2). A workload declares its own in
// its folder, as engine.Study values.
//
// A [Table] folds what runs give into rows; a session or a sweep has one for each study
// of its workload:
//
//	t := study.NewTable(st)
//	t.Begin(scenario, machine, kind) // a launch: what is known without running
//	view := t.Look(snapshot)         // now and then: rows of all runs that compare
//	t.Fold()                         // the launch is over: its sums stay
//
// Rows compare that differ in no knob but those that the study names and those of the
// role view; the others wait until their knobs are turned back. The view is plain data:
// the screen draws its charts, results list its rows, and its words say why.
package study
