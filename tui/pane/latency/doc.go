// Package latency is the pane of how long accesses took: quantiles by locality
// class, and under each class its distribution, all above one logarithmic axis.
//
//	              p50     p99    mean  accesses
//	■ in rank   12 ns   31 ns   14 ns      1.2M
//	  ▁▃█▅▂
//	▲ in node   95 ns  210 ns  101 ns      3.6M
//	          ▂█▆▁
//	  10 ns     100 ns      1 µs
//
// Where there is room, a box plot below it shows the times of iterations.
package latency
