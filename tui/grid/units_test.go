package grid

import (
	"strings"
	"testing"
)

// Each choice has its own format for sizes and rates, alone and in a sentence.
func TestUnitsOfBytes(t *testing.T) {
	sentence := "8 KiB at 1.2 GB/s, 95 ns, 512 B, 2 MiB/node, 1e-05 GB/s (G=4 KiB): -heap 1MB, 3 Bessel, 4 KiBs; 3 TB"
	for _, c := range []struct{ name, size, rate, text string }{
		{"mixed", "8 KiB", "1.2 GB/s", sentence},
		{"binary", "8 KiB", "1.12 GiB/s", "8 KiB at 1.118 GiB/s, 95 ns, 512 B, 2 MiB/node, 9.766 KiB/s (G=4 KiB): -heap " +
			"1MB, 3 Bessel, 4 KiBs; 2.728 TiB"},
		{"decimal", "8.19 kB", "1.2 GB/s", "8.192 kB at 1.2 GB/s, 95 ns, 512 B, 2 MiB/node, 10 kB/s (G=4.096 kB): -heap " +
			"1MB, 3 Bessel, 4 KiBs; 3 TB"},
		{"bits", "8 KiB", "9.6 Gbit/s", "8 KiB at 9.6 Gbit/s, 95 ns, 512 B, 2 MiB/node, 80 kbit/s (G=4 KiB): -heap 1MB, " +
			"3 Bessel, 4 KiBs; 2.728 TiB"},
	} {
		u, ok := UnitsByName(c.name)
		if !ok || u.String() != c.name {
			t.Errorf("%q is %v", c.name, u)
		}
		if got := u.Of("B").String(8192); got != c.size {
			t.Errorf("%s: 8192 B is %q, want %q", c.name, got, c.size)
		}
		if got := u.Of("B/s").String(1.2e9); got != c.rate {
			t.Errorf("%s: 1.2e9 B/s is %q, want %q", c.name, got, c.rate)
		}
		if got := u.Text(sentence); got != c.text {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.text)
		}
	}
	if _, ok := UnitsByName("yards"); ok {
		t.Error("yards are known")
	}
	for u, n := MixedUnits, 0; ; n++ {
		u = u.Next()
		if u == MixedUnits {
			if n+1 != len(UnitsNames()) {
				t.Errorf("it goes round in %d", n+1)
			}
			break
		}
	}
}

// An axis of bits has ticks at round numbers of bits.
func TestTicksOfBits(t *testing.T) {
	ax := Axis{Unit: BitUnits.Rate(), FromZero: true}
	s := emptySpan()
	s.add(Linear, 0)
	s.add(Linear, 1.2e9)
	m := ax.mapSpan(s, true, 5)
	u := ax.tickUnit(m.lo, m.hi)
	if got := u.String(m.hi); got != "10 Gbit/s" {
		t.Errorf("the axis ends at %q", got)
	}
}

// All ticks of a linear axis have the prefix of the largest tick. Ticks of a logarithmic axis have
// different prefixes.
func TestTicksHaveOnePrefix(t *testing.T) {
	for _, c := range []struct {
		ax     Axis
		lo, hi float64
		want   string
	}{
		{Axis{Unit: Seconds}, 0, 0.002, "0 ms, 0.5 ms, 1 ms, 1.5 ms, 2 ms"},
		{Axis{Unit: MixedUnits.Rate()}, 0, 1.5e9, "0 GB/s, 0.5 GB/s, 1 GB/s, 1.5 GB/s"},
		{Axis{Unit: BinaryUnits.Rate()}, 0, 1 << 30, "0 GiB/s, 0.25 GiB/s, 0.5 GiB/s, 0.75 GiB/s, 1 GiB/s"},
		{Axis{Unit: Seconds, Scale: Log10}, 1e-4, 1e-2, "100 µs, 1 ms, 10 ms"},
		{Axis{Unit: Count}, 1000.1, 1000.3, "1.0001k, 1.00015k, 1.0002k, 1.00025k, 1.0003k"},
	} {
		var all []string
		for _, tick := range c.ax.Ticks(c.lo, c.hi, 5) {
			all = append(all, tick.Label)
		}
		if got := strings.Join(all, ", "); got != c.want {
			t.Errorf("ticks from %v to %v %v: %s: want %s", c.lo, c.hi, c.ax.Unit.Symbol, got, c.want)
		}
	}
}
