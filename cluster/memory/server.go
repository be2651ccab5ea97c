package memory

import (
	"slices"
	"sort"
)

// Server is a resource that several threads share. Each piece of work takes at least its own time,
// and all together do not exceed the server's rate. The server serves pieces in the order of calls,
// with two exceptions. A piece also uses times at which the server is idle before later pieces. A
// piece shorter than half of the rest of another piece alternates with it byte by byte, and does not
// wait for its end.
type Server[T ~int64] struct {
	free T
	idle []interval[T] // before free, in the order of time; the latest ones
	left []T           // remaining times of pieces in progress, in the order of their ends
	seen T             // time of these values
}

// interval is a time at which the server is idle.
type interval[T ~int64] struct{ begin, end T }

// mostIdle limits the number of idle intervals. At the limit, the server drops the older ones and keeps
// half of the limit. A piece that begins late is served in one of the latest intervals, because threads run
// only a short time ahead of others.
const mostIdle = 256

// Reset makes the server free from time 0.
func (s *Server[T]) Reset() { *s = Server[T]{idle: s.idle[:0], left: s.left[:0]} }

// CopyFrom copies the state of another server.
func (s *Server[T]) CopyFrom(o *Server[T]) {
	*s = Server[T]{free: o.free, idle: append(s.idle[:0], o.idle...), left: append(s.left[:0], o.left...), seen: o.seen}
}

// Free returns the time at which the server has served all pieces.
func (s *Server[T]) Free() T { return s.free }

// Serve starts a piece at t that takes at least minTime and need of the server. It returns the
// piece's end.
func (s *Server[T]) Serve(t, need, minTime T) T {
	end := s.reserve(t, need)
	return max(t+minTime, min(end, s.among(t, need, end)))
}

// Work is Serve for a thread's computation, which may alternate with others.
func (s *Server[T]) Work(t, need, minTime T) T {
	end := s.Serve(t, need, minTime)
	if need > 0 {
		k := 0
		for k < len(s.left) && s.left[k] < 2*need {
			k++
		}
		s.left = slices.Insert(s.left, k, need)
	}
	return end
}

// reserve reserves the first idle times from t on, and returns their end.
func (s *Server[T]) reserve(t, need T) T {
	if t >= s.free {
		if t > s.free {
			if n := len(s.idle); n >= mostIdle { // a split interval may exceed the limit
				s.idle = append(s.idle[:0], s.idle[n-mostIdle/2:]...)
			}
			s.idle = append(s.idle, interval[T]{s.free, t})
		}
		s.free = t + need
		return s.free
	}
	i := sort.Search(len(s.idle), func(i int) bool { return s.idle[i].end > t })
	if i < len(s.idle) && s.idle[i].begin < t && need > 0 { // it begins inside an interval
		before := interval[T]{s.idle[i].begin, t}
		s.idle[i].begin = t
		s.idle = slices.Insert(s.idle, i, before)
		i++
	}
	k := i
	for ; k < len(s.idle) && need > 0; k++ {
		x := &s.idle[k]
		if x.end-x.begin > need {
			x.begin += need
			s.idle = slices.Delete(s.idle, i, k)
			return s.idle[i].begin
		}
		need -= x.end - x.begin
	}
	end := s.free
	if k > i {
		end = s.idle[k-1].end
	}
	s.idle = slices.Delete(s.idle, i, k)
	if need > 0 {
		s.free += need
		end = s.free
	}
	return end
}

// among returns the end of a piece that alternates with longer pieces in progress, and otherwise
// the end that it has without them.
func (s *Server[T]) among(t, need, otherwise T) T {
	done, passed := 0, t-s.seen
	for done < len(s.left) && passed >= s.left[done] {
		passed -= s.left[done]
		done++
	}
	s.left = append(s.left[:0], s.left[done:]...)
	if len(s.left) > 0 && passed > 0 {
		s.left[0] -= passed
	}
	s.seen = max(s.seen, t)
	at, long := t+need, false
	for _, left := range s.left {
		if left >= 2*need {
			left, long = need, true
		}
		at += left
	}
	if !long {
		return otherwise
	}
	return at
}
