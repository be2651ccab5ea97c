package clustertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

func (s *suite) testSplit(t *testing.T) {
	t.Run("members are ordered by key, then by rank", s.splitOrdersByKeyThenByRank)
	t.Run("contexts are their teams' alone", s.contextsAreTheirTeamsAlone)
	t.Run("teams by a rule need no gather", s.subteamsFollowARule)
	t.Run("a list that is no team's is refused", s.subteamsAreChecked)
	t.Run("renumbering gives the IDs", s.renumberGivesTheIDs)
	t.Run("nested-funneled refuses MPI calls", s.funneledRefusesMPICalls)
}

// Members by color, in the order of key and then of the old rank, whatever the
// colors and keys; and each new team works.
func (s *suite) splitOrdersByKeyThenByRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 9).Draw(t, "ranks")
		colors := rapid.SliceOfN(rapid.IntRange(-1, 2), p, p).Draw(t, "colors")
		keys := rapid.SliceOfN(rapid.IntRange(-2, 2), p, p).Draw(t, "keys")
		err := Launch(t, s.fabric, s.spec(p), func(r *cluster.Rank) error {
			me := r.ID()
			team, err := r.Split(r.World(), colors[me], keys[me])
			if err != nil {
				return err
			}
			if colors[me] < 0 {
				if team != nil {
					return fmt.Errorf("rank %d is of undefined color and got team %s", me, team.Name())
				}
				return nil
			}
			var want []int32
			for i := range p {
				if colors[i] == colors[me] {
					want = append(want, int32(i))
				}
			}
			slices.SortStableFunc(want, func(a, b int32) int { return keys[a] - keys[b] })
			if d := cmp.Diff(want, team.Members()); d != "" {
				return fmt.Errorf("rank %d: %s", me, d)
			}
			if int(want[team.Rank()]) != me {
				return fmt.Errorf("rank %d: number %d in team %v", me, team.Rank(), want)
			}
			return meets(r, team)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// meets makes a team's members add up their ranks.
func meets(r *cluster.Rank, team *cluster.Team) error {
	want := int64(0)
	for _, m := range team.Members() {
		want += int64(m)
	}
	got := []int64{int64(r.ID())}
	if err := coll.Allreduce(r, team, cluster.Sum, got, got); err != nil {
		return err
	}
	if got[0] != want {
		return fmt.Errorf("rank %d: the ranks of team %s add up to %d, want %d", r.ID(), team.Name(), got[0], want)
	}
	return r.Barrier(team)
}

// The rows and the columns of a grid: each works, in the order of its list, and none
// meets in another's barriers.
func (s *suite) subteamsFollowARule(t *testing.T) {
	const rows, cols = 2, 3
	s.must(t, s.spec(rows*cols), func(r *cluster.Rank) error {
		at := r.World().Rank()
		var row, col []int
		for j := range cols {
			row = append(row, at/cols*cols+cols-1-j) // backwards
		}
		for i := range rows {
			col = append(col, i*cols+at%cols)
		}
		for range 3 {
			for _, list := range [][]int{row, col} {
				team, err := r.Subteam(r.World(), list)
				if err != nil {
					return err
				}
				if team.Size() != len(list) || list[team.Rank()] != at {
					return fmt.Errorf("rank %d: number %d of %d in the team of %v", at, team.Rank(), team.Size(), list)
				}
				for range team.Members()[0]%3 + 1 { // another number in each
					if err := meets(r, team); err != nil {
						return err
					}
				}
				if err := r.FreeTeam(team); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (s *suite) subteamsAreChecked(t *testing.T) {
	for what, list := range map[string][]int{"two times": {0, 0}, "beyond": {0, 2}, "negative": {0, -1}, "without the caller": {1}, "nobody": nil} {
		err := Launch(t, s.fabric, s.spec(2), func(r *cluster.Rank) error {
			if r.World().Rank() > 0 {
				return nil
			}
			_, err := r.Subteam(r.World(), list)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "rank 0: subteam of ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Teams that were split from different parents, a different number of times, do
// not meet in each other's barriers, nor in messages.
func (s *suite) contextsAreTheirTeamsAlone(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedMultiple, 3, 4, 2), func(r *cluster.Rank) error {
		group := r.Spec().Layout.GroupOf(r.ID())
		teams := []*cluster.Team{r.World(), r.Group(), r.All()}
		for range group + 1 { // another number in each group
			half, err := r.Split(r.Group(), r.Group().Rank()%2, -r.Group().Rank())
			if err != nil {
				return err
			}
			dup, err := r.Dup(half)
			if err != nil {
				return err
			}
			teams = append(teams, half, dup)
			for range r.Group().Rank()%2 + 1 {
				if err := meets(r, dup); err != nil {
					return err
				}
			}
		}
		across, err := r.Split(r.World(), r.Group().Rank(), r.ID())
		if err != nil {
			return err
		}
		for _, team := range append(teams[2:], across) {
			if err := meets(r, team); err != nil {
				return err
			}
		}
		// The same envelope in two teams of the same two members.
		a, err := r.Dup(across)
		if err != nil {
			return err
		}
		if a.Rank() == 0 {
			if err := r.Send(a, 1, 7, cluster.Of([]byte{1})); err != nil {
				return err
			}
			return r.Send(across, 1, 7, cluster.Of([]byte{2}))
		}
		if a.Rank() == 1 {
			for _, c := range []struct {
				team *cluster.Team
				want byte
			}{{across, 2}, {a, 1}} {
				var b [1]byte
				if _, err := r.Recv(c.team, cluster.AnySource, cluster.AnyTag, cluster.Of(b[:])); err != nil {
					return err
				}
				if b[0] != c.want {
					return fmt.Errorf("team %s received %d, want %d", c.team.Name(), b[0], c.want)
				}
			}
		}
		return nil
	})
}

// Renumbering by messages (sections 3.1, 3.2.1, 3.2.2) gives the triples that
// the layout computes.
func (s *suite) renumberGivesTheIDs(t *testing.T) {
	for _, model := range cluster.Models {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s seed %d", model, seed), func(t *testing.T) {
				spec := s.grouped(model, 4, 3, seed)
				ids := spec.Layout.IDs()
				s.must(t, spec, func(r *cluster.Rank) error {
					team, group, err := r.Renumber()
					if err != nil {
						return err
					}
					got := cluster.Triple{Group: group, UPC: r.Group().Rank(), MPI: team.Rank()}
					if got != ids[r.ID()] {
						return fmt.Errorf("rank %d has ID %s, want %s", r.ID(), got, ids[r.ID()])
					}
					if got.MPI < 0 {
						return nil
					}
					return meets(r, team)
				})
			})
		}
	}
}

// Nested-funneled: only UPC thread 0 of a group calls MPI (section 3.2.1).
func (s *suite) funneledRefusesMPICalls(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedFunneled, 2, 2, 0), func(r *cluster.Rank) error {
		if r.Group().Rank() == 0 {
			return meets(r, r.World())
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
			if err := Refused(err, fmt.Sprintf("rank %d: %s: UPC thread 1 of group %d may not call MPI in nested-funneled: only UPC thread 0 of a group has an MPI rank; let it make the call, or use nested-multiple",
				r.ID(), call, r.ID()/2)); err != nil {
				return err
			}
		}
		return nil
	})
}
