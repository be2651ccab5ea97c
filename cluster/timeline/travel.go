package timeline

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// A Sender encodes views for one receiver that has received no view from another sender. It sends a
// full chunk once, with the first view that contains it, and the content of the current chunk with
// every view. The zero Sender has sent nothing.
type Sender struct {
	of     *Recorder
	launch uint64
	chunks []uint64 // by lane, number of chunks sent or dropped before
	arrows uint64   // number of arrows sent
}

// A Receiver decodes views. It needs all data of a sender, in order.
type Receiver struct {
	of     *Recorder // represents the launch
	launch uint64
	lanes  [][]*chunk // full chunks, by lane
	next   []uint64   // number of the next chunk, by lane
	kept   int        // chunks of all lanes
	arrows []Arrow
	sent   uint64
}

// laneHead is the encoded part of a lane without its chunks.
type laneHead struct {
	rank, thread int
	base         uint64 // number of the first kept chunk
	from         uint64 // number of the first full chunk in this message
	fresh        uint64 // number of full chunks in this message
	now          *label
}

func (h *laneHead) fields(c *codec.Walk) {
	codec.Integer(c, &h.rank)
	codec.Integer(c, &h.thread)
	c.Natural(&h.base)
	c.Natural(&h.from)
	c.Natural(&h.fresh)
	codec.Maybe(c, &h.now, (*label).fields)
}

func (m *label) fields(c *codec.Walk) {
	a := m.activity()
	call := cluster.Kind(*m >> 8)
	peer := int32(*m >> 32)
	codec.Below(c, &a, Activities)
	codec.Integer(c, &call)
	codec.Integer(c, &peer)
	*m = labelOf(a, call, peer)
}

func (a *Arrow) fields(c *codec.Walk) {
	codec.Integer(c, &a.From)
	codec.Integer(c, &a.FromThread)
	codec.Integer(c, &a.To)
	codec.Integer(c, &a.ToThread)
	codec.Integer(c, &a.Sent)
	codec.Integer(c, &a.Received)
	codec.Integer(c, &a.Bytes)
	codec.Integer(c, &a.Tag)
}

var arrowParts = codec.PartOf((*Arrow).fields)

// head is the encoded part of a view without its lanes.
func (v *View) head(c *codec.Walk, launch *uint64, lanes *int) {
	c.Natural(launch)
	codec.Integer(c, &v.From)
	codec.Integer(c, &v.To)
	codec.Integer(c, &v.Ranks)
	codec.Integer(c, lanes)
}

// Send encodes a view.
func (s *Sender) Send(c *codec.Walk, v *View) {
	if v.Of != s.of || len(v.Lanes) < len(s.chunks) {
		*s = Sender{of: v.Of, launch: s.launch + 1}
	}
	lanes := len(v.Lanes)
	v.head(c, &s.launch, &lanes)
	for len(s.chunks) < lanes {
		s.chunks = append(s.chunks, 0)
	}
	for i := range v.Lanes {
		s.lane(c, &v.Lanes[i], &s.chunks[i])
	}
	fresh := v.Arrows
	if n := v.messages - s.arrows; v.Arrows != nil && n < uint64(len(fresh)) {
		fresh = fresh[uint64(len(fresh))-n:]
	}
	codec.List(c, &fresh, arrowParts)
	s.arrows = v.messages
	c.Natural(&s.arrows)
	codec.List(c, &v.Parts, partParts)
}

// lane encodes a lane. *sent is the number of chunks already sent.
func (s *Sender) lane(c *codec.Walk, v *LaneView, sent *uint64) {
	h := laneHead{rank: v.Rank, thread: v.Thread}
	full := 0
	if len(v.chunks) > 0 {
		h.base, full = v.chunks[0].first/chunkLength, len(v.chunks)-1
	}
	open := uint64(v.n)
	if *sent > h.base+uint64(full) { // the view omits the next chunk, which was already sent
		full, open = full+1, 0
	}
	old := int(min(max(*sent, h.base)-h.base, uint64(full)))
	h.from = h.base + uint64(old)
	h.fresh = uint64(full - old)
	if v.now != noLabel {
		h.now = &v.now
	}
	h.fields(c)
	for k := old; k < full; k++ {
		n := uint64(chunkLength)
		v.chunks[k].fields(c, &n)
	}
	*sent = h.base + uint64(full)
	c.Natural(&open)
	if open > 0 {
		last := v.chunks[full].until(int(open), v.end)
		last.fields(c, &open)
	}
}

// until returns a copy of a chunk's first n intervals. The last one ends at end.
func (k *chunk) until(n int, end cluster.Time) *chunk {
	o := &chunk{begin: k.begin}
	o.sums[0] = k.sums[0]
	copy(o.labels[:n], k.labels[:n])
	copy(o.ends[:n-1], k.ends[:n-1])
	o.ends[n-1] = end
	return o
}

// fields walks n intervals of a chunk: the sums before it, and the label and the duration of each
// interval. When decoding, it also computes the data of each block.
func (k *chunk) fields(c *codec.Walk, n *uint64) {
	codec.Integer(c, &k.begin)
	for a := range k.sums[0] {
		codec.Integer(c, &k.sums[0][a])
	}
	at, sums := k.begin, k.sums[0]
	for i := range int(*n) {
		if i%blockLength == 0 && c.Reading() {
			k.begins[i/blockLength], k.sums[i/blockLength] = at, sums
		}
		span := uint64(k.ends[i] - at)
		k.labels[i].fields(c)
		c.Natural(&span)
		if c.Err() != nil {
			return
		}
		if c.Reading() {
			end := at + cluster.Time(span)
			if span == 0 && i < int(*n)-1 || end < at { // the last one can begin at the time of the view
				c.Fail(fmt.Errorf("an interval from %d that ends at %d", at, end))
				return
			}
			k.ends[i] = end
			sums[k.labels[i].activity()] += end - at
		}
		at = k.ends[i]
	}
}

// Receive decodes the next view of a layout. It must not be called again after an error.
func (r *Receiver) Receive(c *codec.Walk, l cluster.Layout) *View {
	v := &View{Layout: l}
	var launch uint64
	lanes := 0
	v.head(c, &launch, &lanes)
	switch {
	case c.Err() != nil:
		return nil
	case launch == 0 || launch != r.launch && launch != r.launch+1 || lanes < 0 || lanes > maxLanes ||
		launch == r.launch && lanes < len(r.lanes):
		c.Fail(fmt.Errorf("timeline %d of %d lanes after timeline %d of %d", launch, lanes, r.launch, len(r.lanes)))
		return nil
	case launch > r.launch:
		*r = Receiver{of: &Recorder{layout: l}, launch: launch}
	}
	v.Of = r.of
	for i := range lanes {
		if i == len(r.lanes) {
			r.lanes, r.next = append(r.lanes, nil), append(r.next, 0)
		}
		lane := r.lane(c, i, v.To)
		if c.Err() != nil {
			return nil
		}
		v.Lanes = append(v.Lanes, lane)
	}
	v.clip()
	var fresh []Arrow
	sent := r.sent
	codec.List(c, &fresh, arrowParts)
	if c.Natural(&r.sent); c.Err() != nil {
		return nil
	}
	if r.sent < sent || uint64(len(fresh)) != min(r.sent-sent, maxArrows) {
		c.Fail(fmt.Errorf("%d messages after %d, with %d new ones", r.sent, sent, len(fresh)))
		return nil
	}
	if fresh != nil {
		all := append(r.arrows[:len(r.arrows):len(r.arrows)], fresh...)
		r.arrows = all[max(0, len(all)-maxArrows):]
		v.Arrows = r.arrows
		if v.Arrows == nil {
			v.Arrows = []Arrow{}
		}
	}
	v.messages = r.sent
	if codec.List(c, &v.Parts, partParts); c.Err() != nil {
		return nil
	}
	return v
}

// lane decodes lane i of a view up to a time.
func (r *Receiver) lane(c *codec.Walk, i int, to cluster.Time) LaneView {
	var h laneHead
	h.fields(c)
	old := r.lanes[i]
	first := r.next[i] - uint64(len(old))
	if c.Err() == nil && (h.base < first || h.from != max(r.next[i], h.base)) {
		c.Fail(fmt.Errorf("lane %d: chunks from %d on of those from %d on, after those from %d to %d", i, h.from, h.base,
			first, r.next[i]))
	}
	if c.Err() != nil {
		return LaneView{}
	}
	drop := min(h.base-first, uint64(len(old)))
	old = old[drop:]
	r.kept -= int(drop)
	r.next[i] = h.from
	v := LaneView{Rank: h.rank, Thread: h.thread, to: to, now: noLabel}
	if h.now != nil {
		v.now = *h.now
	}
	for range h.fresh {
		k := &chunk{first: r.next[i] * chunkLength}
		n := uint64(chunkLength)
		k.fields(c, &n)
		if r.kept++; r.kept > 2*maxStretches/chunkLength {
			c.Fail(fmt.Errorf("more than %d chunks", r.kept-1))
		}
		if c.Err() != nil {
			return v
		}
		old = append(old, k)
		r.next[i]++
	}
	r.lanes[i] = old
	var open uint64
	if c.Natural(&open); open > chunkLength || open == 0 && h.fresh > 0 || open == 0 && len(old) == 0 && h.base > 0 {
		c.Fail(fmt.Errorf("lane %d: %d intervals in its last chunk", i, open))
	}
	if c.Err() != nil {
		return v
	}
	v.chunks = append(make([]*chunk, 0, len(old)+1), old...)
	if len(old) > 0 {
		v.n, v.end = chunkLength, old[len(old)-1].ends[chunkLength-1]
	}
	if open > 0 {
		k := &chunk{first: r.next[i] * chunkLength}
		k.fields(c, &open)
		v.chunks, v.n = append(v.chunks, k), uint32(open)
		v.end = k.ends[open-1]
	}
	return v
}
