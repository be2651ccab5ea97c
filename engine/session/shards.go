package session

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
)

// histograms holds recorded values: one histogram for the accesses of each class and for each
// declared sample.
type histograms struct{ series []*hdrhistogram.Histogram }

func newHistograms(samples int) *histograms {
	p := &histograms{series: make([]*hdrhistogram.Histogram, cluster.Classes+samples)}
	for i := range p.series {
		if i < cluster.Classes {
			p.series[i] = hdrhistogram.New(lowestLatency, highestLatency, digits)
		} else {
			p.series[i] = hdrhistogram.New(1, highestSample, digits)
		}
	}
	return p
}

// copy adds the contents of p to another set.
func (p *histograms) copy(to *histograms) {
	for i, h := range p.series {
		if h.TotalCount() > 0 {
			to.series[i].Merge(h)
		}
	}
}

// move adds the contents of p to another set, and empties p.
func (p *histograms) move(to *histograms) {
	p.copy(to)
	for _, h := range p.series {
		if h.TotalCount() > 0 {
			h.Reset()
		}
	}
}

// shards holds the histograms that ranks record into, and the cells of all tables of counts. Any
// rank may use any shard, because they are added in the end. A rank that finds one locked tries the
// next.
type shards struct {
	part  []shard
	total *histograms // used only by the session
	spare *histograms // empty, to exchange for a shard's histograms

	mu      sync.Mutex
	whole   []int64 // cells, of iterations that every rank has ended
	counted int     // number of these iterations
}

type shard struct {
	mu         sync.Mutex
	histograms *histograms
	cells      []int64
	fresh      bool     // values were recorded into histograms since the last merge
	_          [64]byte // keeps the shards of two ranks on separate cache lines
}

func newShards(ranks, samples, cells int) *shards {
	if samples > maxDeclaredSamples {
		panic(fmt.Sprintf("session: %d samples declared: want at most %d", samples, maxDeclaredSamples))
	}
	s := &shards{part: make([]shard, min(ranks, 2*runtime.GOMAXPROCS(0))), total: newHistograms(samples),
		spare: newHistograms(samples), whole: make([]int64, cells)}
	for i := range s.part {
		s.part[i].histograms, s.part[i].cells = newHistograms(samples), make([]int64, cells)
	}
	return s
}

// batch collects values until they are recorded into a shard.
type batch struct {
	values  int
	tallies int
	waiting [256]pending
	counted [64]tallied
}

// put adds a value, and reports whether the batch is full.
func (b *batch) put(v pending) bool {
	b.waiting[b.values] = v
	b.values++
	return b.values == len(b.waiting)
}

// pending is an unrecorded value, with the number of its series in the low bits.
type pending int64

const seriesBits = 8

// maxDeclaredSamples is the maximum number of samples of a workload.
const maxDeclaredSamples = 1<<seriesBits - cluster.Classes

func pack(series int, value int64) pending { return pending(value<<seriesBits | int64(series)) }

// packTime packs the time of an access.
func packTime(c cluster.Class, t cluster.Time) pending {
	return pack(int(c), min(int64(t), highestLatency))
}

// tallied is an unrecorded count.
type tallied struct {
	cell int32
	n    int64
}

// record moves a batch into a shard.
func (s *shards) record(rank int, b *batch) {
	part := s.lockShard(rank)
	defer part.mu.Unlock()
	part.fresh = true
	for _, v := range b.waiting[:b.values] {
		if err := part.histograms.series[v&(1<<seriesBits-1)].RecordValue(int64(v >> seriesBits)); err != nil {
			panic(fmt.Sprintf("session: value out of range: %v", err)) // pack and its callers limit the values
		}
	}
	for _, c := range b.counted[:b.tallies] {
		part.cells[c.cell] += c.n
	}
	b.values, b.tallies = 0, 0
}

// lockShard returns a locked shard.
func (s *shards) lockShard(rank int) *shard {
	n := len(s.part)
	for i := range n {
		if p := &s.part[(rank+i)%n]; p.mu.TryLock() {
			return p
		}
	}
	p := &s.part[rank%n]
	p.mu.Lock()
	return p
}

// gather collects the cells of the given number of iterations, which every rank has ended and
// recorded.
func (s *shards) gather(iterations int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.part {
		p := &s.part[i]
		p.mu.Lock()
		for k, n := range p.cells {
			s.whole[k] += n
		}
		clear(p.cells)
		p.mu.Unlock()
	}
	s.counted = iterations
}

// gathered returns a copy of the gathered cells and the number of their iterations.
func (s *shards) gathered() ([]int64, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.whole), s.counted
}

// merge adds the newly recorded histograms to the total and returns it.
func (s *shards) merge() *histograms {
	for i := range s.part {
		p := &s.part[i]
		p.mu.Lock()
		if !p.fresh {
			p.mu.Unlock()
			continue
		}
		full := p.histograms
		p.histograms, p.fresh = s.spare, false
		p.mu.Unlock()
		full.move(s.total)
		s.spare = full
	}
	return s.total
}
