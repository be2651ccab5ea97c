// Package bandwidth is the pane that plots bytes per second over time, one curve per locality
// class. A marker shows each change of a knob.
//
//	■ self 12.3 GB/s   ▲ intra-node 3.1 GB/s   ▼ inter-node 0.4 GB/s
//	12┤           ╭──╮ ╭───
//	 8┤   ╭───────╯  ╰─╯
//	 4┤───╯  ┆group 2→4
package bandwidth
