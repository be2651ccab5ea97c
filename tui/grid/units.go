package grid

import (
	"strconv"
	"strings"
)

// Units is the user's choice of units for bytes and rates.
type Units uint8

// The choices.
const (
	MixedUnits   Units = iota // sizes in KiB, rates in kB/s
	BinaryUnits               // KiB and KiB/s
	DecimalUnits              // kB and kB/s
	BitUnits                  // KiB and kbit/s
)

var unitsNames = [...]string{MixedUnits: "mixed", BinaryUnits: "binary", DecimalUnits: "decimal", BitUnits: "bits"}

// UnitsNames returns the names of the choices.
func UnitsNames() []string { return unitsNames[:] }

// UnitsByName returns the choice with a name, and false for an unknown name.
func UnitsByName(name string) (Units, bool) {
	for u, n := range unitsNames {
		if n == name {
			return Units(u), true
		}
	}
	return 0, false
}

// String returns the name of the choice.
func (u Units) String() string { return unitsNames[u] }

// Doc returns examples of the choice.
func (u Units) Doc() string {
	return u.Bytes().String(1<<20) + ", " + u.Rate().String(1e9)
}

// Next returns the next choice.
func (u Units) Next() Units { return (u + 1) % Units(len(unitsNames)) }

// Bytes returns the unit of sizes.
func (u Units) Bytes() Unit {
	if u == DecimalUnits {
		return Unit{Symbol: "B"}
	}
	return Bytes
}

// Rate returns the unit of bytes per second.
func (u Units) Rate() Unit {
	switch u {
	case BinaryUnits:
		return Unit{Symbol: "B/s", Kind: Binary}
	case BitUnits:
		return Unit{Symbol: "bit/s", Div: 1. / 8}
	}
	return BytesPerSecond
}

// Of returns the unit for a symbol such as "B", "B/s", "1/s" or "s". A pure number has the symbol
// "1" or "".
func (u Units) Of(symbol string) Unit {
	switch symbol {
	case "B":
		return u.Bytes()
	case "B/s":
		return u.Rate()
	case "1/s":
		return PerSecond
	case "1", "":
		return Count
	}
	return Unit{Symbol: symbol}
}

// unitWords lists the units of bytes in sentences, longer ones first.
var unitWords = [...]struct {
	text  string
	bytes float64
	rate  bool
}{
	{"KiB/s", 1 << 10, true}, {"MiB/s", 1 << 20, true}, {"GiB/s", 1 << 30, true}, {"TiB/s", 1 << 40, true},
	{"kB/s", 1e3, true}, {"MB/s", 1e6, true}, {"GB/s", 1e9, true}, {"TB/s", 1e12, true}, {"B/s", 1, true},
	{"KiB", 1 << 10, false}, {"MiB", 1 << 20, false}, {"GiB", 1 << 30, false}, {"TiB", 1 << 40, false},
	{"PiB", 1 << 50, false}, {"EiB", 1 << 60, false},
	{"kB", 1e3, false}, {"MB", 1e6, false}, {"GB", 1e9, false}, {"TB", 1e12, false}, {"PB", 1e15, false},
	{"EB", 1e18, false},
}

// Text converts the sizes and rates in a sentence, such as "8 KiB of 1.2 GB/s", to the chosen
// units. Sentences are written in MixedUnits, sizes in KiB and rates in kB/s, because their authors
// do not know the choice. Sizes in B are not changed. Neither are commands, which have no blank
// before a unit.
func (u Units) Text(s string) string {
	if u == MixedUnits || !strings.Contains(s, "B") {
		return s
	}
	var out []byte // the converted text before from
	from := 0
	for i := 1; i < len(s); i++ {
		if s[i] != ' ' || s[i-1] < '0' || s[i-1] > '9' {
			continue
		}
		for _, w := range unitWords {
			rest, ok := strings.CutPrefix(s[i+1:], w.text)
			if !ok || rest != "" && (letter(rest[0]) || rest[0] == '/' || rest[0] == '^') {
				continue
			}
			first := i
			for first > from && strings.IndexByte("0123456789.e+-", s[first-1]) >= 0 {
				first--
			}
			x, err := strconv.ParseFloat(s[first:i], 64)
			if err != nil {
				break
			}
			unit := u.Bytes()
			if w.rate {
				unit = u.Rate()
			}
			out = append(out, s[from:first]...)
			out = unit.appendDigits(out, x*w.bytes, anyCols, digits3+1)
			from = len(s) - len(rest)
			break
		}
	}
	if from == 0 {
		return s
	}
	return string(append(out, s[from:]...))
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
