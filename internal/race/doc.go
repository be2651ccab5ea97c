// Package race reports whether the race detector is in the program. Programs with it are ten times slower.
package race
