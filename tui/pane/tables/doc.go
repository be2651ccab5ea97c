// Package tables is the pane of the tables that a workload counts and of its metrics by rank, one
// page each. A page is drawn by its shape:
//
//	messages by size and link     a heat map; if there are several layers (levels), one or all
//	time per level                bars of parts
//	time of forces by rank        bars, or a map of the nodes' ranks; the slowest is marked
package tables
