// Package topology is the pane of the cluster: its nodes and ranks. The look of a rank shows its
// group, the shade its state. The pane uses the most detailed layout that fits: nodes in frames,
// nodes in rows, one cell per rank, one cell per node, or one cell for several nodes.
//
//	╭ n0 ─────────╮ ╭ n1 ─────────╮      n0 ████ n1 ██▒█      ████ █▒██ ░███
//	│ 0█ 1█ 2▒ 3█ │ │ 4█ 5█ 6█ 7█ │      n2 █▒██ n3 ████      ██▒█ ████ ▒███
//	╰─────────────╯ ╰─────────────╯
//
// Up to eight nodes are connected by lines for the bytes of the last second. More nodes have a
// matrix instead. If neither fits, the pane shows only the states of ranks.
//
//	n0 ░░░█◂━━━┳━━━━━┓
//	n1 █▒▒▓◂━━━┻━━┓  ┃
//	n2 ▒███◂──────┻━━┛
package topology
