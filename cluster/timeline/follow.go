package timeline

import "github.com/hybridtop/hybridtop/cluster"

// Point is a position in a lane: its end, and the sums of the intervals before it.
type Point struct {
	end   cluster.Time
	sums  Sums
	begun uint64 // intervals
}

// Point returns the end of the lane.
func (l *Lane) Point() Point { return Point{end: l.end, sums: l.sums, begun: l.begun.Load()} }

// Follow adds the intervals of another lane since a point of it, at which both lanes ended. The peers of the
// intervals are by ranks later, in the cyclic order of a number of ranks.
func (l *Lane) Follow(other *Lane, since Point, by, ranks int32) {
	begun := other.begun.Load()
	first := max(since.begun, 1) - 1 // the interval that was open at the point may be longer now
	chunks, kept := (begun+chunkLength-1)/chunkLength, uint64(len(other.ring))
	if chunks > kept && first < (chunks-kept)*chunkLength {
		first = (chunks - kept) * chunkLength
		l.skip(other.chunkOf(first), since)
	}
	for i := first; i < begun; i++ {
		c := other.chunkOf(i)
		m, end := c.labels[i%chunkLength], other.end
		if i+1 < begun {
			end = c.ends[i%chunkLength]
		}
		peer := int32(m >> 32)
		if peer >= 0 {
			peer = (peer + by) % ranks
		}
		l.Until(end, m.activity(), cluster.Kind(m>>8), peer)
	}
}

// chunkOf returns the chunk of an interval.
func (l *Lane) chunkOf(i uint64) *chunk { return l.ring[i/chunkLength%uint64(len(l.ring))].Load() }

// skip adds the time before a chunk, whose intervals the other lane does not have any more. The lane drops its own
// intervals, too: the number of the next interval leaves no chunk in the ring.
func (l *Lane) skip(c *chunk, since Point) {
	for a := range l.sums {
		l.sums[a] += c.sums[0][a] - since.sums[a]
	}
	l.end = c.begin
	for i := range l.ring {
		if l.ring[i].Load() == nil {
			l.ring[i].Store(&chunk{first: noChunk})
		}
	}
	l.cur, l.n, l.last = nil, 0, noLabel
	begun := (l.begun.Load() + chunkLength - 1) / chunkLength * chunkLength
	l.begun.Store(begun + uint64(len(l.ring))*chunkLength)
	l.open.Store(int64(c.begin)) // after begun: a reader then sees no earlier interval with this end
}

// noChunk is the number of the first interval of a chunk without intervals.
const noChunk = ^uint64(0)
