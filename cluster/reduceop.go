package cluster

// ReduceOp combines numbers in a reduction or an accumulate.
type ReduceOp uint8

// The reductions. Min and Max are not defined for complex numbers. If an operand is NaN, both
// return NaN.
const (
	Sum ReduceOp = iota
	Prod
	Min
	Max
)

var reduceNames = [...]string{"sum", "prod", "min", "max"}

// String returns the name of the reduction.
func (op ReduceOp) String() string {
	if int(op) < len(reduceNames) {
		return reduceNames[op]
	}
	return "reduction?"
}
