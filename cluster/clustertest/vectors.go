package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testVectors(t *testing.T) {
	t.Run("indexed transfers against copies", s.indexedAgainstCopies)
	t.Run("strided transfers move a column", s.stridedMovesAColumn)
	t.Run("strided transfers against copies", s.stridedAgainstCopies)
	t.Run("what does not fit is refused", s.vectorsRefuseWhatDoesNotFit)
}

const room = 512 // bytes of segment that the transfers of these tests play in

// places is a list of spans inside the room, in any order, without overlap.
var places = rapid.Custom(func(t *rapid.T) []cluster.Span {
	var spans []cluster.Span
	for off := int64(0); off < room; {
		v := cluster.Span{Off: off + rapid.Int64Range(0, 40).Draw(t, "gap"), Len: rapid.Int64Range(0, 30).Draw(t, "len")}
		if off = v.Off + v.Len; off <= room {
			spans = append(spans, v)
		}
	}
	return rapid.Permutation(spans).Draw(t, "spans")
})

// Every way to put, and every way to get, against plain copies; in place and over
// links.
func (s *suite) indexedAgainstCopies(t *testing.T) {
	for seed := range s.times(12) {
		spans := places.Example(seed)
		at, packed := make([]byte, room), []byte(nil)
		for i, v := range spans {
			piece := block(i+1, int(v.Len))
			copy(at[v.Off:], piece)
			packed = append(packed, piece...)
		}
		spec := s.spec(3) // the third looks on
		spec.Segment = room
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			s.must(t, spec, func(r *cluster.Rank) error {
				for round := range 2 {
					if r.ID() == 0 {
						var err error
						if round == 0 {
							err = r.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(packed), Spans: spans}, nil, nil)
						} else {
							var op, source cluster.Request
							if err = r.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(packed), Spans: spans}, &op, &source); err == nil {
								err = r.Waitall([]cluster.Request{op, source}, nil)
							}
						}
						if err != nil {
							return err
						}
					}
					if err := r.Barrier(r.World()); err != nil {
						return err
					}
					want := make([]byte, room)
					if r.ID() == 1 {
						want = at
					}
					if d := cmp.Diff(want, r.Segment()); d != "" {
						return fmt.Errorf("rank %d, round %d put: %s", r.ID(), round, d)
					}
					if err := r.Barrier(r.World()); err != nil {
						return err
					}
					if r.ID() == 0 {
						got := make([]byte, len(packed))
						if round == 0 {
							if err := r.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Of(got), Spans: spans}, nil); err != nil {
								return err
							}
						} else {
							var q cluster.Request
							if err := r.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Of(got), Spans: spans}, &q); err != nil {
								return err
							}
							if _, err := r.Wait(&q); err != nil {
								return err
							}
						}
						if !bytes.Equal(got, packed) {
							return fmt.Errorf("round %d got %v, want %v", round, got, packed)
						}
					}
					if err := r.Barrier(r.World()); err != nil {
						return err
					}
					clear(r.Segment())
					if err := r.Barrier(r.World()); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// A column of a matrix, there and back.
func (s *suite) stridedMovesAColumn(t *testing.T) {
	const rows, columns = 7, 5
	s.must(t, s.spec(2), func(r *cluster.Rank) error {
		values := make([]uint64, rows)
		if r.ID() == 0 {
			for i := range values {
				values[i] = uint64(100 + i)
			}
			if err := r.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(values), Shape: *column(8*2, 8*columns, 8, rows)}, nil, nil); err != nil {
				return err
			}
			clear(values)
			if err := r.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Of(values), Shape: *column(8*2, 8*columns, 8, rows)}, nil); err != nil {
				return err
			}
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		if r.ID() == 0 {
			if want := []uint64{100, 101, 102, 103, 104, 105, 106}; !cmp.Equal(values, want) {
				return fmt.Errorf("the column came back as %v", values)
			}
			return nil
		}
		for i, v := range cluster.Words(r.Segment())[:rows*columns] {
			want := uint64(0)
			if i%columns == 2 {
				want = uint64(100 + i/columns)
			}
			if v != want {
				return fmt.Errorf("row %d column %d is %d, want %d", i/columns, i%columns, v, want)
			}
		}
		return nil
	})
}

func (s *suite) vectorsRefuseWhatDoesNotFit(t *testing.T) {
	spec := s.grouped(cluster.NestedMultiple, 2, 1, 0)
	spec.Segment = 104
	const huge = int64(1) << 62
	s.must(t, spec, func(r *cluster.Rank) error {
		if r.ID() == 1 {
			return nil
		}
		b := make([]byte, 20)
		var q cluster.Request
		for _, c := range []struct {
			err  error
			want string
		}{
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: []cluster.Span{{Off: 0, Len: 10}}}, nil, nil), "indexed put at rank 0: the spans leave 10 of the data's 20 B over"},
			{r.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Of(b), Spans: []cluster.Span{{Off: 0, Len: 10}, {Off: 10, Len: 11}}}, nil), "indexed get at rank 0: the spans up to 1 are longer than the data of 20 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: []cluster.Span{{Off: 85, Len: 20}}}, nil, nil), "indexed put at rank 0: span 0 (20 B at 85) is not inside its segment of 104 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: []cluster.Span{{Off: 9, Len: 20}, {Off: -1, Len: 0}}}, &q, nil), "indexed put at rank 0: span 1 (0 B at -1) is not inside its segment of 104 B"},
			{r.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Of(b), Spans: []cluster.Span{{Off: huge, Len: huge}}}, &q), "indexed get at rank 0: span 0 (4611686018427387904 B at 4611686018427387904) is not inside its segment of 104 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Data{}, Spans: []cluster.Span{}}, nil, nil), "indexed put at rank 1: it is in UPC group 1, and UPC access from group 0 ends at its own group; send an MPI message, or use larger groups"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, 10, 7, 3)}, nil, nil), "strided put at rank 0: 1 × 3 blocks of 7 B from 0 on with strides of 7 and 0 B reach beyond the end of the data of 20 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, 10, -5, -4)}, nil, nil), "strided put at rank 0: 1 × -4 blocks of -5 B: must not be negative"},
			{r.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, 4, 5, 4)}, nil), "strided get at rank 0: 1 × 4 blocks of 5 B overlap in its segment at strides of 4 and 0 B: use strides of at least a block, and a row of them"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(10, 30, 5, 4)}, nil, nil), "strided put at rank 0: 1 × 4 blocks of 5 B from 10 on with strides of 30 and 0 B reach beyond the end of its segment of 104 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, huge, 5, 4)}, nil, nil), "strided put at rank 0: 1 × 4 blocks of 5 B from 0 on with strides of 4611686018427387904 and 0 B reach beyond the end of its segment of 104 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(-1, 10, 5, 4)}, nil, nil), "strided put at rank 0: 1 × 4 blocks of 5 B from -1 on with strides of 10 and 0 B reach beyond the end of its segment of 104 B"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: cluster.Strided{Block: 2, Count: [2]int{3, 2}, Far: cluster.Lattice{Stride: [2]int64{4, 8}}, Near: cluster.Lattice{Stride: [2]int64{2, 6}}}}, nil, nil), "strided put at rank 0: 2 × 3 blocks of 2 B overlap in its segment at strides of 4 and 8 B: use strides of at least a block, and a row of them"},
			{r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: cluster.Strided{Block: 2, Count: [2]int{3, 2}, Far: cluster.Lattice{Stride: [2]int64{4, 90}}, Near: cluster.Lattice{Off: 9, Stride: [2]int64{2, 6}}}}, nil, nil), "strided put at rank 0: 2 × 3 blocks of 2 B from 9 on with strides of 2 and 6 B reach beyond the end of the data of 20 B"},
			{r.GetWith(&cluster.Get{From: cluster.At(2, 0), Data: cluster.Of(b), Shape: *column(0, 10, 5, 4)}, nil), "strided get at rank 2: ranks are 0 to 1"},
		} {
			if err := Refused(c.err, "rank 0: "+c.want); err != nil {
				return err
			}
		}
		for _, err := range []error{ // what just fits
			r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(9, 30, 5, 4)}, nil, nil), r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(84, 0, 20, 1)}, nil, nil), r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Data{}, Shape: *column(0, 0, 0, 9)}, nil, nil),
			r.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: []cluster.Span{{Off: 84, Len: 20}, {Off: 104, Len: 0}}}, nil, nil), r.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Data{}, Spans: nil}, nil),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A face of a box, spread on both sides: every way to put it, and a get, against plain
// copies; by every path inside a node.
func (s *suite) stridedAgainstCopies(t *testing.T) {
	face := cluster.Strided{Block: 3, Count: [2]int{4, 5}, Far: cluster.Lattice{Off: 7, Stride: [2]int64{9, 40}}, Near: cluster.Lattice{Off: 2, Stride: [2]int64{4, 30}}}
	const held = 2 + 4*30 + 3*4 + 3
	spec := s.spec(4)
	spec.Segment = room
	for _, path := range []cluster.Path{cluster.PathLoads, cluster.PathMessages, cluster.PathAdapter} {
		t.Run(fmt.Sprintf("path=%d", path), func(t *testing.T) {
			s.must(t, spec, func(r *cluster.Rank) error {
				buf, want := data(held, r.ID()), make([]byte, room)
				to, from := (r.ID()+1)%r.Ranks(), (r.ID()+r.Ranks()-1)%r.Ranks()
				theirs := data(held, from)
				for j := range 5 {
					for i := range 4 {
						copy(want[7+9*i+40*j:][:3], theirs[2+4*i+30*j:])
					}
				}
				return r.Using(cluster.Means{Path: path}, func() error {
					for round := range 4 {
						var err error
						var op, source cluster.Request
						mine := bytes.Clone(buf)
						switch round {
						case 0:
							err = r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(mine), Shape: face}, nil, nil)
						case 1:
							err = r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(mine), Shape: face, Until: cluster.Later}, nil, nil)
							clear(mine) // it is the program's again
						case 2:
							err = r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(mine), Shape: face}, &op, &source)
							clear(mine)
						case 3:
							err = r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(mine), Shape: face, Train: true}, &op, &source)
							clear(mine)
						}
						if err = errors.Join(err, r.Quiet(), r.Waitall([]cluster.Request{op, source}, nil), r.Barrier(r.All())); err != nil {
							return err
						}
						if d := cmp.Diff(want, r.Segment()); d != "" {
							return fmt.Errorf("rank %d, round %d: %s", r.ID(), round, d)
						}
						got, back := make([]byte, held), make([]byte, held)
						if err := r.GetWith(&cluster.Get{From: cluster.At(to, 0), Data: cluster.Of(got), Shape: face}, nil); err != nil {
							return err
						}
						face.Copy(bytes.Repeat([]byte{1}, room), back, false) // where the blocks stand
						for i := range back {
							if touched := back[i] != 0; touched && got[i] != buf[i] || !touched && got[i] != 0 {
								return fmt.Errorf("rank %d, round %d: byte %d came back as %d, want %d", r.ID(), round, i, got[i], buf[i])
							}
						}
						if err := r.Barrier(r.All()); err != nil {
							return err
						}
						clear(r.Segment())
						if err := r.Barrier(r.All()); err != nil {
							return err
						}
					}
					return nil
				})
			})
		})
	}
}
