package tuner

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// MaxRules is the maximum size in bytes of a file of rules. The other limits apply to its
// contents.
const (
	MaxRules    = 1 << 20 // bytes per file
	maxOmpiComm = 4096    // teams per collective
	maxOmpiMsg  = 4096    // sizes per team
	maxImported = 200_000 // rules per table
)

// incoming holds a collective's rules as in a file; the rules of each team apply up to the next.
type incoming struct {
	o     *ompi
	spans []ompiSpan
	ends  []int32 // of each span, inclusive; nil: before the next one begins
}

// ReadOpenMPI reads Open MPI's rules, classic or JSON. An algorithm that hybridtop does not have
// is replaced by the closest one. If the library would decide itself, the first suitable algorithm
// is used. The notes list these replacements.
func ReadOpenMPI(data []byte) (t *coll.Table, notes []string, err error) {
	if len(data) > MaxRules {
		return nil, nil, fmt.Errorf("file larger than %d bytes", MaxRules)
	}
	var all []incoming
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		all, notes, err = readOmpiJSON(data)
	} else {
		all, notes, err = readOmpiClassic(data)
	}
	if err != nil {
		return nil, nil, err
	}
	var rules []coll.Rule
	seen := map[coll.Collective]string{}
	for _, in := range all {
		if other, ok := seen[in.o.what]; ok { // reduce_scatter and reduce_scatter_block
			notes = append(notes, fmt.Sprintf("%s: ignored, %s already has the rules of %s", in.o.name, other, in.o.what))
			continue
		}
		seen[in.o.what] = in.o.name
		more, tableNotes, err := in.table()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", in.o.name, err)
		}
		notes = append(notes, tableNotes...)
		rules = append(rules, more...)
		if len(rules) > maxImported {
			return nil, nil, fmt.Errorf("more than %d rules in the table", maxImported)
		}
	}
	if len(rules) == 0 {
		return nil, nil, errors.New("no rules for collectives that hybridtop has")
	}
	t, err = coll.NewTable(rules)
	return t, notes, err
}

// table returns the rules for a table. It places a span at its ends, at powers of two and after
// them, so that every team is closest to a rule of its span.
func (in *incoming) table() (rules []coll.Rule, notes []string, err error) {
	for i, s := range in.spans {
		from, to := max(s.ranks, 1), int32(0)
		switch {
		case in.ends != nil:
			to = in.ends[i]
		case i+1 < len(in.spans):
			to = in.spans[i+1].ranks - 1
		default:
			to = int32(min(int64(from)*16, coll.MaxRanks))
		}
		if to < from {
			continue
		}
		teams := []int32{from, min(from+1, to), to}
		for q := int32(1); q <= to && q > 0; q *= 2 {
			if q >= from {
				teams = append(teams, q, min(q+1, to))
			}
		}
		slices.Sort(teams)
		for _, p := range slices.Compact(teams) {
			last := int64(-1)
			for j, r := range s.rules {
				at := coll.Tuple{Collective: in.o.what, Ranks: p, PerNode: 1, Bytes: r.from}
				if in.o.total {
					at.Bytes = (r.from + int64(p) - 1) / int64(p)
				}
				if in.o.sizeless && j > 0 || at.Bytes == last {
					continue
				}
				last = at.Bytes
				choices, note, err := in.o.choices(at, r)
				if err != nil {
					return nil, nil, err
				}
				if note != "" && !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
				rules = append(rules, coll.Rule{Tuple: at, Choices: choices})
				if len(rules) > maxImported {
					return nil, nil, fmt.Errorf("more than %d rules in the table", maxImported)
				}
			}
		}
	}
	return rules, notes, nil
}

// choices returns the choices of a rule at a tuple: its algorithm, and another for teams where
// this one does not work.
func (o *ompi) choices(at coll.Tuple, r ompiRule) (all []coll.Choice, note string, err error) {
	if r.algorithm > 0 {
		w := &o.ways[r.algorithm-1]
		a, err := coll.Find(o.what, w.kin)
		if err != nil {
			return nil, "", err
		}
		c := coll.Choice{Algorithm: a, Parameters: coll.Parameters{Radix: int(a.Radix), Segments: 1}}
		switch {
		case w.radix > 0:
			c.Radix = w.radix
		case w.radix < 0 && r.fan >= 2:
			c.Radix = min(r.fan, coll.MaxRadix)
		}
		if w.later != "" && r.fan >= 2 {
			c.Radix = min(r.fan, coll.MaxRadix)
		}
		if w.seg && a.Segmented && r.segment > 0 && at.Bytes > int64(r.segment) {
			c.Segments = int(min((at.Bytes+int64(r.segment)-1)/int64(r.segment), coll.MaxSegments))
		}
		if w.loose {
			note = fmt.Sprintf("%s by %s: replaced by %s, the closest algorithm", o.name, w.name, a.Name)
		}
		all = append(all, c)
	} else {
		note = o.name + " by the library's own decision: replaced by the first suitable algorithm"
	}
	if len(all) == 0 || all[0].Algorithm.Needs&(coll.PowerOfTwo|coll.EvenRanks) != 0 {
		other, err := coll.Serving(coll.Tuple{Collective: o.what, Ranks: 3, Lacks: at.Lacks})
		if err != nil {
			return nil, "", err
		}
		all = append(all, other)
	}
	return all, note, nil
}

// readOmpiClassic reads rules as a sequence of numbers:
//
//	number of collectives
//	  for each: id, number of teams
//	    for each: ranks, number of sizes
//	      for each: bytes, number of the algorithm, fan-out, bytes of a segment
func readOmpiClassic(data []byte) ([]incoming, []string, error) {
	r := &numbers{data: data, line: 1, column: 1}
	version := 1
	if head, rest, ok := bytes.Cut(data, []byte("\n")); ok && bytes.HasPrefix(head, []byte("rule-file-version-")) {
		n := bytes.TrimRight(bytes.TrimPrefix(head, []byte("rule-file-version-")), " \t\r")
		if len(n) != 1 || n[0] < '1' || n[0] > '9' {
			return nil, nil, errors.New("line 1: rule-file-version: want 1 to 9")
		}
		version = int(n[0] - '0')
		r.data, r.line = rest, 2
	}
	var all []incoming
	var notes []string
	count := r.next("a number of collectives", 0, 32)
	used := map[int64]bool{}
	for range count {
		id := r.next("a collective", 0, 63)
		if r.err == nil && used[id] {
			r.fail("collective %d is listed twice", id)
		}
		used[id] = true
		in := incoming{}
		if i := slices.IndexFunc(ompis, func(o ompi) bool { return int64(o.id) == id }); i >= 0 {
			in.o = &ompis[i]
		} else {
			notes = append(notes, fmt.Sprintf("collective %d: ignored, hybridtop does not have it", id))
		}
		teams := r.next("a number of teams", 0, maxOmpiComm)
		for i := range teams {
			s := ompiSpan{ranks: int32(r.next("ranks", 0, coll.MaxRanks))}
			if i > 0 && r.err == nil && in.o != nil && s.ranks <= in.spans[i-1].ranks {
				r.fail("%d ranks after %d: want increasing ranks", s.ranks, in.spans[i-1].ranks)
			}
			sizes := r.next("a number of sizes", 0, maxOmpiMsg)
			for j := range sizes {
				rule := ompiRule{from: r.next("bytes", 0, math.MaxInt64)}
				switch {
				case r.err != nil:
				case j == 0 && rule.from != 0:
					r.fail("%d bytes: want 0 as the first size", rule.from)
				case j > 0 && rule.from <= s.rules[j-1].from:
					r.fail("%d bytes after %d: want increasing sizes", rule.from, s.rules[j-1].from)
				}
				maxAlgorithm := int64(63)
				if in.o != nil {
					maxAlgorithm = int64(len(in.o.ways))
				}
				rule.algorithm = int(r.next("an algorithm", 0, maxAlgorithm))
				rule.fan = int(r.next("a fan-out", 0, math.MaxInt32))
				rule.segment = int(r.next("bytes of a segment", 0, math.MaxInt32))
				if version > 1 && r.hasNumber() {
					r.next("a number of requests", 0, math.MaxInt32)
				}
				if r.err != nil {
					return nil, nil, r.err
				}
				s.rules = append(s.rules, rule)
			}
			if r.err != nil {
				return nil, nil, r.err
			}
			in.spans = append(in.spans, s)
		}
		if in.o != nil {
			all = append(all, in)
		}
	}
	if r.skipBlanks(); r.err == nil && len(r.data) > 0 {
		r.fail("%q after the last rule", r.data[0])
	}
	return all, notes, r.err
}

// numbers reads integers separated by blanks; # starts a comment. It keeps the first error.
type numbers struct {
	data         []byte
	line, column int
	err          error
}

func (r *numbers) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d, column %d: %w", r.line, r.column, fmt.Errorf(format, args...))
	}
}

func (r *numbers) skip() {
	if r.data[0] == '\n' {
		r.line, r.column = r.line+1, 0
	}
	r.data, r.column = r.data[1:], r.column+1
}

// skipBlanks skips blanks and comments.
func (r *numbers) skipBlanks() {
	for len(r.data) > 0 {
		switch c := r.data[0]; {
		case c == '#':
			for len(r.data) > 0 && r.data[0] != '\n' {
				r.skip()
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			r.skip()
		default:
			return
		}
	}
}

// hasNumber reports whether a number follows on the same line.
func (r *numbers) hasNumber() bool {
	for i := range r.data {
		if c := r.data[i]; c != ' ' && c != '\t' {
			return c >= '0' && c <= '9'
		}
	}
	return false
}

func (r *numbers) next(what string, minimum, maximum int64) int64 {
	if r.err != nil {
		return 0
	}
	r.skipBlanks()
	line, column := r.line, r.column
	n, digits := int64(0), 0
	for ; len(r.data) > 0 && r.data[0] >= '0' && r.data[0] <= '9'; digits++ {
		d := int64(r.data[0] - '0')
		if n > (maximum-d)/10 {
			r.line, r.column = line, column
			r.fail("%s: want %d to %d", what, minimum, maximum)
			return 0
		}
		n = 10*n + d
		r.skip()
	}
	switch {
	case digits == 0 && len(r.data) == 0:
		r.fail("want %s, got the end of the file", what)
	case digits == 0:
		r.fail("want %s, got %q", what, r.data[0])
	case len(r.data) > 0 && !slices.Contains([]byte(" \t\r\n#"), r.data[0]):
		r.fail("%s: %q inside a number", what, r.data[0])
	}
	return n
}

// readOmpiJSON reads JSON rules.
func readOmpiJSON(data []byte) ([]incoming, []string, error) {
	if nesting(data) > 2*maxDepth {
		return nil, nil, fmt.Errorf("brackets nested more than %d deep", 2*maxDepth)
	}
	var file struct {
		Schema string `json:"$schema"`
		Where  string `json:"comm_rank_distribution"`
		ompiFile
	}
	if err := decodeStrictly(data, &file); err != nil {
		return nil, nil, err
	}
	switch {
	case file.Module != "tuned":
		return nil, nil, fmt.Errorf("module %.40q: want tuned", file.Module)
	case file.Version < 1 || file.Version > 9:
		return nil, nil, fmt.Errorf("rule_file_version %d: want 1 to 9", file.Version)
	case file.Collectives == nil:
		return nil, nil, errors.New("no collectives")
	}
	var all []incoming
	var notes []string
	for i := range ompis { // in a fixed order, so that notes and tables are reproducible
		o := &ompis[i]
		comms, ok := file.Collectives[o.name]
		if !ok {
			continue
		}
		delete(file.Collectives, o.name)
		in := incoming{o: o}
		for _, c := range comms {
			s, end, err := o.comm(c)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", o.name, err)
			}
			if n := len(in.ends); n > 0 && s.ranks <= in.ends[n-1] {
				notes = append(notes, fmt.Sprintf("%s: teams from %d ranks on overlap earlier teams, which take "+
					"precedence", o.name, s.ranks))
				s.ranks = in.ends[n-1] + 1
				if s.ranks > end {
					continue
				}
			}
			in.spans, in.ends = append(in.spans, s), append(in.ends, end)
		}
		if len(in.spans) > 0 {
			all = append(all, in)
		}
	}
	for name := range file.Collectives {
		if !slices.Contains(ompiOthers, name) {
			return nil, nil, fmt.Errorf("collectives: unknown name %.40q", name)
		}
	}
	return all, notes, nil
}

// ompiOthers lists collectives of Open MPI that hybridtop does not have.
var ompiOthers = []string{"allgatherv", "alltoallv", "alltoallw", "exscan", "gatherv", "scatterv",
	"neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"}

// comm reads the rules of teams.
func (o *ompi) comm(c ompiComm) (ompiSpan, int32, error) {
	s := ompiSpan{ranks: 1}
	if c.Least != nil {
		if *c.Least < 0 || *c.Least > coll.MaxRanks {
			return s, 0, fmt.Errorf("comm_size_min %d: want 0 to %d", *c.Least, coll.MaxRanks)
		}
		s.ranks = int32(max(*c.Least, 1))
	}
	end := int32(min(int64(s.ranks)*16, coll.MaxRanks))
	if c.Most != nil && *c.Most != unlimited {
		end = int32(min(int64(*c.Most), coll.MaxRanks))
	}
	if !slices.Contains([]string{"", "any", "one-per-node", "single-node"}, c.Where) {
		return s, 0, fmt.Errorf("comm_rank_distribution %.40q: want any, one-per-node or single-node", c.Where)
	}
	if len(c.Rules) == 0 {
		return s, 0, errors.New("a team has no rules")
	}
	at := int64(0)
	for _, m := range c.Rules {
		r := ompiRule{fan: m.Fan, segment: m.Segment}
		if m.Least != nil {
			r.from = *m.Least
		}
		switch x := m.Algorithm.(type) {
		case string:
			r.algorithm = slices.IndexFunc(o.ways, func(w ompiWay) bool { return w.name == x || w.later == x && x != "" }) + 1
			if r.algorithm == 0 && x != "ignore" {
				return s, 0, fmt.Errorf("unknown alg %.40q", x)
			}
		case float64:
			r.algorithm = int(x)
			if float64(r.algorithm) != x || r.algorithm < 0 || r.algorithm > len(o.ways) {
				return s, 0, fmt.Errorf("alg %v: want 0 to %d", x, len(o.ways))
			}
		default:
			return s, 0, errors.New("alg: neither a name nor a number")
		}
		if r.from < 0 || m.Fan < 0 || m.Segment < 0 {
			return s, 0, errors.New("negative size, fan-out or segment")
		}
		if r.from < at { // the first rule that matches applies
			r.from = at
		}
		if r.from > at {
			s.rules = append(s.rules, ompiRule{from: at})
		}
		to := int64(math.MaxInt64)
		if m.Most != nil && *m.Most != unlimited {
			to = int64(*m.Most)
		}
		if to < r.from {
			continue
		}
		s.rules = append(s.rules, r)
		at = to + 1
		if to == math.MaxInt64 {
			return s, end, nil
		}
	}
	s.rules = append(s.rules, ompiRule{from: at})
	return s, end, nil
}
