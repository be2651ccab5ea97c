package session

import (
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// process holds the ranks of a launch that run in this process: the slots of their counts, from
// which it makes frames.
type process struct {
	number     int
	processes  int // number of processes of the run
	local      int // number of ranks of this process
	first      int // first rank
	layout     *cluster.Layout
	sums       int           // number of declared metrics, samples and places of profiles
	ranked     []int         // metrics that are stored by rank
	requests   atomic.Uint64 // incremented to request a frame
	slots      []slot        // by rank
	shards     *shards
	sampler    stateSampler
	endedRanks atomic.Int64 // ranks of this process that have ended
	left       atomic.Int64 // ranks of this process whose bodies have not returned
}

// slot is the place where a rank publishes its counts.
type slot struct {
	mu         sync.Mutex
	traffic    cluster.Traffic
	counts     counts
	iterations int          // rank 0: finished iterations
	active     cluster.Time // the fabric's time of the counts, without pauses
	times      []float64    // rank 0: latest iterations, s
	share      fraction     // of the steps of the current iteration
}

// reserve allocates the counts of all ranks. The slots of other processes stay empty.
func (p *process) reserve(l *cluster.Layout, w *workload.Workload, cells int) {
	ranks := l.Ranks()
	for i := range ranks {
		if p.has(l, i) {
			p.local++
		}
	}
	p.left.Store(int64(p.local))
	p.layout, p.sums = l, len(w.Metrics)+len(w.Samples)
	for i := range w.Profiles {
		p.sums += w.Profiles[i].Places
	}
	for i := range w.Metrics {
		if w.Metrics[i].Ranked && ranks <= engine.MaxRanked {
			p.ranked = append(p.ranked, i)
		}
	}
	p.slots, p.shards = make([]slot, ranks), newShards(ranks, len(w.Samples), cells)
	if blocks, _ := l.Blocks(); blocks > 0 {
		for i := range p.slots {
			p.slots[i].traffic.Nodes = make([]int64, blocks)
		}
	}
}

// has reports whether a rank is in this process.
func (p *process) has(l *cluster.Layout, rank int) bool {
	return p.processes < 2 || l.ProcessOf(rank, p.processes) == p.number
}

// leads reports whether a rank is the first one of this process.
func (p *process) leads(rank int) bool {
	for i := range rank {
		if p.has(p.layout, i) {
			return false
		}
	}
	return p.has(p.layout, rank)
}

// slot returns the slot of a rank.
func (p *process) slot(rank int) *slot { return &p.slots[rank-p.first] }

// frame returns the published counts. Its states are valid only until the next call.
func (p *process) frame() *frame {
	blocks, shift := p.layout.Blocks()
	over := int(p.endedRanks.Load()) == p.local
	f := newFrame(blocks, p.sums)
	f.process, f.first = p.number, p.first
	f.allocateRanked(p.ranked, p.layout.Ranks())
	for i := range p.slots {
		if !p.has(p.layout, p.first+i) {
			continue
		}
		s := &p.slots[i]
		s.mu.Lock()
		f.storeRanked(p.first+i, &s.counts)
		f.addRank(s, p.layout.NodeOf(p.first+i)>>shift)
		s.mu.Unlock()
	}
	if over {
		p.shards.gather(f.iterations)
	}
	f.histograms = p.shards.merge()
	f.cells, f.counted = p.shards.gathered()
	f.states = p.sampler.take()
	return f
}
