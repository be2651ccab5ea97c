package clustertest

import "github.com/hybridtop/hybridtop/cluster"

var freedTeamCases = []testCase{
	{"a freed team makes room for new ones, and the others stay", onRanks(4, freedTeamsMakeRoom)},
	{"a team of the launch cannot be freed", onRanks(2, launchTeamsStay)},
}

func freedTeamsMakeRoom(p *proc) {
	kept := p.made(p.Dup(p.World()))
	b := make([]byte, 8)
	for i := range p.times(40) {
		half := p.made(p.Split(p.World(), p.World().Rank()%2, 0))
		later := p.made(p.Dup(p.World()))
		p.ok(p.Barrier(half))
		p.status(p.Sendrecv(half, 1-half.Rank(), 1, cluster.Of(data(8, i)), 1-half.Rank(), 1, cluster.Of(b)))
		p.holds("message", b, i)
		p.ok(p.FreeTeam(half))
		p.fails(p.Barrier(half), "not a member")
		p.ok(p.Barrier(later))
		p.ok(p.Barrier(kept))
		p.ok(p.FreeTeam(later))
	}
	p.ok(p.Barrier(kept))
}

func launchTeamsStay(p *proc) {
	for _, team := range []*cluster.Team{p.World(), p.All(), p.Group()} {
		p.fails(p.FreeTeam(team), "a team of the launch")
	}
	p.fails(p.FreeTeam(nil), "no team")
}

// made returns a team of a call that must not fail.
func (p *proc) made(t *cluster.Team, err error) *cluster.Team { p.ok(err); return t }
