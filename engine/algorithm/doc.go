// Package algorithm chooses how the collectives of a program are done, as its knobs ask:
// by an algorithm of package coll and its parameters, by the one that the model finds
// best, or by the one that a table has.
//
//	w := algorithm.TeamOf(r, team)            // where the team runs
//	k, err := w.Chosen(p, coll.OpBcast, n)      // of n bytes: a key for coll.Call
//
// Knobs gives the knobs themselves, for the programs whose collective is always the same.
package algorithm
