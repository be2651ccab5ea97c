package clustertest

import (
	"math/rand/v2"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Ops is a set of operations.
type Ops uint32

// The operations of programs.
const (
	Messages Ops = 1 << iota // sends, and receives that name source and tag
	Wildcards
	Probes
	Polls // calls that are repeated until they succeed
	Moves // puts and gets of all shapes
	Signals
	Atomics
	RPCs // and events
	Computing
	Syncs // barriers and neighbour syncs
	Collectives
	Teams // that the program makes
	Windows
	Cancels
	Memories // of devices, and paths in a node
	Regions  // of several threads
	Locks    // that order the calls of a rank's threads; they order nothing in virtual time
	AllOps   = 1<<iota - 1
)

// A Mix lists the parts of a program. Its zero value includes everything.
type Mix struct {
	Ops      Ops   // 0: all
	Ranks    int   // 0: drawn
	Threads  int   // of regions; 0: drawn
	Limit    int64 // eager limit; 0: drawn
	Phases   int   // 0: drawn
	Length   int   // exchanges of a phase; 0: drawn
	Shared   bool  // every phase is a region whose threads share their receives
	OnlyTeam bool  // other ranks of the launch make no call
}

// drawer makes a program.
type drawer struct {
	*Program
	mix     Mix
	rng     *rand.Rand
	segment int64
	free    []int64 // the first byte of each segment that is not used yet
	private [][]int // words of each segment that one actor uses, by actor
	nextReq int
	windows int

	// of the phase
	last         int
	sends, recvs map[matching]int // where the next message of a stream may start
	busy         []int            // until when a split-phase barrier is active, by team
	sums         []int            // signals that a rank awaits at the end
}

// matching names a stream of messages at one of its ends. A field is -1 if it does not
// distinguish streams.
type matching struct {
	team     int
	src, dst actor
	tag      int
}

// programWords is the number of words at the start of each segment: one that all add to,
// one that counts signals, flags, and words of one actor.
const (
	programWords = 128
	sharedWord   = 0
	sumWord      = 1
	firstWord    = 2
	wordBytes    = 8 * programWords
	readOnly     = 512 // bytes behind the words that each rank fills before the first phase
	windowBytes  = 256
	maxWindows   = 24
)

// Draw makes a program from a seed.
func Draw(seed uint64, m Mix) *Program {
	rng := rand.New(rand.NewPCG(seed, 0x70726f67))
	ranks := []int{2, 3, 4, 6, 8, 20}[rng.IntN(6)]
	threads, limit := 2+rng.IntN(2), []int64{0, 64, 256, 4096}[rng.IntN(4)]
	if m.Ops == 0 {
		m.Ops = AllOps
	}
	if m.OnlyTeam {
		m.Ops &^= Teams | Windows // calls of all ranks
	}
	if m.Ranks > 0 {
		ranks = m.Ranks
	}
	if m.Threads > 0 {
		threads = m.Threads
	}
	if m.Limit > 0 {
		limit = m.Limit
	}
	d := &drawer{Program: &Program{Seed: seed, Ranks: ranks, Threads: threads, Limit: limit, firstTeam: m.OnlyTeam},
		mix: m, rng: rng,
		segment: 48 << 10, free: make([]int64, ranks), private: make([][]int, ranks), sums: make([]int, ranks)}
	d.served = make([]int, ranks)
	for r := range ranks {
		d.free[r] = wordBytes + readOnly
		d.words, d.image = append(d.words, make([]uint64, firstWord, programWords)), append(d.image, make([]byte, d.segment))
		d.private[r] = make([]int, threads)
		copy(d.image[r][wordBytes:], payload(rankNumbers+r, readOnly))
	}
	all := make([]int, ranks)
	for i := range all {
		all[i] = i
	}
	for _, s := range []stream{teamWorld: exact, teamAll: fifo, teamGroup: anything} {
		d.teams = append(d.teams, teamPlan{stream: s, members: all})
	}
	phases := 2 + rng.IntN(3)
	if m.Phases > 0 {
		phases = m.Phases
	}
	for range phases {
		d.phase()
	}
	return d.Program
}

func (d *drawer) has(o Ops) bool { return d.mix.Ops&o == o }

// one is true in one of n cases.
func (d *drawer) one(n int) bool { return d.rng.IntN(n) == 0 }

// style draws one of n styles; of each two the second one polls.
func (d *drawer) style(n int) int {
	if !d.has(Polls) {
		return 2 * d.rng.IntN((n+1)/2)
	}
	return d.rng.IntN(n)
}

// operations lists the kinds of exchanges, each with its weight.
var operations = []struct {
	ops   Ops
	times int
	alone bool // not in a region
	draw  func(d *drawer, at int)
}{
	{Messages, 24, false, (*drawer).message},
	{Messages, 1, false, (*drawer).ring},
	{Moves, 8, false, (*drawer).move},
	{Moves | Signals, 4, false, (*drawer).signal},
	{Atomics, 2, false, (*drawer).atomic},
	{RPCs, 2, false, (*drawer).call},
	{RPCs, 1, true, (*drawer).event},
	{Computing, 2, false, (*drawer).compute},
	{Syncs, 1, false, (*drawer).barrier},
	{Syncs | Moves, 1, false, (*drawer).sync},
	{Collectives, 3, false, (*drawer).collective},
	{Windows, 1, true, (*drawer).window},
	{Cancels, 1, false, (*drawer).cancel},
}

// phase appends a phase.
func (d *drawer) phase() {
	ph := phase{threads: 1, before: make([][]call, d.Ranks), calls: make([][][]call, d.Ranks),
		after: make([][]call, d.Ranks)}
	if d.mix.Shared || d.has(Regions) && d.one(3) {
		ph.threads = d.Threads
	}
	for r := range ph.calls {
		ph.calls[r] = make([][]call, ph.threads)
	}
	d.phases = append(d.phases, ph)
	d.last = d.mix.Length
	if d.last == 0 {
		d.last = 10 + d.rng.IntN(30) + 2*d.Ranks
	}
	d.sends, d.recvs = map[matching]int{}, map[matching]int{}
	if d.firstTeam && len(d.phases) == 1 {
		d.make(exact, bySubteam, d.teams[teamWorld].members)
	}
	teams := len(d.teams)
	if d.mix.Shared || d.has(Teams) && (ph.threads > 1 || len(d.phases) == 1 || d.one(2)) {
		d.makeTeams()
	}
	d.busy = make([]int, len(d.teams))
	total := 0
	for _, o := range operations {
		if d.has(o.ops) && !(o.alone && ph.threads > 1) {
			total += o.times
		}
	}
	for at := range d.last {
		k := d.rng.IntN(total)
		for _, o := range operations {
			if !d.has(o.ops) || o.alone && ph.threads > 1 {
				continue
			}
			k -= o.times
			if k < 0 {
				o.draw(d, at)
				break
			}
		}
	}
	d.endPhase(teams)
}

// endPhase completes the calls of a phase, and may free the teams from a number on.
func (d *drawer) endPhase(teams int) {
	ph := &d.phases[len(d.phases)-1]
	for r, n := range d.sums {
		if n > 0 {
			d.add(actor{r, 0}, call{at: d.last, stage: waiting, verb: vAwaitSum, n: n})
		}
	}
	if teams < len(d.teams) && d.one(2) {
		for i := teams; i < len(d.teams); i++ {
			d.all(d.teams[i].members, 0, call{at: after, verb: vFree, index: i})
			d.teams[i].freed = true
		}
	}
	for r := range ph.calls {
		for t := range ph.calls[r] {
			if d.has(Wildcards) {
				d.add(actor{r, t}, call{at: d.last, stage: waiting, verb: vAdopt})
			}
			ph.calls[r][t] = order(ph.calls[r][t])
		}
	}
	d.written = append(d.written, slices.Clone(d.free))
}

// Positions outside the region.
const (
	before = -1
	after  = 1 << 30
)

func (d *drawer) add(a actor, cs ...call) {
	ph := &d.phases[len(d.phases)-1]
	for _, c := range cs {
		list := &ph.calls[a.rank][a.thread]
		switch c.at {
		case before:
			list = &ph.before[a.rank]
		case after:
			list = &ph.after[a.rank]
		}
		*list = append(*list, c)
		d.Calls++
	}
}

// all adds a call for a thread of each of several ranks.
func (d *drawer) all(ranks []int, thread int, c call) {
	for _, r := range ranks {
		d.add(actor{r, thread}, c)
	}
}

// start adds a nonblocking call and the wait for it: alone, or at the end of the phase
// together with others.
func (d *drawer) start(a actor, c call, to int) {
	d.nextReq++
	c.req = d.nextReq
	d.add(a, c, d.end(c.req, to))
}

func (d *drawer) end(req, to int) call {
	if to < d.last {
		return call{at: to, stage: waiting, verb: vWait, n: 1, req: req, style: d.style(2)}
	}
	return call{at: d.last, stage: ending, verb: vWait, n: 1, req: req, style: d.style(6)}
}

func (d *drawer) threads() int     { return d.phases[len(d.phases)-1].threads }
func (d *drawer) actor() actor     { return actor{d.rng.IntN(d.Ranks), d.rng.IntN(d.threads())} }
func (d *drawer) later(at int) int { return at + d.rng.IntN(d.last-at+1) }

// size draws a length, on both sides of the eager limit.
func (d *drawer) size() int {
	l := int(d.Limit)
	all := []int{0, 8, 16, 17, 24, max(l-1, 0), l, l + 1, 3*l + 5, 100, 9000}
	if d.mix.Shared { // many messages
		all = all[:8]
	}
	return all[d.rng.IntN(len(all))]
}

func (d *drawer) memory() cluster.Memory {
	if d.has(Memories) && d.one(3) {
		return cluster.DeviceMemory
	}
	return cluster.HostMemory
}

func (d *drawer) compute(at int) {
	d.add(d.actor(), call{at: at, stage: waiting, verb: vCompute, n: 1 + d.rng.IntN(5000), style: d.rng.IntN(4)})
}

func (d *drawer) cancel(at int) {
	d.add(d.actor(), call{at: at, stage: waiting, verb: vCancel, n: 1 + d.rng.IntN(5), style: d.rng.IntN(5)})
}

// team draws a team that something holds for.
func (d *drawer) team(holds func(t *teamPlan) bool) (int, bool) {
	n := len(d.teams)
	for i, first := 0, d.rng.IntN(n); i < n; i++ {
		if t := &d.teams[(first+i)%n]; len(t.members) > 0 && !t.freed && holds(t) {
			return (first + i) % n, true
		}
	}
	return 0, false
}

// joint draws a team whose members may make a call together, and the thread that calls.
func (d *drawer) joint() (team, thread int) {
	least := 0
	if d.firstTeam {
		least = teamsOfLaunch
	}
	team, _ = d.team(func(t *teamPlan) bool { return !t.stream.shared() })
	team = max(team, least)
	return team, team % d.threads()
}

// makeTeams adds calls that make teams: parts of MPI_COMM_WORLD, a list of ranks, and
// duplicates whose messages match in each way, or one team for each thread.
func (d *drawer) makeTeams() {
	world := d.teams[teamWorld].members
	d.split()
	d.make(d.drawStream(), bySubteam, d.rng.Perm(d.Ranks)[:1+d.rng.IntN(d.Ranks)])
	if d.threads() == 1 {
		d.make(d.drawStream(), byDup, world)
		return
	}
	lists := [][]int{}
	for range d.Threads {
		lists = append(lists, world)
	}
	d.make(d.drawStream(), byEndpoints, lists...)
	for s := sharedAny; s < streams && d.has(Wildcards); s++ {
		if s < sharedInOrder || d.has(Locks) {
			d.make(s, byDup, world)
		}
	}
}

// make adds a call of all ranks that makes teams of given members.
func (d *drawer) make(s stream, how teamHow, lists ...[]int) (first int) {
	first = len(d.teams)
	for _, members := range lists {
		d.teams = append(d.teams, teamPlan{stream: s, how: how, first: first, members: members})
	}
	callers := d.teams[teamWorld].members
	if how == bySubteam {
		callers = lists[0]
	}
	d.all(callers, 0, call{at: before, verb: vTeam, index: first, n: len(lists)})
	return first
}

// drawStream draws how the messages of a team match.
func (d *drawer) drawStream() stream {
	if d.has(Wildcards) {
		return []stream{exact, fifo, anything}[d.rng.IntN(3)]
	}
	return exact
}

// split parts MPI_COMM_WORLD by random colors and keys; ranks of color -1 are in no team.
func (d *drawer) split() {
	var colors, keys []int
	lists := make([][]int, 3)
	for range d.Ranks {
		colors, keys = append(colors, d.rng.IntN(4)-1), append(keys, d.rng.IntN(5)-2)
	}
	for color := range lists {
		for key := -2; key <= 2; key++ {
			for r := range d.Ranks {
				if colors[r] == color && keys[r] == key {
					lists[color] = append(lists[color], r)
				}
			}
		}
	}
	first := d.make(d.drawStream(), bySplit, lists...)
	d.teams[first].colors, d.teams[first].keys = colors, keys
}
