// Package timeline is the pane of what every thread does over the fabric's time
// (paper 2, figure 1), and below a rank's threads what every stream of its device does:
//
//	█ compute ▓ communicate ▚ copy ░ wait ╳ lock · sleep        comp comm wait sleep
//	n0 r0 t0 █████░░░▓▓░░░█████████░░░▓▓░░                        61%  12%  27%
//	      t1 █████··············████·······                       44%             56%
//	         2.1 ms   +200 µs   +400 µs
//	rank 0 thread 1 (node 0): wait in recv from rank 5, at 2.213 ms for 41 µs
//
// A cell is one bin of time, or two. Of every 16 neighbouring bins of a row each
// activity gets as many as it has of their time, and one at least if it has any: what
// is short, and what few of a row's lanes do, is not lost. No row shows more than the
// time that all lanes tell of.
//
// What was worked out for a frame and cannot change any more is kept for the
// next one; a frame with too much to work out leaves rows for the next.
package timeline
