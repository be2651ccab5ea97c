// Package heat conducts heat through a cube, like the example of Kokkos and UPC++ that paper 4
// measures. Each process has a block of cells, and exchanges up to six faces with its neighbours in
// every step.
//
// A cell has a temperature T, 0 at first. In step t = 0 … N
//
//	dT = Σ (T_neighbour − T)   over the existing neighbours, up to six
//	     + 1                   where x = 0, until t passes N/2
//	     − T⁴                  for each face of the cell that is on the outside
//	T  = T + 0.1·dT
//
// (conduction, source and radiation all have the constant 1). The result is the average of T before
// the last update; the example has published averages. The terms are always added in this order,
// neighbours from x−1 to z+1, and no product is fused with a sum, so T has the same bits on any
// number of processes.
//
// A step is, on each process:
//
//	for each face { pack; start to send it }
//	compute dT of the inner cells   // meanwhile, or after the faces have come
//	wait for the neighbours' faces
//	compute dT of the surface
//	update T, and reduce its sum every reduce-every steps
//
// Each face has two outboxes and two inboxes, for even and odd steps. A neighbour sends the face of
// step t + 2 only after it has received the face of step t + 1, which this process sends after it
// has used the face of step t. So two are enough without a reduction in every step. Arrivals are
// counted separately for each face and parity, so the order of arrival does not matter.
//
// This is the knob inboxes at two. At one there is one inbox per face, and one counter for all
// faces that is reset to 0, as in paper 4's listing 2. A face from a neighbour that is a step ahead
// is then counted for the wrong step, unless every step has a reduction.
//
// If the knob memory is not host, a block is in a device's memory, and the parts of a step are
// kernels. One stream per face packs the face and computes its side; another stream computes the
// inner cells and the update. Each face is sent as soon as it is packed.
//
// The threads of a process share the rows of a block. Each part of a step, and the packing of each face, is a
// parallel region. The master communicates outside of the regions.
//
// A simulation with more bytes of temperatures per process than real-limit is size-only. It
// verifies a small cube with the same processes.
//
// The cube is symmetric in y and z, and its processes are in step. Therefore a last run without source has cosine
// waves of three lengths as T, which shrink by a known factor per step, and delays the processes (verify.go).
package heat
