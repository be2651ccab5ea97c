// Package palette is the command line of the screen. It runs actions by name, sets knobs ("set
// group 8"), workloads and themes, and writes pictures. Below the line it lists matching commands.
//
//	: set gro
//	  set group               ranks in a UPC group, now 4
package palette
