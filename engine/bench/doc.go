// Package bench measures the hot paths of a fabric on this host, each beside its
// limit: what the same two cores do with no fabric at all.
//
// A [Case] has two sides, the fabric's and the limit's, that run on the same
// ranks of the same launch, in turn:
//
//	for range o.Rounds {
//		v := turn(value, n)
//		l := turn(limit, m)
//		rounds = append(rounds, round{v, l})
//	}
//
// because the cores of a virtual host are at times near each other and at times
// far apart, which changes every latency several times over. A row is therefore
// judged by the median ratio of its quiet rounds, and never by an absolute time.
//
// All ranks are goroutines of one process and share one address space, which the
// processes of an MPI library do not. Rows with no more ranks than there are cores
// compare with an MPI library that is bound to cores and spins; rows with more
// ranks compare with one that yields.
package bench
