package recording

import (
	"fmt"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

// chunkLength is the number of samples per block. A jump needs thousands at once; reading them as
// table rows would take longer than a frame.
const chunkLength = 1024

// keptChunks is the number of chunks that stay in memory: enough for one window.
const keptChunks = maxSamples/chunkLength + 1

// window is a part of a run's samples in memory.
type window struct {
	file   *File
	run    int64
	lane   int64 // of the blocks of samples; 0: not yet looked up, below 0: there is none
	first  int64
	all    []engine.Sample
	chunks map[int64][]engine.Sample
	used   []int64 // numbers of the chunks, the newest last
}

// slice returns samples from up to, not including, number to. The result is never modified later.
func (w *window) slice(from, to int64) ([]engine.Sample, error) {
	if from == to {
		return nil, nil
	}
	if end := w.first + int64(len(w.all)); w.all == nil || from < w.first || from > end {
		w.first, w.all = from, nil
	}
	for end := w.first + int64(len(w.all)); end < to; end = w.first + int64(len(w.all)) {
		k := end / chunkLength
		c, err := w.chunk(k, min(to-k*chunkLength, chunkLength))
		if err != nil {
			return nil, err
		}
		w.all = append(w.all, c[end-k*chunkLength:]...)
	}
	all := w.all[from-w.first : to-w.first : to-w.first]
	if len(w.all) > 4*maxSamples { // keep the part that the next call will need
		w.all, w.first = slices.Clone(w.all[from-w.first:]), from
	}
	return all, nil
}

// chunk returns at least want samples from number k·chunkLength on.
func (w *window) chunk(k, want int64) ([]engine.Sample, error) {
	if c := w.chunks[k]; int64(len(c)) >= want {
		return c, nil
	}
	c, err := w.block(k)
	if err == nil && c == nil {
		c, err = w.file.Samples(w.run, k*chunkLength, chunkLength)
	}
	if err != nil {
		return nil, err
	}
	if int64(len(c)) < want {
		return nil,
			fmt.Errorf("samples up to %d: the recording has only %d", k*chunkLength+want-1, k*chunkLength+int64(len(c)))
	}
	if w.chunks == nil {
		w.chunks = make(map[int64][]engine.Sample)
	}
	if w.chunks[k] == nil {
		w.used = append(w.used, k)
	}
	w.chunks[k] = c
	if len(w.used) > keptChunks {
		delete(w.chunks, w.used[0])
		w.used = w.used[1:]
	}
	return c, nil
}

// block reads a packed chunk. It returns nil if the chunk is not packed.
func (w *window) block(k int64) ([]engine.Sample, error) {
	if w.lane == 0 {
		w.lane = -1
		if err := w.file.each(`SELECT n.id FROM lane n JOIN launch l ON l.id = n.launch WHERE l.run=? AND n.rank=? LIMIT 1`,
			[]any{w.run, sampleLane}, func(r *resultRow) { w.lane = r.int() }); err != nil {
			return nil, err
		}
	}
	if w.lane < 0 {
		return nil, nil
	}
	var all []engine.Sample
	var bad error
	err := w.file.each(`SELECT b.n, b.crc, y.data FROM block b JOIN body y ON y.block = b.id WHERE b.lane=? AND b.first=? AND b.kind=? LIMIT 1`, []any{w.lane, k * chunkLength, kindSamples}, func(r *resultRow) {
		n, crc := int(r.int()), r.int()
		b, err := w.file.unpack.unpack(r.blob(), crc)
		if err == nil {
			all, err = decodeColumns(b, n, chunkLength, sampleFields)
		}
		if err != nil {
			bad = fmt.Errorf("samples from %d on: %w", k*chunkLength, err)
		}
	})
	if err == nil {
		err = bad
	}
	return all, err
}

// sampleFields encodes or decodes the columns of samples. Times are stored as differences, which
// are shorter.
func sampleFields(c *codec.Walk, all []engine.Sample) {
	var at time.Duration
	var fabric cluster.Time
	for i := range all {
		d := all[i].At - at
		codec.Integer(c, &d)
		at += d
		all[i].At = at
	}
	for i := range all {
		d := all[i].Fabric - fabric
		codec.Integer(c, &d)
		fabric += d
		all[i].Fabric = fabric
	}
	for class := range cluster.Classes {
		for i := range all {
			c.Float(&all[i].Rate[class])
		}
		for i := range all {
			c.Float(&all[i].Ops[class])
		}
	}
	for i := range all {
		c.Float(&all[i].Local)
	}
	for i := range all {
		c.Float(&all[i].Access)
	}
}

// chunks packs the samples of a run as they are written.
type chunks struct {
	lane int64 // 0: not yet created
	next int64 // number of the first sample of open
	open []engine.Sample
}

// add adds a sample; launch is the current one or nil.
func (k *chunks) add(b *batch, s *engine.Sample, launch *launch) error {
	k.open = append(k.open, finiteSample(*s))
	if len(k.open) < chunkLength {
		return nil
	}
	defer func() { k.next, k.open = k.next+chunkLength, k.open[:0] }()
	if launch == nil {
		return nil // the table rows contain them
	}
	if k.lane == 0 {
		var err error
		k.lane, err = b.insert(newLane, launch.id, sampleLane, sampleLane)
		if err != nil {
			return err
		}
	}
	data := b.pack.pack(encodeColumns(k.open, sampleFields))
	return insertBlock(b, []any{k.lane, kindSamples, k.next, len(k.open), 0,
		nil, nil, nil, nil, nil, nil, nil, nil, nil}, data)
}

// finiteSample returns a sample as the table row stores it: values that are not finite become NaN.
func finiteSample(s engine.Sample) engine.Sample {
	clean := func(x *float64) {
		if !isFinite(*x) {
			*x = nan
		}
	}
	clean(&s.Local)
	clean(&s.Access)
	for c := range cluster.Classes {
		clean(&s.Rate[c])
		clean(&s.Ops[c])
	}
	return s
}
