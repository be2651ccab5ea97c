package spmv

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// halo exchanges a process's boundary planes. Its last plane goes up, to the process after it; its
// first plane goes down. Each of several communicating threads has a share of the planes.
type halo struct {
	m            *mesh
	below, above int // ranks in MPI_COMM_WORLD; a single process is its own neighbour
	shares       []share

	// For the program without barriers: two planes that it receives into, and a flag that its
	// master sets to the number of the product when they have arrived.
	inbox   cluster.Buf[float64]
	flag    cluster.Ptr[uint64]
	product uint64
}

// share is the range [lo, hi) of a thread's points in the planes.
type share struct {
	lo, hi   int
	requests [4]cluster.Request
	statuses [4]cluster.Status
}

func newHalo(r *cluster.Rank, m *mesh, threads int) (*halo, error) {
	me, n := r.World().Rank(), r.World().Size()
	h := &halo{m: m, below: (me + n - 1) % n, above: (me + 1) % n, shares: make([]share, threads)}
	for q := range h.shares {
		h.shares[q].lo, h.shares[q].hi = cluster.Share(m.plane(), threads, q)
	}
	h.inbox = cluster.Make[float64](m.store, 2*m.plane())
	var err error
	h.flag, err = cluster.Alloc[uint64](r, cluster.Store{}, 1)
	return h, err
}

// exchangePlanes exchanges the planes with one thread.
func (h *halo) exchangePlanes(r *cluster.Rank) error {
	all := share{hi: h.m.plane()}
	return h.exchange(r, 0, &all, h.plane(0), h.plane(h.m.nk+1))
}

// exchangeShare exchanges the share of communicating thread q.
func (h *halo) exchangeShare(r *cluster.Rank, q int) error {
	return h.exchange(r, q, &h.shares[q], h.plane(0), h.plane(h.m.nk+1))
}

// plane returns plane k of x, counted from the halo below.
func (h *halo) plane(k int) cluster.Buf[float64] { return h.m.planeAt(k) }

// exchange starts the receives and sends of a share, with its own tags, and waits for all of them.
func (h *halo) exchange(r *cluster.Rank, q int, s *share, low, high cluster.Buf[float64]) error {
	if s.lo == s.hi {
		return nil // more threads than points; the same holds for the neighbours
	}
	up := 2 * q
	down := 2*q + 1
	world := r.World()
	data := func(plane cluster.Buf[float64]) cluster.Data { return plane.Part(s.lo, s.hi).Data() }
	err := firstError(r.Irecv(&s.requests[0], world, h.below, up, data(low)),
		r.Irecv(&s.requests[1], world, h.above, down, data(high)))
	err = firstError(err, r.Isend(&s.requests[2], world, h.above, up, data(h.plane(h.m.nk))))
	err = firstError(err, r.Isend(&s.requests[3], world, h.below, down, data(h.plane(1))))
	err = firstError(err, r.Waitall(s.requests[:], s.statuses[:]))
	if err != nil {
		return err
	}
	for i := range 2 {
		if got, want := s.statuses[i].Bytes, 8*int64(s.hi-s.lo); got != want {
			return fmt.Errorf("rank %d: got %d B of halo from process %d, want %d B", r.ID(), got, s.statuses[i].Source, want)
		}
	}
	return nil
}

// exchangeToInbox exchanges while other threads may use the halo of the product before. It receives
// the planes into the inbox, and then sets the flag.
func (h *halo) exchangeToInbox(r *cluster.Rank) error {
	all, n := share{hi: h.m.plane()}, h.m.plane()
	if err := h.exchange(r, 0, &all, h.inbox.Part(0, n), h.inbox.Part(n, 2*n)); err != nil {
		return err
	}
	_, err := r.Atomic(h.flag.Target, cluster.AtomicStore, h.product)
	return err
}

// hasArrived reports whether the planes of this product are in the inbox.
func (h *halo) hasArrived(r *cluster.Rank) (bool, error) {
	product, err := r.Atomic(h.flag.Target, cluster.AtomicLoad, 0)
	return product == h.product, err
}

// copyInbox copies the inbox into x, for the next product.
func (h *halo) copyInbox() {
	n := h.m.plane()
	copy(h.plane(0).Slice(), h.inbox.Part(0, n).Slice())
	copy(h.plane(h.m.nk+1).Slice(), h.inbox.Part(n, 2*n).Slice())
}
