package barneshut

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of groups.
const (
	columnSlowest = iota
	columnMean
	columnRank
	columnNode
	columnMemory
	columnReads
)

var groupColumns = []engine.Column{
	columnSlowest: {Name: "force_time_slowest", Title: "forces", Unit: "s", Wide: 9, Legend: "slowest rank"},
	columnMean:    {Name: "force_time", Title: "mean", Unit: "s", Wide: 9, Legend: "mean rank"},
	columnRank:    {Name: "rank_local_share", Title: "rank", Unit: "%", Wide: 6},
	columnNode:    {Name: "node_local_share", Title: "node", Unit: "%", Wide: 6},
	columnMemory:  {Name: "memory_per_node", Title: "mem/node", Unit: "B", Wide: 10},
	columnReads:   {Name: "reads", Unit: "1"},
}

// baseline labels the one tree over all ranks.
const baseline = "all"

// byGroup compares group sizes and placements, with and without a cache.
var byGroup = &engine.Study{
	Form: engine.Form{
		Name: "groups", Title: "Forces", Of: "a step's forces", Item: "group", Metric: "force_time_slowest",
		Absent:  "this workload has no table of groups",
		Columns: groupColumns,
		Charts:  []engine.Chart{{Shape: engine.Bars, Y: []int{columnSlowest}}},
		Brief:   engine.Brief{Before: "G ", Column: columnMemory, After: "/node"},
	},
	Varying:  study.AnyKind("model", "group", "placement", "partition", "cache"),
	Observe:  observe,
	Complete: complete,
}

// key returns the key of a row: the settings of its run.
func key(kind engine.Kind, group, placement, partition, cache string) string {
	return strings.Join([]string{string(kind), group, placement, partition, cache}, " ")
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, groupColumns, columnSlowest)
	if !ok {
		return nil
	}
	group, placement, partition, cache := baseline, "interleave", s.Scenario.Text("partition"), s.Scenario.Text("cache")
	label := group
	if s.Layout.Model != cluster.Flat {
		group, placement = strconv.Itoa(s.Layout.GroupSize()), s.Scenario.Text("placement")
		if label = group; placement == "block" {
			label += " block"
		}
	}
	if partition == byCost {
		label += " by cost"
	}
	if cache == "on" {
		label += " cached"
	}
	return []engine.Row{{Key: key(s.Kind, group, placement, partition, cache), Label: label, Kind: s.Kind, Cells: cells}}
}

// complete states how many reads are remote, and the gain compared with one tree for all ranks.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time of forces by group size, slowest rank"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnSlowest]
	away := func(r *engine.Row) string { return study.Percent(1 - r.Cells[columnNode]) }
	v.Why = fmt.Sprintf("%s of the reads leave the node; %s stay in the rank (%s).", away(now), study.Percent(now.Cells[columnRank]), now.Kind)
	partition, cache := s.Scenario.Text("partition"), s.Scenario.Text("cache")
	find := func(group, placement, partition, cache string) *engine.Row {
		for i := range v.Rows {
			if r := &v.Rows[i]; r.Key == key(now.Kind, group, placement, partition, cache) && r != now && !math.IsNaN(r.Cells[columnSlowest]) {
				return r
			}
		}
		return nil
	}
	if one := find(baseline, "interleave", partition, cache); one != nil {
		v.Why = fmt.Sprintf("Groups of G = %d ranks are %.2f× as fast as one tree for all ranks: %s of the reads leave the node, instead of %s.", s.Layout.GroupSize(), one.Cells[columnSlowest]/v.Time, away(now), away(one))
	}
	group, placement := baseline, "interleave"
	if s.Layout.Model != cluster.Flat {
		group, placement = strconv.Itoa(s.Layout.GroupSize()), s.Scenario.Text("placement")
	}
	if partition == byCost {
		if even := find(group, placement, byCount, cache); even != nil {
			v.Why += fmt.Sprintf(" With partition = cost the slowest rank is %s× as fast as with partition = count.", study.Figure(even.Cells[columnSlowest]/v.Time))
		}
	}
	if cache == "off" {
		if with := find(group, placement, partition, "on"); with != nil {
			v.Why += fmt.Sprintf(" With cache = on it is %s× faster.", study.Figure(v.Time/with.Cells[columnSlowest]))
		}
	}
}
