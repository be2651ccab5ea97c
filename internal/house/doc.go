// Package house has no code: its tests hold the rules that the whole module
// keeps. Which package may import which stands as a table in imports_test.go;
// what every file and every page keeps stands in files_test.go.
//
//	package        may import
//	cluster        (nothing of ours)
//	cluster/live   cluster cluster/match
//	engine         cluster
//	…
package house
