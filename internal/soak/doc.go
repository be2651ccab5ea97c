// Package soak plays rounds of a random test, a few in make test and for as long as
// SOAKTIME says in make soak, and looks at the end for what they have left behind:
//
//	for seed := first; seed < first+usual || time.Since(began) < SOAKTIME; seed++ {
//		round(t, seed)
//	}
//	goroutines, file descriptors and memory are what they were after the first rounds
//
// A round that fails says its seed; SOAKSEED begins with that one. SOAKACTS is how many
// steps a round has: SOAKACTS=10000 go test ./tui -run TestMonkey plays three long ones.
package soak
