package session

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
)

// pile is what ranks have recorded: a histogram for the accesses of each class and
// for each declared sample.
type pile struct{ series []*hdrhistogram.Histogram }

func newPile(samples int) *pile {
	p := &pile{series: make([]*hdrhistogram.Histogram, cluster.Classes+samples)}
	for i := range p.series {
		if i < cluster.Classes {
			p.series[i] = hdrhistogram.New(lowestLatency, highestLatency, digits)
		} else {
			p.series[i] = hdrhistogram.New(1, highestSample, digits)
		}
	}
	return p
}

// copy adds what is in p to another pile.
func (p *pile) copy(to *pile) {
	for i, h := range p.series {
		if h.TotalCount() > 0 {
			to.series[i].Merge(h)
		}
	}
}

// move adds what is in p to another pile, and empties p.
func (p *pile) move(to *pile) {
	p.copy(to)
	for _, h := range p.series {
		if h.TotalCount() > 0 {
			h.Reset()
		}
	}
}

// shards are the piles that ranks record into, and the cells of all tables of counts. Any
// shard will do for any rank, because in the end they are added up: a rank that finds one
// taken tries the next.
type shards struct {
	part  []shard
	total *pile // by the session alone
	spare *pile // empty, to be swapped for a shard's

	mu      sync.Mutex
	whole   []int64 // cells, of iterations that every rank has ended
	counted int     // these iterations
}

type shard struct {
	mu    sync.Mutex
	pile  *pile
	cells []int64
	fresh bool     // something was recorded into the pile since the last merge
	_     [64]byte // shards of two ranks share no cache line
}

func newShards(ranks, samples, cells int) *shards {
	if samples > mostSamples {
		panic(fmt.Sprintf("session: %d samples declared: want at most %d", samples, mostSamples))
	}
	s := &shards{part: make([]shard, min(ranks, 2*runtime.GOMAXPROCS(0))), total: newPile(samples), spare: newPile(samples), whole: make([]int64, cells)}
	for i := range s.part {
		s.part[i].pile, s.part[i].cells = newPile(samples), make([]int64, cells)
	}
	return s
}

// batch collects what is on its way into a shard.
type batch struct {
	values  int
	tallies int
	waiting [256]pending
	counted [64]tallied
}

// put adds a value, and says that the batch is full.
func (b *batch) put(v pending) bool {
	b.waiting[b.values] = v
	b.values++
	return b.values == len(b.waiting)
}

// pending is a value that is not recorded yet, and the number of its series in the
// low bits.
type pending int64

const seriesBits = 8

// mostSamples is how many samples a workload can have.
const mostSamples = 1<<seriesBits - cluster.Classes

func pack(series int, value int64) pending { return pending(value<<seriesBits | int64(series)) }

// packTime packs the time of an access.
func packTime(c cluster.Class, t cluster.Time) pending {
	return pack(int(c), min(int64(t), highestLatency))
}

// tallied is a count that is not recorded yet.
type tallied struct {
	cell int32
	n    int64
}

// record moves a batch into a shard.
func (s *shards) record(rank int, b *batch) {
	part := s.free(rank)
	defer part.mu.Unlock()
	part.fresh = true
	for _, v := range b.waiting[:b.values] {
		if err := part.pile.series[v&(1<<seriesBits-1)].RecordValue(int64(v >> seriesBits)); err != nil {
			panic(fmt.Sprintf("session: value out of range: %v", err)) // who packs keeps them in range
		}
	}
	for _, c := range b.counted[:b.tallies] {
		part.cells[c.cell] += c.n
	}
	b.values, b.tallies = 0, 0
}

// free locks a shard.
func (s *shards) free(rank int) *shard {
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

// gather takes the cells of so many iterations, which every rank has ended and recorded.
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

// ended is the cells that were gathered, and of how many iterations they are.
func (s *shards) ended() ([]int64, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.whole), s.counted
}

// merge adds the histograms that were recorded to the total.
func (s *shards) merge() *pile {
	for i := range s.part {
		p := &s.part[i]
		p.mu.Lock()
		if !p.fresh {
			p.mu.Unlock()
			continue
		}
		full := p.pile
		p.pile, p.fresh = s.spare, false
		p.mu.Unlock()
		full.move(s.total)
		s.spare = full
	}
	return s.total
}
