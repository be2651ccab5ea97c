// Package collective runs one collective with one algorithm of package coll repeatedly, and
// verifies each result:
//
//	for p.Next() {
//		prove()                  // a small call, if the timed ones are size-only
//		barrier; start; call; end // repeated as the knob calls specifies
//		check(); report()
//	}
//
// The knobs choose the collective, the algorithm and its parameters. The run is compared with
// the algorithm's cost model. The cost model also computes the messages in the drawing of the
// pane Collectives, and the decision map of the fastest algorithms.
package collective
