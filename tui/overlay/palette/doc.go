// Package palette is the command line: every action by its name, knobs as "set
// group 8", workloads, themes, pictures, with what fits below it.
//
//	: set gro
//	  set group               ranks in a UPC group, now 4
package palette
