// Package tables is the pane of what a workload counts: its tables, and its metrics by
// rank, one page each.
//
//	messages by size and link     a heat map; of several layers (levels) one, or all
//	time a level                  bars of parts
//	time of forces by rank        bars, or a map of the nodes' ranks; the slowest is marked
package tables
