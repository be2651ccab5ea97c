package cholesky

import "github.com/hybridtop/hybridtop/cluster"

// mail is how the owner of U_ki hands it over to the process in its column of processes
// that begins round 3 for it: by a message, or where broadcasts are one-sided by a put once
// the other one has said that it may. Words of the segment count up over all steps:
//
//	ready     of each row of processes: it may be put to     (at the owner)
//	arrived   what was put is there                          (at the other one)
type mail struct {
	puts  bool
	words int64     // their offset: arrived, then ready by row of processes
	side  []float64 // what is sent, for one row of processes after the other
	sends []cluster.Request
	count int // steps so far
}

// wordsOf is the bytes of the words.
func wordsOf(rows int) int64 { return word * int64(1+rows) }

// hand hands over what row k mod TX of processes has and the others begin round 3 with.
func (f *factor) hand(s step) error {
	if f.tx == 1 {
		return nil
	}
	f.post.count++
	if err := f.r.Quiet(); err != nil { // of the step before
		return err
	}
	if f.x == s.k%f.tx {
		return f.giveAll(s)
	}
	if n := f.pieceBytes(s, f.y); n > 0 {
		return f.take(s, n)
	}
	return nil
}

// giveAll sends a piece to each process of the column that begins round 3 for one.
func (f *factor) giveAll(s step) error {
	m := &f.post
	m.sends = m.sends[:0]
	side := m.side
	for x := range f.tx {
		z := f.meet(x, f.y)
		size := f.width(s.k) * f.shared(z, s.from)
		if x == f.x || size == 0 {
			continue
		}
		f.compute(copying(size), func() { f.cutInto(side, s, z) })
		var buf []byte
		if f.real {
			buf, side = cluster.Bytes(side[:size]), side[size:]
		}
		if err := f.give(s, x, buf, word*int64(size)); err != nil {
			return err
		}
	}
	return f.r.Waitall(m.sends, nil)
}

func (f *factor) give(s step, x int, buf []byte, n int64) error {
	m, t := &f.post, f.column.team
	if !m.puts {
		m.sends = append(m.sends, cluster.Request{})
		q := &m.sends[len(m.sends)-1]
		if f.real {
			return f.r.Isend(q, t, x, 0, cluster.Of(buf))
		}
		return f.r.Isend(q, t, x, 0, cluster.Sized(n))
	}
	if _, err := f.r.Await(m.ready(x), cluster.CmpGreaterEqual, uint64(m.count)); err != nil {
		return err
	}
	if f.real {
		return f.r.PutWith(&cluster.Put{To: cluster.At(t.Global(x), f.at.pieces[s.k%2][f.y]), Data: cluster.Of(buf), Signal: cluster.Signal{Op: cluster.SigSet, Off: m.words, Value: uint64(m.count)}, Until: cluster.Source}, nil, nil)
	}
	return f.r.PutWith(&cluster.Put{To: cluster.At(t.Global(x), f.at.pieces[s.k%2][f.y]), Data: cluster.Sized(n), Signal: cluster.Signal{Op: cluster.SigSet, Off: m.words, Value: uint64(m.count)}, Until: cluster.Source}, nil, nil)
}

// ready is the word of a row of processes.
func (m *mail) ready(x int) int64 { return m.words + word*int64(1+x) }

// take receives the piece that this process begins round 3 with.
func (f *factor) take(s step, n int64) error {
	m, t, owner := &f.post, f.column.team, s.k%f.tx
	switch {
	case m.puts:
		if err := f.r.PutWith(&cluster.Put{To: cluster.At(t.Global(owner), m.words), Data: cluster.Data{}, Signal: cluster.Signal{Op: cluster.SigSet, Off: m.ready(f.x), Value: uint64(m.count)}, Until: cluster.Source}, nil, nil); err != nil {
			return err
		}
		_, err := f.r.Await(m.words, cluster.CmpGreaterEqual, uint64(m.count))
		return err
	case f.real:
		_, err := f.r.Recv(t, owner, 0, cluster.Of(f.panels[s.k%2].pieces[f.y][:n/word]))
		return err
	}
	_, err := f.r.Recv(t, owner, 0, cluster.Sized(n))
	return err
}
