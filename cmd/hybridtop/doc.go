// Hybridtop shows why one way of programming a cluster of SMP nodes is faster than another.
//
//	hybridtop                       open the screen
//	hybridtop run WORKLOAD          run without a screen, and verify
//	hybridtop sweep WORKLOAD        run at every combination of knobs
//	hybridtop record WORKLOAD       run, or sweep, and record everything in a file
//	hybridtop replay FILE           open the screen on a recording, or draw a moment
//	hybridtop verify FILE           repeat recorded simulations, or play a scenario's expectations
//	hybridtop compare A B           compare two recordings, or two variants of a workload
//	hybridtop explain WORKLOAD      explain a simulated time by constants of the machine
//	hybridtop advise WORKLOAD       rank the choices of a scenario
//	hybridtop shapes WORKLOAD       compare ranks × threads on the cores of a node
//	hybridtop export FILE           write a recording for other programs
//	hybridtop lesson NAME           open or print a lesson, list lessons, or check them
//	hybridtop tour                  show the screen in three minutes
//	hybridtop questions NAME        answer questions that users of MPI have asked
//	hybridtop list WHAT             list workloads, models, knobs, machines, algorithms
//	hybridtop show schedule WHAT    draw the messages of a collective
//	hybridtop show goal FILE        summarize and price a GOAL file
//	hybridtop run goal              replay a GOAL file on a simulated machine
//	hybridtop machine VERB          list, show, check and compare machine files
//	hybridtop bench                 measure hot paths and their limits on this host
//	hybridtop model NAME            evaluate the papers' formulas
//	hybridtop calibrate             fit a machine to this host
//	hybridtop tune COLLECTIVE...    find the fastest algorithms of collectives
//	hybridtop reproduce FIGURE...   simulate the papers' figures, and check them
//	hybridtop doctor                check terminal, memory, timers and folders of this host
//
// This package contains flags and wiring. The flags come from the table of knobs: engine.Base and
// each workload's own knobs. A session runs the scenario. Its last snapshot becomes a table, JSON
// or CSV (docs/json.md has the schema).
//
// The screen runs as two processes: a small one that the user has started, which holds the
// terminal, and the program (package tty). Both end within two seconds of a signal, even if the
// terminal or a rank hangs. A second signal ends the other commands at once.
//
// Exit status:
//
//	0        success; a run also verified its result
//	1        an error, or a run that did not verify
//	2        a crash; for reproduce, something failed to run
//	128 + n  signal n (130 after Ctrl-C), which standard error names (docs/process.md)
package main
