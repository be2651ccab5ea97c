// Package fft implements NAS FT: it solves a partial differential equation by three-dimensional
// Fourier transforms over a grid of TY × TZ processes. Its exchanges either follow each pass as a
// whole, or are done in slabs during the computing (paper 5, section 6.3).
//
//	spectrum = transform(numbers)           // once: axes y, z, x
//	for p.Next() {                          // a time step t
//		barrier
//		u = spectrum · exp(−4απ²k²t)        // evolve
//		transform(u)                        // axes x, y, z: the inverse
//		barrier
//		sum = u at 1024 points              // checksum, as NASA publishes it
//		verify
//	}
//
// A transform has three passes and two exchanges. Of axes 1, 2, 3 the process (ty, tz) first has
// all of axis 1, then all of axis 2, then all of axis 3:
//
//	for each slab: transform axis 1; start its exchange in the team of tz
//	for each slab: wait; transform axis 2; start its exchange in the team of ty
//	for all slabs: wait; transform axis 3
//
// The threads of a process share the lines of a slice. With exchange = packed there is one slab, and the process
// waits for each exchange at once.
package fft
