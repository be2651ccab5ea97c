package session

import (
	"errors"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// encode encodes a frame for process 0, without the states of its ranks.
func (f *frame) encode() []byte {
	c := codec.Encode(nil)
	f.fields(c)
	return c.Bytes()
}

var errFrame = errors.New("counts that do not fit the run")

// decodeFrame decodes a frame of another process. Its lists must be as long as the lists of this process.
func (r *run) decodeFrame(process int, b []byte) (*frame, error) {
	blocks, _ := r.layout.Blocks()
	f := newFrame(blocks, r.sums)
	f.allocateRanked(r.ranked, r.layout.Ranks())
	f.histograms = newHistograms(len(r.setup.workload.Samples))
	f.cells = make([]int64, len(r.shards.whole))
	c := codec.Decode(b)
	f.fields(c)
	if err := c.End(); err != nil {
		return nil, err
	}
	f.process = process
	return f, nil
}

// fields lists the fields of a frame. A decoder has allocated the lists.
func (f *frame) fields(c *codec.Walk) {
	codec.Integer(c, &f.ranks)
	codec.Integer(c, &f.stamp)
	codec.Integer(c, &f.spent)
	for i := range cluster.Classes {
		codec.Integer(c, &f.accesses[i])
		codec.Integer(c, &f.time[i])
		codec.Integer(c, &f.traffic.Ops[i])
		codec.Integer(c, &f.traffic.Bytes[i])
	}
	c.Floats(f.sums)
	integers(c, f.reports)
	codec.Integer(c, &f.checks)
	codec.Integer(c, &f.failures)
	c.Natural(&f.checksum)
	codec.Text(c, &f.detail)
	codec.Integer(c, &f.iterations)
	c.FloatList(&f.times)
	c.Float(&f.share)
	integers(c, f.traffic.Nodes)
	for i := range f.pairs {
		integers(c, f.pairs[i])
	}
	f.histograms.fields(c)
	integers(c, f.cells)
	codec.Integer(c, &f.counted)
	for i := range f.ranked {
		c.Floats(f.ranked[i].values)
	}
	if c.Reading() && (f.ranks < 0 || f.iterations < 0 || f.checks < 0 || len(f.times) > recentIterations) {
		c.Fail(errFrame)
	}
}

// integers encodes or decodes a list whose length both sides know.
func integers(c *codec.Walk, all []int64) {
	for i := range all {
		codec.Integer(c, &all[i])
	}
}

// bar is a bucket of a histogram that is not empty.
type bar struct{ at, count int64 }

func (b *bar) fields(c *codec.Walk) {
	codec.Integer(c, &b.at)
	codec.Integer(c, &b.count)
}

// fields encodes or decodes the buckets of each histogram that are not empty.
func (p *histograms) fields(c *codec.Walk) {
	for i, h := range p.series {
		var bars []bar
		snapshot := h.Export()
		if !c.Reading() && h.TotalCount() > 0 {
			for at, n := range snapshot.Counts {
				if n != 0 {
					bars = append(bars, bar{int64(at), n})
				}
			}
		}
		codec.List(c, &bars, codec.PartOf((*bar).fields))
		if !c.Reading() || len(bars) == 0 {
			continue
		}
		counts := slices.Clone(snapshot.Counts)
		for _, b := range bars {
			if b.at < 0 || b.at >= int64(len(counts)) || b.count < 0 || b.count > math.MaxInt64/int64(len(counts)) {
				c.Fail(errFrame)
				return
			}
			counts[b.at] = b.count
		}
		snapshot.Counts = counts
		p.series[i] = hdrhistogram.Import(snapshot)
	}
}
