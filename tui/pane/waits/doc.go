// Package waits draws who waits for whom in a run that is deadlocked: the circle of ranks
// that wait for each other as a chain of boxes whose last arrow leads back to the first,
// the call on each arrow, the others below, and what ends it.
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
// Where there is little room the boxes go, and the arrows stay.
package waits
