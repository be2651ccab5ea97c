package grid

import "testing"

// Each choice writes sizes and rates in its way, alone and in a sentence.
func TestUnitsOfBytes(t *testing.T) {
	sentence := "8 KiB at 1.2 GB/s, 95 ns, 512 B, 2 MiB/node, 1e-05 GB/s (G=4 KiB): -heap 1MB, 3 Bessel, 4 KiBs; 3 TB"
	for _, c := range []struct{ name, size, rate, text string }{
		{"mixed", "8 KiB", "1.2 GB/s", sentence},
		{"binary", "8 KiB", "1.12 GiB/s", "8 KiB at 1.118 GiB/s, 95 ns, 512 B, 2 MiB/node, 9.766 KiB/s (G=4 KiB): -heap 1MB, 3 Bessel, 4 KiBs; 2.728 TiB"},
		{"decimal", "8.19 kB", "1.2 GB/s", "8.192 kB at 1.2 GB/s, 95 ns, 512 B, 2 MiB/node, 10 kB/s (G=4.096 kB): -heap 1MB, 3 Bessel, 4 KiBs; 3 TB"},
		{"bits", "8 KiB", "9.6 Gbit/s", "8 KiB at 9.6 Gbit/s, 95 ns, 512 B, 2 MiB/node, 80 kbit/s (G=4 KiB): -heap 1MB, 3 Bessel, 4 KiBs; 2.728 TiB"},
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
		if u = u.Next(); u == MixedUnits {
			if n+1 != len(UnitsNames()) {
				t.Errorf("it goes round in %d", n+1)
			}
			break
		}
	}
}

// An axis of bits has ticks at its own round numbers.
func TestTicksOfBits(t *testing.T) {
	ax := Axis{Unit: BitUnits.Rate(), FromZero: true}
	s := emptySpan()
	s.add(Linear, 0)
	s.add(Linear, 1.2e9)
	m := ax.settle(s, true, 5)
	u := ax.tickUnit(&m)
	if got := u.String(m.hi); got != "10 Gbit/s" {
		t.Errorf("the axis ends at %q", got)
	}
}
