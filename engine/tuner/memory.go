package tuner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/host"
)

// Skip is a candidate that was not timed, because it needs more memory than this host has.
type Skip struct {
	At     coll.Tuple
	Choice coll.Choice // Algorithm nil: no candidate of the tuple fits
	Memory int64       // bytes that it needs
	Limit  int64       // bytes that it may use
}

// String describes the candidate and its memory.
func (s Skip) String() string {
	text := s.At.String()
	if s.Choice.Algorithm != nil {
		text += " by " + s.Choice.String()
	}
	return fmt.Sprintf("%s: needs %s, more than %s", text, cluster.SizeText(float64(s.Memory)), cluster.SizeText(float64(s.Limit)))
}

// Estimated bytes of an operation in progress.
const perOperation = 200

// memory returns the host memory that a key needs for a tuple, in bytes.
func (p *Site) memory(at coll.Tuple, k coll.Key) int64 {
	b := buffersOf(at, []coll.Key{k}, p.isVirtual())
	perRank, _ := b.segment()
	perRank += perOperation * int64(len(k.Make(0).Nodes))
	total := int64(0)
	if !p.isVirtual() && !k.Transfer.OneSided() {
		perRank += b.in + b.out
		total = k.Temporary(k.Blocks(at.Bytes, elementOf(at)))
	}
	return total + int64(at.Ranks)*perRank
}

// limit returns the memory of one measurement, in bytes.
func (o *Options) limit() int64 {
	all := o.Memory
	if all == 0 {
		all = host.Limit()
	}
	return all / int64(o.workers())
}

// candidates returns the candidates of a tuple that fit into memory, and the others.
func (o *Options) candidates(at coll.Tuple) (fit []coll.Choice, skipped []Skip) {
	limit := o.limit()
	for _, c := range o.Candidates(at, o.Transfers...) {
		k, err := c.Placed(coll.Places{Per: max(at.PerNode, 1)}).Key(at.Ranks)
		if err != nil {
			continue // the measurement reports it
		}
		if need := o.memory(at, k); need > limit {
			skipped = append(skipped, Skip{At: at, Choice: c, Memory: need, Limit: limit})
			continue
		}
		fit = append(fit, c)
	}
	return fit, skipped
}

// skip adds candidates that do not fit into memory to the result.
func (t *tuning) skip(all []Skip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.result.Skipped = append(t.result.Skipped, all...)
}

// sortSkipped orders the skipped candidates by configuration, because measurements run in parallel.
func (r *Result) sortSkipped() {
	slices.SortStableFunc(r.Skipped, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.At.Collective, b.At.Collective), cmp.Compare(a.At.Ranks, b.At.Ranks),
			cmp.Compare(a.At.Bytes, b.At.Bytes))
	})
}
