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

// byGroup compares group sizes and placements, with a cache and without.
var byGroup = &engine.Study{
	Form: engine.Form{
		Name: "groups", Title: "Forces", Of: "a step's forces", Item: "group", Metric: "force_time_slowest",
		Absent:  "this workload compares no groups",
		Columns: groupColumns,
		Charts:  []engine.Chart{{Shape: engine.Bars, Y: []int{columnSlowest}}},
		Brief:   engine.Brief{Before: "G ", Column: columnMemory, After: "/node"},
	},
	Apart:    study.AnyKind("model", "group", "placement", "cache"),
	Observe:  observe,
	Complete: complete,
}

// key is what a row was run with.
func key(kind engine.Kind, group, placement, cache string) string {
	return strings.Join([]string{string(kind), group, placement, cache}, " ")
}

// observe is the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, groupColumns, columnSlowest)
	if !ok {
		return nil
	}
	group, placement, cache := baseline, "interleave", s.Scenario.Text("cache")
	label := group
	if s.Layout.Model != cluster.Flat {
		group, placement = strconv.Itoa(s.Layout.GroupSize()), s.Scenario.Text("placement")
		if label = group; placement == "block" {
			label += " block"
		}
	}
	if cache == "on" {
		label += " cached"
	}
	return []engine.Row{{Key: key(s.Kind, group, placement, cache), Label: label, Kind: s.Kind, Cells: cells}}
}

// complete says where the reads of the present run go, and what that gains over the tree
// of all ranks.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time of forces, slowest rank"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnSlowest]
	away := func(r *engine.Row) string { return study.Percent(1 - r.Cells[columnNode]) }
	v.Why = fmt.Sprintf("%s of the reads leave the node, %s stay in the rank (%s).", away(now), study.Percent(now.Cells[columnRank]), now.Kind)
	find := func(group, placement, cache string) *engine.Row {
		for i := range v.Rows {
			if r := &v.Rows[i]; r.Key == key(now.Kind, group, placement, cache) && r != now && !math.IsNaN(r.Cells[columnSlowest]) {
				return r
			}
		}
		return nil
	}
	cache := s.Scenario.Text("cache")
	if one := find(baseline, "interleave", cache); one != nil {
		v.Why = fmt.Sprintf("G = %d is %.2f× the tree over all ranks: %s of the reads leave the node, there %s.", s.Layout.GroupSize(), one.Cells[columnSlowest]/v.Time, away(now), away(one))
	}
	group, placement := baseline, "interleave"
	if s.Layout.Model != cluster.Flat {
		group, placement = strconv.Itoa(s.Layout.GroupSize()), s.Scenario.Text("placement")
	}
	if cache == "off" {
		if with := find(group, placement, "on"); with != nil {
			v.Why += fmt.Sprintf(" A cache makes it %s× faster.", study.Figure(v.Time/with.Cells[columnSlowest]))
		}
	}
}
