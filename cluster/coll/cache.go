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

// cacheContent is immutable: a change makes another one.
type cacheContent struct {
	byClass  layers[classKey, *Schedule]
	byHash   layers[uint64, []*Schedule]
	ends     layers[*Schedule, map[messageEnd]int32]
	partners layers[*Schedule, []int32] // by schedule that all ranks share
}

// layers is an immutable map in two parts. In flat trees each rank may have its own class. If each new entry copied all
// others, the time would grow with the square of the ranks.
type layers[K comparable, V any] struct {
	old, young map[K]V // entries of young replace entries of old; the square of its length is at most the length of old
}

func (l *layers[K, V]) get(k K) V {
	if v, isYoung := l.young[k]; isYoung {
		return v
	}
	return l.old[k]
}

// with returns the map with another entry.
func (l *layers[K, V]) with(k K, v V) layers[K, V] {
	young := maps.Clone(l.young)
	if young == nil {
		young = map[K]V{}
	}
	young[k] = v
	if len(young)*len(young) <= len(l.old) {
		return layers[K, V]{l.old, young}
	}
	old := maps.Clone(l.old)
	if old == nil {
		return layers[K, V]{old: young}
	}
	maps.Copy(old, young)
	return layers[K, V]{old: old}
}

type classKey struct {
	Key
	class int64
}

// Schedule returns the schedule of the rank that is rel ranks after the root.
func (c *Cache) Schedule(k Key, rel int32) *Schedule {
	at := classKey{k, k.class(rel)}
	if now := c.content.Load(); now != nil {
		if s := now.byClass.get(at); s != nil {
			return s
		}
	}
	made := k.Make(rel)
	h := made.hash()
	var s *Schedule
	c.update(func(next *cacheContent) {
		if s = next.byClass.get(at); s != nil {
			return
		}
		s = made
		same := next.byHash.get(h)
		if i := slices.IndexFunc(same, made.equal); i >= 0 {
			s = same[i]
		} else {
			next.byHash = next.byHash.with(h, append(slices.Clip(same), made))
		}
		next.byClass = next.byClass.with(at, s)
	})
	return s
}

// update applies change to the cache's content atomically.
func (c *Cache) update(change func(next *cacheContent)) {
	for {
		now := c.content.Load()
		next := &cacheContent{}
		if now != nil {
			*next = *now
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
		hashes := maps.Clone(now.byHash.old)
		maps.Copy(hashes, now.byHash.young)
		for _, all := range hashes {
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
