// Package shapes is the pane that compares the ways to fill the cores of a node with ranks and threads:
//
//	Best: 16 × 8 ranks × threads. Runner-up: 32 × 4, 7.1 % more time (…).
//	   ranks × threads      time  memory per node
//	▸1          16 × 8   1.22 ms         98.3 MiB ██████████████
//	 2          32 × 4   1.31 ms          112 MiB ███████████████
//
// The comparison runs in the background. Until it ends, the pane shows its progress.
package shapes
