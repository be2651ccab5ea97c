// Package pairs compares two simulations by pairs of runs with equal seeds. The runs of a pair draw the same noise, so
// their difference has less noise than their times.
package pairs
