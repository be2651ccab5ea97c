package tuner

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// branch is a node of MPICH's decision tree: either an algorithm, or conditions in order, of which
// the first that holds applies. MPICH depends on the order of JSON objects, so package json cannot
// write them.
type branch struct {
	key  string
	kids []branch
}

func condition(key string, kids ...branch) branch { return branch{key: key, kids: kids} }
func algorithmNamed(name string) branch           { return branch{key: "algorithm=MPIR_" + name} }

// mpich is a collective of MPICH 4.0.
type mpich struct {
	name          string
	what          coll.Collective
	hasCollective bool // what is valid: hybridtop has the collective
	// ways maps names of hybridtop's algorithms to MPICH's, which must be valid everywhere.
	ways     map[string][]branch
	fallback []branch // used without an equivalent algorithm, and without rules
	inter    []branch // for intercommunicators; nil: fallback works there as well
	total    bool     // sizes count all ranks' blocks, because MPICH does not pass the size of one
	sizeless bool     // MPICH does not distinguish sizes
}

func intra(name, algorithm string) branch { return algorithmNamed(name + "_intra_" + algorithm) }
func inter(name, algorithm string) []branch {
	return []branch{algorithmNamed(name + "_inter_" + algorithm)}
}
func allComm(name, algorithm string) []branch {
	return []branch{algorithmNamed(name + "_allcomm_" + algorithm)}
}

// byInPlace selects by whether a call uses a single buffer.
func byInPlace(yes, no branch) []branch {
	return []branch{condition("is_sendbuf_inplace=yes", yes), condition("is_sendbuf_inplace=no", no)}
}

// byPowerOfTwo selects by whether the number of ranks is a power of two.
func byPowerOfTwo(yes, no branch) []branch {
	return []branch{condition("comm_size=pow2", yes), condition("comm_size=any", no)}
}

// byReduction is for algorithms that divide a reduction's elements among the ranks.
func byReduction(yes, no branch) []branch {
	return []branch{condition("is_op_built_in=yes", condition("count<pow2", no), condition("count=any", yes)),
		condition("is_op_built_in=no", no)}
}

func byCommutativity(yes, no branch) []branch {
	return []branch{condition("is_commutative=yes", yes), condition("is_commutative=no", no)}
}

// mpichs lists all collectives that MPICH looks up in the file: it aborts if one is missing.
var mpichs = func() []mpich {
	none := func(name, of string, fallback, inter []branch) mpich {
		return mpich{name: name, fallback: fallback, inter: inter}
	}
	one := func(name, of, algorithm string, between []branch) mpich {
		return none(name, of, []branch{intra(of, algorithm)}, between)
	}
	all := []mpich{
		{name: "bcast", what: coll.OpBcast, hasCollective: true, fallback: []branch{intra("Bcast", "binomial")},
			inter: inter("Bcast", "remote_send_local_bcast"), ways: map[string][]branch{
				"knomial": {intra("Bcast", "binomial")},
				"scatter-allgather": byPowerOfTwo(intra("Bcast", "scatter_recursive_doubling_allgather"),
					intra("Bcast", "scatter_ring_allgather")),
			}},
		{name: "allreduce", what: coll.OpAllreduce, hasCollective: true,
			fallback: []branch{intra("Allreduce", "recursive_doubling")}, inter: inter("Allreduce", "reduce_exchange_bcast"),
			ways: map[string][]branch{
				"recursive-doubling": {intra("Allreduce", "recursive_doubling")},
				"rabenseifner": byReduction(intra("Allreduce", "reduce_scatter_allgather"),
					intra("Allreduce", "recursive_doubling")),
			}},
		{name: "allgather", what: coll.OpAllgather, hasCollective: true, fallback: []branch{intra("Allgather", "ring")},
			inter: inter("Allgather", "local_gather_remote_bcast"), ways: map[string][]branch{
				"bruck":              {intra("Allgather", "brucks")},
				"recursive-doubling": byPowerOfTwo(intra("Allgather", "recursive_doubling"), intra("Allgather", "brucks")),
				"ring":               {intra("Allgather", "ring")},
			}},
		{name: "alltoall", what: coll.OpExchange, hasCollective: true, inter: inter("Alltoall", "pairwise_exchange"),
			fallback: byInPlace(intra("Alltoall", "pairwise_sendrecv_replace"), intra("Alltoall", "pairwise")),
			ways: map[string][]branch{
				"bruck":    byInPlace(intra("Alltoall", "pairwise_sendrecv_replace"), intra("Alltoall", "brucks")),
				"flat":     byInPlace(intra("Alltoall", "pairwise_sendrecv_replace"), intra("Alltoall", "scattered")),
				"pairwise": byInPlace(intra("Alltoall", "pairwise_sendrecv_replace"), intra("Alltoall", "pairwise")),
			}},
		{name: "reduce", what: coll.OpReduce, hasCollective: true, fallback: []branch{intra("Reduce", "binomial")},
			inter: inter("Reduce", "local_reduce_remote_send"), ways: map[string][]branch{
				"knomial":      {intra("Reduce", "binomial")},
				"rabenseifner": byReduction(intra("Reduce", "reduce_scatter_gather"), intra("Reduce", "binomial")),
			}},
		{name: "scan", what: coll.OpScan, hasCollective: true, sizeless: true,
			fallback: []branch{intra("Scan", "recursive_doubling")}, ways: map[string][]branch{
				"recursive-doubling": {intra("Scan", "recursive_doubling")},
			}},
		one("barrier", "Barrier", "dissemination", inter("Barrier", "bcast")),
		one("gather", "Gather", "binomial", inter("Gather", "linear")),
		one("scatter", "Scatter", "binomial", inter("Scatter", "linear")),
		one("allgatherv", "Allgatherv", "ring", inter("Allgatherv", "remote_gather_local_bcast")),
		none("alltoallv", "", byInPlace(intra("Alltoallv", "pairwise_sendrecv_replace"), intra("Alltoallv", "scattered")),
			inter("Alltoallv", "pairwise_exchange")),
		none("alltoallw", "", byInPlace(intra("Alltoallw", "pairwise_sendrecv_replace"), intra("Alltoallw", "scattered")),
			inter("Alltoallw", "pairwise_exchange")),
		one("exscan", "Exscan", "recursive_doubling", nil),
		none("gatherv", "", allComm("Gatherv", "linear"), nil),
		none("scatterv", "", allComm("Scatterv", "linear"), nil),
		one("iallgather", "Iallgather", "sched_ring", inter("Iallgather", "sched_local_gather_remote_bcast")),
		one("iallgatherv", "Iallgatherv", "sched_ring", inter("Iallgatherv", "sched_remote_gather_local_bcast")),
		one("iallreduce", "Iallreduce", "sched_recursive_doubling", inter("Iallreduce", "sched_remote_reduce_local_bcast")),
		none("ialltoall", "", byInPlace(intra("Ialltoall", "sched_inplace"), intra("Ialltoall", "sched_permuted_sendrecv")),
			inter("Ialltoall", "sched_pairwise_exchange")),
		none("ialltoallv", "", byInPlace(intra("Ialltoallv", "sched_inplace"), intra("Ialltoallv", "sched_blocked")),
			inter("Ialltoallv", "sched_pairwise_exchange")),
		none("ialltoallw", "", byInPlace(intra("Ialltoallw", "sched_inplace"), intra("Ialltoallw", "sched_blocked")),
			inter("Ialltoallw", "sched_pairwise_exchange")),
		one("ibarrier", "Ibarrier", "sched_recursive_doubling", inter("Ibarrier", "sched_bcast")),
		one("ibcast", "Ibcast", "sched_binomial", inter("Ibcast", "sched_flat")),
		one("iexscan", "Iexscan", "sched_recursive_doubling", nil),
		one("igather", "Igather", "sched_binomial", inter("Igather", "sched_long")),
		none("igatherv", "", allComm("Igatherv", "sched_linear"), nil),
		one("ireduce", "Ireduce", "sched_binomial", inter("Ireduce", "sched_local_reduce_remote_send")),
		one("ireduce_scatter", "Ireduce_scatter", "sched_recursive_doubling",
			inter("Ireduce_scatter", "sched_remote_reduce_local_scatterv")),
		one("ireduce_scatter_block", "Ireduce_scatter_block", "sched_recursive_doubling",
			inter("Ireduce_scatter_block", "sched_remote_reduce_local_scatterv")),
		one("iscan", "Iscan", "sched_recursive_doubling", nil),
		one("iscatter", "Iscatter", "sched_binomial", inter("Iscatter", "sched_linear")),
		none("iscatterv", "", allComm("Iscatterv", "sched_linear"), nil),
	}
	for _, x := range []struct{ name, of string }{{"reduce_scatter", "Reduce_scatter"},
		{"reduce_scatter_block", "Reduce_scatter_block"}} {
		fallback := intra(x.of, "recursive_doubling")
		all = append(all,
			mpich{name: x.name, what: coll.OpReduceScatter, hasCollective: true, fallback: []branch{fallback},
				inter: inter(x.of, "remote_reduce_local_scatter"), total: true, ways: map[string][]branch{
					"recursive-halving": byCommutativity(intra(x.of, "recursive_halving"), fallback),
					"pairwise":          byCommutativity(intra(x.of, "pairwise"), fallback),
				}})
	}
	for _, what := range []string{"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"} {
		all = append(all, none("neighbor_"+what, "", allComm("Neighbor_"+what, "nb"), nil),
			none("ineighbor_"+what, "", allComm("Ineighbor_"+what, "sched_linear"), nil))
	}
	return all
}()

// way returns MPICH's branches for a choice, or the fallback if MPICH lacks its parameters.
func (m *mpich) way(c coll.Choice) []branch {
	w, ok := m.ways[c.Algorithm.Name]
	if !ok || c.Segments > 1 || c.Radix > 2 {
		return m.fallback
	}
	return w
}

// tree returns the collective's branches.
func (m *mpich) tree(t *coll.Table, perNode int32) branch {
	intraBranches := m.fallback
	if m.hasCollective {
		if all := spans(t, m.what, perNode, m.total); len(all) > 0 {
			intraBranches = nil
			for i, s := range all {
				key := "comm_size=any"
				if i+1 < len(all) {
					key = fmt.Sprintf("comm_size<=%d", all[i+1].ranks-1)
				}
				intraBranches = append(intraBranches, condition(key, m.sizes(s)...))
			}
		}
	}
	if m.inter == nil {
		return condition("collective="+m.name, intraBranches...)
	}
	intra := condition("comm_type=intra", intraBranches...)
	inter := condition("comm_type=inter", m.inter...)
	return condition("collective="+m.name, intra, inter)
}

// sizes returns the branches of one team.
func (m *mpich) sizes(s span) []branch {
	size, factor := "avg_msg_size", int64(1)
	if m.total {
		size, factor = "total_msg_size", int64(s.ranks)
	}
	if m.sizeless {
		return m.way(middleStep(s.steps)[0].Choice)
	}
	var all []branch
	for i, step := range s.steps {
		way := m.way(step.Choice)
		key := size + "=any"
		if i+1 < len(s.steps) {
			below := s.steps[i+1].From*factor - 1
			if below > 1<<31-1 { // MPICH reads them as C's int
				return append(all, condition(key, way...))
			}
			key = fmt.Sprintf("%s<=%d", size, below)
		}
		all = append(all, condition(key, way...))
	}
	return all
}

// WriteMPICH writes a table as the file that MPICH 4.0 reads through
// MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, with an entry for each of its collectives. If MPICH
// does not have an algorithm, the entry is one that always works.
func WriteMPICH(w io.Writer, t *coll.Table, perNode int32) error {
	found := false
	var b bytes.Buffer
	b.WriteString("{\n")
	for i := range mpichs {
		m := &mpichs[i]
		for _, r := range t.Winners() {
			found = found || m.hasCollective && r.Collective == m.what
		}
		tree := m.tree(t, perNode)
		tree.write(&b, 1)
		if i+1 < len(mpichs) {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	if !found {
		return errNoRules
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (x *branch) write(b *bytes.Buffer, level int) {
	indent := strings.Repeat("  ", level)
	fmt.Fprintf(b, "%s%q: {", indent, x.key)
	for i := range x.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		x.kids[i].write(b, level+1)
	}
	if len(x.kids) > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteByte('}')
}
