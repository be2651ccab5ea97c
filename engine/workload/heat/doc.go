// Package heat conducts heat through a cube, as the example of Kokkos and UPC++ that
// paper 4 measures: a process has a block of cells, and exchanges up to six faces with
// its neighbours in every step.
//
// A cell has a temperature T, 0 at first. In step t = 0 … N
//
//	dT = Σ (T_neighbour − T)   over the up to six neighbours that there are
//	     + 1                   where x = 0, until t passes N/2
//	     − T⁴                  for each face of the cell that is on the outside
//	T  = T + 0.1·dT
//
// (conduction, source and radiation all have the constant 1), and the average of T
// before the last update is the result, for which the example's own are published. The
// terms have this order, neighbours from x−1 to z+1, and no product is fused with a sum,
// so that T has the same bits on any number of processes.
//
// A step is, on each process:
//
//	for each face { pack; start to send it }
//	compute dT of the inner cells   // meanwhile, or after the faces have come
//	wait for the neighbours' faces
//	compute dT of the surface
//	update T, and every so often reduce its sum
//
// Each face has two outboxes and two inboxes, of even and odd steps. A neighbour sends
// the face of step t + 2 after it has had that of step t + 1, which leaves here after the
// one of step t was used: two are enough without a reduction in every step. What comes is
// counted for each face and parity alone, so that no order of arrival is taken for
// granted.
//
// That is for the knob inboxes at two. At one a face has an inbox, and all have a counter
// that is set to 0, as in paper 4's listing 2: a neighbour that is a step ahead is then
// counted for another one, unless every step has a reduction.
//
// With the knob memory at another choice than host a block is in a device's memory, and the
// parts of a step are kernels: a stream packs each face and computes each side, another one
// the inner cells and the update, and each face goes as soon as it is packed.
//
// A simulation with more bytes of temperatures per process than real-limit moves only sizes.
// It verifies a small cube with the same processes.
package heat
