// Package timeline is the pane of what every thread does over the fabric's time
// (paper 2, figure 1):
//
//	█ compute ▓ communicate ▚ copy ░ wait ╳ lock · sleep        comp comm wait sleep
//	n0 r0 t0 █████░░░▓▓░░░█████████░░░▓▓░░                        61%  12%  27%
//	      t1 █████··············████·······                       44%             56%
//	         2.1 ms   +200 µs   +400 µs
//	rank 0 thread 1 (node 0): wait in recv from rank 5, at 2.213 ms for 41 µs
//
// What was worked out for a frame and cannot change any more is kept for the
// next one; a frame with too much to work out leaves rows for the next.
package timeline
