// Hybridtop shows why one way of programming a cluster of SMP nodes beats
// another.
//
//	hybridtop                       open the screen
//	hybridtop run WORKLOAD          run without a screen, and verify
//	hybridtop sweep WORKLOAD        run at every combination of knobs
//	hybridtop record WORKLOAD       run, or sweep, and keep all of it in a file
//	hybridtop replay FILE           the screen on a recording, or a picture of a moment
//	hybridtop verify FILE           run what a recording simulated again, bit by bit
//	hybridtop compare A B           in what two recordings differ, and what of it is noise
//	hybridtop export FILE           a recording for other programs
//	hybridtop list WHAT             workloads, models, knobs, machines, algorithms
//	hybridtop show schedule WHAT    who sends what to whom in a collective
//	hybridtop show goal FILE        what a GOAL file has, and how long it takes
//	hybridtop run goal              a GOAL file replayed on a simulated machine
//	hybridtop machine VERB          list, show, check and compare machine files
//	hybridtop bench                 hot paths beside their limits on this host
//	hybridtop model NAME            what closed formulas predict, and which term rules
//	hybridtop calibrate             fit a machine to this host
//	hybridtop tune COLLECTIVE...    the fastest algorithms of collectives, as a table
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
