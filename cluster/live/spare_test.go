package live_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// traffic sends windows of k messages from rank 0 to rank 1, in both directions or with an empty
// answer.
type traffic struct {
	k, size int
	back    bool // in both directions
}

// run sends n windows. If check is not nil, it checks the bytes of each message.
func (w traffic) run(r *cluster.Rank, n int, check func(turn int, b []byte) error) error {
	k := w.k
	size := w.size
	back := w.back
	data, requests := make([]byte, k*size), make([]cluster.Request, k)
	for turn := range n {
		for half := range 2 {
			sends, count := half == r.ID(), k
			if half == 1 && !back {
				count = 1
			}
			for i := range count {
				b := data[i*size : (i+1)*size]
				if half == 1 && !back {
					b = nil
				}
				start := r.Irecv
				if sends {
					start = r.Isend
					if check != nil {
						fill(b, byte(turn+i+half))
					}
				}
				if err := start(&requests[i], r.World(), 1-r.ID(), 1, cluster.Of(b)); err != nil {
					return err
				}
			}
			if err := r.Waitall(requests[:count], nil); err != nil {
				return err
			}
			for i := range count {
				if b := data[i*size : (i+1)*size]; check != nil && !sends && (half == 0 || back) {
					if err := check(turn+i+half, b); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func fill(b []byte, x byte) {
	for i := range b {
		b[i] = x
	}
}

// Messages have the bytes of their own send, if buffers return with answers or to their senders:
// for every size class of buffers, kept or not, few or many.
func TestBuffersComeBack(t *testing.T) {
	for _, back := range []bool{true, false} {
		for _, size := range []int{40, 64, 65, 1000, 4096, 20000, 100000} {
			for _, k := range []int{3, 100} {
				spec := clustertest.Spec(cluster.Machine{Name: "host", EagerLimit: 65536}, 1, 2)
				err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
					return traffic{k: k, size: size, back: back}.run(r, 8, func(turn int, b []byte) error {
						if want := bytes.Repeat([]byte{byte(turn)}, size); !bytes.Equal(b, want) {
							return fmt.Errorf("rank %d: message %d has other bytes", r.ID(), turn)
						}
						return nil
					})
				})
				if err != nil {
					t.Errorf("%d messages of %d B, back %v: %v", k, size, back, err)
				}
			}
		}
	}
}

// BenchmarkWindow sends windows of messages, in both directions or one way.
func BenchmarkWindow(b *testing.B) {
	for _, back := range []bool{true, false} {
		for _, size := range []int{64, 1024, 4096} {
			for _, k := range []int{4, 16, 64} {
				b.Run(fmt.Sprintf("ranks=2/back=%t/size=%d/window=%d", back, size, k), func(b *testing.B) {
					b.ReportAllocs()
					n := b.N
					err := cluster.Launch(context.Background(), live.New(),
						clustertest.Spec(cluster.Machine{Name: "host", EagerLimit: 8192}, 1, 2), func(r *cluster.Rank) error {
							if err := (traffic{k: k, size: size, back: back}).run(r, 100, nil); err != nil {
								return err
							}
							if r.ID() == 0 {
								b.ResetTimer()
							}
							return traffic{k: k, size: size, back: back}.run(r, n, nil)
						})
					if err != nil {
						b.Fatal(err)
					}
					messages := n * k
					if back {
						messages *= 2
					}
					b.ReportMetric(float64(messages)/b.Elapsed().Seconds()/1e6, "Mmsgs/s")
				})
			}
		}
	}
}
