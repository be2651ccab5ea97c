package sim

import (
	"container/heap"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// entry is an event as the plain heap knows it.
type entry struct {
	at   cluster.Time
	n    int // when it was made
	kind eventKind
	ref  int32
}

type plainHeap []entry

func (h plainHeap) Len() int { return len(h) }
func (h plainHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].n < h[j].n
}
func (h plainHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *plainHeap) Push(x any)   { *h = append(*h, x.(entry)) }
func (h *plainHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Events come out by time, those of one time in the order in which they were made,
// as from a plain heap; also when the sequence numbers run out.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var plain plainHeap
		made := 0
		q.seq = maxSeq - rapid.Uint64Range(0, 200).Draw(t, "numbers left")
		late := cluster.Time(0) // what has happened
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "events") {
					e := entry{
						at:   late + cluster.Time(rapid.Int64Range(0, 30).Draw(t, "after")),
						n:    made,
						kind: eventKind(rapid.IntRange(0, 1<<kindBits-1).Draw(t, "kind")),
						ref:  rapid.Int32Range(0, maxRef).Draw(t, "ref"),
					}
					if rapid.IntRange(0, 50).Draw(t, "far") == 0 {
						e.at = end
					}
					made++
					q.push(e.at, e.kind, e.ref)
					heap.Push(&plain, e)
				}
			},
			"pop": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "events") {
					if len(plain) == 0 {
						return
					}
					if quiet, want := q.quietUntil(plain[0].at-1), true; quiet != want {
						t.Fatalf("quiet until just before the next event: %v", quiet)
					}
					if q.quietUntil(plain[0].at) {
						t.Fatalf("quiet until the next event's time")
					}
					want := heap.Pop(&plain).(entry)
					got := q.pop()
					if cluster.Time(got.at) != want.at || got.kind() != want.kind || got.ref() != want.ref {
						t.Fatalf("popped %v kind %d ref %d, want %+v", cluster.Time(got.at), got.kind(), got.ref(), want)
					}
					if late < want.at && want.at < end {
						late = want.at
					}
				}
			},
			"": func(t *rapid.T) {
				if q.len() != len(plain) || len(q.events()) != len(plain) {
					t.Fatalf("%d events, want %d", q.len(), len(plain))
				}
			},
		})
		if len(plain) == 0 && !q.quietUntil(end) {
			t.Fatalf("an empty queue is not quiet")
		}
	})
}
