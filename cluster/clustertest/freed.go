package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// testFreedTeams makes teams and frees them.
func (s *suite) testFreedTeams(t *testing.T) {
	s.test(t, "teams that were freed make room, and those that were not stay", 4, func(p *proc) {
		kept, err := p.Dup(p.World())
		p.ok(err)
		b := make([]byte, 8)
		for i := range s.times(40) {
			half, err := p.Split(p.World(), p.World().Rank()%2, 0)
			p.ok(err)
			later, err := p.Dup(p.World())
			p.ok(err)
			p.ok(p.Barrier(half))
			_, err = p.Sendrecv(half, 1-half.Rank(), 1, cluster.Of(data(8, i)), 1-half.Rank(), 1, cluster.Of(b))
			p.ok(err)
			p.holds("message", b, i)
			p.ok(p.FreeTeam(half))
			p.fails(p.Barrier(half), "not a member")
			p.ok(p.Barrier(later))
			p.ok(p.Barrier(kept))
			p.ok(p.FreeTeam(later))
		}
		p.ok(p.Barrier(kept))
	})

	s.test(t, "a team of the launch stays", 2, func(p *proc) {
		for _, team := range []*cluster.Team{p.World(), p.All(), p.Group()} {
			p.fails(p.FreeTeam(team), "from the launch on")
		}
		p.fails(p.FreeTeam(nil), "no team")
	})
}
