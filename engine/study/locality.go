package study

import (
	"math"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// LocalityName is the name of the study of locality.
const LocalityName = "locality"

// Columns of the study of locality: the costs and results of a group size.
const (
	LocalityGroup    = iota
	LocalityMemory   // bytes per node
	LocalityRank     // share of accesses in the local rank
	LocalityAccess   // mean access time, s
	LocalityLaw      // the same by the law, s
	LocalityNode     // share inside the local node, including the local rank
	LocalityReplicas //
	LocalityLawRank  // share by the law: 1/G (paper 1, section 4.3.1)
	LocalityLawNode  // |group ∩ node|/G
	LocalityAccesses // number of accesses in the row
	LocalityWhole    // time of the program per access, s
	localityColumns
)

var localityForm = engine.Form{
	Name: LocalityName, Title: "Locality", Of: "an access", Item: "group", Metric: "access_time_mean",
	Absent: "this workload has no group sizes to compare",
	Columns: []engine.Column{
		LocalityGroup:    {Name: "group", Unit: "1"},
		LocalityMemory:   {Name: "memory_per_node", Title: "mem/node", Unit: "B", Wide: 10},
		LocalityRank:     {Name: "rank_local_share", Title: "rank", Unit: "%", Wide: 6, Legend: "in rank"},
		LocalityAccess:   {Name: "access_time_mean", Title: "access", Unit: "s", Wide: 9},
		LocalityLaw:      {Name: "access_time_law", Title: "law", Unit: "s", Wide: 9, Kind: engine.Modelled},
		LocalityNode:     {Name: "node_local_share", Title: "node", Unit: "%", Wide: 6, Legend: "in node"},
		LocalityReplicas: {Name: "replicas", Title: "copies", Unit: "1", Wide: 8},
		LocalityLawRank: {Name: "rank_local_share_law", Unit: "%", Kind: engine.Modelled, Legend: "law of 1/G",
			Short: "law"},
		LocalityLawNode:  {Name: "node_local_share_law", Unit: "%", Kind: engine.Modelled},
		LocalityAccesses: {Name: "accesses", Unit: "1"},
		LocalityWhole:    {Name: "time_per_access", Unit: "s"},
	},
	Charts: []engine.Chart{{Shape: engine.Curve, X: LocalityGroup,
		Y: []int{LocalityLawRank, LocalityLawNode, LocalityRank, LocalityNode}, XLog: 2}},
	Brief: engine.Brief{Before: "G ", Column: LocalityMemory, After: "/node"},
}

// Sums of a row by class: number of accesses, number of timed accesses, and their time in ps. The last sum is
// the time of the program in ps.
const (
	localityTimed = cluster.Classes
	localityTime  = 2 * cluster.Classes
	localityWhole = 3 * cluster.Classes
	localitySums  = localityWhole + 1
)

// Locality returns the study of group sizes: the locality of accesses, their time, and the memory
// needed, compared with the law (paper 1, section 4.3.1).
//
// memory returns the bytes of a rank's segment at a group size. whole is the metric with the time of the
// program per access, or "".
func Locality(whole string, memory func(s *engine.Scenario, group int) int64) *engine.Study {
	st := &engine.Study{
		Form:    localityForm,
		Varying: []string{"group", "model"},
		Adds:    true,
		ClockFree: func(raw []float64) []float64 {
			raw = slices.Clone(raw)
			clear(raw[localityTimed:])
			return raw
		},
		Frame: func(s *engine.Scenario, m *cluster.Machine, _ engine.Kind) engine.StudyView {
			return localityFrame(s, m, memory)
		},
		Observe:  func(s *engine.Snapshot) []engine.Row { return localityRows(s, whole) },
		Complete: completeLocality,
	}
	st.Fit = func(runs []*engine.Snapshot) (*engine.Fit, error) { return fitLocality(st, runs) }
	return st
}

// maxGroupSizes is the maximum number of group sizes that are shown without thinning.
const maxGroupSizes = 24

// maxPlacedRanks is the maximum number of ranks for which other group sizes are compared.
const maxPlacedRanks = 1 << 14

// localityFrame returns a row for each group size, with its memory, replicas, and shares by the
// law.
func localityFrame(s *engine.Scenario, m *cluster.Machine, memory func(*engine.Scenario, int) int64) engine.StudyView {
	layout := s.Layout()
	v := engine.StudyView{Now: -1, Plots: []engine.Plot{{YRange: engine.Range{Max: 1}}}}
	for _, g := range groupSizes(layout.Ranks(), layout.GroupSize()) {
		bytes := memory(s, g) * int64(layout.RanksPerNode)
		cells := make([]float64, localityColumns)
		for i := range cells {
			cells[i] = math.NaN()
		}
		shares := models.PlacedShares(layout.Ranks(), layout.NodeOf, func(rank int) int { return rank / g })
		cells[LocalityGroup] = float64(g)
		cells[LocalityMemory] = float64(bytes)
		cells[LocalityReplicas] = float64(layout.Ranks() / g)
		cells[LocalityLawRank] = shares.Rank
		cells[LocalityLawNode] = shares.Node
		cells[LocalityAccesses] = 0
		r := engine.Row{Key: groupKey(g), Label: strconv.Itoa(g), Cells: cells}
		if m.MemoryPerNode > 0 && bytes > m.MemoryPerNode {
			r.Flag = engine.Unfit
		}
		if g == layout.GroupSize() {
			v.Now = len(v.Rows)
		}
		v.Rows = append(v.Rows, r)
	}
	if i := slices.IndexFunc(v.Rows, func(r engine.Row) bool { return r.Flag != engine.Unfit }); i >= 0 {
		v.Rows[i].Flag = engine.Best // the smallest that fits
	}
	if n := len(v.Rows); n > 1 {
		v.Plots[0].XRange = engine.Range{Min: v.Rows[0].Cells[LocalityGroup] / 1.1,
			Max: v.Rows[n-1].Cells[LocalityGroup] * 1.1}
	}
	return v
}

func groupKey(g int) string { return "group " + strconv.Itoa(g) }

// groupSizes returns the divisors of ranks. If there are many, it keeps only the powers of two,
// ranks and group.
func groupSizes(ranks, group int) []int {
	if ranks > maxPlacedRanks {
		return []int{group}
	}
	var all []int
	for g := 1; g <= ranks; g++ {
		if ranks%g == 0 {
			all = append(all, g)
		}
	}
	if len(all) <= maxGroupSizes {
		return all
	}
	return slices.DeleteFunc(all, func(g int) bool {
		return g&(g-1) != 0 && g != group && g != ranks
	})
}

// localityRows returns the recorded accesses of the current run.
func localityRows(s *engine.Snapshot, whole string) []engine.Row {
	raw := make([]float64, localitySums)
	n := 0.0
	for c, a := range s.Accesses {
		n += float64(a.Count)
		raw[c] = float64(a.Count)
		raw[localityTimed+c] = float64(a.Count)
		raw[localityTime+c] = float64(a.Time)
	}
	if m, ok := s.Metric(whole); ok {
		raw[localityWhole] = m.Value * n * float64(cluster.Second)
	}
	g := s.Layout.GroupSize()
	return []engine.Row{{Key: groupKey(g), Label: strconv.Itoa(g), Kind: s.Kind, Raw: raw}}
}

// completeLocality fills in the measured values and the law. The law is each class's mean latency
// over all rows, weighted by the law's shares.
func completeLocality(v *engine.StudyView, s *engine.Snapshot) {
	now := groupKey(s.Layout.GroupSize())
	v.Rows = slices.DeleteFunc(v.Rows, func(r engine.Row) bool { return len(r.Cells) == 0 }) // sizes that were thinned out
	v.Now = indexOfKey(v.Rows, now)
	all := make([]float64, localitySums)
	for i := range v.Rows {
		r := &v.Rows[i]
		n := 0.0
		timed := 0.0
		time := 0.0
		for k, x := range r.Raw {
			all[k] += x
			switch {
			case k < localityTimed:
				n += x
			case k < localityTime:
				timed += x
			case k < localityWhole:
				time += x
			}
		}
		r.Cells[LocalityAccesses] = n
		if n > 0 {
			r.Cells[LocalityRank] = r.Raw[cluster.InRank] / n
			r.Cells[LocalityNode] = 1 - r.Raw[cluster.Remote]/n
		}
		if timed > 0 {
			r.Cells[LocalityAccess] = seconds(time) / timed
		}
		if len(r.Raw) > localityWhole && timed > 0 && r.Raw[localityWhole] > 0 {
			r.Cells[LocalityWhole] = seconds(r.Raw[localityWhole]) / timed
		}
	}
	for i := range v.Rows {
		v.Rows[i].Cells[LocalityLaw] = lawLatency(all, v.Rows[i].Cells)
	}
	v.Why = WhyLocality(v, s.Layout.Nodes)
}

// seconds converts ps to s.
func seconds(ps float64) float64 { return ps / float64(cluster.Second) }

// lawLatency returns l_avg at a row's shares, or NaN if it needs the latency of a class without
// accesses.
func lawLatency(all, cells []float64) float64 {
	s := models.Shares{Rank: cells[LocalityLawRank], Node: cells[LocalityLawNode]}
	var mean [cluster.Classes]float64
	share := [cluster.Classes]float64{s.Rank, s.Node - s.Rank, 1 - s.Node}
	for c := range cluster.Classes {
		switch {
		case all[localityTimed+c] > 0:
			mean[c] = seconds(all[localityTime+c]) / all[localityTimed+c]
		case share[c] > 1e-9:
			return math.NaN()
		}
	}
	return models.Levels{Rank: mean[cluster.InRank], Node: mean[cluster.InNode], Remote: mean[cluster.Remote]}.Average(s)
}
