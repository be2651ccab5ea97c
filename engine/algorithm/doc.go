// Package algorithm chooses the algorithms of a program's collectives, as its knobs request.
// That is a named algorithm of package coll with its parameters, or a composition. It can also be
// the fastest one by the cost model, by a tuning table, or by tries in the run. If the two fastest
// ones by the cost model are close, both are simulated once, within a budget.
//
//	w := algorithm.TeamOf(r, team)            // where the team runs
//	k, err := w.Chosen(p, coll.OpBcast, n)      // for n bytes: a key for coll.Call
//
// For algorithm = online, a program gets the keys of all candidates, and a Tuning selects one in each
// iteration:
//
//	t := algorithm.Tune(r, team, p, cells)      // a probe
//	keys, err := cell.Keys(t, t.Names)
//	for t.Next() {
//		... keys[t.Now()] ...
//		err := t.Took(time)                      // tries end with the fastest candidate
//	}
//
// Knobs returns the knobs of programs whose collective is always the same.
package algorithm
