package coll

import (
	"fmt"
	"testing"
)

// dissemination is Σ_j min(k − 1, ⌊(N − 1)/k^j⌋), the messages of one rank (paper 5,
// section 3.4).
func dissemination(n, k int) int {
	sum := 0
	for w := 1; w < n; w *= k {
		sum += min(k-1, (n-1)/w)
	}
	return sum
}

// The messages and bytes of a team equal closed forms, at every size.
func TestCounts(t *testing.T) {
	tree := func(n, k, s int) int { return (n - 1) * s }
	all := func(n, k, s int) int { return n * (n - 1) }
	diss := func(n, k, s int) int { return n * dissemination(n, k) }
	folds := func(n int) (q, beyond int) {
		for q = 1; 2*q <= n; q *= 2 {
		}
		return q, n - q
	}
	log := func(q int) int {
		l := 0
		for ; q > 1; q /= 2 {
			l++
		}
		return l
	}
	hops := func(n, _, s int) int { // of a scan, each round to the existing ranks
		sum := 0
		for d := 1; d < n; d *= 2 {
			sum += n - d
		}
		return sum
	}
	forms := map[string]func(n, k, s int) int{
		"allgather bruck": diss, "exchange bruck": diss, "reduce-scatter bruck": diss, "barrier dissemination": diss,
		"allreduce bruck": func(n, k, s int) int { return 2 * n * dissemination(n, k) },
		"exchange flat":   all, "exchange pairwise": all, "allgather flat": all, "reduce-scatter pairwise": all,
		"allgather ring": all, "reduce-scatter ring": all, "allreduce ring": func(n, k, s int) int { return 2 * n * (n - 1) },
		"allgather neighbour-exchange":     func(n, k, s int) int { return n / 2 * n },
		"allgather recursive-doubling":     func(n, k, s int) int { return n * log(n) },
		"reduce-scatter recursive-halving": func(n, k, s int) int { return n * log(n) },
		"allreduce recursive-doubling": func(n, k, s int) int {
			q, beyond := folds(n)
			return q*log(q) + 2*beyond
		},
		"barrier recursive-doubling": func(n, k, s int) int {
			q, beyond := folds(n)
			return q*log(q) + 2*beyond
		},
		"allreduce rabenseifner": func(n, k, s int) int {
			q, beyond := folds(n)
			return 2*q*log(q) + 2*beyond
		},
		"reduce rabenseifner": func(n, k, s int) int {
			q, beyond := folds(n)
			return q*log(q) + q - 1 + beyond
		},
		"scan recursive-doubling": hops, "scan chain": tree,
		"allreduce reduce-bcast":        func(n, k, s int) int { return 2 * (n - 1) * s },
		"allgather gather-bcast":        func(n, k, s int) int { return 2 * (n - 1) },
		"reduce-scatter reduce-scatter": func(n, k, s int) int { return 2 * (n - 1) },
		"allreduce hierarchical":        func(n, k, s int) int { return 2 * (n - 1) * s },
		"barrier tree":                  func(n, k, s int) int { return 2 * (n - 1) },
		"exchange direct":               all, "exchange staged": all, "allgather direct": all, "allgather staged": all,
		"reduce-scatter direct": all, "reduce-scatter staged": all,
		"allreduce staged": all, "allreduce direct": func(n, k, s int) int { return 2 * n * (n - 1) },
		"reduce direct":     func(n, k, s int) int { return n*(n-1) + n - 1 },
		"allreduce relayed": func(n, k, s int) int { return 2 * (n - 1) }, "scan staged": func(n, k, s int) int {
			return n * (n - 1) / 2
		}, "barrier direct": func(n, k, s int) int { return 0 },
		"bcast scatter-allgather": nil, // below: the ring omits the blocks of the scatter
	}
	// Bytes of members' blocks, or of all data of m bytes.
	bytes := map[string]func(n, k int, m int64) int64{
		// the message (j, d) carries m bytes for each b < N whose digit j is d
		"exchange bruck": func(n, k int, m int64) int64 {
			sum := int64(0)
			for w := 1; w < n; w *= k {
				for b := range n {
					if b/w%k != 0 {
						sum += m
					}
				}
			}
			return int64(n) * sum
		},
		"exchange flat":                    func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"allgather bruck":                  func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"allgather ring":                   func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"allgather neighbour-exchange":     func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"allgather recursive-doubling":     func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"reduce-scatter bruck":             func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"reduce-scatter recursive-halving": func(n, k int, m int64) int64 { return int64(n) * int64(n-1) * m },
		"allreduce ring":                   func(n, k int, m int64) int64 { return 2 * int64(n-1) * m },
		"allreduce bruck":                  func(n, k int, m int64) int64 { return 2 * int64(n-1) * m },
		"bcast knomial":                    func(n, k int, m int64) int64 { return int64(n-1) * m },
		"bcast chain":                      func(n, k int, m int64) int64 { return int64(n-1) * m },
		"scatter flat":                     func(n, k int, m int64) int64 { return int64(n-1) * m },
	}
	// counts has the messages inside nodes, through their leaders, and between leaders, for ranks
	// that share nodes. All blocks have m bytes.
	type counts struct {
		messages int
		bytes    int64 // −1: unknown
	}
	between := func(nodes, k int, m, block int64) int64 { // as exchange bruck, of a block
		if nodes == 1 {
			return 0
		}
		return bytes["exchange bruck"](nodes, k, block*m)
	}
	housed := map[string]func(n, nodes, full, k int, squares, m int64) counts{
		"barrier hierarchical": func(n, nodes, full, k int, _, _ int64) counts {
			return counts{2*(n-nodes) + nodes*dissemination(nodes, k), -1}
		},
		"exchange hierarchical": func(n, nodes, full, k int, squares, m int64) counts {
			return counts{2*(n-nodes) + nodes*(nodes-1), 2*int64(n-nodes)*int64(n)*m + (int64(n)*int64(n)-squares)*m}
		},
		"exchange hierarchical-bruck": func(n, nodes, full, k int, _, m int64) counts { // claim 42: t²·B per pair of nodes
			return counts{2*(n-nodes) + nodes*dissemination(nodes, k),
				2*int64(n-nodes)*int64(n)*m + between(nodes, k, m, int64(full)*int64(full))}
		},
		"bcast hardware":  func(n, nodes, _, _ int, _, m int64) counts { return counts{n - nodes, int64(n-nodes) * m} },
		"reduce hardware": func(n, nodes, _, _ int, _, m int64) counts { return counts{n - nodes, int64(n-nodes) * m} },
		"allreduce hardware": func(n, nodes, _, _ int, _, m int64) counts {
			return counts{2 * (n - nodes), 2 * int64(n-nodes) * m}
		},
		"barrier hardware": func(n, nodes, _, _ int, _, _ int64) counts { return counts{2 * (n - nodes), -1} },
		"allgather hierarchical": func(n, nodes, full, k int, _, m int64) counts {
			return counts{2*(n-nodes) + nodes*dissemination(nodes, k), int64(n-nodes)*int64(n+1)*m + int64(n)*int64(nodes-1)*m}
		},
	}
	teams := append(through(1, 33), 64, 100, 257)
	if !exhaustive() {
		teams = append(through(1, 17), 33)
	}
	for _, a := range All() {
		name := a.Collective.String() + " " + a.Name
		form, ok := forms[name]
		if housed[name] != nil {
			ok = true
		}
		if !ok {
			if !a.Collective.Rooted() {
				t.Errorf("%s has no closed form here", name)
			}
			form = tree
		}
		for _, n := range teams {
			for _, k := range keys(a, n) {
				if k.Radix == 257 && n > 64 || k.Segments > 1 && n > 64 {
					continue
				}
				const m = 512 * 7 * 257
				blocks := k.Blocks(m, 1)
				tr, err := Steps(k, 0, blocks)
				if err != nil {
					t.Fatal(err)
				}
				if count := housed[name]; count != nil {
					h := k.nodeGroup(0)
					squares := int64(0)
					for node := range h.nodes {
						squares += int64(h.sizeOf(node)) * int64(h.sizeOf(node))
					}
					want := count(n, int(h.nodes), int(h.largestNode()), int(k.Radix), squares, m)
					if len(tr.Messages) != want.messages || want.bytes >= 0 && tr.Bytes() != want.bytes {
						t.Errorf("%s, ranks %d, places %v, radix %d: %d messages and %d B, want %d and %d", name, n, k.Places, k.Radix,
							len(tr.Messages), tr.Bytes(), want.messages, want.bytes)
					}
					continue
				}
				what := fmt.Sprintf("%s, ranks %d, radix %d, segments %d", name, n, k.Radix, k.Segments)
				if form != nil && len(tr.Messages) != form(n, int(k.Radix), int(k.Segments)) {
					t.Errorf("%s: %d messages, want %d", what, len(tr.Messages), form(n, int(k.Radix), int(k.Segments)))
				}
				if f := bytes[name]; f != nil && tr.Bytes() != f(n, int(k.Radix), m) {
					t.Errorf("%s: %d B, want %d", what, tr.Bytes(), f(n, int(k.Radix), m))
				}
			}
		}
	}
}

func through(lo, hi int) []int {
	var all []int
	for i := lo; i <= hi; i++ {
		all = append(all, i)
	}
	return all
}

// A priced schedule ends at the time that its algorithm's closed form predicts. The result is exact
// if the form is complete, and within 30 % if rounds of different ranks overlap.
func TestPredictions(t *testing.T) {
	teams := append(through(2, 33), 64, 100)
	if !exhaustive() {
		teams = through(2, 17)
	}
	exact := map[string]bool{}
	for _, s := range []string{"knomial", "kary", "chain", "flat", "fork", "hierarchical"} {
		exact["bcast "+s] = true
		exact["scatter "+s] = true
		exact["gather "+s] = true
	}
	exact["gather kary"] = false // children of one size may arrive at the same time
	for _, name := range []string{
		"reduce chain", "reduce flat", "allgather neighbour-exchange", "allgather recursive-doubling", "allgather ring",
		"exchange pairwise",
		"reduce-scatter recursive-halving", "reduce-scatter ring", "allreduce ring", "scan chain", "barrier dissemination",
		"barrier recursive-doubling",
	} {
		exact[name] = true
	}
	c := Cost{L: 2500, O: 1500, Gap: 1000, G: 6, Copy: 1, Combine: 2,
		Network: CollectiveNetwork{L: 3000, Barrier: 1300, G: 1}}
	for _, a := range All() {
		name := a.Collective.String() + " " + a.Name
		worst, where := 0.0, ""
		for _, n := range teams {
			for _, k := range keys(a, n) {
				if k.Segments > 1 {
					continue
				}
				for _, m := range []int64{8, 4096} {
					tr, err := Price(k, 0, k.Blocks(m, 1), c)
					if err != nil {
						t.Fatal(err)
					}
					got, want := tr.Last(), k.Predict(&c, m)
					if off := float64(want-got) / float64(max(got, 1)); max(off, -off) > worst {
						worst, where = max(off, -off), fmt.Sprintf("ranks %d radix %d segments %d places %v, %d B: priced %d, "+
							"predicted %d", n, k.Radix, k.Segments, k.Places, m, got, want)
					}
				}
			}
		}
		bound := 0.3
		if exact[name] {
			bound = 0
		}
		if worst > bound {
			t.Errorf("%s is off by %.3g, at %s", name, worst, where)
		}
	}
}
