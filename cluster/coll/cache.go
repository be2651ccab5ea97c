package coll

import (
	"maps"
	"slices"
	"sync/atomic"
)

// Cache keeps schedules: one per class of ranks, and equal schedules once. The zero Cache is empty.
// Ranks may use it concurrently.
type Cache struct {
	content atomic.Pointer[cacheContent]
	spare   spare // see spare
}

type cacheContent struct {
	byClass  map[classKey]*Schedule
	byHash   map[uint64][]*Schedule
	ends     map[*Schedule]map[messageEnd]int32
	partners map[*Schedule][]int32 // by schedule that all ranks share
}

type classKey struct {
	Key
	class int64
}

// Schedule returns the schedule of the rank that is rel ranks after the root.
func (c *Cache) Schedule(k Key, rel int32) *Schedule {
	at := classKey{k, k.class(rel)}
	if now := c.content.Load(); now != nil {
		if s := now.byClass[at]; s != nil {
			return s
		}
	}
	made := k.Make(rel)
	h := made.hash()
	var s *Schedule
	c.update(func(next *cacheContent) {
		s = next.byClass[at]
		if s != nil {
			return
		}
		s = made
		if i := slices.IndexFunc(next.byHash[h], made.equal); i >= 0 {
			s = next.byHash[h][i]
		} else {
			next.byHash[h] = append(slices.Clip(next.byHash[h]), made)
		}
		next.byClass[at] = s
	})
	return s
}

// update applies change to the cache's content atomically.
func (c *Cache) update(change func(next *cacheContent)) {
	for {
		now := c.content.Load()
		next := &cacheContent{
			byClass:  map[classKey]*Schedule{},
			byHash:   map[uint64][]*Schedule{},
			ends:     map[*Schedule]map[messageEnd]int32{},
			partners: map[*Schedule][]int32{},
		}
		if now != nil {
			next = &cacheContent{
				byClass:  maps.Clone(now.byClass),
				byHash:   maps.Clone(now.byHash),
				ends:     maps.Clone(now.ends),
				partners: maps.Clone(now.partners),
			}
		}
		change(next)
		if c.content.CompareAndSwap(now, next) {
			return
		}
	}
}

// Size returns the number of different schedules.
func (c *Cache) Size() int {
	n := 0
	if now := c.content.Load(); now != nil {
		for _, all := range now.byHash {
			n += len(all)
		}
	}
	return n
}

func (s *Schedule) equal(o *Schedule) bool {
	return s.Collective == o.Collective && s.Ranks == o.Ranks && s.Parts == o.Parts && s.Marks == o.Marks && s.exit ==
		o.exit && s.exited == o.exited &&
		slices.Equal(s.Nodes, o.Nodes) && slices.Equal(s.Temps, o.Temps) && slices.Equal(s.next, o.next) &&
		slices.Equal(s.first, o.first)
}

// hash returns the FNV-1a hash of the words of the nodes. Schedules with equal hashes may differ;
// equal compares them.
func (s *Schedule) hash() uint64 {
	h := emptyHash
	h.add(int32(s.Collective), s.Ranks, s.Parts)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		h.add(int32(n.Kind), n.Count, int32(n.Channel), int32(n.Deps), n.Peer.D)
		h.add(int32(n.Ref.Buf), n.Ref.Lo, n.Ref.N, n.Ref.Run, n.Ref.Stride)
		h.add(int32(n.From.Buf), n.From.Lo, n.From.N)
	}
	h.add(s.next...)
	return uint64(h)
}
