// Package upc implements UPC's shared memory for a Rank: arrays that are distributed
// block-cyclically over the rank's own UPC group, and pointers to shared (paper 1, sections 2.1 and
// 2.2).
//
//	a, err := upc.NewShared[float64](r, n, 1) // every thread of the group
//	a.ForAll(func(i int) { … })               // upc_forall over the local elements
//	v, err := a.Get(i)                        // an element of any thread's
//	p := a.Ptr(i).Add(3)                      // &a[i] + 3
package upc
