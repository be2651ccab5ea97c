package cholesky

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// A factor is one process's part of a matrix that is factored.
type factor struct {
	grid
	r      *cluster.Rank
	p      engine.Probe
	world  *cluster.Team
	store  cluster.Store
	direct bool // hand-off = direct
	ahead  bool // lookahead
	cores  int  // cores per kernel
	slices int  // parts of a product, with a poll between parts

	a  []float64 // this process's elements, row by row; elements below the diagonal have no meaning
	ld int
	arrays
	row    *caster
	column *caster
	post   mail
	tiles  dense.Tiles
	times  times
	flops  float64 // of the kernels of this factorization
	broken int     // global row of the pivot that is not positive; −1: none
}

// A step is row k of the blocks, and the first global column that it works on.
type step struct{ k, from int }

func (f *factor) after(k int) step { return step{k, f.first(k + 1)} }

// run factors the matrix. All ranks return with the same value of broken.
func (f *factor) run() error {
	f.broken, f.flops = -1, 0
	f.times.begin(f)
	if f.ahead {
		if err := f.runAhead(); err != nil {
			return err
		}
	} else {
		for k := range f.blocks() {
			f.p.Step(k, f.blocks())
			f.times.at(k)
			if err := f.factorRow(k); err != nil {
				return err
			}
			if k == f.blocks()-1 {
				break
			}
			s := f.after(k)
			if err := f.broadcastRow(s); err != nil || f.broken >= 0 {
				if err != nil {
					return err
				}
				break
			}
			f.update(f.a, s, f.rowsFrom(s.from))
			f.times.lap(partUpdate)
		}
	}
	f.times.end()
	return f.shareBroken()
}

// shareBroken informs all ranks of a pivot that one rank has found in the last step.
func (f *factor) shareBroken() error {
	all := []int64{int64(f.broken)}
	err := coll.Allreduce(f.r, f.world, cluster.Max, all, all)
	f.broken = int(all[0])
	return err
}

// factorRow factors the diagonal block of step k and solves for the rest of the row. Row k mod TX
// of the processes does this before all other processes continue.
func (f *factor) factorRow(k int) error {
	if f.x != k%f.tx {
		return nil
	}
	b, c := f.width(k), k%f.ty
	last := k == f.blocks()-1
	if f.y == c {
		f.potrf(k)
		f.times.lap(partPotrf)
	}
	if last {
		return nil
	}
	n := int64(1+b*b) * word
	if err := f.cast(f.row, c, &f.diag, n); err != nil {
		return err
	}
	f.times.lap(partRound1)
	s := f.after(k)
	f.solve(s)
	f.pack(s)
	f.times.lap(partTrsm)
	return nil
}

// potrf factors the diagonal block in place and packs the message of round 1.
func (f *factor) potrf(k int) {
	b := f.width(k)
	f.compute(cluster.Work{Flops: dense.PotrfFlops(b), Bytes: word * 2 * float64(b*b), Kernel: cluster.Potrf}, func() {
		diag := f.diag.Slice()
		diag[0] = 0
		at := f.rows.Local(f.first(k))*f.ld + f.cols.Local(f.first(k))
		if bad := f.tiles.Potrf(b, f.a[at:], f.ld); bad >= 0 {
			diag[0] = float64(f.first(k) + bad + 1)
			f.broken = f.first(k) + bad
		}
		for i := range b {
			copy(diag[1+i*b:][:b], f.a[at+i*f.ld:][:b])
		}
	})
}

// solve computes this process's part of row k of U from row k of A.
func (f *factor) solve(s step) {
	b, w := f.width(s.k), f.across(f.y, s.from)
	f.compute(cluster.Work{Flops: dense.TrsmFlops(b, w), Bytes: word * 2 * float64(b*w), Kernel: cluster.Trsm}, func() {
		if diag := f.diag.Slice(); diag[0] == 0 && w > 0 {
			f.tiles.Trsm(b, w, diag[1:], b, f.a[f.rows.Local(f.first(s.k))*f.ld+f.cols.From(f.y, s.from):], f.ld)
		}
	})
}

// pack packs the message of round 2. Its part of the diagonal block is upper triangular.
func (f *factor) pack(s step) {
	b, w := f.width(s.k), f.across(f.y, s.from)
	f.compute(copying(b*w), func() {
		out := f.panels[s.k%2].across.Slice()
		out[0] = f.diag.Slice()[0]
		row, col := f.rows.Local(f.first(s.k)), f.cols.From(f.y, s.from)
		for i := range b {
			to := out[1+i*w:][:w]
			copy(to, f.a[(row+i)*f.ld+col:][:w])
			if s.from == f.first(s.k) && f.y == s.k%f.ty {
				clear(to[:i])
			}
		}
	})
}

// cast does a blocking broadcast.
func (f *factor) cast(c *caster, root int, a *array, n int64) error {
	call, err := c.call(root, a, n)
	if err != nil {
		return err
	}
	return c.comm.Do(call)
}

// broadcastRow does rounds 2 and 3 and the hand-off between them, one after the other.
func (f *factor) broadcastRow(s step) error {
	if err := f.cast(f.column, s.k%f.tx, &f.panels[s.k%2].across, f.acrossBytes(s)); err != nil {
		return err
	}
	f.times.lap(partRound2)
	if f.checkPivot(s) {
		return nil
	}
	if f.direct {
		if err := f.handOver(s); err != nil {
			return err
		}
		f.times.lap(partHandoff)
	}
	for y := range f.ty {
		n := f.pieceBytes(s, y)
		if n == 0 {
			continue
		}
		if y == f.y {
			f.cutPiece(s)
		}
		if err := f.cast(f.row, y, f.piece(s, y), n); err != nil {
			return err
		}
	}
	f.times.lap(partRound3)
	return nil
}

// checkPivot reports whether the received data contain a pivot that is not positive.
func (f *factor) checkPivot(s step) bool {
	f.store.Do(func() error {
		if word := f.panels[s.k%2].across.Slice()[0]; word > 0 {
			f.broken = int(word) - 1
		}
		return nil
	})
	return f.broken >= 0
}

// acrossBytes returns the bytes of round 2 in this process's column of processes.
func (f *factor) acrossBytes(s step) int64 {
	return word * int64(1+f.width(s.k)*f.across(f.y, s.from))
}

// pieceBytes returns the bytes of round 3 in this process's row of processes that come from column
// y.
func (f *factor) pieceBytes(s step, y int) int64 {
	return word * int64(f.width(s.k)*f.shared(f.classOf(f.x, y), s.from))
}

func (f *factor) piece(s step, y int) *array { return &f.panels[s.k%2].pieces[y] }

// cutPiece copies the part of row k that this row of processes needs from this column, to start
// round 3 with it. With a direct hand-off it may have arrived already.
func (f *factor) cutPiece(s step) {
	if f.direct && f.x != s.k%f.tx {
		return
	}
	z := f.classOf(f.x, f.y)
	f.compute(copying(f.width(s.k)*f.shared(z, s.from)), func() { f.cutInto(f.piece(s, f.y).Slice(), s, z) })
}

// copying returns the work of reading and writing n numbers.
func copying(n int) cluster.Work { return cluster.Work{Bytes: 2 * word * float64(n)} }

// cutInto copies the blocks of class z from row k.
func (f *factor) cutInto(out []float64, s step, z int) {
	b, w := f.width(s.k), f.shared(z, s.from)
	in, all := f.panels[s.k%2].across.Slice()[1:], f.across(f.y, s.from)
	begin, first := f.both.From(z, s.from), f.cols.From(f.y, s.from)
	for at := 0; at < w; {
		g := f.both.Global(z, begin+at)
		n := min(f.nb-g%f.nb, w-at)
		from := f.cols.Local(g) - first
		for i := range b {
			copy(out[i*w+at:][:n], in[i*all+from:][:n])
		}
		at += n
	}
}

// compute spends the time of a kernel, and runs it if the store has bytes.
func (f *factor) compute(w cluster.Work, body func()) {
	if w.Kernel != cluster.NoKernel {
		w.Cores = f.cores
	}
	f.flops += w.Flops
	f.r.Compute(w, f.store.Body(body))
}

// pivotError returns the error of all ranks for a matrix that is not positive definite.
func (f *factor) pivotError(name string) error {
	return fmt.Errorf("rank %d: cholesky: matrix %s of %d rows is not positive definite: the pivot of row %d is not "+
		"positive; use matrix = %s or %s", f.r.ID(), name, f.n, f.broken, exact, random)
}
