package recording

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// events drains the timeline of a launch: it writes each interval and each message of the views
// once.
type events struct {
	launch   int64
	lanes    map[[2]int]*lane // by rank and thread
	order    []*lane
	messages *lane
	arrows   []timeline.Arrow
	next     uint64 // number of the next message
	missed   uint64 // messages lost before it
}

// lane is a lane of the file.
type lane struct {
	id   int64
	next uint64 // number of the next interval
	open openBlock
}

const newLane = `INSERT INTO lane(launch, rank, thread) VALUES (?,?,?)`

// take writes the new intervals and messages of a view. Unless last is set, it skips the last
// interval of each lane, because it may still grow.
func (e *events) take(b *batch, v *timeline.View, last bool) error {
	maxBlock := laneBlock(len(v.Lanes))
	for i := range v.Lanes {
		if err := e.addLane(b, &v.Lanes[i], maxBlock, last); err != nil {
			return err
		}
	}
	total := v.Messages()
	if total == e.next || v.Arrows == nil {
		return nil
	}
	fresh := v.Arrows
	if n := total - e.next; n < uint64(len(fresh)) {
		fresh = fresh[uint64(len(fresh))-n:]
	}
	if gap := total - e.next - uint64(len(fresh)); gap > 0 {
		if err := e.sealArrows(b); err != nil {
			return err
		}
		e.missed += gap
		e.next += gap
	}
	for len(fresh) > 0 {
		n := min(len(fresh), blockLength-len(e.arrows))
		e.arrows, fresh = append(e.arrows, fresh[:n]...), fresh[n:]
		e.next += uint64(n)
		if len(e.arrows) == blockLength {
			if err := e.sealArrows(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// laneBlock returns the number of intervals per block, given the number of lanes. A jump unpacks
// one or two blocks of each lane, and shows at most maxViewIntervals intervals of all lanes.
func laneBlock(lanes int) int {
	const minBlock = 1024
	return min(max(2*maxViewIntervals/max(lanes, 1), minBlock), blockLength)
}

func (e *events) addLane(b *batch, v *timeline.LaneView, maxBlock int, last bool) error {
	end := v.Count()
	if !last && end > 0 {
		end--
	}
	key := [2]int{v.Rank, v.Thread}
	l := e.lanes[key]
	if l == nil {
		if end == 0 {
			return nil
		}
		id, err := b.insert(newLane, e.launch, v.Rank, v.Thread)
		if err != nil {
			return err
		}
		l = &lane{id: id}
		e.lanes[key], e.order = l, append(e.order, l)
	}
	if end <= l.next {
		return nil
	}
	n := max(l.next, v.First())
	if n >= end {
		return nil
	}
	if n > l.next || len(l.open.labelOf) == 0 {
		if err := l.seal(b); err != nil {
			return err
		}
		l.begin(v, n)
	}
	for s := range v.After(n) {
		if len(l.open.labelOf) >= maxBlock {
			if err := l.seal(b); err != nil {
				return err
			}
			l.begin(v, n)
		}
		if s.End <= s.Begin {
			break // it starts at this moment
		}
		l.open.add(&s)
		n++
		if n == end {
			break
		}
	}
	l.next = n
	return nil
}

// begin starts a block with interval n, which must be in the view.
func (l *lane) begin(v *timeline.LaneView, n uint64) {
	for s := range v.After(n) {
		l.open.start(n, n-l.next, s.Begin, v.Before(n))
		break
	}
	l.next = n
}

// seal writes the open block.
func (l *lane) seal(b *batch) error {
	o := &l.open
	n := len(o.labelOf)
	if n == 0 {
		return nil
	}
	data := b.pack.pack(o.encode())
	c := codec.Encode(nil)
	for i := range o.before {
		codec.Integer(c, &o.before[i])
	}
	s := &o.sums
	l.next = o.first + uint64(n)
	err := insertBlock(b, []any{l.id, kindIntervals, int64(o.first), n, int64(o.dropped), int64(o.begin), int64(o.end),
		int64(s[timeline.ActivitySleep]), int64(s[timeline.ActivityCompute]), int64(s[timeline.ActivityCommunicate]),
		int64(s[timeline.ActivityCopy]), int64(s[timeline.ActivityWait]), int64(s[timeline.ActivityLock]), c.Bytes()}, data)
	o.labelOf = o.labelOf[:0]
	return err
}

// insertBlock writes a block of any kind.
func insertBlock(b *batch, head []any, data []byte) error {
	id, err := b.insert(`INSERT INTO block(lane, kind, first, n, dropped, from_ps, to_ps, sleep_ps, compute_ps, comm_ps, copy_ps, wait_ps, lock_ps, before, codec, crc, size)
VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, append(head, codecZstd, checksum(data), len(data))...)
	if err == nil {
		_, err = b.exec(`INSERT INTO body VALUES (?,?)`, id, data)
	}
	return err
}

func (e *events) sealArrows(b *batch) error {
	n := len(e.arrows)
	if n == 0 {
		return nil
	}
	if e.messages == nil {
		id, err := b.insert(newLane, e.launch, -1, -1)
		if err != nil {
			return err
		}
		e.messages = &lane{id: id}
	}
	from, to := e.arrows[0].Sent, cluster.Time(0)
	for i := range e.arrows {
		from, to = min(from, e.arrows[i].Sent), max(to, e.arrows[i].Received)
	}
	data := b.pack.pack(encodeColumns(e.arrows, arrowFields))
	first := int64(e.next) - int64(n)
	err := insertBlock(b, []any{e.messages.id, kindArrows, first, n, int64(e.missed), int64(from), int64(to),
		nil, nil, nil, nil, nil, nil, nil}, data)
	e.arrows, e.missed = e.arrows[:0], 0
	return err
}

// seal writes all open blocks.
func (e *events) seal(b *batch) error {
	for _, l := range e.order {
		if err := l.seal(b); err != nil {
			return err
		}
	}
	return e.sealArrows(b)
}
