// Package bench measures the hot paths of a fabric on this host. It compares each path with a
// limit: the same work on the same two cores without a fabric.
//
// A [Case] has two sides, the fabric's and the limit's. They run alternately on the same ranks of
// the same launch:
//
//	for range o.Rounds {
//		v := turn(value, n)
//		l := turn(limit, m)
//		rounds = append(rounds, round{v, l})
//	}
//
// The reason is that the distance between the cores of a virtual host changes, which changes every
// latency by several times. A row is therefore judged by the median ratio of its quiet rounds, and
// never by an absolute time.
//
// All ranks are goroutines of one process and share one address space; processes of an MPI library
// do not. Rows with at most one rank per core compare with an MPI library that is bound to cores
// and spins. Rows with more ranks compare with one that yields.
package bench
