// Package soak runs rounds of a random test: a few in make test, and for the time SOAKTIME in make
// soak. At the end it checks that the rounds leave nothing behind:
//
//	for seed := first; seed < first+usual || time.Since(began) < SOAKTIME; seed++ {
//		round(t, seed)
//	}
//	goroutines, file descriptors and memory are as after the first rounds
//
// A failed round prints its seed; SOAKSEED sets the first seed. SOAKACTS is the number of steps per
// round: SOAKACTS=10000 go test ./tui -run TestMonkey runs three long rounds.
package soak
