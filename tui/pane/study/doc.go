// Package study is the pane of a workload's studies. A study is a table and its charts that
// compare runs. The same code draws every study from its view, which is plain data: axes, lines,
// markers, rules and rows.
//
//	100%┤●╌╌╌╮        ● self  ▲ intra-node  ╌ law    group  rank  access  mem/node
//	 50%┤    ╰●╌╌╌                                    ★ 2    50%   95 ns     2 MiB
//	  0%┤         ╌●                                    4    25%  210 ns     1 MiB
package study
