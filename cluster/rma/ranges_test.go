package rma

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// A set of ranges behaves like a plain list of bytes.
func TestRangesAreASetOfBytes(t *testing.T) {
	const size = 64
	span := rapid.Custom(func(t *rapid.T) cluster.Span {
		off := rapid.Int64Range(0, size).Draw(t, "off")
		return cluster.Span{Off: off, Len: rapid.Int64Range(0, size-off).Draw(t, "len")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var s ranges
		var has [size]bool
		for range rapid.IntRange(0, 30).Draw(t, "spans") {
			v := span.Draw(t, "span")
			want := false
			for i := v.Off; i < v.Off+v.Len; i++ {
				want = want || has[i]
			}
			if got := s.overlaps(v); got != want {
				t.Fatalf("%v overlaps %v: %t, want %t", s, v, got, want)
			}
			s.add(v)
			for i := v.Off; i < v.Off+v.Len; i++ {
				has[i] = true
			}
			bytes := int64(0)
			for i, r := range s {
				if r.Len <= 0 || i > 0 && s[i-1].Off+s[i-1].Len >= r.Off {
					t.Fatalf("%v: empty, out of order or touching", s)
				}
				bytes += r.Len
			}
			for _, b := range has {
				if b {
					bytes--
				}
			}
			if bytes != 0 {
				t.Fatalf("%v has %d bytes too many", s, bytes)
			}
		}
	})
}

func TestAccessesThatConflict(t *testing.T) {
	v := cluster.Span{Off: 8, Len: 8}
	want := map[[2]string]bool{ // before, after
		{"put", "put"}: true, {"put", "get"}: true, {"put", "accumulate"}: true,
		{"get", "put"}: true, {"get", "get"}: false, {"get", "accumulate"}: true,
		{"accumulate", "put"}: true, {"accumulate", "get"}: true, {"accumulate", "accumulate"}: false,
	}
	for pair, conflict := range want {
		var a accesses
		a.note(pair[0], v)
		got := a.conflict(pair[1], cluster.Span{Off: 15, Len: 4})
		if conflict && got != pair[0] || !conflict && got != "" {
			t.Errorf("%s, then %s: conflict with %q", pair[0], pair[1], got)
		}
		if got := a.conflict(pair[1], cluster.Span{Off: 16, Len: 4}); got != "" {
			t.Errorf("%s, then %s next to it: conflict with %q", pair[0], pair[1], got)
		}
		if a.clear(); a.conflict(pair[1], v) != "" {
			t.Errorf("%s is not cleared", pair[0])
		}
	}
}
