package spmv

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// halo is how a process exchanges its boundary planes: its last plane goes up, to
// the process after it, its first plane goes down, and the halo comes. Threads that
// communicate together have a share of the planes each.
type halo struct {
	m            *mesh
	below, above int // in MPI_COMM_WORLD; of a single process, itself
	shares       []share
	inbox        []float64 // two planes, where a program that forgot its barriers receives
}

// share is one thread's points [lo, hi) of the planes.
type share struct {
	lo, hi   int
	requests [4]cluster.Request
	statuses [4]cluster.Status
}

func newHalo(m *mesh, world *cluster.Team, threads int) *halo {
	me, n := world.Rank(), world.Size()
	h := &halo{m: m, below: (me + n - 1) % n, above: (me + 1) % n, shares: make([]share, threads)}
	for q := range h.shares {
		h.shares[q].lo, h.shares[q].hi = cluster.Share(m.plane(), threads, q)
	}
	return h
}

// whole exchanges the planes by one thread.
func (h *halo) whole(r *cluster.Rank) error {
	all := share{hi: h.m.plane()}
	return h.exchange(r, 0, &all, h.plane(0), h.plane(h.m.nk+1))
}

// part exchanges the share of thread q of those that communicate.
func (h *halo) part(r *cluster.Rank, q int) error {
	return h.exchange(r, q, &h.shares[q], h.plane(0), h.plane(h.m.nk+1))
}

// plane is plane k of x, counted from the halo below; nil: there is none.
func (h *halo) plane(k int) []float64 {
	if !h.m.real() {
		return nil
	}
	return h.m.x[k*h.m.plane() : (k+1)*h.m.plane()]
}

// exchange starts the receives and sends of a share, with tags of its own, and
// waits for all.
func (h *halo) exchange(r *cluster.Rank, q int, s *share, low, high []float64) error {
	if s.lo == s.hi {
		return nil // more threads than points; so have the neighbours
	}
	up, down := 2*q, 2*q+1
	if err := h.receive(r, &s.requests[0], h.below, up, low, s); err != nil {
		return err
	}
	if err := h.receive(r, &s.requests[1], h.above, down, high, s); err != nil {
		return err
	}
	if err := h.send(r, &s.requests[2], h.above, up, h.plane(h.m.nk), s); err != nil {
		return err
	}
	if err := h.send(r, &s.requests[3], h.below, down, h.plane(1), s); err != nil {
		return err
	}
	if err := r.Waitall(s.requests[:], s.statuses[:]); err != nil {
		return err
	}
	for i := range 2 {
		if got, want := s.statuses[i].Bytes, 8*int64(s.hi-s.lo); got != want {
			return fmt.Errorf("rank %d: %d B of halo came from process %d, want %d B", r.ID(), got, s.statuses[i].Source, want)
		}
	}
	return nil
}

func (h *halo) receive(r *cluster.Rank, q *cluster.Request, from, tag int, plane []float64, s *share) error {
	if plane == nil {
		return r.Irecv(q, r.World(), from, tag, cluster.Sized(8*int64(s.hi-s.lo)))
	}
	return r.Irecv(q, r.World(), from, tag, cluster.Of(plane[s.lo:s.hi]))
}

func (h *halo) send(r *cluster.Rank, q *cluster.Request, to, tag int, plane []float64, s *share) error {
	if plane == nil {
		return r.Isend(q, r.World(), to, tag, cluster.Sized(8*int64(s.hi-s.lo)))
	}
	return r.Isend(q, r.World(), to, tag, cluster.Of(plane[s.lo:s.hi]))
}

// wordByWord exchanges while others may look at the halo: what has come is stored
// in it by atomics.
func (h *halo) wordByWord(r *cluster.Rank) error {
	if !h.m.real() {
		return h.whole(r)
	}
	n := h.m.plane()
	if h.inbox == nil {
		h.inbox = make([]float64, 2*n)
	}
	all := share{hi: n}
	if err := h.exchange(r, 0, &all, h.inbox[:n], h.inbox[n:]); err != nil {
		return err
	}
	for i, v := range h.inbox {
		if _, err := r.Atomic(cluster.At(r.ID(), h.word(i)), cluster.AtomicStore, math.Float64bits(v)); err != nil {
			return err
		}
	}
	return nil
}

// word is where in the segment point i of the two halo planes stands, B.
func (h *halo) word(i int) int64 {
	if i >= h.m.plane() {
		i += int(h.m.rows()) // the own planes lie between
	}
	return h.m.halo + 8*int64(i)
}

// look loads a line of a halo plane by atomics: what is there now.
func (h *halo) look(r *cluster.Rank, plane, j int, line []float64) error {
	for i := range line {
		v, err := r.Atomic(cluster.At(r.ID(), h.word(plane*h.m.plane()+j*h.m.ni+i)), cluster.AtomicLoad, 0)
		if err != nil {
			return err
		}
		line[i] = math.Float64frombits(v)
	}
	return nil
}
