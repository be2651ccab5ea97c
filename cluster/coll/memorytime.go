package coll

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// memoryTime is the time of a node's memory. Accesses wait for earlier ones. An access shorter than
// half of the rest of a thread's work alternates with it.
type memoryTime struct {
	free cluster.Time
	left []cluster.Time // remaining times of threads' work, in the order of their ends
	seen cluster.Time   // time of these values
}

// memoryEnd returns the end of an access of n bytes to a node's memory that takes at least least.
func (x *resources) memoryEnd(node int32, at cluster.Time, n int64, least cluster.Time) cluster.Time {
	end := at + least
	if x.memory == 0 || n <= 0 {
		return end
	}
	m := &x.memories[node]
	need := x.memory.time(n)
	m.free = max(m.free, at) + need
	return max(end, min(m.free, m.among(at, need)))
}

// workEnd is memoryEnd for the work of a thread.
func (x *resources) workEnd(node int32, at cluster.Time, n int64, least cluster.Time) cluster.Time {
	end := x.memoryEnd(node, at, n, least)
	if need := x.memory.time(n); need > 0 {
		m := &x.memories[node]
		k := 0
		for k < len(m.left) && m.left[k] < 2*need {
			k++
		}
		m.left = slices.Insert(m.left, k, need)
	}
	return end
}

// among returns the end of an access that alternates with longer work in progress.
func (m *memoryTime) among(at, need cluster.Time) cluster.Time {
	done, passed := 0, at-m.seen
	for done < len(m.left) && passed >= m.left[done] {
		passed -= m.left[done]
		done++
	}
	m.left = append(m.left[:0], m.left[done:]...)
	if len(m.left) > 0 && passed > 0 {
		m.left[0] -= passed
	}
	m.seen = max(m.seen, at)
	end, isLong := at+need, false
	for _, left := range m.left {
		if left >= 2*need {
			left, isLong = need, true
		}
		end += left
	}
	if !isLong {
		return m.free
	}
	return end
}
