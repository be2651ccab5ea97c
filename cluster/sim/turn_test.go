package sim_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Messages that wait for their thread's injection, and a message that is ready when they leave,
// leave in the order of posting: here four RTS behind the bytes of an eager message.
func TestWhoWaitsForATurnGoesFirst(t *testing.T) {
	m := clustertest.Priced()
	m.Server = cluster.Server{Send: 700 * cluster.Nanosecond, Receive: 500 * cluster.Nanosecond,
		Handshake: 30 * cluster.Nanosecond}
	m.CopyRate = 2e9
	m.Classes[cluster.Remote].ThreadRate = 2e9
	spec := clustertest.Spec(m, 2, 1)
	spec.EagerLimit = 256
	simulated(t, spec, func(r *cluster.Rank) error { return inOrder(r, 1, 200) })
}

// inOrder sends n messages of every size from rank 0 to another rank. Its receives find them in the
// order of posting.
func inOrder(r *cluster.Rank, to, n int) error {
	size := func(i int) int { return 8 + i*37%512 }
	qs, bs := make([]cluster.Request, n), make([][]byte, n)
	for i := range n {
		var err error
		bs[i] = make([]byte, 520)
		if r.ID() == 0 {
			bs[i] = bs[i][:size(i)]
			binary.LittleEndian.PutUint64(bs[i], uint64(i))
			err = r.Isend(&qs[i], r.World(), to, 7, cluster.Of(bs[i]))
		} else {
			err = r.Irecv(&qs[i], r.World(), 0, 7, cluster.Of(bs[i]))
		}
		if err != nil {
			return err
		}
	}
	if err := r.Waitall(qs, nil); err != nil {
		return err
	}
	for i, b := range bs {
		if came := int(binary.LittleEndian.Uint64(b)); came != i {
			return fmt.Errorf("receive %d (%d B) has message %d (%d B)", i, size(i), came, size(came))
		}
	}
	return nil
}
