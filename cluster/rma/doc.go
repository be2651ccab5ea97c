// Package rma implements MPI-2's one-sided communication for a Rank: windows, epochs and locks
// (paper 1, section 2.1).
//
//	w, err := rma.NewWindow(r, r.World(), bytes) // every member
//	w.Fence()                                    // opens an epoch on all
//	w.Put(target, off, cluster.Of(buf))          // complete, at its target too, after
//	w.Fence()                                    // the next fence
//	w.Lock(rma.LockExclusive, target)            // or without a call of the target
//	rma.Accumulate(w, target, off, numbers)
//	w.Unlock(target)
package rma
