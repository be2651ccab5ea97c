// Package study holds the tables that compare runs. It implements the two studies of the papers:
// locality (paper 1) and ε (paper 2). A study is a table and its charts. A workload declares its
// other studies in its own folder, as engine.Study values.
//
// A [Table] collects rows from runs. A session or a sweep has one table for each study of its
// workload:
//
//	t := study.NewTable(st)
//	t.Begin(scenario, machine, kind) // at launch: the numbers known without running
//	view := t.Look(snapshot)         // regularly: the rows of all comparable runs
//	t.Fold()                         // after the launch: its sums are kept
//
// Two rows are comparable if only the knobs that the study names, and knobs of the role view,
// differ. Other rows are hidden until the knobs return to their values. The view is plain data:
// the screen draws its charts, results list its rows, and its text explains the differences.
package study
