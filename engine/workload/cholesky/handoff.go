package cholesky

import "github.com/hybridtop/hybridtop/cluster"

// mail is the hand-off of U_ki from its owner to the process in its column of processes that starts
// round 3. It is a message, or a put if broadcasts are one-sided. The owner puts only after the
// other process has signalled that it is ready. The flags in the segment count the steps:
//
//	ready     at the owner, per row of processes: the other process is ready for the put
//	arrived   at the other process: the data have arrived
type mail struct {
	puts  bool
	words int64 // offset of the flags: arrived, then ready by row of processes
	sends []cluster.Request
	count int // steps so far
}

// wordsOf returns the bytes of the flags.
func wordsOf(rows int) int64 { return word * int64(1+rows) }

// handOver hands over the blocks of process row k mod TX to the processes that start round 3.
func (f *factor) handOver(s step) error {
	if f.tx == 1 {
		return nil
	}
	f.post.count++
	if err := f.r.Quiet(); err != nil { // puts of the previous step
		return err
	}
	if f.x == s.k%f.tx {
		return f.sendPieces(s)
	}
	if n := f.pieceBytes(s, f.y); n > 0 {
		return f.receivePiece(s, int(n/word))
	}
	return nil
}

// sendPieces sends a piece to each process of the column that starts round 3 with it.
func (f *factor) sendPieces(s step) error {
	m := &f.post
	m.sends = m.sends[:0]
	side := f.side.Buf
	for x := range f.tx {
		z := f.classOf(x, f.y)
		size := f.width(s.k) * f.shared(z, s.from)
		if x == f.x || size == 0 {
			continue
		}
		piece := side.Part(0, size)
		side = side.Part(size, side.Len())
		f.compute(copying(size), func() { f.cutInto(piece.Slice(), s, z) })
		if err := f.sendPiece(s, x, piece.Data()); err != nil {
			return err
		}
	}
	return f.r.Waitall(m.sends, nil)
}

func (f *factor) sendPiece(s step, x int, d cluster.Data) error {
	m, t := &f.post, f.column.team
	if !m.puts {
		m.sends = append(m.sends, cluster.Request{})
		return f.r.Isend(&m.sends[len(m.sends)-1], t, x, 0, d)
	}
	if _, err := f.r.Await(m.readyFlag(x), cluster.CmpGreaterEqual, uint64(m.count)); err != nil {
		return err
	}
	return f.putWithFlag(t.Global(x), f.piece(s, f.y).at, d, m.words)
}

// putWithFlag puts d to a process of the column, with a signal to a flag there.
func (f *factor) putWithFlag(rank int, at int64, d cluster.Data, flag int64) error {
	return f.r.PutWith(&cluster.Put{To: cluster.At(rank, at), Data: d, Until: cluster.Source,
		Signal: cluster.Signal{Op: cluster.SigSet, Off: flag, Value: uint64(f.post.count)}}, nil, nil)
}

// readyFlag returns the offset of the flag ready of a row of processes.
func (m *mail) readyFlag(x int) int64 { return m.words + word*int64(1+x) }

// receivePiece receives the piece of n numbers with which this process starts round 3.
func (f *factor) receivePiece(s step, n int) error {
	m := &f.post
	t := f.column.team
	owner := s.k % f.tx
	if !m.puts {
		_, err := f.r.Recv(t, owner, 0, f.piece(s, f.y).Part(0, n).Data())
		return err
	}
	if err := f.putWithFlag(t.Global(owner), m.words, cluster.Data{}, m.readyFlag(f.x)); err != nil {
		return err
	}
	_, err := f.r.Await(m.words, cluster.CmpGreaterEqual, uint64(m.count))
	return err
}
