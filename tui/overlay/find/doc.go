// Package find is the overlay that selects a node, a rank or a thread by its number:
//
//	╭ Find ──────────────── enter select ─╮
//	│ / rank 12 thread 1                  │
//	╰─────────────────────────────────────╯
package find
