package grid

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// UnitKind selects the way in which a number is shortened.
type UnitKind uint8

// The kinds of units.
const (
	// SI numbers get a decimal prefix: 12.3 GB/s, 95 ns, 1.2k. Seconds above one and counts below
	// one get none.
	SI UnitKind = iota
	// Binary numbers get a prefix of powers of 1024: 8 KiB.
	Binary
	// Percent numbers are fractions: 0.25 is 25%.
	Percent
	// Plain numbers have no prefix and no blank before the unit: 1.9×.
	Plain
)

// Unit defines the format of the numbers of an axis or a column.
type Unit struct {
	// Symbol is the unit without prefix: "s", "B/s", or "" for counts.
	Symbol string
	Kind   UnitKind
	// Div divides numbers before they are written; 0 means 1.
	Div float64

	// prefix is the common prefix of all numbers of an axis, if shared is set.
	prefix string
	shared bool
}

// Common units.
var (
	Count          = Unit{}
	Seconds        = Unit{Symbol: "s"}
	BytesPerSecond = Unit{Symbol: "B/s"}
	PerSecond      = Unit{Symbol: "/s"}
	Flops          = Unit{Symbol: "flop/s"}
	Bytes          = Unit{Symbol: "B", Kind: Binary}
	Share          = Unit{Kind: Percent}
	Factor         = Unit{Symbol: "×", Kind: Plain}
)

var (
	siPrefixes     = [...]string{"a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"}
	binaryPrefixes = [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

const (
	siNone  = 6  // index of the empty SI prefix
	digits3 = 3  // significant digits of a single number
	anyCols = 64 // more columns than any number needs
)

// Format returns v with its unit in at most cols columns; see [Unit.Append].
func (u Unit) Format(v float64, cols int) string {
	return string(u.Append(nil, v, cols))
}

// Append appends v with up to three significant digits and its unit, in at most cols columns. If it
// does not fit, it drops decimals, then the blank, then the symbol, and finally fills the columns
// with #. An unknown number (NaN) is a dash.
func (u Unit) Append(dst []byte, v float64, cols int) []byte {
	return u.appendDigits(dst, v, cols, digits3)
}

// withPrefixOf returns a unit that writes all numbers with the prefix of limit.
func (u Unit) withPrefixOf(limit float64) Unit {
	scaled, prefix, exponent := u.scale(limit, digits3)
	if u.Kind <= Binary && !exponent && scaled != 0 && scaled-scaled == 0 {
		u.prefix = prefix
		u.Div = limit / scaled
		u.shared = true
	}
	return u
}

// String returns v in as many columns as it needs.
func (u Unit) String(v float64) string { return u.Format(v, anyCols) }

func (u Unit) appendDigits(dst []byte, v float64, cols, sig int) []byte {
	if cols <= 0 {
		return dst
	}
	switch {
	case math.IsNaN(v):
		return append(dst, "–"...)
	case math.IsInf(v, 1):
		return append(dst, "∞"...)
	case math.IsInf(v, -1):
		if cols < 2 {
			return append(dst, '#')
		}
		return append(dst, "-∞"...)
	}
	scaled, prefix, exponent := u.scale(v, sig)
	scaled = max(-math.MaxFloat64, min(scaled, math.MaxFloat64))
	from := len(dst)
	symbol := u.Symbol
	minSymbol := "" // in the fewest columns
	if u.Kind == Percent {
		symbol, minSymbol = "%", "%"
	}
	for _, tail := range [...][2]string{{u.gap(), symbol}, {"", symbol}, {"", minSymbol}} {
		width := len(tail[0]) + utf8.RuneCountInString(prefix) + utf8.RuneCountInString(tail[1])
		for s := sig; s > 0; s-- {
			dst = appendNumber(dst[:from], scaled, s, exponent)
			if len(dst)-from+width <= cols {
				dst = append(dst, tail[0]...)
				dst = append(dst, prefix...)
				return append(dst, tail[1]...)
			}
		}
	}
	return appendHashes(dst[:from], cols)
}

// div returns the divisor of numbers.
func (u Unit) div() float64 {
	if u.Div == 0 {
		return 1
	}
	return u.Div
}

// gap returns the blank between number and unit, or "".
func (u Unit) gap() string {
	if u.Kind == Percent || u.Kind == Plain || u.Symbol == "" {
		return ""
	}
	return " "
}

// scale divides v by the prefix that suits it after rounding to sig digits. exponent reports that
// no prefix suits, so that v needs a power of ten.
func (u Unit) scale(v float64, sig int) (scaled float64, prefix string, exponent bool) {
	v /= u.div()
	mag := math.Abs(v)
	if u.shared {
		return v, u.prefix, mag >= 1e7
	}
	switch u.Kind {
	case Percent:
		return v * 100, "", mag >= 1e7 || mag > 0 && mag < 1e-6
	case Plain:
		return v, "", mag >= 1e9 || mag > 0 && mag < 1e-4
	case Binary:
		i := 0
		for i < len(binaryPrefixes)-1 && mag >= 1023.5 {
			mag /= 1024
			v /= 1024
			i++
		}
		return v, binaryPrefixes[i], mag >= 1e6 || mag > 0 && mag < 1e-3
	}
	if mag == 0 {
		return v, "", false
	}
	lo, hi := 0, len(siPrefixes)-1
	if u.Symbol == "s" {
		hi = siNone
	}
	if u.Symbol == "" {
		lo = siNone
	}
	i := siNone
	for i > lo && mag < 1 {
		mag *= 1000
		v *= 1000
		i--
	}
	limit := 1000 - 0.5*math.Pow(10, 3-float64(max(sig, 3))) // rounds up to 1000
	for i < hi && mag >= limit {
		mag /= 1000
		v /= 1000
		i++
	}
	return v, siPrefixes[i], mag >= 1e7 || mag < 1e-3
}

// appendNumber appends v with up to sig significant digits and without trailing zeros.
func appendNumber(dst []byte, v float64, sig int, exponent bool) []byte {
	from := len(dst)
	if exponent {
		dst = strconv.AppendFloat(dst, v, 'e', sig-1, 64)
		return trimMantissa(dst, from)
	}
	whole := 1
	if math.Abs(v) < 1 {
		whole = 0
	}
	for m := math.Abs(v); m >= 10; m /= 10 {
		whole++
	}
	for m := math.Abs(v); m > 0 && m < 0.1; m *= 10 {
		sig++ // zeros after the point are not significant
	}
	dst = strconv.AppendFloat(dst, v, 'f', max(0, sig-whole), 64)
	if sig > whole {
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
		if dst[len(dst)-1] == '.' {
			dst = dst[:len(dst)-1]
		}
	}
	if string(dst[from:]) == "-0" {
		dst = append(dst[:from], '0')
	}
	return dst
}

// trimMantissa removes trailing zeros from the decimals of a number with an exponent. The number
// starts at from.
func trimMantissa(dst []byte, from int) []byte {
	e := from
	for dst[e] != 'e' {
		e++
	}
	keep := e
	for dst[keep-1] == '0' && e-from > 2 {
		keep--
	}
	if dst[keep-1] == '.' {
		keep--
	}
	return append(dst[:keep], dst[e:]...)
}

func appendHashes(dst []byte, cols int) []byte {
	for range min(cols, anyCols) {
		dst = append(dst, '#')
	}
	return dst
}
