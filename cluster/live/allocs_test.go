package live_test

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// Puts, gets and messages of all forms do not allocate memory.
func TestTransfersDoNotAllocate(t *testing.T) {
	spec := clustertest.Spec(clustertest.Host(), 1, 1)
	spec.Segment = 1 << 16
	err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
		b, spans := make([]byte, 512), []cluster.Span{{Off: 0, Len: 256}, {Off: 512, Len: 256}}
		var op, source cluster.Request
		for name, transfer := range map[string]func() error{
			"put":          func() error { return r.Put(cluster.At(0, 64), cluster.Of(b)) },
			"get":          func() error { return r.Get(cluster.At(0, 64), cluster.Of(b)) },
			"implicit put": func() error { return r.PutWith(&cluster.Put{Data: cluster.Of(b), Until: cluster.Later}, nil, nil) },
			"strided put": func() error {
				return r.PutWith(&cluster.Put{Data: cluster.Of(b), Shape: cluster.Column(0, 32, 8, 64)}, nil, nil)
			},
			"train": func() error {
				return r.PutWith(&cluster.Put{Data: cluster.Of(b), Shape: cluster.Column(0, 32, 8, 64), Train: true}, nil, nil)
			},
			"size-only train": func() error {
				return r.PutWith(&cluster.Put{Data: cluster.Sized(512), Shape: cluster.Column(0, 32, 8, 64), Train: true}, nil, nil)
			},
			"indexed put": func() error { return r.PutWith(&cluster.Put{Data: cluster.Of(b), Spans: spans}, nil, nil) },
			"strided get": func() error {
				return r.GetWith(&cluster.Get{Data: cluster.Of(b), Shape: cluster.Column(0, 32, 8, 64)}, nil)
			},
			"put with signal": func() error {
				return r.PutWith(&cluster.Put{To: cluster.At(0, 64), Data: cluster.Of(b),
					Signal: cluster.Signal{Op: cluster.SigAdd, Value: 1}, Until: cluster.Source}, nil, nil)
			},
			"message to itself": func() error {
				_, err := r.Sendrecv(r.All(), 0, 1, cluster.Of(b), 0, 1, cluster.Of(b))
				return err
			},
			"put with requests": func() error {
				if err := r.PutWith(&cluster.Put{To: cluster.At(0, 64), Data: cluster.Of(b)}, &op, &source); err != nil {
					return err
				}
				_, err := r.Wait(&op)
				_, _ = r.Wait(&source)
				return err
			},
		} {
			var failed error
			allocs := testing.AllocsPerRun(100, func() {
				if err := transfer(); err != nil {
					failed = err
				}
				if err := r.Quiet(); err != nil {
					failed = err
				}
			})
			if failed != nil || allocs > 0 {
				t.Errorf("%s: %v allocations, %v", name, allocs, failed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
