package recording

import (
	"sort"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// Past keeps the last minutes of a session in memory, compressed, for a screen that goes back in
// time. It has no timelines.
type Past struct {
	blocks  []packedBlock
	bytes   int
	open    frames
	samples []engine.Sample
	dropped int64 // samples dropped before the first one
	last    time.Duration
}

// packedBlock is a block of successive snapshots.
type packedBlock struct {
	from, to time.Duration
	n        int
	data     []byte
	crc      int64
}

// Limits of the past: one snapshot per pastEvery, pastBlock snapshots per block, at most pastSpan
// or pastBytes.
const (
	pastEvery = 200 * time.Millisecond
	pastBlock = 10
	pastSpan  = 5 * time.Minute
	pastBytes = 32 << 20
)

// NewPast returns an empty Past.
func NewPast() *Past { return &Past{open: frames{pack: newPacker()}, last: -pastEvery} }

// Add stores a snapshot if pastEvery has passed since the last one.
func (p *Past) Add(s *engine.Snapshot) {
	if s.Elapsed < p.last+pastEvery {
		return
	}
	p.last = s.Elapsed
	first := len(s.Series)
	for n := len(p.samples); first > 0 && (n == 0 || s.Series[first-1].At > p.samples[n-1].At); {
		first--
	}
	p.samples = append(p.samples, s.Series[first:]...)
	if len(p.samples) > 2*maxSamples {
		p.dropped += int64(len(p.samples) - maxSamples)
		p.samples = append([]engine.Sample{}, p.samples[len(p.samples)-maxSamples:]...)
	}
	lean := *s
	lean.Timeline = nil
	if p.open.add(&lean, p.dropped+int64(len(p.samples)), 0, time.Time{}); p.open.n < pastBlock {
		return
	}
	f := &p.open
	b := packedBlock{from: f.from, to: f.to, n: int(f.n), data: f.pack.pack(f.buf)}
	b.crc = checksum(b.data)
	f.n, f.buf = 0, f.buf[:0]
	p.blocks, p.bytes = append(p.blocks, b), p.bytes+len(b.data)
	for len(p.blocks) > 1 && (p.bytes > pastBytes || p.blocks[0].to < s.Elapsed-pastSpan) {
		p.bytes -= len(p.blocks[0].data)
		p.blocks = p.blocks[1:]
	}
}

// At returns the latest snapshot at a time, or the first one kept. It returns nil if there is
// none.
func (p *Past) At(at time.Duration) (*engine.Snapshot, error) {
	k := max(sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].from > at })-1, 0)
	var all []record
	var err error
	switch {
	case p.open.n > 0 && (at >= p.open.from || len(p.blocks) == 0):
		all, err = decodeFrames(p.open.buf, int(p.open.n))
	case len(p.blocks) == 0:
		return nil, nil
	default:
		var plain []byte
		b := &p.blocks[k]
		plain, err = newUnpacker().unpack(b.data, b.crc)
		if err == nil {
			all, err = decodeFrames(plain, b.n)
		}
	}
	if err != nil {
		return nil, err
	}
	i := max(sort.Search(len(all), func(i int) bool { return all[i].at > at })-1, 0)
	s, x, err := decodeSnapshot(&all[i])
	if err != nil {
		return nil, err
	}
	to := x.samples - p.dropped
	from := max(to-int64(x.window), 0)
	if to > 0 && x.window > 0 {
		s.Series = p.samples[from:to:to]
	}
	return s, nil
}
