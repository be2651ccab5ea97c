package rma

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// Random requests and releases, each followed at a random later time by the query for the next
// rank. No rank waits for a lock that it could get, requests are granted in order, and an exclusive
// holder is alone.
func TestLockIsFairAndExclusive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &lock{}
		call := func(rank int32, ask byte) uint64 {
			data := []byte{ask}
			return l.serve(cluster.RPC{Src: rank, Data: data})
		}
		holding := map[int32]LockKind{}
		var waiting []waiter
		questions := 0 // unlocks with open queries
		granted := func(rank int32) {
			if waiting[0].rank != rank {
				t.Fatalf("rank %d is granted before rank %d, which requested it first", rank, waiting[0].rank)
			}
			holding[rank], waiting = waiting[0].kind, waiting[1:]
			for other, kind := range holding {
				if len(holding) > 1 && kind == LockExclusive {
					t.Fatalf("rank %d holds an exclusive lock together with others: %v", other, holding)
				}
			}
		}
		for next := range int32(rapid.IntRange(1, 60).Draw(t, "steps")) {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				kind := rapid.SampledFrom([]LockKind{LockShared, LockExclusive}).Draw(t, "kind")
				waiting = append(waiting, waiter{next, kind})
				if call(next, askShared+byte(kind)) != 0 {
					granted(next)
				}
			case 1:
				for r := range int32(60) { // the lowest holder releases
					if _, ok := holding[r]; ok {
						delete(holding, r)
						if who := call(r, askUnlock); who != 0 {
							granted(int32(who - 1))
							questions++
						}
						break
					}
				}
			case 2:
				if questions > 0 {
					if who := call(0, askNext); who != 0 {
						granted(int32(who - 1))
					} else {
						questions--
					}
				}
			}
		}
		for questions > 0 {
			if who := call(0, askNext); who != 0 {
				granted(int32(who - 1))
			} else {
				questions--
			}
		}
		if len(waiting) > 0 {
			exclusive := waiting[0].kind == LockExclusive
			for _, kind := range holding {
				exclusive = exclusive || kind == LockExclusive
			}
			if len(holding) == 0 || !exclusive {
				t.Fatalf("%v wait while %v hold", waiting, holding)
			}
		}
	})
}
