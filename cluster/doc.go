// Package cluster defines the interface that programs use, [Rank], and the interface that a fabric
// implements, [Port].
//
// A program is one function that every rank runs (SPMD):
//
//	err := cluster.Launch(ctx, fabric, spec, func(r *cluster.Rank) error {
//		if r.ID() == 0 {
//			return r.Send(r.World(), 1, 7, []byte("hello"))
//		}
//		buf := make([]byte, 5)
//		_, err := r.Recv(r.World(), 0, 7, buf)
//		return err
//	})
//
// Launch starts the ranks. The fabric makes one Port per rank, a [Rank] wraps the Port, and the
// body runs on the Rank. A Rank checks arguments and permissions: which ranks may call MPI, and
// which memory UPC access reaches. It counts the traffic by locality class and posts [Op] records
// to its Port. A body cannot observe whether its time is real.
package cluster
