package pingpong

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

const tag = 1

// twoSided sends and receives in MPI_COMM_WORLD.
type twoSided struct {
	r    *cluster.Rank
	peer int // in the team
	in   []byte
}

func newTwoSided(r *cluster.Rank, partner, size int) *twoSided {
	return &twoSided{r: r, peer: r.World().Local(partner), in: make([]byte, size)}
}

func (w *twoSided) send(_ uint64, message []byte) error {
	return w.r.Send(w.r.World(), w.peer, tag, cluster.Of(message))
}

func (w *twoSided) receive(uint64) ([]byte, error) {
	st, err := w.r.Recv(w.r.World(), w.peer, tag, cluster.Of(w.in))
	if err == nil && st.Bytes != int64(len(w.in)) {
		err = fmt.Errorf("rank %d: got a message of %d B, want %d B", w.r.ID(), st.Bytes, len(w.in))
	}
	return w.in, err
}

func (w *twoSided) finish() error { return nil }

// put writes into the partner's segment and sets a flag there.
type put struct {
	r         *cluster.Rank
	partner   int
	flag, off int64 // the same in both segments
	inbox     []byte
}

func newPut(r *cluster.Rank, partner, size int) (*put, error) {
	flagOff, err := r.Alloc(flag)
	if err != nil {
		return nil, err
	}
	off, err := r.Alloc(int64(size))
	if err != nil {
		return nil, err
	}
	return &put{r: r, partner: partner, flag: flagOff, off: off, inbox: r.Segment()[off : off+int64(size)]}, nil
}

func (w *put) send(round uint64, message []byte) error {
	return w.r.PutWith(&cluster.Put{To: cluster.At(w.partner, w.off), Data: cluster.Of(message),
		Signal: cluster.Signal{Op: cluster.SigSet, Off: w.flag, Value: round}, Until: cluster.Source}, nil, nil)
}

func (w *put) receive(round uint64) ([]byte, error) {
	_, err := w.r.Await(w.flag, cluster.CmpGreaterEqual, round)
	return w.inbox, err
}

func (w *put) finish() error { return w.r.Quiet() }
