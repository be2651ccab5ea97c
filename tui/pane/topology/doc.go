// Package topology is the pane of the cluster: nodes with their ranks, groups by
// colour, what a rank does by shade. It shows as much as there is room for:
// nodes in frames, nodes in rows, one cell a rank, one cell a node, one cell for
// many nodes.
//
//	╭ n0 ─────────╮ ╭ n1 ─────────╮      n0 ████ n1 ██▒█      ████ █▒██ ░███
//	│ 0█ 1█ 2▒ 3█ │ │ 4█ 5█ 6█ 7█ │      n2 █▒██ n3 ████      ██▒█ ████ ▒███
//	╰─────────────╯ ╰─────────────╯
//
// Between up to eight nodes there are lines for the bytes of the last second, between
// more of them a matrix. Where neither has room, what ranks do is all.
//
//	n0 ░░░█◂━━━┳━━━━━┓
//	n1 █▒▒▓◂━━━┻━━┓  ┃
//	n2 ▒███◂──────┻━━┛
package topology
