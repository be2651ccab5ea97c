package session

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// frame holds the counts of one process's ranks since the launch, and their observed states since
// the previous frame. It is plain data, made on request. Inside a process it is passed on without
// a copy.
type frame struct {
	process int
	first   int          // first rank of the process
	ranks   int          // number of ranks of the process
	stamp   cluster.Time // the fabric's time of the counts, without pauses
	spent   cluster.Time // the same, summed over ranks: some publish their counts later than others
	counts
	iterations int
	times      []float64 // only in rank 0's process: latest iterations, s
	share      float64   // of the current iteration's steps, by the slowest rank that counts them; NaN: none does
	traffic    cluster.Traffic
	pairs      [][]int64   // bytes between blocks of nodes, see [cluster.Layout.Blocks]
	histograms *histograms // latencies by class, and declared samples
	cells      []int64     // tables of counts, of complete iterations
	counted    int         // number of these iterations
	states     []byte      // observations of each rank, see stateSampler
	ranked     []ranked    // metrics by rank
}

// ranked holds the values of a declared metric by rank.
type ranked struct {
	metric int
	values []float64 // by rank; NaN: a rank of another process, or without a report
}

// allocateRanked allocates the metrics by rank.
func (f *frame) allocateRanked(metrics []int, ranks int) {
	for _, metric := range metrics {
		values := make([]float64, ranks)
		for i := range values {
			values[i] = math.NaN()
		}
		f.ranked = append(f.ranked, ranked{metric: metric, values: values})
	}
}

// storeRanked stores the metrics that a rank has reported.
func (f *frame) storeRanked(rank int, c *counts) {
	for i := range f.ranked {
		if m := f.ranked[i].metric; m < len(c.reports) && c.reports[m] > 0 {
			f.ranked[i].values[rank] = c.sums[m] / float64(c.reports[m])
		}
	}
}

// newFrame returns an empty frame. With 0 blocks, bytes are not counted by node.
func newFrame(blocks, sums int) *frame {
	f := &frame{share: math.NaN(), counts: counts{sums: make([]float64, sums), reports: make([]int64, sums)}}
	if blocks > 0 {
		f.traffic.Nodes = make([]int64, blocks)
		f.pairs = make([][]int64, blocks)
		all := make([]int64, blocks*blocks)
		for i := range f.pairs {
			f.pairs[i] = all[i*blocks:][:blocks:blocks]
		}
	}
	return f
}

// addRank adds the counts in a rank's slot; block is its block of nodes.
func (f *frame) addRank(s *slot, block int) {
	f.ranks++
	f.counts.add(&s.counts)
	f.addTimes(s.iterations, s.active, s.active, s.times)
	f.share = smallerShare(f.share, s.share.get())
	f.addTraffic(&s.traffic)
	if f.pairs != nil {
		for to, b := range s.traffic.Nodes {
			f.pairs[block][to] += b
		}
	}
}

// add adds the frame of another process.
func (f *frame) add(o *frame) {
	f.ranks += o.ranks
	f.counts.add(&o.counts)
	f.addTimes(o.iterations, o.stamp, o.spent, o.times)
	f.share = smallerShare(f.share, o.share)
	f.addTraffic(&o.traffic)
	for from := range f.pairs {
		for to, b := range o.pairs[from] {
			f.pairs[from][to] += b
		}
	}
	o.histograms.copy(f.histograms)
	for i, n := range o.cells {
		f.cells[i] += n
	}
	f.counted = max(f.counted, o.counted)
	if f.ranked == nil {
		var metrics []int
		for i := range o.ranked {
			metrics = append(metrics, o.ranked[i].metric)
		}
		if metrics != nil {
			f.allocateRanked(metrics, len(o.ranked[0].values))
		}
	}
	for i := range o.ranked {
		for rank, x := range o.ranked[i].values {
			if !math.IsNaN(x) {
				f.ranked[i].values[rank] = x
			}
		}
	}
}

func (f *frame) addTimes(iterations int, stamp, spent cluster.Time, times []float64) {
	f.iterations = max(f.iterations, iterations)
	f.stamp = max(f.stamp, stamp)
	f.spent += spent
	if len(times) > 0 {
		f.times = slices.Clone(times)
	}
}

func (f *frame) addTraffic(t *cluster.Traffic) {
	for c := range cluster.Classes {
		f.traffic.Ops[c] += t.Ops[c]
		f.traffic.Bytes[c] += t.Bytes[c]
	}
	for to, b := range t.Nodes {
		f.traffic.Nodes[to] += b
	}
}

// collector holds the latest frame of each process.
type collector struct{ frames []*frame }

// take stores a frame and replaces the previous one of its process.
func (c *collector) take(f *frame) {
	if i := slices.IndexFunc(c.frames, func(o *frame) bool { return o.process == f.process }); i >= 0 {
		c.frames[i] = f
		return
	}
	c.frames = append(c.frames, f)
	slices.SortFunc(c.frames, func(a, b *frame) int { return a.process - b.process })
}

// sum returns the sum of the frames. With a single process it returns its frame itself.
func (c *collector) sum() *frame {
	if len(c.frames) == 1 {
		return c.frames[0]
	}
	one := c.frames[0]
	all := newFrame(len(one.pairs), len(one.sums))
	all.histograms, all.cells = newHistograms(len(one.histograms.series)-cluster.Classes), make([]int64, len(one.cells))
	for _, f := range c.frames {
		all.add(f)
	}
	return all
}
