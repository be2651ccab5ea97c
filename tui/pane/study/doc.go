// Package study is the pane of a workload's studies: charts and a table of what its
// runs are compared by. Every study is drawn by the same code from its view, which is
// plain data: axes, lines, marks, rules and rows.
//
//	100%┤●╌╌╌╮        ● in rank  ▲ in node  ╌ law    group  rank  access  mem/node
//	 50%┤    ╰●╌╌╌                                    ★ 2    50%   95 ns     2 MiB
//	  0%┤         ╌●                                    4    25%  210 ns     1 MiB
package study
