package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// One-sided phantoms take what bytes that are there take, to the picosecond and the
// event, on any machine.
func TestPhantomsTakeWhatBytesTake(t *testing.T) {
	const n, k = 700, 9
	flag := int64(60 << 10)
	for seed := range uint64(40) {
		m := anyMachine(seed)
		run := func(phantom bool) uint64 {
			return simulated(t, clustertest.Spec(m, 3, 2), func(r *cluster.Rank) error {
				var q [4]cluster.Request
				buf, train := make([]byte, n), cluster.Column(0, 16, 8, k)
				for step := range r.Ranks() {
					to := (r.ID() + step) % r.Ranks()
					var err error
					if phantom {
						err = firstOf(r.Put(cluster.At(to, 8), cluster.Sized(n)), r.PutWith(&cluster.Put{To: cluster.At(to, 8), Data: cluster.Sized(n)}, &q[0], &q[1]), r.PutWith(&cluster.Put{To: cluster.At(to, 8), Data: cluster.Sized(n), Until: cluster.Later}, nil, nil), r.Get(cluster.At(to, 0), cluster.Sized(n)),
							r.PutWith(&cluster.Put{To: cluster.At(to, 8), Data: cluster.Sized(n), Signal: cluster.Signal{Op: cluster.SigAdd, Off: flag, Value: 1}, Until: cluster.Source}, nil, nil), r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Sized(train.Bytes()), Shape: train, Train: true}, &q[2], nil), r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Sized(train.Bytes()), Shape: train}, nil, nil), r.GetWith(&cluster.Get{From: cluster.At(to, 0), Data: cluster.Sized(n)}, &q[3]))
					} else {
						err = firstOf(r.Put(cluster.At(to, 8), cluster.Of(buf)), r.PutWith(&cluster.Put{To: cluster.At(to, 8), Data: cluster.Of(buf)}, &q[0], &q[1]), r.PutWith(&cluster.Put{To: cluster.At(to, 8), Data: cluster.Of(buf), Until: cluster.Later}, nil, nil), r.Get(cluster.At(to, 0), cluster.Of(buf)),
							r.PutWith(&cluster.Put{To: cluster.At(to, 8), Data: cluster.Of(buf), Signal: cluster.Signal{Op: cluster.SigAdd, Off: flag, Value: 1}, Until: cluster.Source}, nil, nil), r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(make([]byte, 8*k)), Shape: train, Train: true}, &q[2], nil), r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(make([]byte, 8*k)), Shape: train}, nil, nil), r.GetWith(&cluster.Get{From: cluster.At(to, 0), Data: cluster.Of(buf)}, &q[3]))
					}
					if err = firstOf(err, r.Waitall(q[:], nil), r.Quiet()); err != nil {
						return err
					}
				}
				return r.Barrier(r.All())
			}).Hash()
		}
		if real, phantom := run(false), run(true); real != phantom {
			t.Errorf("seed %d: the hash with bytes is %x, of phantoms %x", seed, real, phantom)
		}
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
