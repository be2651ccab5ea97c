// Package timeline is the pane of the activity of every thread over the fabric's time (paper 2,
// figure 1). Below the threads of a rank it shows the streams of its device:
//
//	█ compute ▓ communicate ▚ copy ░ wait ╳ lock · sleep        comp comm wait sleep
//	n0 r0 t0 █████░░░▓▓░░░█████████░░░▓▓░░                        61%  12%  27%
//	      t1 █████··············████·······                       44%             56%
//	         2.1 ms   +200 µs   +400 µs
//	rank 0 thread 1 (node 0): wait in recv from rank 5, at 2.213 ms for 41 µs
//
// A cell is one bin of time, or two. Among 16 neighbouring bins of a row, each activity gets a
// number of bins in proportion to its time, and at least one if it has any time. So short
// activities, and activities of a few lanes in a folded row, remain visible. No row extends beyond
// the time up to which all lanes are known.
//
// Bins that cannot change any more are kept for the next frame. If a frame has too much to compute,
// it leaves rows for the next one.
package timeline
