package pingpong

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/rma"
)

// window is an MPI window of one message on each of the two ranks.
type window struct {
	*rma.Window
	r    *cluster.Rank
	team *cluster.Team // of rank 0 and its partner, in this order
	peer []int         // the other rank's number in the team
}

// newWindow makes the window together with the partner.
func newWindow(r *cluster.Rank, partner, size int) (*window, error) {
	world := r.World()
	team, err := r.Subteam(world, []int{world.Local(0), world.Local(partner)})
	if err != nil {
		return nil, err
	}
	w, err := rma.NewWindow(r, team, int64(size))
	return &window{Window: w, r: r, team: team, peer: []int{1 - team.Rank()}}, err
}

func (w *window) finish() error { return nil }

// fence puts between two fences, which both ranks call.
type fence struct{ *window }

func newFence(r *cluster.Rank, partner, size int) (fence, error) {
	w, err := newWindow(r, partner, size)
	if err != nil {
		return fence{}, err
	}
	return fence{w}, w.Fence()
}

func (w fence) send(_ uint64, message []byte) error {
	if err := w.Put(w.peer[0], 0, cluster.Of(message)); err != nil {
		return err
	}
	return w.Fence()
}

func (w fence) receive(uint64) ([]byte, error) {
	if err := w.Fence(); err != nil {
		return nil, err
	}
	return w.Local()
}

// pscw puts between Start and Complete, while the receiver is between Post and Wait.
type pscw struct{ *window }

func (w pscw) send(_ uint64, message []byte) error {
	if err := w.Start(w.peer); err != nil {
		return err
	}
	if err := w.Put(w.peer[0], 0, cluster.Of(message)); err != nil {
		return err
	}
	return w.Complete()
}

func (w pscw) receive(uint64) ([]byte, error) {
	if err := w.Post(w.peer); err != nil {
		return nil, err
	}
	if err := w.Wait(); err != nil {
		return nil, err
	}
	return w.Local()
}

// lock puts under a lock of the partner's window, and gets the message back under another lock. The
// partner is passive.
type lock struct {
	*window
	in []byte
}

// passive is the partner's rank in the window's team.
const passive = 1

func (w lock) send(_ uint64, message []byte) error {
	if err := w.Lock(rma.LockExclusive, passive); err != nil {
		return err
	}
	if err := w.Put(passive, 0, cluster.Of(message)); err != nil {
		return err
	}
	return w.Unlock(passive)
}

func (w lock) receive(uint64) ([]byte, error) {
	if err := w.Lock(rma.LockShared, passive); err != nil {
		return nil, err
	}
	if err := w.Get(passive, 0, cluster.Of(w.in)); err != nil {
		return nil, err
	}
	return w.in, w.Unlock(passive)
}

// finish waits until both ranks are here, so that the partner sees the last message.
func (w lock) finish() error { return w.r.Barrier(w.team) }
