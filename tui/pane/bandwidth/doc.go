// Package bandwidth is the pane of bytes per second over time: a line a
// locality class, with a mark wherever a knob was turned.
//
//	■ in rank 12.3 GB/s   ▲ in node 3.1 GB/s   ▼ remote 0.4 GB/s
//	12┤           ╭──╮ ╭───
//	 8┤   ╭───────╯  ╰─╯
//	 4┤───╯  ┆group 2→4
package bandwidth
