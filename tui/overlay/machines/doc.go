// Package machines is the overlay that lists the machines beside the facts of the selected one, each with where
// it is from:
//
//	/
//	  demo          Cray XC30 "Edison": 5,576 nodes of 2 × 12 cores
//	▸ xc30-edison   emulated on live, progress by offload
//	  this-host
//	                nodes                                       5576
//	                  NERSC, Edison configuration
package machines
