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
						err = firstOf(r.PutPhantom(to, 8, n), r.IputPhantom(&q[0], &q[1], to, 8, n), r.PutImplicitPhantom(to, 8, n), r.GetPhantom(to, 0, n),
							r.PutSignalPhantom(to, 8, n, flag, cluster.SigAdd, 1), r.IputTrainPhantom(&q[2], nil, to, &train), r.PutStridedPhantom(to, &train), r.IgetPhantom(&q[3], to, 0, n))
					} else {
						err = firstOf(r.Put(to, 8, buf), r.Iput(&q[0], &q[1], to, 8, buf), r.PutImplicit(to, 8, buf), r.Get(to, 0, buf),
							r.PutSignal(to, 8, buf, flag, cluster.SigAdd, 1), r.IputTrain(&q[2], nil, to, &train, make([]byte, 8*k)), r.PutStrided(to, &train, make([]byte, 8*k)), r.Iget(&q[3], to, 0, buf))
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
