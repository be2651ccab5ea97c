// Package waits is the pane of the wait-for graph of a deadlocked run. It draws the cycle of ranks
// that wait for each other as a chain of boxes. Each arrow has the call in which its rank waits.
// The last arrow returns to the first rank. Below are a hint and the other waiting ranks.
//
//	╭─▶╭──────────────╮
//	│  │ rank 0, n0   │
//	│  ╰──┬───────────╯
//	│     ▼ send to 1 tag 1 (8193 B)
//	│  ╭──────────────╮
//	│  │ rank 1, n0   │
//	│  ╰──┬───────────╯
//	╰─────╯ send to 0 tag 1 (8193 B)
//
// If there is little room, ranks have no boxes.
package waits
