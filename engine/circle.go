package engine

import "github.com/hybridtop/hybridtop/cluster"

// circle returns a shortest cycle of the wait-for graph, starting at its lowest rank. It returns
// nil if there is none, for example if ranks wait for a rank that has ended.
func circle(waits []cluster.Wait) []int {
	next := map[int][]int{}
	var ranks []int // in the order of the waits
	for i := range waits {
		w := &waits[i]
		if _, seen := next[w.Rank]; !seen {
			ranks = append(ranks, w.Rank)
		}
		next[w.Rank] = append(next[w.Rank], w.For...)
	}
	var best []int
	for _, from := range ranks {
		if c := circleFrom(from, next, len(best)); c != nil {
			best = c
		}
		if len(best) == 1 || len(best) == 2 {
			break // no shorter cycle says more
		}
	}
	lowest := 0
	for i, r := range best {
		if r < best[lowest] {
			lowest = i
		}
	}
	return append(best[lowest:len(best):len(best)], best[:lowest]...)
}

// circleFrom returns a shortest cycle through a rank, or nil if its length is not below shorter.
// If shorter is 0, every length is accepted.
func circleFrom(from int, next map[int][]int, shorter int) []int {
	type step struct{ rank, before int }
	steps, seen := []step{{from, -1}}, map[int]bool{}
	for i := 0; i < len(steps); i++ {
		for _, to := range next[steps[i].rank] {
			if to == from {
				var back []int
				for k := i; k >= 0; k = steps[k].before {
					back = append(back, steps[k].rank)
				}
				if shorter > 0 && len(back) >= shorter {
					return nil
				}
				for a, b := 0, len(back)-1; a < b; a, b = a+1, b-1 {
					back[a], back[b] = back[b], back[a]
				}
				return back
			}
			if _, waits := next[to]; waits && !seen[to] {
				seen[to] = true
				steps = append(steps, step{to, i})
			}
		}
	}
	return nil
}
