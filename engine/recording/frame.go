package recording

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
)

// frames is the open block of snapshots.
type frames struct {
	pack  *packer
	first int64 // number of the first one in the run
	n     int64
	from  time.Duration
	to    time.Duration
	began time.Time     // when the first one was published
	took  time.Duration // time of the writer's last transaction
	buf   []byte
	one   []byte
}

// due reports whether the block must be closed now, so that the next commit is not too late for it.
func (f *frames) due(now time.Time) bool {
	return f.n > 0 && now.Sub(f.began)+commitEvery+f.took >= maxAge
}

// Limits of a block, regardless of the writer's delay.
const (
	blockFrames = 64
	blockBytes  = 1 << 20
)

// full reports whether the block has reached a limit.
func (f *frames) full() bool { return f.n >= blockFrames || len(f.buf) >= blockBytes }

// frame is the part of a snapshot that other tables store: its samples are a window of the run's
// list, and its timeline consists of blocks.
type frame struct {
	launch   int   // launch of the run, from 1; 0: before the first
	samples  int64 // number of the run's samples up to here
	window   int   // number of samples that it shows
	timeline *timeline.Moment
}

func (x *frame) fields(c *codec.Walk) {
	codec.Integer(c, &x.launch)
	codec.Integer(c, &x.samples)
	codec.Integer(c, &x.window)
	codec.Maybe(c, &x.timeline, (*timeline.Moment).Fields)
}

// add adds a snapshot. began is when the first snapshot of the transaction was published.
func (f *frames) add(s *engine.Snapshot, samples int64, launch int, began time.Time) {
	x := frame{launch: launch, samples: samples, window: len(s.Series)}
	if s.Timeline != nil {
		x.timeline = s.Timeline.Moment()
	}
	c := codec.Encode(f.one[:0])
	x.fields(c)
	lean := *s
	lean.Series, lean.Timeline = nil, nil
	var e engine.Encoder
	f.one = e.Append(c.Bytes(), &lean)
	if f.n == 0 {
		f.from, f.began = s.Elapsed, began
	}
	c = codec.Encode(f.buf)
	text, at := string(f.one), int64(s.Elapsed)
	codec.Integer(c, &at)
	codec.Text(c, &text)
	f.buf = c.Bytes()
	f.n, f.to = f.n+1, s.Elapsed
}

// seal writes the block unless it is empty.
func (f *frames) seal(b *batch, run int64) error {
	if f.n == 0 {
		return nil
	}
	data := f.pack.pack(f.buf)
	_, err := b.exec(`INSERT INTO frame VALUES (?,?,?,?,?,?,?)`, run, f.first, f.n, int64(f.from), int64(f.to),
		checksum(data), data)
	f.first += f.n
	f.n = 0
	f.buf = f.buf[:0]
	return err
}

// record is a decoded frame.
type record struct {
	at   time.Duration
	body string
}

// decodeFrames decodes a block of n snapshots.
func decodeFrames(b []byte, n int) ([]record, error) {
	c := codec.Decode(b)
	all := make([]record, 0, min(n, len(b)/2+1))
	for range n {
		var r record
		codec.Integer(c, &r.at)
		if codec.Text(c, &r.body); c.Err() != nil {
			return nil, c.Err()
		}
		all = append(all, r)
	}
	return all, c.End()
}
