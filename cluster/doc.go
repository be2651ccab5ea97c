// Package cluster is the contract that programs are written against, and the
// one seam, [Port], that a fabric fills in.
//
// A program is one SPMD function:
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
// Launch is the main loop: the fabric starts one Port a rank, the Port is
// wrapped as a [Rank], and the body runs on it. A Rank checks arguments and
// permissions (who may call MPI, where UPC access ends), counts the traffic by
// locality class, and posts plain [Op] records to its Port. The Port is all that
// a fabric implements; a body never knows whether its time is real.
package cluster
