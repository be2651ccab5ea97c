// Package algorithm chooses the algorithms of a program's collectives, as its knobs request.
// That is a named algorithm of package coll with its parameters, the fastest one by the cost
// model, or the one from a tuning table.
//
//	w := algorithm.TeamOf(r, team)            // where the team runs
//	k, err := w.Chosen(p, coll.OpBcast, n)      // for n bytes: a key for coll.Call
//
// Knobs returns the knobs of programs whose collective is always the same.
package algorithm
