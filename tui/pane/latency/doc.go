// Package latency is the pane of access times: quantiles for each locality class, and below each
// class its distribution. All distributions share one logarithmic axis.
//
//	                 p50     p99    mean   count
//	■ self         12 ns   31 ns   14 ns    1.2M
//	  ▁▃█▅▂
//	▲ intra-node   95 ns  210 ns  101 ns    3.6M
//	          ▂█▆▁
//	  10 ns     100 ns      1 µs
//
// If there is room, a box plot below shows the iteration times.
package latency
