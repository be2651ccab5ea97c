package sim_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// actor is a thread that makes the calls of a program.
type actor struct {
	*cluster.Rank
	fn     int
	reqs   []cluster.Request
	split  cluster.Request
	source cluster.Request
	means  cluster.Means // for the following calls
}

// step makes one call:
//
//	send|isend|ssend|irecv|recv rank bytes     on MPI_COMM_WORLD, with tag 0
//	wait                                       for all that was started
//	test                                       polls what was started last, until it is complete
//	put|get|rpc|iput|iget rank bytes; add rank
//	train rank n bytes                         n puts of so many bytes as one
//	source                                     until the source of the last iput or train may be written
//	place memory memory                        own and the other side's, from then on: host or device
//	signal rank bytes; await                   a put that adds 1 to a flag; until the own flag is 1
//	compute ns; stream bytes; both ns bytes    flops, memory
//	barrier; notify; pass                      whole or split
//	progress
func (a *actor) step(t *testing.T, call string) error {
	return a.Using(a.means, func() error { return a.call(t, call) })
}

func (a *actor) call(t *testing.T, call string) error {
	f := strings.Fields(call)
	arg := func(i int) int {
		if len(f) <= i {
			t.Errorf("%q: want more arguments", call)
			return 0
		}
		n, err := strconv.Atoi(f[i])
		if err != nil {
			t.Errorf("%q: %v", call, err)
		}
		return n
	}
	world := a.World()
	next := func() *cluster.Request {
		a.reqs = append(a.reqs, cluster.Request{})
		return &a.reqs[len(a.reqs)-1]
	}
	switch f[0] {
	case "send":
		return a.Send(world, arg(1), 0, cluster.Of(make([]byte, arg(2))))
	case "isend":
		return a.Isend(next(), world, arg(1), 0, cluster.Of(make([]byte, arg(2))))
	case "ssend":
		return a.Ssend(world, arg(1), 0, cluster.Of(make([]byte, arg(2))))
	case "recv":
		st, err := a.Recv(world, arg(1), 0, cluster.Of(make([]byte, arg(2))))
		if err == nil && st.Bytes != int64(arg(2)) {
			err = fmt.Errorf("rank %d: %q got %d B", a.ID(), call, st.Bytes)
		}
		return err
	case "irecv":
		return a.Irecv(next(), world, arg(1), 0, cluster.Of(make([]byte, arg(2))))
	case "wait":
		err := a.Waitall(a.reqs, nil)
		a.reqs = a.reqs[:0]
		return err
	case "test":
		for {
			_, ok, err := a.Test(&a.reqs[len(a.reqs)-1])
			if ok || err != nil {
				a.reqs = a.reqs[:len(a.reqs)-1]
				return err
			}
		}
	case "put":
		return a.Put(cluster.At(arg(1), 8), cluster.Of(make([]byte, arg(2))))
	case "iput":
		return a.PutWith(&cluster.Put{To: cluster.At(arg(1), 8), Data: cluster.Of(make([]byte, arg(2)))}, next(), &a.source)
	case "iget":
		return a.GetWith(&cluster.Get{From: cluster.At(arg(1), 8), Data: cluster.Of(make([]byte, arg(2)))}, next())
	case "train":
		train := cluster.Column(8, int64(arg(3)), int64(arg(3)), arg(2))
		return a.PutWith(&cluster.Put{To: cluster.At(arg(1), 0), Data: cluster.Of(make([]byte, arg(2)*arg(3))),
			Shape: train, Train: true}, next(), &a.source)
	case "source":
		_, err := a.Wait(&a.source)
		return err
	case "place":
		memory := map[string]cluster.Memory{"host": cluster.HostMemory, "device": cluster.DeviceMemory}
		a.means = cluster.Means{Own: memory[f[1]], Far: memory[f[2]]}
	case "path": // for the following calls
		a.means.Path = map[string]cluster.Path{"loads": cluster.PathLoads, "messages": cluster.PathMessages,
			"adapter": cluster.PathAdapter}[f[1]]
	case "iputs", "gets": // blocks at a stride of twice their length
		blocks := cluster.Column(8, int64(2*arg(3)), int64(arg(3)), arg(2))
		if f[0] == "gets" {
			return a.GetWith(&cluster.Get{From: cluster.At(arg(1), 0), Data: cluster.Of(make([]byte, arg(2)*arg(3))),
				Shape: blocks}, nil)
		}
		return a.PutWith(&cluster.Put{To: cluster.At(arg(1), 0), Data: cluster.Of(make([]byte, arg(2)*arg(3))),
			Shape: blocks}, next(), &a.source)
	case "get":
		return a.Get(cluster.At(arg(1), 8), cluster.Of(make([]byte, arg(2))))
	case "add":
		_, err := a.Atomic(cluster.At(arg(1), 8), cluster.AtomicAdd, 1)
		return err
	case "rpc":
		word, err := a.RPC(arg(1), a.fn, 0, cluster.Of(make([]byte, arg(2))))
		if err == nil && word != 7 {
			err = fmt.Errorf("rank %d: %q gave %d", a.ID(), call, word)
		}
		return err
	case "signal":
		return a.PutWith(&cluster.Put{To: cluster.At(arg(1), 8), Data: cluster.Of(make([]byte, arg(2))),
			Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}, Until: cluster.Source}, nil, nil)
	case "await":
		_, err := a.Await(0, cluster.CmpEqual, 1)
		return err
	case "compute":
		a.Compute(cluster.Work{Flops: float64(arg(1))}, nil)
	case "stream":
		a.Compute(cluster.Work{Bytes: float64(arg(1))}, nil)
	case "both":
		a.Compute(cluster.Work{Flops: float64(arg(1)), Bytes: float64(arg(2))}, nil)
	case "now":
		a.Now()
	case "barrier":
		return a.Barrier(a.All())
	case "notify":
		return a.Notify(&a.split, a.All())
	case "pass":
		_, err := a.Wait(&a.split)
		return err
	case "progress":
		a.Progress()
	default:
		t.Errorf("unknown call %q", call)
	}
	return nil
}
