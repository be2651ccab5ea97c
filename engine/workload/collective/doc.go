// Package collective runs one collective by one algorithm of package coll, as often as
// asked, and verifies each result against what it has to be:
//
//	for p.Next() {
//		prove()                  // of a call too large for real bytes, a small one
//		barrier; start; call; end // as often as the knob calls says
//		check(); report()
//	}
//
// The knobs choose the collective, the algorithm and its parameters. The model is the
// algorithm's own formula, beside what the run takes; it also gives the messages that
// the collectives view draws, and the field of winners.
package collective
