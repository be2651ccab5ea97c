// Package explain is the pane of a simulation's critical path. It shows the time by constant of the
// machine, by reason or by part of the program. A slider changes a constant:
//
//	77.4 µs on demo ◆ simulated
//	remote.latency_s ×1.41 ────────●──── at least 96.5 µs; simulating…
//	▸ remote.latency_s    46.0 µs  59%  ████████████
//	  remote.overhead_s   9.20 µs  12%  ██
//
// With a changed constant or a baseline, the bars are the difference of two runs. They add up to it.
//
// The pane also has the answers to other questions about the run: a decision map, pairs of runs with equal seeds, and
// advice on its choices. Until then it shows the progress of their simulations.
package explain
