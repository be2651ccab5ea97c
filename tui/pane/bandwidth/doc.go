// Package bandwidth is the pane that plots bytes per second over time, one curve per locality
// class. A marker shows each change of a knob.
//
//	■ in rank 12.3 GB/s   ▲ in node 3.1 GB/s   ▼ remote 0.4 GB/s
//	12┤           ╭──╮ ╭───
//	 8┤   ╭───────╯  ╰─╯
//	 4┤───╯  ┆group 2→4
package bandwidth
