package cluster

import "reflect"

// ReduceOp combines numbers in a reduction or an accumulate.
type ReduceOp uint8

// The reductions. Min and Max are not defined for complex numbers; of a NaN and
// a number both give NaN.
const (
	Sum ReduceOp = iota
	Prod
	Min
	Max
)

var reduceNames = [...]string{"sum", "prod", "min", "max"}

// String names the reduction.
func (op ReduceOp) String() string {
	if int(op) < len(reduceNames) {
		return reduceNames[op]
	}
	return "reduction?"
}

type ordered interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// combiners hold, by kind of number, the function that combines in into acc. Both
// are aligned for the kind and equally long. An accumulate names the kind in its
// message, for its target knows bytes only.
var combiners = [...]func(op ReduceOp, acc, in []byte){
	reflect.Int8:       combineOrdered[int8],
	reflect.Uint8:      combineOrdered[uint8],
	reflect.Int16:      combineOrdered[int16],
	reflect.Uint16:     combineOrdered[uint16],
	reflect.Int32:      combineOrdered[int32],
	reflect.Uint32:     combineOrdered[uint32],
	reflect.Int64:      combineOrdered[int64],
	reflect.Uint64:     combineOrdered[uint64],
	reflect.Float32:    combineOrdered[float32],
	reflect.Float64:    combineOrdered[float64],
	reflect.Complex64:  combineComplex[complex64],
	reflect.Complex128: combineComplex[complex128],
}

func kindOf[T Number]() reflect.Kind { return reflect.TypeFor[T]().Kind() }

// combine does acc[i] = acc[i] op in[i].
func combine[T Number](op ReduceOp, acc, in []T) { combiners[kindOf[T]()](op, Bytes(acc), Bytes(in)) }

// Combining gives the function that does acc = acc op in on the bytes of numbers, which
// are aligned and equally many, for libraries.
func Combining[T Number](r *Rank, op ReduceOp) (func(acc, in []byte), error) {
	if err := reducible[T](r, "combine", op); err != nil {
		return nil, err
	}
	f := combiners[kindOf[T]()]
	return func(acc, in []byte) { f(op, acc, in) }, nil
}

// CombiningAll gives the function that does acc = acc op in for many in, in their order:
// sums take eight at a time.
func CombiningAll[T Number](r *Rank, op ReduceOp) (func(acc []byte, in [][]byte), error) {
	if err := reducible[T](r, "combine", op); err != nil {
		return nil, err
	}
	one := combiners[kindOf[T]()]
	return func(acc []byte, in [][]byte) {
		for op == Sum && len(in) >= 8 {
			add8(View[T](acc), (*[8][]byte)(in))
			in = in[8:]
		}
		for _, b := range in {
			one(op, acc, b)
		}
	}, nil
}

// add8 adds eight in one pass, in their order.
func add8[T Number](acc []T, in *[8][]byte) {
	n := len(acc)
	if n == 1 { // a word of each is no pass
		sum := acc[0]
		for _, b := range in {
			sum += View[T](b)[0]
		}
		acc[0] = sum
		return
	}
	a, b, c, d := View[T](in[0])[:n], View[T](in[1])[:n], View[T](in[2])[:n], View[T](in[3])[:n]
	e, f, g, h := View[T](in[4])[:n], View[T](in[5])[:n], View[T](in[6])[:n], View[T](in[7])[:n]
	for i := range acc {
		acc[i] = acc[i] + a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i]
	}
}

func combineOrdered[T ordered](op ReduceOp, acc, in []byte) {
	a, b := View[T](acc), View[T](in)
	switch op {
	case Sum:
		for i, v := range b {
			a[i] += v
		}
	case Prod:
		for i, v := range b {
			a[i] *= v
		}
	case Min:
		for i, v := range b {
			a[i] = min(a[i], v)
		}
	case Max:
		for i, v := range b {
			a[i] = max(a[i], v)
		}
	}
}

func combineComplex[T complex64 | complex128](op ReduceOp, acc, in []byte) {
	a, b := View[T](acc), View[T](in)
	switch op {
	case Sum:
		for i, v := range b {
			a[i] += v
		}
	case Prod:
		for i, v := range b {
			a[i] *= v
		}
	}
}

// reducible refuses a reduction that its kind of number does not have.
func reducible[T Number](r *Rank, call string, op ReduceOp) error {
	if op > Max {
		return r.errorf("%s with operation %d: there are sum, prod, min and max", call, op)
	}
	if k := kindOf[T](); op >= Min && (k == reflect.Complex64 || k == reflect.Complex128) {
		return r.errorf("%s with %s of %s: complex numbers have no order; use sum or prod", call, op, k)
	}
	return nil
}
