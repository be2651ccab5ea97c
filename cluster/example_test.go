package cluster_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// onDemo runs a program on two nodes with two ranks each, in virtual time.
func onDemo(program func(r *cluster.Rank) error) {
	spec := clustertest.Spec(clustertest.Emulated(), 2, 2)
	spec.Segment = 4096
	if err := cluster.Launch(context.Background(), sim.New(), spec, program); err != nil {
		fmt.Println(err)
	}
}

// A dot product. In MPI:
//
//	double mine = 0, all;
//	for (int i = 0; i < n; i++)
//	    mine += x[i] * y[i];
//	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
//	if (rank == 0)
//	    printf("%g\n", all);
func Example_dotProduct() {
	x, y := []float64{1, 2, 3}, []float64{4, 5, 6}
	onDemo(func(r *cluster.Rank) error {
		mine, all := []float64{0}, []float64{0}
		for i := range x {
			mine[0] += x[i] * y[i]
		}
		err := coll.Allreduce(r, r.World(), cluster.Sum, mine, all)
		if r.ID() == 0 {
			fmt.Println(all[0])
		}
		return err
	})
	// Output: 128
}

// A ring: each rank sends its number to the next rank. In MPI:
//
//	int right = (rank + 1) % size, left = (rank + size - 1) % size, got;
//	MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0,
//	             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
//	if (rank == 0)
//	    printf("%d\n", got);
func Example_ring() {
	onDemo(func(r *cluster.Rank) error {
		right, left := (r.ID()+1)%r.Ranks(), (r.ID()+r.Ranks()-1)%r.Ranks()
		own, got := []int32{int32(r.ID())}, []int32{0}
		_, err := r.Sendrecv(r.All(), right, 0, cluster.Of(own), left, 0, cluster.Of(got))
		if r.ID() == 0 {
			fmt.Println(got[0])
		}
		return err
	})
	// Output: 3
}

// A halo exchange by puts with signal: each rank puts its last cell next to the first cell
// of its neighbour. In UPC++ and OpenSHMEM's terms:
//
//	auto halo = upcxx::new_<double>(n + 1);    // shmem_malloc: symmetric
//	auto flag = upcxx::new_<uint64_t>(0);
//	halo[n] = rank;
//	upcxx::barrier();
//	shmem_double_put_signal(halo, &halo[n], 1, flag, 1, SHMEM_SIGNAL_ADD, right);
//	shmem_signal_wait_until(flag, SHMEM_CMP_GE, 1);
//	if (rank == 0)
//	    printf("%g\n", halo[0]);
func Example_haloExchange() {
	const n = 8
	onDemo(func(r *cluster.Rank) error {
		halo, err1 := cluster.Alloc[float64](r, cluster.Store{}, n+1) // in every rank's segment
		flag, err2 := cluster.Alloc[uint64](r, cluster.Store{}, 1)
		cells, right := halo.Local(r, n+1), (r.ID()+1)%r.Ranks()
		cells.Slice()[n] = float64(r.ID())
		err3 := r.PutWith(&cluster.Put{
			To: halo.On(right).Target, Data: cells.Part(n, n+1).Data(),
			Signal: cluster.Signal{Op: cluster.SigAdd, Off: flag.Off, Value: 1},
		}, nil, nil)
		_, err4 := r.Await(flag.Off, cluster.CmpGreaterEqual, 1)
		if r.ID() == 0 {
			fmt.Println(cells.Slice()[0])
		}
		return errors.Join(err1, err2, err3, err4)
	})
	// Output: 3
}
