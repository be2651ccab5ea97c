package tuner

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// nccl is a collective of NCCL, with the algorithms that NCCL allows for it (function ncclTopoTuneModel in
// src/graph/tuning.cc).
type nccl struct {
	name  string
	what  coll.Collective
	total bool              // its sizes count the blocks of all ranks (ncclFuncMaxSendRecvCount)
	ways  map[string]string // algorithms of NCCL, by hybridtop's
}

// The trees of NCCL are two binary trees, each with half of the data. PAT is a variant of Bruck's algorithm.
// NCCL broadcasts and reduces along a ring, as a chain does.
var nccls = []nccl{
	{name: "broadcast", what: coll.OpBcast, ways: map[string]string{"chain": "ring"}},
	{name: "reduce", what: coll.OpReduce, ways: map[string]string{"chain": "ring"}},
	{name: "allgather", what: coll.OpAllgather, total: true, ways: map[string]string{"ring": "ring", "bruck": "pat"}},
	{name: "reducescatter", what: coll.OpReduceScatter, total: true, ways: map[string]string{"ring": "ring", "bruck": "pat"}},
	{name: "allreduce", what: coll.OpAllreduce, ways: map[string]string{"ring": "ring", "reduce-bcast": "tree"}},
}

// ncclMost is the size that stands for all larger ones.
const ncclMost = 1<<32 - 1

// way returns NCCL's algorithm for a choice, or "".
func (c *nccl) way(x *coll.Choice) string {
	if x.Radix > 2 {
		return ""
	}
	return c.ways[x.Algorithm.Name]
}

// WriteNCCL writes a table as the CSV file of NCCL's example of a tuner plugin (NVIDIA/nccl, commit
// 3ea7eedf3b: ext-tuner/example/README.md and nccl_tuner.conf). A line matches one number of nodes and of ranks. If no
// line matches, NCCL decides. A choice that NCCL does not have therefore has no line.
func WriteNCCL(w io.Writer, t *coll.Table, perNode int32) error {
	var b strings.Builder
	var skipped []string
	lines := 0
	for i := range nccls {
		c := &nccls[i]
		for _, ranks := range teams(t, c.what, perNode) {
			nodes, factor := (ranks+perNode-1)/perNode, int64(1)
			if c.total {
				factor = int64(ranks)
			}
			column := t.Column(c.what, ranks, min(perNode, ranks))
			steps := column.Steps(0)
			for j := 0; j < len(steps); {
				way, from := c.way(&steps[j].Choice), steps[j].From*factor
				name := c.name + " " + steps[j].Choice.Algorithm.Name
				for j++; j < len(steps) && way != "" && c.way(&steps[j].Choice) == way; j++ {
				}
				to := int64(ncclMost)
				if j < len(steps) {
					to = min(to, steps[j].From*factor-1)
				}
				switch {
				case way == "":
					if !slices.Contains(skipped, name) {
						skipped = append(skipped, name)
					}
				case from <= to:
					fmt.Fprintf(&b, "%s,%d,%d,%s,simple,-1,%d,%d,-1,-1\n", c.name, from, to, way, nodes, ranks)
					lines++
				}
			}
		}
	}
	if lines == 0 {
		return errNoRules
	}
	head := "# collective,minBytes,maxBytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n"
	if len(skipped) > 0 {
		head += "# NCCL decides: " + shortened(strings.Join(skipped, ", ")) + "\n"
	}
	_, err := io.WriteString(w, head+b.String())
	return err
}

// teams returns the numbers of ranks for which a table has rules, ascending.
func teams(t *coll.Table, c coll.Collective, perNode int32) []int32 {
	var all []int32
	for _, r := range t.Rules() {
		if r.Collective == c && max(r.PerNode, 1) == min(perNode, r.Ranks) && r.Ranks > 1 && !slices.Contains(all, r.Ranks) {
			all = append(all, r.Ranks)
		}
	}
	slices.Sort(all)
	return all
}

// shortened cuts a text to the length of a line that the plugin reads.
func shortened(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:strings.LastIndexByte(s[:most], ',')] + " and others"
}
