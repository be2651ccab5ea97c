package coll

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func TestCombineEveryKindOfNumber(t *testing.T) {
	combines(t, []int8{-3, 7}, []int8{5, 2}, []int8{2, 9}, []int8{-15, 14}, []int8{-3, 2}, []int8{5, 7})
	combines(t, []uint8{3, 7}, []uint8{5, 2}, []uint8{8, 9}, []uint8{15, 14}, []uint8{3, 2}, []uint8{5, 7})
	combines(t, []int16{-3}, []int16{5}, []int16{2}, []int16{-15}, []int16{-3}, []int16{5})
	combines(t, []uint16{3}, []uint16{5}, []uint16{8}, []uint16{15}, []uint16{3}, []uint16{5})
	combines(t, []int32{-3}, []int32{5}, []int32{2}, []int32{-15}, []int32{-3}, []int32{5})
	combines(t, []uint32{3}, []uint32{5}, []uint32{8}, []uint32{15}, []uint32{3}, []uint32{5})
	combines(t, []int64{-3}, []int64{5}, []int64{2}, []int64{-15}, []int64{-3}, []int64{5})
	combines(t, []uint64{3}, []uint64{5}, []uint64{8}, []uint64{15}, []uint64{3}, []uint64{5})
	combines(t, []float32{-3}, []float32{5}, []float32{2}, []float32{-15}, []float32{-3}, []float32{5})
	combines(t, []float64{-3}, []float64{5}, []float64{2}, []float64{-15}, []float64{-3}, []float64{5})
	combines(t, []complex64{1i}, []complex64{2}, []complex64{2 + 1i}, []complex64{2i}, nil, nil)
	combines(t, []complex128{1i}, []complex128{2}, []complex128{2 + 1i}, []complex128{2i}, nil, nil)
	type celsius float64
	combines(t, []celsius{-3}, []celsius{5}, []celsius{2}, []celsius{-15}, []celsius{-3}, []celsius{5})
}

func combines[T cluster.Number](t *testing.T, a, b []T, results ...[]T) {
	t.Helper()
	for op, want := range results {
		op := cluster.ReduceOp(op)
		if want == nil {
			if reducible[T]("reduce", op) == nil {
				t.Errorf("%s of %s is not refused", op, kindOf[T]())
			}
			continue
		}
		if err := reducible[T]("reduce", op); err != nil {
			t.Error(err)
		}
		acc := append([]T(nil), a...)
		combiners[kindOf[T]()].two[op](cluster.Bytes(acc), cluster.Bytes(b))
		for i := range want {
			if acc[i] != want[i] {
				t.Errorf("%s of %v and %v is %v, want %v", op, a, b, acc, want)
				break
			}
		}
	}
	if err := reducible[T]("reduce", cluster.Max+1); err == nil ||
		err.Error() != "reduce with operation 4: want one of sum, prod, min and max" {
		t.Errorf("an operation that is none: %v", err)
	}
}
