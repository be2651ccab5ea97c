package clustertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

// Random programs split by random colors and keys, and check the members.
var splitCases = []testCase{
	{"a team receives only its own messages and barriers", (*suite).contextsAreTheirTeamsAlone},
	{"the members of a subteam alone make it", onRanks(6, subteamsFollowARule)},
	{"the list of a subteam is checked", (*suite).subteamsAreChecked},
	{"renumbering by messages returns the IDs of the layout", (*suite).renumberGivesTheIDs},
	{"nested-funneled refuses MPI calls of other threads than 0", (*suite).funneledRefusesMPICalls},
}

// meets makes a team's members add up their ranks.
func (p *proc) meets(team *cluster.Team) {
	want := int64(0)
	for _, m := range team.Members() {
		want += int64(m)
	}
	got := []int64{int64(p.ID())}
	p.ok(coll.Allreduce(p.Rank, team, cluster.Sum, got, got))
	same(p, "sum of the ranks of "+team.Name(), got[0], want)
	p.ok(p.Barrier(team))
}

// The rows and the columns of a grid: each works, in the order of its list, and none
// waits in another's barriers.
func subteamsFollowARule(p *proc) {
	const rows, cols = 2, 3
	at := p.World().Rank()
	var row, col []int
	for j := range cols {
		row = append(row, at/cols*cols+cols-1-j) // backwards
	}
	for i := range rows {
		col = append(col, i*cols+at%cols)
	}
	for range 3 {
		for _, list := range [][]int{row, col} {
			team := p.made(p.Subteam(p.World(), list))
			p.check(team.Size() == len(list) && list[team.Rank()] == at, "number %d of %d in the team of %v", team.Rank(),
				team.Size(), list)
			for range team.Members()[0]%3 + 1 { // another number in each
				p.meets(team)
			}
			p.ok(p.FreeTeam(team))
		}
	}
}

func (s *suite) subteamsAreChecked(t *testing.T) {
	for what, list := range map[string][]int{"two times": {0, 0}, "beyond": {0, 2}, "negative": {0, -1},
		"without the caller": {1}, "nobody": nil} {
		err := s.launch(t, s.spec(2), func(p *proc) {
			if p.World().Rank() == 0 {
				p.made(p.Subteam(p.World(), list))
			}
		})
		if err == nil || !strings.Contains(err.Error(), "rank 0: subteam of ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Teams that were split from different parents, each a different number of times.
func (s *suite) contextsAreTheirTeamsAlone(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedMultiple, 3, 4, 2), func(p *proc) {
		group, number := p.Spec().Layout.GroupOf(p.ID()), p.Group().Rank()
		teams := []*cluster.Team{p.All()}
		for range group + 1 { // another number in each group
			half := p.made(p.Split(p.Group(), number%2, -number))
			dup := p.made(p.Dup(half))
			teams = append(teams, half, dup)
			for range number%2 + 1 {
				p.meets(dup)
			}
		}
		across := p.made(p.Split(p.World(), number, p.ID()))
		for _, team := range append(teams, across) {
			p.meets(team)
		}
		// The same envelope in two teams of the same members.
		a := p.made(p.Dup(across))
		switch a.Rank() {
		case 0:
			p.ok(p.Send(a, 1, 7, cluster.Of([]byte{1})))
			p.ok(p.Send(across, 1, 7, cluster.Of([]byte{2})))
		case 1:
			var b [1]byte
			for i, team := range []*cluster.Team{across, a} {
				p.status(p.Recv(team, cluster.AnySource, cluster.AnyTag, cluster.Of(b[:])))
				same(p, "message in team "+team.Name(), int(b[0]), 2-i)
			}
		}
	})
}

// Renumbering by messages (paper 1, sections 3.1, 3.2.1, 3.2.2).
func (s *suite) renumberGivesTheIDs(t *testing.T) {
	for _, model := range cluster.Models {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s seed %d", model, seed), func(t *testing.T) {
				spec := s.grouped(model, 4, 3, seed)
				ids := IDs(&spec.Layout)
				s.run(t, spec, func(p *proc) {
					team, group, err := p.Renumber()
					p.ok(err)
					got := cluster.Triple{Group: group, UPC: p.Group().Rank(), MPI: team.Rank()}
					same(p, "ID", got, ids[p.ID()])
					if got.MPI >= 0 {
						p.meets(team)
					}
				})
			})
		}
	}
}

// Nested-funneled: only UPC thread 0 of a group calls MPI (section 3.2.1).
func (s *suite) funneledRefusesMPICalls(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedFunneled, 2, 2, 0), func(p *proc) {
		r := p.Rank
		if r.Group().Rank() == 0 {
			p.meets(r.World())
			return
		}
		word := make([]int64, 1)
		calls := map[string]error{
			"bcast":          coll.Bcast(r, r.World(), 0, cluster.Data{}),
			"reduce":         coll.Reduce(r, r.World(), 0, cluster.Sum, word, word),
			"allreduce":      coll.Allreduce(r, r.World(), cluster.Sum, word, word),
			"gather":         coll.Gather(r, r.World(), 0, cluster.Data{}, cluster.Data{}),
			"allgather":      coll.Allgather(r, r.World(), cluster.Data{}, cluster.Data{}),
			"neighbour sync": r.SyncNeighbours(r.World(), nil),
		}
		_, calls["split"] = r.Split(r.World(), 0, 0)
		_, calls["dup"] = r.Dup(r.World())
		_, calls["new window"] = rma.NewWindow(r, r.World(), 8)
		for call, err := range calls {
			p.refused(err, fmt.Sprintf("%s: UPC thread 1 of group %d may not call MPI in nested-funneled: only UPC thread "+
				"0 of a group has an MPI rank; let it make the call, or use nested-multiple", call, r.ID()/2))
		}
	})
}
