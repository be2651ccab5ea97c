package cholesky

import (
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A flight is the panel of a step in rounds 2 and 3. All members start the calls in the same order,
// round 3 after round 2 has arrived.
type flight struct {
	s     step
	two   *coll.Run // round 2; nil: complete
	next  int       // column of processes whose broadcast of round 3 is started next
	three []*coll.Run
}

// runAhead factors the matrix with lookahead: each step's rounds 2 and 3 overlap with the product
// of the previous step. The rows that the next step factors are updated first.
func (f *factor) runAhead() error {
	last := f.blocks() - 1
	var on *flight
	for k := 0; ; k++ {
		f.p.Step(k, f.blocks())
		f.times.at(k)
		if err := f.factorRow(k); err != nil || k == last {
			return err
		}
		before := on
		var err error
		on, err = f.startRounds(f.after(k))
		if err != nil {
			return err
		}
		if before != nil { // the rest of the previous product
			if err := f.updateRest(before.s, on); err != nil {
				return err
			}
		}
		if err := f.waitRounds(on); err != nil || f.broken >= 0 {
			return err
		}
		f.update(f.a, on.s, f.nextRows(k))
		f.times.lap(partUpdate)
	}
}

// nextRows returns this process's block of rows that step k + 1 factors, or an empty span.
func (f *factor) nextRows(k int) span {
	all := f.rowsFrom(f.first(k + 1))
	if (k+1)%f.tx != f.x {
		all.hi = all.lo
	}
	all.hi = min(all.hi, all.lo+1)
	return all
}

// startRounds starts the rounds of a step.
func (f *factor) startRounds(s step) (*flight, error) {
	on := &flight{s: s, three: make([]*coll.Run, 0, f.ty)}
	call, err := f.column.call(s.k%f.tx, &f.panels[s.k%2].across, f.acrossBytes(s))
	if err != nil {
		return nil, err
	}
	on.two, err = f.column.comm.Start(call)
	if err != nil {
		return nil, err
	}
	err = f.startRound3(on)
	f.times.lap(partRound2)
	return on, err
}

// startRound3 starts the broadcasts of round 3 that can start. The broadcast of this process starts
// only when round 2 has arrived.
func (f *factor) startRound3(on *flight) error {
	for ; on.next < f.ty; on.next++ {
		n := f.pieceBytes(on.s, on.next)
		if n == 0 {
			continue
		}
		if on.next == f.y {
			if on.two != nil && f.x != on.s.k%f.tx {
				return nil
			}
			f.cutPiece(on.s)
		}
		call, err := f.row.call(on.next, f.piece(on.s, on.next), n)
		if err != nil {
			return err
		}
		x, err := f.row.comm.Start(call)
		if err != nil {
			return err
		}
		on.three = append(on.three, x)
	}
	return nil
}

// poll tests round 2, and starts round 3 when round 2 is complete.
func (f *factor) poll(on *flight) error {
	if on.two == nil {
		f.r.Progress()
		return nil
	}
	complete, err := on.two.Test()
	if err != nil || !complete {
		return err
	}
	on.two = nil
	return f.startRound3(on)
}

// updateRest computes the rest of a step's product in slices of row blocks, and polls the panel in
// flight between slices.
func (f *factor) updateRest(s step, on *flight) error {
	rows := f.rowsFrom(s.from)
	rows.lo = max(rows.lo, f.nextRows(s.k).hi)
	each := max((rows.hi-rows.lo+f.slices-1)/f.slices, 1)
	for rows.lo < rows.hi {
		now := span{rows.lo, min(rows.lo+each, rows.hi)}
		f.update(f.a, s, now)
		f.times.lap(partUpdate)
		rows.lo = now.hi
		if rows.lo < rows.hi {
			if err := f.poll(on); err != nil {
				return err
			}
			f.times.lap(partRound2)
		}
	}
	return nil
}

// waitRounds waits for both rounds of a step.
func (f *factor) waitRounds(on *flight) error {
	if on.two != nil {
		if err := on.two.Wait(); err != nil {
			return err
		}
		on.two = nil
	}
	f.times.lap(partRound2)
	if err := f.startRound3(on); err != nil {
		return err
	}
	for _, x := range on.three {
		if err := x.Wait(); err != nil {
			return err
		}
	}
	f.times.lap(partRound3)
	f.checkPivot(on.s)
	return nil
}
