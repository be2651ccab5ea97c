package coll

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/hybridtop/hybridtop/cluster"
)

type ordered interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// combiner has the functions that combine numbers of one type, by reduction; nil: not defined for
// the type.
type combiner struct {
	two [cluster.Max + 1]func(acc, in []byte)
	all [cluster.Max + 1]func(out []byte, in [][]byte)
}

var combiners = [...]combiner{
	reflect.Int8:       orderedBy[int8](),
	reflect.Uint8:      orderedBy[uint8](),
	reflect.Int16:      orderedBy[int16](),
	reflect.Uint16:     orderedBy[uint16](),
	reflect.Int32:      orderedBy[int32](),
	reflect.Uint32:     orderedBy[uint32](),
	reflect.Int64:      orderedBy[int64](),
	reflect.Uint64:     orderedBy[uint64](),
	reflect.Float32:    orderedBy[float32](),
	reflect.Float64:    orderedBy[float64](),
	reflect.Complex64:  complexBy[complex64](),
	reflect.Complex128: complexBy[complex128](),
}

func kindOf[T cluster.Number]() reflect.Kind { return reflect.TypeFor[T]().Kind() }

// Combining returns the function acc = acc op in on the bytes of numbers. The arguments are aligned
// and have the same length. Errors name the given call.
func Combining[T cluster.Number](r *cluster.Rank, call string, op cluster.ReduceOp) (func(acc, in []byte), error) {
	if err := reducible[T](call, op); err != nil {
		return nil, r.Lib().Errorf("%w", err)
	}
	return combiners[kindOf[T]()].two[op], nil
}

// CombiningAll returns the function that combines many inputs into out in one pass. The result is
// bitwise identical to a binomial tree: the first half, a power of two, then the rest. out must not
// be an input.
func CombiningAll[T cluster.Number](r *cluster.Rank, call string,
	op cluster.ReduceOp) (func(out []byte, in [][]byte), error) {
	if err := reducible[T](call, op); err != nil {
		return nil, r.Lib().Errorf("%w", err)
	}
	return combiners[kindOf[T]()].all[op], nil
}

func orderedBy[T ordered]() combiner {
	c := complexBy[T]()
	c.two[cluster.Min] = func(acc, in []byte) {
		a := cluster.View[T](acc)
		for i, v := range cluster.View[T](in) {
			a[i] = min(a[i], v)
		}
	}
	c.two[cluster.Max] = func(acc, in []byte) {
		a := cluster.View[T](acc)
		for i, v := range cluster.View[T](in) {
			a[i] = max(a[i], v)
		}
	}
	c.all[cluster.Min], c.all[cluster.Max] = treeCombiner(c.two[cluster.Min]), treeCombiner(c.two[cluster.Max])
	return c
}

// complexBy returns the combiner of numbers without an order.
func complexBy[T cluster.Number]() combiner {
	var c combiner
	c.two[cluster.Sum] = func(acc, in []byte) {
		a := cluster.View[T](acc)
		for i, v := range cluster.View[T](in) {
			a[i] += v
		}
	}
	c.two[cluster.Prod] = func(acc, in []byte) {
		a := cluster.View[T](acc)
		for i, v := range cluster.View[T](in) {
			a[i] *= v
		}
	}
	c.all[cluster.Sum], c.all[cluster.Prod] = sumTree[T], treeCombiner(c.two[cluster.Prod])
	return c
}

// passLength is the number of elements of each input that one pass combines. The partial results
// then stay in the cache.
const passLength = 128

// firstHalf is the largest power of two below n.
func firstHalf(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }

// treeCombiner implements CombiningAll with a function for two inputs.
func treeCombiner(two func(acc, in []byte)) func(out []byte, in [][]byte) {
	var part func(out []byte, in [][]byte, lo int)
	part = func(out []byte, in [][]byte, lo int) {
		if len(in) == 1 {
			copy(out, in[0][lo:])
			return
		}
		half := firstHalf(len(in))
		part(out, in[:half], lo)
		if rest := in[half:]; len(rest) == 1 {
			two(out, rest[0][lo:lo+len(out)])
			return
		}
		var memory [passLength]uint64
		rest := cluster.Bytes(memory[:])[:len(out)]
		part(rest, in[half:], lo)
		two(out, rest)
	}
	return func(out []byte, in [][]byte) {
		for lo := 0; lo < len(out); lo += 8 * passLength {
			part(out[lo:min(lo+8*passLength, len(out))], in, lo)
		}
	}
}

// sumTree implements CombiningAll for sums: eight inputs per pass.
func sumTree[T cluster.Number](out []byte, in [][]byte) {
	o := cluster.View[T](out)
	if len(o) == 1 { // one number per input needs no pass
		o[0] = sumWords[T](in)
		return
	}
	for lo := 0; lo < len(o); lo += passLength {
		sumPart(o[lo:min(lo+passLength, len(o))], in, lo)
	}
}

func sumWords[T cluster.Number](in [][]byte) T {
	word := func(i int) T { return cluster.View[T](in[i])[0] }
	switch len(in) {
	case 1:
		return word(0)
	case 2:
		return word(0) + word(1)
	case 8:
		return ((word(0) + word(1)) + (word(2) + word(3))) + ((word(4) + word(5)) + (word(6) + word(7)))
	}
	half := firstHalf(len(in))
	return sumWords[T](in[:half]) + sumWords[T](in[half:])
}

func sumPart[T cluster.Number](out []T, in [][]byte, lo int) {
	n := len(out)
	of := func(i int) []T { return cluster.View[T](in[i])[lo : lo+n] }
	switch len(in) {
	case 1:
		copy(out, of(0))
		return
	case 2:
		a, b := of(0)[:len(out)], of(1)[:len(out)]
		for i := range out {
			out[i] = a[i] + b[i]
		}
		return
	case 8: // one pass over eight inputs
		a, b, c, d, e, f, g, h := of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)
		for i := range out {
			out[i] = ((a[i] + b[i]) + (c[i] + d[i])) + ((e[i] + f[i]) + (g[i] + h[i]))
		}
		return
	}
	half := firstHalf(len(in))
	sumPart(out, in[:half], lo)
	if len(in) == half+1 {
		for i, v := range of(half) {
			out[i] += v
		}
		return
	}
	var memory [passLength]T
	rest := memory[:n]
	sumPart(rest, in[half:], lo)
	for i, v := range rest {
		out[i] += v
	}
}

// reducible returns an error if the reduction is not defined for the type of number.
func reducible[T cluster.Number](call string, op cluster.ReduceOp) error {
	if op > cluster.Max {
		return fmt.Errorf("%s with operation %d: want one of sum, prod, min and max", call, op)
	}
	if k := kindOf[T](); op >= cluster.Min && (k == reflect.Complex64 || k == reflect.Complex128) {
		return fmt.Errorf("%s with %s of %s: complex numbers have no order (use sum or prod)", call, op, k)
	}
	return nil
}
