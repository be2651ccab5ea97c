// Package machines is the overlay that lists the machines and the facts of the selected one, each
// with its source:
//
//	/
//	  demo                 Cray XC30 "Edison": 5,576 nodes of 2 × 12 cores
//	▸ xc30-edison sketch   emulated on live, progress by offload
//	  this-host            11 sourced, 0 derived, 0 fitted, 13 assumed: a sketch (more than 1/3 assumed)
//	                nodes                                       5576
//	                  NERSC, Edison configuration
package machines
