package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// entry is an event of the reference heap.
type entry struct {
	at   cluster.Time // its key
	n    int          // order of creation
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

// The queue returns events by time, and events of equal times in the order of creation, like the
// reference heap.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var plain plainHeap
		made := 0
		late := cluster.Time(0) // time of the last popped event
		popped := false         // no push since the last pop
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				popped = false
				for range rapid.IntRange(1, 40).Draw(t, "events") {
					e := entry{
						at:   min(end, late+cluster.Time(rapid.Int64Range(0, 30).Draw(t, "after"))),
						n:    made,
						kind: eventKind(rapid.IntRange(0, 1<<kindBits-1).Draw(t, "kind")),
						ref:  rapid.Int32Range(0, maxRef).Draw(t, "ref"),
					}
					if rapid.IntRange(0, 50).Draw(t, "far") == 0 {
						e.at = end
					}
					made++
					q.push(uint64(e.at), e.kind, e.ref)
					heap.Push(&plain, e)
				}
			},
			"pop": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "events") {
					if len(plain) == 0 {
						return
					}
					if got, want := q.earliest(), uint64(plain[0].at); got != want {
						t.Fatalf("the next event has the key %d, want %d", got, want)
					}
					want := heap.Pop(&plain).(entry)
					got := q.pop()
					if cluster.Time(got.key) != want.at || got.kind() != want.kind || got.ref() != want.ref {
						t.Fatalf("popped %v kind %d ref %d, want %+v", cluster.Time(got.key), got.kind(), got.ref(), want)
					}
					late, popped = want.at, true
				}
			},
			"peek": func(t *rapid.T) {
				rest := slices.Clone(plain)
				for k := range nearMax {
					if len(rest) == 0 {
						return
					}
					want := heap.Pop(&rest).(entry)
					got, ok := q.peek(k)
					if ok && (cluster.Time(got.key) != want.at || got.kind() != want.kind || got.ref() != want.ref) {
						t.Fatalf("peeked %d ahead: %v kind %d ref %d, want %+v", k, cluster.Time(got.key), got.kind(), got.ref(), want)
					}
					if !ok && popped && k < nearMin-1 {
						t.Fatalf("peeked %d ahead: nothing, want %+v", k, want)
					}
				}
			},
			"": func(t *rapid.T) {
				if q.len() != len(plain) || len(slices.Collect(q.events())) != len(plain) {
					t.Fatalf("%d events, want %d", q.len(), len(plain))
				}
			},
		})
	})
}

// BenchmarkQueue has n events. An operation pops one event and pushes a later one, at random
// distances, equal distances, or the distances of a message.
func BenchmarkQueue(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		after func() cluster.Time
	}{
		{"random", func() cluster.Time { return cluster.Time(rng.IntN(2_000_000)) }},
		{"equal", func() cluster.Time { return 1_500_000 }},
		{"message", func() cluster.Time {
			return [...]cluster.Time{200_000, 1_250_000, 50_000 + cluster.Time(rng.IntN(1000))}[rng.IntN(3)]
		}},
	} {
		var after [4096]cluster.Time
		for i := range after {
			after[i] = c.after()
		}
		for _, n := range []int{6, 64, 512, 4096, 100_000} {
			b.Run(fmt.Sprintf("after=%s/events=%d", c.name, n), func(b *testing.B) {
				var q queue
				for i := range n {
					q.push(uint64(after[i%len(after)]), evArrive, int32(i))
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					e := q.pop()
					q.push(e.key+uint64(after[i%len(after)]), evArrive, e.ref())
					i++
				}
			})
		}
	}
}
