package tuner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// ompi is a collective of Open MPI's component tuned.
type ompi struct {
	id         int    // in classic rules
	name       string // in JSON rules
	what       coll.Collective
	total      bool // its sizes count the blocks of all ranks
	sizeless41 bool // version 4.1 does not distinguish its sizes
	sizeless   bool // neither does any later version
	ways       []ompiWay
}

// ompiWay is an algorithm of Open MPI, by its number. Number 0 leaves the decision to the library.
type ompiWay struct {
	name  string
	later string // its name in version 6, where the fan-out is its radix; "": the same
	since int    // first version of the library; 0: 4.1 has it
	kin   string // hybridtop's algorithm
	radix int    // radix of kin; −1: the fan-out; 0: any
	fan   bool   // rules specify the fan-out
	seg   bool   // rules specify the bytes of a segment
	loose bool   // kin is similar, but not the same algorithm
}

var ompis = []ompi{
	{id: 0, name: "allgather", what: coll.OpAllgather, total: true, ways: []ompiWay{
		{name: "linear", kin: "gather-bcast"}, {name: "bruck", later: "bruck-k-fanout", kin: "bruck", radix: 2},
		{name: "recursive_doubling", kin: "recursive-doubling"},
		{name: "ring", kin: "ring"}, {name: "neighbor", kin: "neighbour-exchange"},
		{name: "two_proc", kin: "flat", loose: true},
		{name: "sparbit", since: 5, kin: "bruck", loose: true}, {name: "direct-messaging", since: 6, kin: "flat"}}},
	{id: 2, name: "allreduce", what: coll.OpAllreduce, ways: []ompiWay{
		{name: "basic_linear", kin: "reduce-bcast", loose: true}, {name: "nonoverlapping", kin: "reduce-bcast"},
		{name: "recursive_doubling", kin: "recursive-doubling"},
		{name: "ring", kin: "ring"}, {name: "segmented_ring", kin: "ring", seg: true, loose: true},
		{name: "rabenseifner", kin: "rabenseifner"},
		{name: "allgather_reduce", since: 5, kin: "recursive-doubling", loose: true}}},
	{id: 3, name: "alltoall", what: coll.OpExchange, total: true, ways: []ompiWay{
		{name: "linear", kin: "flat"}, {name: "pairwise", kin: "pairwise"}, {name: "modified_bruck", kin: "bruck", radix: 2},
		{name: "linear_sync", kin: "flat", loose: true}, {name: "two_proc", kin: "flat", loose: true}}},
	{id: 6, name: "barrier", what: coll.OpBarrier, sizeless41: true, sizeless: true, ways: []ompiWay{
		{name: "linear", kin: "tree", loose: true}, {name: "double_ring", kin: "dissemination", loose: true},
		{name: "recursive_doubling", kin: "recursive-doubling"},
		{name: "bruck", kin: "dissemination", radix: 2}, {name: "two_proc", kin: "dissemination", loose: true},
		{name: "tree", kin: "tree"}}},
	{id: 7, name: "bcast", what: coll.OpBcast, ways: []ompiWay{
		{name: "basic_linear", kin: "flat"}, {name: "chain", kin: "chain", fan: true, seg: true, loose: true},
		{name: "pipeline", kin: "chain", seg: true},
		{name: "split_binary_tree", kin: "kary", radix: 2, seg: true, loose: true},
		{name: "binary_tree", kin: "kary", radix: 2, seg: true},
		{name: "binomial", kin: "knomial", radix: 2, seg: true}, {name: "knomial", kin: "knomial", radix: 4, seg: true},
		{name: "scatter_allgather", kin: "scatter-allgather"},
		{name: "scatter_allgather_ring", kin: "scatter-allgather", loose: true}}},
	{id: 9, name: "gather", what: coll.OpGather, total: true, sizeless41: true, ways: []ompiWay{
		{name: "basic_linear", kin: "flat"}, {name: "binomial", kin: "knomial", radix: 2},
		{name: "linear_sync", kin: "flat", seg: true, loose: true}}},
	{id: 11, name: "reduce", what: coll.OpReduce, ways: []ompiWay{
		{name: "linear", kin: "flat"}, {name: "chain", kin: "chain", fan: true, seg: true, loose: true},
		{name: "pipeline", kin: "chain", seg: true},
		{name: "binary", kin: "kary", radix: 2, seg: true}, {name: "binomial", kin: "knomial", radix: 2, seg: true},
		{name: "in-order_binary", kin: "kary", radix: 2, seg: true, loose: true}, {name: "rabenseifner", kin: "rabenseifner"},
		{name: "knomial", since: 6, kin: "knomial", radix: -1, fan: true, seg: true}}},
	{id: 12, name: "reducescatter", what: coll.OpReduceScatter, total: true, ways: []ompiWay{
		{name: "non-overlapping", kin: "reduce-scatter"}, {name: "recursive_halving", kin: "recursive-halving"},
		{name: "ring", kin: "ring"},
		{name: "butterfly", kin: "recursive-halving", loose: true}}},
	{id: 13, name: "reducescatterblock", what: coll.OpReduceScatter, total: true, ways: []ompiWay{
		{name: "basic_linear", kin: "reduce-scatter"}, {name: "recursive_doubling", kin: "recursive-halving", loose: true},
		{name: "recursive_halving", kin: "recursive-halving"}, {name: "butterfly", kin: "recursive-halving", loose: true}}},
	{id: 14, name: "scan", what: coll.OpScan, sizeless41: true, sizeless: true, ways: []ompiWay{
		{name: "linear", kin: "chain"}, {name: "recursive_doubling", kin: "recursive-doubling"}}},
	{id: 15, name: "scatter", what: coll.OpScatter, total: true, sizeless41: true, sizeless: true, ways: []ompiWay{
		{name: "basic_linear", kin: "flat"}, {name: "binomial", kin: "knomial", radix: 2},
		{name: "linear_nb", kin: "flat", loose: true}}},
}

// way returns the number of a choice's algorithm in a version of the library, its fan-out and the
// bytes of its segments. Number 0 means that the library has no such algorithm and decides itself.
func (o *ompi) way(s coll.Step, version int) (number, fan, seg int) {
	c := &s.Choice
	for i, w := range o.ways {
		byFan := w.later != "" && version >= 6
		if w.kin != c.Algorithm.Name || w.since > version || w.loose || w.radix > 0 && w.radix != c.Radix && !byFan {
			continue
		}
		if c.Segments > 1 {
			if !w.seg {
				continue
			}
			seg = int((s.From + int64(c.Segments) - 1) / int64(c.Segments))
		}
		if w.fan || byFan {
			fan = c.Radix
		}
		return i + 1, fan, seg
	}
	return 0, 0, 0
}

// ompiRule is a line of rules.
type ompiRule struct {
	from                    int64
	algorithm, fan, segment int
}

// ompiSpan holds the rules of teams from a number of ranks on.
type ompiSpan struct {
	ranks int32
	rules []ompiRule
}

// rules returns a collective's rules for a version of the library.
func (o *ompi) rules(t *coll.Table, perNode int32, version int) []ompiSpan {
	var all []ompiSpan
	for _, s := range spans(t, o.what, perNode, o.total) {
		x := ompiSpan{ranks: s.ranks}
		steps := s.steps
		if o.sizeless || o.sizeless41 && version < 5 {
			steps = middleStep(steps)
		}
		for _, step := range steps {
			r := ompiRule{from: step.From}
			if o.total {
				r.from *= int64(s.ranks)
			}
			r.algorithm, r.fan, r.segment = o.way(step, version)
			if n := len(x.rules); n > 0 && x.rules[n-1].algorithm == r.algorithm && x.rules[n-1].fan == r.fan && x.rules[n-
				1].segment == r.segment {
				continue
			}
			x.rules = append(x.rules, r)
		}
		all = append(all, x)
	}
	return all
}

var errNoRules = errors.New("no collective of the table has algorithms that the library lets users choose")

// WriteOpenMPI writes a table as the rules that Open MPI 4.1 and later read through
// coll_tuned_dynamic_rules_filename. If the library does not have an algorithm, it decides itself.
func WriteOpenMPI(w io.Writer, t *coll.Table, perNode int32) error {
	var b bytes.Buffer
	n := 0
	for i := range ompis {
		o := &ompis[i]
		all := o.rules(t, perNode, 4)
		if len(all) == 0 {
			continue
		}
		n++
		fmt.Fprintf(&b, "%d # collective: %s\n%d # teams\n", o.id, o.name, len(all))
		for _, s := range all {
			fmt.Fprintf(&b, "%d # minimum ranks\n%d # sizes: minimum bytes, algorithm, fan-out, segment\n", s.ranks,
				len(s.rules))
			for _, r := range s.rules {
				fmt.Fprintf(&b, "%d %d %d %d\n", r.from, r.algorithm, r.fan, r.segment)
			}
		}
	}
	if n == 0 {
		return errNoRules
	}
	_, err := fmt.Fprintf(w, "%d # collectives\n%s", n, b.Bytes())
	return err
}

// The JSON rules of Open MPI 6.
type (
	ompiFile struct {
		Version     int                   `json:"rule_file_version"`
		Module      string                `json:"module"`
		Collectives map[string][]ompiComm `json:"collectives"`
	}
	ompiComm struct {
		Least *int64    `json:"comm_size_min,omitempty"`
		Most  *ompiSize `json:"comm_size_max,omitempty"`
		Where string    `json:"comm_rank_distribution,omitempty"`
		Rules []ompiMsg `json:"rules"`
	}
	ompiMsg struct {
		Least     *int64    `json:"msg_size_min,omitempty"`
		Most      *ompiSize `json:"msg_size_max,omitempty"`
		Algorithm any       `json:"alg"`
		Fan       int       `json:"faninout,omitempty"`
		Segment   int       `json:"seg_size,omitempty"`
		Requests  int       `json:"reqs,omitempty"`
	}
)

// ompiSize is a size in bytes or endless.
type ompiSize int64

const unlimited ompiSize = -1

// MarshalJSON implements json.Marshaler.
func (s ompiSize) MarshalJSON() ([]byte, error) {
	if s == unlimited {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(int64(s))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *ompiSize) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case `"inf"`, `"Inf"`, `"INF"`:
		*s = unlimited
		return nil
	}
	var n int64
	if err := json.Unmarshal(b, &n); err != nil || n < 0 {
		return fmt.Errorf("size: want a whole number or \"inf\"")
	}
	*s = ompiSize(n)
	return nil
}

// WriteOpenMPIJSON writes a table as the JSON rules that Open MPI 6 reads. If the library does not
// have an algorithm, there is no rule, and it decides itself.
func WriteOpenMPIJSON(w io.Writer, t *coll.Table, perNode int32) error {
	file := ompiFile{Version: 3, Module: "tuned", Collectives: map[string][]ompiComm{}}
	for i := range ompis {
		o := &ompis[i]
		all := o.rules(t, perNode, 6)
		for j, s := range all {
			minRanks, maxRanks := int64(s.ranks), unlimited
			if j+1 < len(all) {
				maxRanks = ompiSize(all[j+1].ranks - 1)
			}
			c := ompiComm{Least: &minRanks, Most: &maxRanks, Rules: []ompiMsg{}}
			for k, r := range s.rules {
				if r.algorithm == 0 {
					continue
				}
				from, to := r.from, unlimited
				if k+1 < len(s.rules) {
					to = ompiSize(s.rules[k+1].from - 1)
				}
				c.Rules = append(c.Rules,
					ompiMsg{Least: &from, Most: &to, Algorithm: o.ways[r.algorithm-1].nameIn(6), Fan: r.fan, Segment: r.segment})
			}
			if len(c.Rules) > 0 {
				file.Collectives[o.name] = append(file.Collectives[o.name], c)
			}
		}
	}
	if len(file.Collectives) == 0 {
		return errNoRules
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(file)
}

// nameIn returns the name in a version of the library.
func (w *ompiWay) nameIn(version int) string {
	if w.later != "" && version >= 6 {
		return w.later
	}
	return w.name
}
