package lesson

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Quantity is a number with a unit, as a text writes it: "473 ms", "1.63×", "77 %", "16 MiB".
type Quantity struct {
	Number   float64
	Decimals int    // digits after the point
	Unit     string // "": none
}

// units maps a unit to its value in SI base units.
var units = map[string]float64{
	"": 1, "×": 1, "%": 0.01,
	"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12,
	"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1e3, "MB": 1e6, "GB": 1e9,
	"B/s": 1, "KiB/s": 1 << 10, "MiB/s": 1 << 20, "GiB/s": 1 << 30, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9,
	"flop/s": 1, "Mflop/s": 1e6, "Gflop/s": 1e9, "Tflop/s": 1e12,
}

const unitPattern = `(?:[KMG]iB/s|[kMG]?B/s|[KMG]iB|[kMG]?B|[MGT]?flop/s|[mµnp]?s|%|×)`

var (
	quantityPattern = regexp.MustCompile(`^([0-9]+(?:\.([0-9]+))?)(?: ?(` + unitPattern + `))?$`)
	// bare finds numbers with units in a text. A × needs no space before it: "4 × 8" is a product.
	bare = regexp.MustCompile(`[0-9][0-9.,]*(?: ?(?:[KMG]iB/s|[kMG]?B/s|[KMG]iB|[kMG]?B|[MGT]?flop/s|[mµnp]?s|%)|×)(?:[^\pL\pN]|$)`)
	// asked finds the unit of a question: "…, in ms?"
	asked = regexp.MustCompile(`\bin (` + unitPattern + `)\?`)
)

// ParseQuantity parses a number with a unit.
func ParseQuantity(text string) (Quantity, error) {
	m := quantityPattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Quantity{}, fmt.Errorf("cannot read the number %q (want for example 473 ms, 1.63×, 77 %% or 16 MiB)", text)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	return Quantity{Number: x, Decimals: len(m[2]), Unit: m[3]}, err
}

// Value returns the quantity in SI base units.
func (q *Quantity) Value() float64 { return q.Number * units[q.Unit] }

// Rounds reports whether a value in SI base units has the digits of the quantity when rounded.
func (q *Quantity) Rounds(value float64) bool {
	half := 0.5 * math.Pow(10, -float64(q.Decimals))
	return math.Abs(value/units[q.Unit]-q.Number) <= half*(1+1e-9)
}

// Like returns a value as a text with the unit and decimals of the quantity.
func (q *Quantity) Like(value float64) string {
	return withUnit(strconv.FormatFloat(value/units[q.Unit], 'f', q.Decimals, 64), q.Unit)
}

func withUnit(number, unit string) string {
	if unit == "" || unit == "×" {
		return number + unit
	}
	return number + " " + unit
}

// UnitOf returns the unit that a question asks for, "×" if it names none.
func UnitOf(question string) string {
	if m := asked.FindStringSubmatch(question); m != nil {
		return m[1]
	}
	return "×"
}

// bareNumber returns the first number with a unit in a text, or "".
func bareNumber(text string) string {
	found := bare.FindString(text)
	return strings.TrimRight(found, " .,;:!?()")
}
