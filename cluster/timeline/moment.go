package timeline

import (
	"errors"
	"fmt"
	"iter"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Messages returns the number of messages so far. Arrows are the latest of them.
func (v *View) Messages() uint64 { return v.messages }

// First returns the number of the earliest interval that the lane keeps.
func (v *LaneView) First() uint64 {
	if len(v.chunks) == 0 {
		return 0
	}
	return v.chunks[0].first
}

// Count returns the number of intervals that the lane has had. All except the last are final.
func (v *LaneView) Count() uint64 {
	if n := len(v.chunks); n > 0 {
		return v.chunks[n-1].first + uint64(v.n)
	}
	return 0
}

// After returns the intervals of a lane from number n on.
func (v *LaneView) After(n uint64) iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		n := max(n, v.First()) - v.First()
		for k, i := int(n/chunkLength), int(n%chunkLength); k < len(v.chunks); k, i = k+1, 0 {
			for ; i < v.count(k); i++ {
				if !yield(v.span(k, i)) {
					return
				}
			}
		}
	}
}

// Before returns the sums of a lane before a interval that it keeps.
func (v *LaneView) Before(n uint64) Sums {
	n -= v.First()
	if len(v.chunks) == 0 || n >= uint64(len(v.chunks))*chunkLength {
		return Sums{}
	}
	c, i := v.chunks[n/chunkLength], int(n%chunkLength)
	first := i / blockLength * blockLength
	s, begin := c.sums[first/blockLength], c.begins[first/blockLength]
	for j := first; j < i; j++ {
		s[c.labels[j].activity()] += c.ends[j] - begin
		begin = c.ends[j]
	}
	return s
}

// A Moment is a view without its intervals and messages. Restore combines both to the view again.
type Moment struct {
	To       cluster.Time
	Ranks    int
	Messages uint64
	Arrows   bool
	Lanes    []LaneMoment
	Parts    []Part
}

// LaneMoment is a lane of a moment: the number of intervals, the current last interval, and the
// current activity.
type LaneMoment struct {
	Rank, Thread int
	Count        uint64
	Last         Interval
	Now          Interval // its times are not used
	Known        bool     // whether the current activity is known
}

// Moment returns the view without its intervals and messages.
func (v *View) Moment() *Moment {
	m := &Moment{To: v.To, Ranks: v.Ranks, Messages: v.messages, Arrows: v.Arrows != nil,
		Lanes: make([]LaneMoment, len(v.Lanes)), Parts: v.Parts}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		x := &m.Lanes[i]
		x.Rank = l.Rank
		x.Thread = l.Thread
		x.Count = l.Count()
		if x.Count > 0 {
			x.Last = l.span(len(l.chunks)-1, int(l.n)-1)
		}
		x.Known = l.now != noLabel
		if x.Known {
			x.Now = l.now.span(0, 0)
		}
	}
	return m
}

var laneMoments = codec.PartOf((*LaneMoment).fields)

// Fields encodes or decodes the moment.
func (m *Moment) Fields(c *codec.Walk) {
	codec.Integer(c, &m.To)
	codec.Integer(c, &m.Ranks)
	c.Natural(&m.Messages)
	c.Flag(&m.Arrows)
	codec.List(c, &m.Lanes, laneMoments)
	codec.List(c, &m.Parts, partParts)
}

func (x *LaneMoment) fields(c *codec.Walk) {
	codec.Integer(c, &x.Rank)
	codec.Integer(c, &x.Thread)
	if c.Natural(&x.Count); x.Count > 0 {
		x.Last.fields(c)
	}
	if c.Flag(&x.Known); x.Known {
		x.Now.fields(c)
	}
}

func (s *Interval) fields(c *codec.Walk) {
	codec.Integer(c, &s.Begin)
	codec.Integer(c, &s.End)
	m := labelOf(s.Activity, s.Call, s.Peer)
	m.fields(c)
	*s = m.span(s.Begin, s.End)
}

// A Strip holds consecutive intervals of a lane. Restore reads it, and only Add changes it.
type Strip struct {
	chunks []*chunk
	n      int // intervals in the last chunk
	sums   Sums
	end    cluster.Time
}

// NewStrip returns a strip that starts with interval number first, at time begin, with the sums
// before it.
func NewStrip(first uint64, begin cluster.Time, before Sums) *Strip {
	return &Strip{chunks: []*chunk{{first: first, begin: begin}}, sums: before, end: begin}
}

// Count returns the number of the next interval.
func (s *Strip) Count() uint64 {
	last := s.chunks[len(s.chunks)-1]
	return last.first + uint64(s.n)
}

// First returns the number of the first interval.
func (s *Strip) First() uint64 { return s.chunks[0].first }

// End returns the end of the last interval.
func (s *Strip) End() cluster.Time { return s.end }

// Sums returns the sums up to End.
func (s *Strip) Sums() Sums { return s.sums }

// Add appends a interval with the given end.
func (s *Strip) Add(a Activity, call cluster.Kind, peer int32, end cluster.Time) {
	c := s.chunks[len(s.chunks)-1]
	if s.n == chunkLength {
		c = &chunk{first: c.first + chunkLength, begin: s.end}
		s.chunks, s.n = append(s.chunks, c), 0
	}
	if s.n%blockLength == 0 {
		c.begins[s.n/blockLength], c.sums[s.n/blockLength] = s.end, s.sums
	}
	c.labels[s.n], c.ends[s.n] = labelOf(a, call, peer), end
	s.sums[a] += end - s.end
	s.end = end
	s.n++
}

// view returns the lane with the number of intervals that it had in x.
func (s *Strip) view(x *LaneMoment, to cluster.Time) (LaneView, error) {
	v := LaneView{Rank: x.Rank, Thread: x.Thread, to: to, now: noLabel}
	if x.Known {
		v.now = labelOf(x.Now.Activity, x.Now.Call, x.Now.Peer)
	}
	if x.Count == 0 {
		return v, nil
	}
	if x.Last.End < x.Last.Begin || x.Last.End > to { // a interval that begins now has no end yet
		return v,
			fmt.Errorf("lane %d.%d: an interval from %d to %d in a view up to %d", x.Rank, x.Thread, x.Last.Begin, x.Last.End,
				to)
	}
	settled := x.Count - 1
	if s == nil || s.chunks[0].first > settled || s.Count() < settled || s.Count() == settled && s.end != x.Last.Begin {
		s = NewStrip(settled, x.Last.Begin, Sums{}) // earlier time is not known
	}
	n := settled - s.chunks[0].first
	k, i := int(n/chunkLength), int(n%chunkLength)
	v.chunks = append(make([]*chunk, 0, k+1), s.chunks[:k]...)
	last := &chunk{first: s.chunks[0].first + uint64(k)*chunkLength, begin: s.chunks[0].begin}
	sums := s.chunks[0].sums[0]
	if k < len(s.chunks) {
		*last = *s.chunks[k]
		sums = last.sums[0]
	} else if k > 0 {
		last.begin = s.chunks[k-1].ends[chunkLength-1]
		sums = s.sums
	}
	at := last.begin
	if i == 0 && k == 0 && len(s.chunks) == 1 && s.n == 0 {
		sums = s.sums
	}
	for j := range i {
		if j%blockLength == 0 {
			last.begins[j/blockLength], last.sums[j/blockLength] = at, sums
		}
		sums[last.labels[j].activity()] += last.ends[j] - at
		at = last.ends[j]
	}
	if at != x.Last.Begin {
		return v, fmt.Errorf("lane %d.%d: interval %d begins at %d: want %d", x.Rank, x.Thread, settled, x.Last.Begin, at)
	}
	if i%blockLength == 0 {
		last.begins[i/blockLength], last.sums[i/blockLength] = at, sums
	}
	last.labels[i], last.ends[i] = labelOf(x.Last.Activity, x.Last.Call, x.Last.Peer), x.Last.End
	v.chunks = append(v.chunks, last)
	v.n = uint32(i + 1)
	v.end = x.Last.End
	return v, nil
}

// errLanes is returned if a moment does not fit the layout.
var errLanes = errors.New("the view has lanes outside its layout")

// Restore returns the view of a moment. strips are the intervals of its lanes (nil: none), and
// arrows the messages, of which the last belongs to the moment.
func (m *Moment) Restore(of *Recorder, l cluster.Layout, strips []*Strip, arrows []Arrow) (*View, error) {
	v := &View{Of: of, Layout: l, To: m.To, Ranks: m.Ranks, Parts: m.Parts, messages: m.Messages}
	if len(m.Lanes) > maxLanes || len(strips) != len(m.Lanes) || m.Ranks < 0 || m.Ranks > l.Ranks() {
		return nil, errLanes
	}
	if m.Arrows {
		v.Arrows = append([]Arrow{}, arrows...)
	}
	v.From = v.To
	for i := range m.Lanes {
		x := &m.Lanes[i]
		if x.Rank < 0 || x.Rank >= m.Ranks || x.Thread < threadOf(cluster.Streams-1) {
			return nil, errLanes
		}
		lane, err := strips[i].view(x, m.To)
		if err != nil {
			return nil, err
		}
		v.Lanes = append(v.Lanes, lane)
		v.From = min(v.From, lane.From())
	}
	v.clip()
	return v, nil
}

// MaxArrows is the maximum number of messages in a view.
const MaxArrows = maxArrows
