// Hybridtop shows why one way of programming a cluster of SMP nodes beats
// another.
//
//	hybridtop                       open the screen
//	hybridtop run WORKLOAD          run without a screen, and verify
//	hybridtop sweep WORKLOAD        run at every combination of knobs
//	hybridtop list WHAT             workloads, models, knobs, machines, algorithms
//	hybridtop show schedule WHAT    who sends what to whom in a collective
//	hybridtop show goal FILE        what a GOAL file has, and how long it takes
//	hybridtop machine VERB          list, show, check and compare machine files
//	hybridtop bench                 hot paths beside their limits on this host
//	hybridtop model NAME            what closed formulas predict, and which term rules
//	hybridtop calibrate             fit a machine to this host
//	hybridtop reproduce FIGURE...   the papers' figures beside what they publish
//
// This package holds flags and wiring. The table of knobs (engine.Base and each
// workload's own) becomes the flags; a session runs the scenario; what it
// published last becomes a table, JSON or CSV (docs/json.md has the schema).
//
// The screen runs as two processes: a small one that the user has started, which
// holds the terminal, and the program (package tty). Both end at a signal within
// two seconds, whatever the terminal or a rank does; a second signal ends the
// other commands at once.
//
// Exit status: 0, and of a run only if it verified; 1 for an error or a run that
// did not verify; 2 for a crash, and of reproduce where something failed to run; 128 + n after signal n (130 after Ctrl-C), which
// standard error names (docs/process.md).
package main
