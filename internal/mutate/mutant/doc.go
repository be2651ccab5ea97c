// Package mutant applies one mutation of a program at run time. Command mutate writes calls of this package
// into a copy of the program, one at each place that it can mutate. One build thus contains all mutants.
//
// The environment variable Variable has the number of the applied mutation. If it has the path of a file
// instead, the program is unchanged, and appends the numbers of the places that it executes to the file.
package mutant
