package coll

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Cache keeps schedules: one per class of ranks, and equal schedules once. The zero Cache is empty.
// Ranks may use it concurrently.
//
// Readers use a copy without a lock. A copy takes time in proportion to the content, and in flat trees each rank may
// have its own class. So a copy is made only after as many lookups with the lock as the content has entries.
type Cache struct {
	content atomic.Pointer[cacheContent] // the copy; nil: none yet
	spare   spare                        // see spare

	mu     sync.Mutex
	all    cacheContent
	missed int // lookups with the lock since the last copy
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
	var s *Schedule
	c.withLock(func(all *cacheContent) { s = all.byClass[at] })
	if s != nil {
		return s
	}
	made := k.Make(rel)
	h := made.hash()
	c.withLock(func(all *cacheContent) {
		s = all.byClass[at]
		if s != nil {
			return
		}
		s = made
		if i := slices.IndexFunc(all.byHash[h], made.equal); i >= 0 {
			s = all.byHash[h][i]
		} else {
			all.byHash[h] = append(slices.Clip(all.byHash[h]), made)
		}
		all.byClass[at] = s
	})
	return s
}

// withLock calls use with the content. Then it may make a new copy.
func (c *Cache) withLock(use func(all *cacheContent)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all.byClass == nil {
		c.all = cacheContent{
			byClass:  map[classKey]*Schedule{},
			byHash:   map[uint64][]*Schedule{},
			ends:     map[*Schedule]map[messageEnd]int32{},
			partners: map[*Schedule][]int32{},
		}
	}
	use(&c.all)
	if c.missed++; c.missed < len(c.all.byClass)+len(c.all.ends)+len(c.all.partners) {
		return
	}
	c.missed = 0
	c.content.Store(&cacheContent{byClass: maps.Clone(c.all.byClass), ends: maps.Clone(c.all.ends),
		partners: maps.Clone(c.all.partners)})
}

// Size returns the number of different schedules.
func (c *Cache) Size() int {
	n := 0
	c.withLock(func(all *cacheContent) {
		for _, same := range all.byHash {
			n += len(same)
		}
	})
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
