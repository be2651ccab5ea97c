// Package why is the pane that gives the reason: what the last turn of a knob
// has done, whether the results hold, the metrics with their kinds, what the
// host could not keep, and paper 1's launch line; of a failed run, what failed.
//
//	Group 4 keeps every access inside a node: 1.9× faster than group 16
//	✓ verified 1.23k times: checksum of every rank
//	rank local share ○          25%
//	Paper 1's launch line
package why
