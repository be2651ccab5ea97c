// Package archtest tests rules of the whole module. It has no other code. The table in imports_test.go
// lists the imports that each package may have. The rules for every file and every page are in
// files_test.go.
//
//	package        may import
//	cluster        (no package of this module)
//	cluster/live   cluster cluster/match
//	engine         cluster
//	…
package archtest
