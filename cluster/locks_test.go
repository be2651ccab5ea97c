package cluster

import (
	"testing"

	"pgregory.net/rapid"
)

// Random requests and releases, each followed at any later time by the questions
// who is next: nobody waits beside a lock that could be its, requests are granted
// in order, and an exclusive holder is alone.
func TestLockIsFairAndExclusive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLocks(nil)
		call := func(rank int32, ask byte) uint64 {
			data := make([]byte, 9)
			data[0] = ask
			return l.serve(RPC{Src: rank, Arg: 6, Data: data})
		}
		call(0, askNew)
		holding := map[int32]LockKind{}
		var waiting []waiter
		questions := 0 // unlocks whose questions have not come to an end
		granted := func(rank int32) {
			if waiting[0].rank != rank {
				t.Fatalf("rank %d is granted before rank %d, which asked first", rank, waiting[0].rank)
			}
			holding[rank], waiting = waiting[0].kind, waiting[1:]
			for other, kind := range holding {
				if len(holding) > 1 && kind == LockExclusive {
					t.Fatalf("rank %d holds exclusively beside others: %v", other, holding)
				}
			}
		}
		for next := range int32(rapid.IntRange(1, 60).Draw(t, "steps")) {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				kind := rapid.SampledFrom([]LockKind{LockShared, LockExclusive}).Draw(t, "kind")
				waiting = append(waiting, waiter{next, kind})
				if call(next, askShared+byte(kind)) != 0 {
					granted(next)
				}
			case 1:
				for r := range int32(60) { // the lowest holder releases
					if _, ok := holding[r]; ok {
						delete(holding, r)
						if who := call(r, askUnlock); who != 0 {
							granted(int32(who - 1))
							questions++
						}
						break
					}
				}
			case 2:
				if questions > 0 {
					if who := call(0, askNext); who != 0 {
						granted(int32(who - 1))
					} else {
						questions--
					}
				}
			}
		}
		for questions > 0 {
			if who := call(0, askNext); who != 0 {
				granted(int32(who - 1))
			} else {
				questions--
			}
		}
		if len(waiting) > 0 {
			exclusive := waiting[0].kind == LockExclusive
			for _, kind := range holding {
				exclusive = exclusive || kind == LockExclusive
			}
			if len(holding) == 0 || !exclusive {
				t.Fatalf("%v wait while %v hold", waiting, holding)
			}
		}
		call(0, askFree)
		if len(l.windows) != 0 {
			t.Fatal("a freed window is still there")
		}
	})
}

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

func combines[T Number](t *testing.T, a, b []T, results ...[]T) {
	t.Helper()
	r := &Rank{id: 3}
	for op, want := range results {
		op := ReduceOp(op)
		if want == nil {
			if reducible[T](r, "reduce", op) == nil {
				t.Errorf("%s of %s is not refused", op, kindOf[T]())
			}
			continue
		}
		if err := reducible[T](r, "reduce", op); err != nil {
			t.Error(err)
		}
		acc := append([]T(nil), a...)
		combine(op, acc, b)
		for i := range want {
			if acc[i] != want[i] {
				t.Errorf("%s of %v and %v is %v, want %v", op, a, b, acc, want)
				break
			}
		}
	}
	if err := reducible[T](r, "reduce", Max+1); err == nil || err.Error() != "rank 3: reduce with operation 4: there are sum, prod, min and max" {
		t.Errorf("an operation that is none: %v", err)
	}
}
