package coll

import "github.com/hybridtop/hybridtop/cluster"

// Use sets the table of the Comm. Every member passes the same table; nil: none.
func (c *Comm) Use(t *Table) {
	c.table = t
	c.columns = nil
	if t == nil {
		return
	}
	c.columns = new([Collectives]Column)
	for what := range c.columns {
		c.columns[what] = t.Column(Collective(what), int32(c.team.Size()), c.perNode())
	}
}

// perNode returns the number of members per node.
func (c *Comm) perNode() int32 {
	l := &c.r.Spec().Layout
	p := int32(c.team.Size())
	nodes := map[int]bool{}
	for _, rank := range c.team.Members() {
		nodes[l.NodeOf(int(rank))] = true
	}
	n := int32(len(nodes))
	return (p + n - 1) / n
}

// Choose returns the key for a collective on n bytes, per block if blocks are numbered by member.
// Without an entry in a table it prefers loads if they reach all members, otherwise the first
// algorithm that supports the call.
func (c *Comm) Choose(what Collective, n int64, lacks Needs) (Key, error) {
	if !c.Networked() {
		lacks |= Network
	}
	var choice Choice
	ok := false
	if c.columns != nil {
		choice, ok = c.columns[what].Choose(n, lacks)
	}
	if !ok {
		var err error
		choice, err = c.prefer(Tuple{Collective: what, Ranks: int32(c.team.Size()), Bytes: n, Lacks: lacks})
		if err != nil {
			return Key{}, err
		}
	}
	return choice.Placed(c.places()).Key(int32(c.team.Size()))
}

// places returns the placement of members on nodes.
func (c *Comm) places() Places {
	if c.placement == nil {
		at := PlacesOf(&c.r.Spec().Layout, c.team)
		c.placement = &at
	}
	return *c.placement
}

// Refiner tunes a choice at run time (paper 5, section 3.6). The program tries its candidates one
// after another, and reports the time of each try. After each round of tries, candidates that are
// much slower than the best one drop out. After the last round, the fastest candidate remains.
//
// Every member of the team makes a Refiner with the same numbers, and reports the same tries. The
// Refiner takes the time of the slowest member, so that all members make the same choice.
type Refiner struct {
	r       *cluster.Rank
	team    *cluster.Team
	tries   int
	trials  []Trial
	now     int // candidate to use
	settled bool
	word    [1]int64
}

// Trial has the tries of a candidate.
type Trial struct {
	Tries   int
	Fastest cluster.Time // of the tries; 0: none
	Total   cluster.Time // sum of the tries
	Dropped bool         // it was much slower than another candidate
}

// nearFastest is the time relative to the fastest candidate above which a candidate drops out.
const nearFastest = 1.4

// NewRefiner returns a Refiner for a number of candidates, with the given tries per candidate.
func NewRefiner(r *cluster.Rank, team *cluster.Team, candidates, tries int) *Refiner {
	if candidates == 1 {
		return &settledRefiner
	}
	return &Refiner{r: r, team: team, tries: max(tries, 1), trials: make([]Trial, candidates), settled: candidates < 2}
}

// settledRefiner is the Refiner for a single candidate. Nothing changes it, so all members share it.
var settledRefiner = Refiner{trials: make([]Trial, 1), settled: true}

// Now returns the candidate to use: the next one to try, or the choice.
func (f *Refiner) Now() int { return f.now }

// Settled reports whether the tries have ended.
func (f *Refiner) Settled() bool { return f.settled }

// Trials returns the tries by candidate. The caller must not change them.
func (f *Refiner) Trials() []Trial { return f.trials }

// Took reports the time of a try on this member. It returns the time of the slowest member. After
// the tries have ended, it does nothing.
func (f *Refiner) Took(local cluster.Time) (cluster.Time, error) {
	if f.settled {
		return local, nil
	}
	f.word[0] = int64(local)
	if err := Allreduce(f.r, f.team, cluster.Max, f.word[:], f.word[:]); err != nil {
		return 0, err
	}
	took := cluster.Time(f.word[0])
	t := &f.trials[f.now]
	if t.Tries == 0 || took < t.Fastest {
		t.Fastest = took
	}
	t.Tries++
	t.Total += took
	round := t.Tries
	for f.now++; f.now < len(f.trials) && f.trials[f.now].Dropped; {
		f.now++
	}
	if f.now == len(f.trials) {
		f.endRound(round)
	}
	return took, nil
}

// endRound drops slow candidates, and ends the tries if no other candidate is left or all rounds
// are complete.
func (f *Refiner) endRound(round int) {
	best, left := f.fastest(), 0
	drops := round > 1 || f.r.Spec().Clock == cluster.VirtualClock // on a real clock the first try is slow
	f.now = -1
	for i := range f.trials {
		t := &f.trials[i]
		t.Dropped = t.Dropped || drops && float64(t.Fastest) > nearFastest*float64(f.trials[best].Fastest)
		if t.Dropped {
			continue
		}
		left++
		if f.now < 0 {
			f.now = i
		}
	}
	if left == 1 || round == f.tries {
		f.now, f.settled = best, true
	}
}

// fastest returns the candidate with the fastest try; the first one of equal ones.
func (f *Refiner) fastest() int {
	best := 0
	for i := range f.trials {
		if f.trials[i].Tries > 0 && f.trials[i].Fastest < f.trials[best].Fastest {
			best = i
		}
	}
	return best
}

// Cost returns the time that all tries took beyond the fastest try of the best candidate.
func (f *Refiner) Cost() cluster.Time {
	best, cost := f.trials[f.fastest()].Fastest, cluster.Time(0)
	for _, t := range f.trials {
		cost += t.Total - cluster.Time(t.Tries)*best
	}
	return cost
}
