package match_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster/match"
)

// BenchmarkStream keeps receives of one envelope posted, and messages arrive in order. An operation
// is one Take without a match, one Post and one Arrive.
func BenchmarkStream(b *testing.B) {
	for _, n := range []int{1, 64, 1024} {
		b.Run(fmt.Sprintf("posted=%d", n), func(b *testing.B) {
			var q match.Queues
			for range n - 1 {
				q.Post(0, 1, 7, 1)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := q.Take(0, 1, 7); !ok {
					q.Post(0, 1, 7, 1)
				}
				if _, ok := q.Arrive(0, 1, 7); !ok {
					b.Fatal("no receive")
				}
			}
		})
	}
}

// BenchmarkMatch keeps receives with different tags posted, and messages arrive in random order. An
// operation is one Arrive and one Post of the matched receive. The floor is the time of a dependent
// random read in an array as large as the queue; floors/op is the match in units of such reads.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10, 30, 100, 1000, 10000, 100000} {
		for _, by := range []string{"tag", "source"} {
			b.Run(fmt.Sprintf("posted=%d/by=%s", n, by), func(b *testing.B) {
				var q match.Queues
				order := shuffles(n)
				envelope := func(i int) (src, tag int32) {
					if by == "tag" {
						return 1, int32(i)
					}
					return int32(i), 1
				}
				for i := range n {
					src, tag := envelope(i)
					q.Post(0, src, tag, uint32(i))
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					src, tag := envelope(order[i])
					id, ok := q.Arrive(0, src, tag)
					if !ok {
						b.Fatal("no receive")
					}
					q.Post(0, src, tag, id)
					if i++; i == len(order) {
						i = 0
					}
				}
				floor := randomRead(q.Bytes())
				b.ReportMetric(floor, "floor-ns")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "floors/op")
			})
		}
	}
}

// randomRead returns the time in ns of a random read of a cache line in an array.
func randomRead(bytes int) float64 {
	type line struct {
		next int
		_    [7]int
	}
	lines := make([]line, max(bytes/64, 1))
	for i := range lines {
		lines[i].next = i
	}
	for i := len(lines) - 1; i > 0; i-- { // one cycle through all lines
		j := rand.IntN(i)
		lines[i].next, lines[j].next = lines[j].next, lines[i].next
	}
	const reads = 1 << 20
	at, start := 0, time.Now()
	for range reads {
		at = lines[at].next
	}
	took := time.Since(start)
	sink = at
	return float64(took.Nanoseconds()) / reads
}

var sink int

// BenchmarkInOrder keeps receives with different tags posted, and messages arrive in the order of
// posting. An operation is one Arrive and one Post of the matched receive.
func BenchmarkInOrder(b *testing.B) {
	for _, n := range []int{10, 100000} {
		b.Run(fmt.Sprintf("posted=%d", n), func(b *testing.B) {
			var q match.Queues
			for i := range n {
				q.Post(0, 1, int32(i), uint32(i))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				id, ok := q.Arrive(0, 1, int32(i))
				if !ok {
					b.Fatal("no receive")
				}
				q.Post(0, 1, int32(i), id)
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

// BenchmarkUnexpected keeps messages of many sources and tags, and takes them with each kind of
// wildcard, or with all kinds. An operation is one Take and one Keep.
func BenchmarkUnexpected(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		for bits, kind := range []string{"none", "source", "tag", "both", "mixed"} {
			b.Run(fmt.Sprintf("arrived=%d/any=%s", n, kind), func(b *testing.B) {
				var q match.Queues
				order := shuffles(n)
				for i := range int32(n) {
					q.Keep(0, i%317, i/317, uint32(i))
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					m := int32(order[i])
					if kind == "mixed" { // cycle through the kinds
						bits = i & 3
					}
					r := wild(item{0, m % 317, m / 317, 0}, bits)
					id, ok := q.Take(r.ctx, r.src, r.tag)
					if !ok {
						b.Fatal("no message")
					}
					q.Keep(0, int32(id)%317, int32(id)/317, id)
					if i++; i == len(order) {
						i = 0
					}
				}
			})
		}
	}
}

// BenchmarkFillDrain repeatedly posts n receives and matches them all in random order. An operation
// is one Post and one Arrive, including the moves between a line and an index.
func BenchmarkFillDrain(b *testing.B) {
	for _, n := range []int{10, 64, 1000, 100000} {
		b.Run(fmt.Sprintf("posted=%d", n), func(b *testing.B) {
			var q match.Queues
			order := shuffles(n)
			b.ReportAllocs()
			for done := 0; done < b.N; done += n {
				for i := range n {
					q.Post(0, 1, int32(i), uint32(i))
				}
				for _, i := range order[:n] {
					if _, ok := q.Arrive(0, 1, int32(i)); !ok {
						b.Fatal("no receive")
					}
				}
			}
		})
	}
}

// shuffles returns several passes over 0 to n − 1, each in a different random order.
func shuffles(n int) []int {
	rng := rand.New(rand.NewPCG(1, 1))
	var order []int
	for len(order) < 4*n || len(order) < 1000 {
		order = append(order, rng.Perm(n)...)
	}
	return order
}
