package algorithm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
)

// siteKey identifies the estimator of a team.
type siteKey struct {
	machine machineKey
	eager   int64
	ranks   int
	perNode int // of the team
	crowd   int // ranks per node of the launch
	sharing int
	nodes   uint64 // of the members, see placement
}

// machineKey has the numbers of a machine that determine estimates.
type machineKey struct {
	name                                  string
	classes                               [cluster.Classes]cluster.Link
	socket                                cluster.Link
	sockets, cores                        int
	flops, memoryRate, nodeRate, copyRate float64
	progress                              cluster.Progress
	server                                cluster.Server
	network                               cluster.CollectiveNetwork
	shape                                 cluster.Shape
	linkBandwidth                         float64
	hop                                   cluster.Time
	dims                                  [maxDims]int
	taper                                 [maxDims]float64
}

// maxDims is the maximum number of lengths of a topology.
const maxDims = 8

func keyOfMachine(m *cluster.Machine) machineKey {
	k := machineKey{
		name: m.Name, classes: m.Classes, socket: m.Socket, sockets: m.Sockets, cores: m.CoresPerNode, flops: m.Flops,
		memoryRate: m.MemoryRate, nodeRate: m.NodeRate, copyRate: m.CopyRate, progress: m.Progress, server: m.Server,
		network: m.CollectiveNetwork, shape: m.Topology.Shape, linkBandwidth: m.Topology.LinkBandwidth,
		hop: m.Topology.HopLatency,
	}
	copy(k.dims[:], m.Topology.Dims)
	copy(k.taper[:], m.Topology.Taper)
	return k
}

// costMachine returns the machine whose costs estimates use. It returns false if the machine states
// none, like this host without calibration.
func (w Team) costMachine() (*cluster.Machine, bool) {
	if w.Machine == nil {
		return nil, false
	}
	m := *w.Machine
	m.Nodes, m.MemoryPerNode = 0, 0
	if w.oneNode() { // formulas have the costs between nodes
		m.Classes[cluster.Remote] = m.Classes[cluster.InNode]
		m.Topology = cluster.Topology{}
	}
	_, err := coll.CostOf(&m)
	return &m, err == nil
}

// oneNode reports whether all ranks are in one node. On this host, they are.
func (w Team) oneNode() bool { return w.Reach() }

// eager returns the longest eager message in bytes.
func (w Team) eager(s Reader) int64 {
	if n := s.Int("eager-limit"); n >= 0 {
		return n
	}
	return w.Machine.EagerLimit
}

func (w Team) siteKey(m *cluster.Machine, s Reader, ranks int) siteKey {
	k := siteKey{machine: keyOfMachine(m), eager: w.eager(s), ranks: ranks, perNode: w.PerNode, crowd: w.crowd,
		sharing: w.sharing}
	k.nodes = w.placement(ranks)
	return k
}

// placement identifies the nodes of the members of a team with a number of ranks, see nodeOf.
func (w Team) placement(ranks int) uint64 {
	switch {
	case w.oneNode():
		return 0
	case len(w.nodes) == ranks:
		return w.placed
	case w.Places.Places > 0:
		return 1
	default:
		return 2
	}
}

// nodeOf returns the node of a member of a team with a number of ranks, on the same kind of nodes.
func (w Team) nodeOf(i, ranks int) int32 {
	switch per := max(w.PerNode, 1); {
	case w.oneNode():
		return 0
	case len(w.nodes) == ranks:
		return w.nodes[i]
	case w.Places.Places > 0:
		return int32(i % max((ranks+per-1)/per, 1))
	default:
		return int32(i / per)
	}
}

// knownSite is the estimator of a site, with the times that it has estimated.
type knownSite struct {
	*coll.Estimator
	times map[timeKey]cluster.Time
}

type timeKey struct {
	coll.Key
	bytes int64
}

// maxTimes is the maximum number of times of a site. A full map is cleared.
const maxTimes = 1 << 10

// time returns the time of a call on n bytes. The memory must be locked.
func (w Team) time(m *cluster.Machine, at siteKey, k *coll.Key, n int64) cluster.Time {
	x := w.site(m, at)
	call := timeKey{*k, n}
	t, isKnown := x.times[call]
	if !isKnown {
		t = w.estimated(m, at, k, n)
		if len(x.times) >= maxTimes {
			clear(x.times)
		}
		x.times[call] = t
	}
	return t
}

// estimated estimates a call. If the team is too large, it multiplies the time on a part of its nodes by the ratio of
// the formulas.
func (w Team) estimated(m *cluster.Machine, at siteKey, k *coll.Key, n int64) cluster.Time {
	x, unit := w.site(m, at), element(k.Algorithm.Collective)
	whole := x.Estimate(*k, n, unit)
	if at.ranks <= coll.MaxDense || x.CanEstimate(*k) {
		return whole
	}
	part, err := w.part(k)
	if err != nil {
		return whole
	}
	c, err := coll.CostOf(m)
	if err != nil {
		panic(err) // costMachine has costs
	}
	alone := part.Predict(&c, n)
	if alone == 0 {
		return whole
	}
	at.ranks = int(part.Ranks)
	at.nodes = w.placement(at.ranks)
	return cluster.Time(float64(w.time(m, at, &part, n)) * float64(whole) / float64(alone))
}

// part returns the key for as many of the team's nodes as an Estimator accepts. The part has a power of two ranks, or an
// odd number, only if the team has.
func (w Team) part(k *coll.Key) (coll.Key, error) {
	most := coll.MaxEstimated
	per := max(w.PerNode, 1)
	if k.Ranks <= coll.MaxEstimated || w.oneNode() || 2*per > most {
		most = coll.MaxDense
	}
	if w.oneNode() || per > most {
		per = 1
	}
	ranks, team := most/per*per, int(k.Ranks)
	if k.Algorithm.Needs&coll.PowerOfTwo != 0 {
		ranks = most
	}
	if isPowerOfTwo(ranks) && !isPowerOfTwo(team) {
		ranks -= per
	}
	if ranks%2 == 1 && team%2 == 0 {
		ranks -= per
	}
	p := coll.Parameters{Ranks: max(ranks, 1), Radix: int(k.Radix), Segments: int(k.Segments), Modes: k.Modes, Places: k.Places}
	if p.Places.Places > 0 {
		p.Places.Places = int32(ranks / per)
	}
	return k.Algorithm.Key(p)
}

func isPowerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// site returns the estimator of a site. The memory must be locked.
func (w Team) site(m *cluster.Machine, at siteKey) *knownSite {
	if x := memory.sites[at]; x != nil {
		return x
	}
	s := &coll.Site{Machine: m, EagerLimit: at.eager, PerNode: max(w.crowd, w.PerNode), Sharing: at.sharing}
	nodes := int32(0)
	for i := range at.ranks {
		s.Nodes = append(s.Nodes, w.nodeOf(i, at.ranks))
		nodes = max(nodes, s.Nodes[i]+1)
	}
	if shape := m.Topology.Shape; nodes > 0 && shape != "" && shape != cluster.Crossbar {
		if net, err := topology.New(m.Topology, int(nodes)); err == nil { // a larger team has no network to share
			s.Links = net
		}
	}
	e, err := coll.NewEstimator(s)
	if err != nil {
		panic(err) // costMachine has costs
	}
	if memory.siteRanks += at.ranks; memory.sites == nil || len(memory.sites) >= maxSites || memory.siteRanks > maxSiteRanks {
		memory.sites, memory.siteRanks = map[siteKey]*knownSite{}, at.ranks
	}
	x := &knownSite{Estimator: e, times: map[timeKey]cluster.Time{}}
	memory.sites[at] = x
	return x
}

// Estimate returns the time of a call on n bytes by the cost model, with the resources that the
// team's ranks share. It returns false if the machine states no costs.
func (w Team) Estimate(s Reader, k *coll.Key, n int64) (cluster.Time, bool) {
	m, ok := w.costMachine()
	if !ok {
		return k.Predict(&Nominal, n), false
	}
	at := w.siteKey(m, s, int(k.Ranks))
	memory.Lock()
	defer memory.Unlock()
	return w.time(m, at, k, n), true
}

// Messages returns the number of messages of a call, or 0 if the machine states no costs.
func (w Team) Messages(s Reader, k *coll.Key) int {
	m, ok := w.costMachine()
	if !ok {
		return 0
	}
	at := w.siteKey(m, s, int(k.Ranks))
	memory.Lock()
	defer memory.Unlock()
	return w.site(m, at).Messages(*k)
}
