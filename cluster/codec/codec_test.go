package codec

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// point has a field of each kind.
type point struct {
	Natural uint64
	Signed  int64
	Short   int8
	Small   uint8
	Name    string
	On      bool
	X       float64
	Pair    [2]float64
	Pairs   [2]uint64
	Numbers []int64
	Reals   []float64
	Names   []string
	By      map[string]string
	Inner   [2]int64
	Next    *point
}

var names = PartOf(func(p *string, c *Walk) { Text(c, p) })

func (p *point) fields(c *Walk) {
	c.Natural(&p.Natural)
	Integer(c, &p.Signed)
	Integer(c, &p.Short)
	Below(c, &p.Small, 9)
	Text(c, &p.Name)
	c.Flag(&p.On)
	c.Float(&p.X)
	c.Floats(p.Pair[:])
	c.Naturals(p.Pairs[:])
	IntegerList(&p.Numbers, c)
	c.FloatList(&p.Reals)
	List(c, &p.Names, names)
	c.Values(&p.By)
	c.Sized(func(c *Walk) {
		Integer(c, &p.Inner[0])
		Integer(c, &p.Inner[1])
	})
	Maybe(c, &p.Next, (*point).fields)
}

func encoded(p *point) []byte {
	c := Encode([]byte("x"))
	p.fields(c)
	return c.Bytes()[1:]
}

func points() *rapid.Generator[*point] {
	return rapid.Custom(func(t *rapid.T) *point {
		real := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1)}))
		p := &point{
			Natural: rapid.Uint64().Draw(t, "natural"), Signed: rapid.Int64().Draw(t, "signed"),
			Short: rapid.Int8().Draw(t, "short"), Small: rapid.Uint8Range(0, 8).Draw(t, "small"),
			Name: rapid.String().Draw(t, "name"), On: rapid.Bool().Draw(t, "on"), X: real.Draw(t, "x"),
			Pair:    [2]float64{real.Draw(t, "p"), real.Draw(t, "q")},
			Pairs:   [2]uint64{rapid.Uint64().Draw(t, "first"), rapid.Uint64Range(0, 300).Draw(t, "second")},
			Numbers: rapid.SampledFrom([][]int64{nil, {}, {1, -2, math.MinInt64}}).Draw(t, "numbers"),
			Reals:   rapid.SampledFrom([][]float64{nil, {}, {1.5}}).Draw(t, "reals"),
			Names:   rapid.SampledFrom([][]string{nil, {}, {"", "b"}}).Draw(t, "names"),
			Inner:   [2]int64{rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")},
			By:      rapid.SampledFrom([]map[string]string{nil, {}, {"": "", "b": "2", "a": "1"}}).Draw(t, "by"),
		}
		if rapid.Bool().Draw(t, "next") {
			p.Next = &point{Signed: 1}
		}
		return p
	})
}

// Encoded data are decoded completely: no byte is missing or remains.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := points().Draw(t, "point")
		b := encoded(p)
		var back point
		c := Decode(b)
		back.fields(c)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, &back, cmpopts.EquateNaNs()); d != "" {
			t.Fatal(d)
		}
		if c := Decode(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")]); true {
			var part point
			if part.fields(c); c.End() == nil {
				t.Fatal("a truncated input decodes without an error")
			}
		}
	})
}

// Any input is an error, or it encodes to the same bytes again.
func FuzzWalk(f *testing.F) {
	f.Add(encoded(&point{}))
	f.Add(encoded(&point{By: map[string]string{"a": "1", "b": "2"}, Numbers: []int64{-1}, Next: &point{Name: "n"}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p point
		c := Decode(b)
		if p.fields(c); c.End() != nil {
			return
		}
		if again := encoded(&p); string(again) != string(b) {
			t.Errorf("%x decodes, and encodes to %x", b, again)
		}
	})
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		b    string
		walk func(*Walk)
		want string
	}{
		{"", func(c *Walk) { c.Float(new(float64)) }, "truncated"},
		{"\x02", func(c *Walk) { c.Flag(new(bool)) }, "2: want 0 or 1"},
		{"\x80\x00", func(c *Walk) { c.Natural(new(uint64)) }, "a number is not in its shortest form"},
		{"\x80\x02", func(c *Walk) { Integer(c, new(int8)) }, "128 does not fit into int8"},
		{"\x01", func(c *Walk) { Integer(c, new(uint8)) }, "-1 does not fit into uint8"},
		{"\x12", func(c *Walk) { Below(c, new(uint8), 9) }, "uint8 9: want less than 9"},
		{"\x01\xff\xff\xff\xff\x0f", func(c *Walk) { IntegerList(new([]int64), c) },
			"a length of 4294967295 with 0 bytes left"},
		{"\x01\x02\x01b\x00\x01a\x00", func(c *Walk) { c.Values(new(map[string]string)) }, `"a" after "b": names must rise`},
		{"\x00\x00", func(c *Walk) { c.Flag(new(bool)) }, "1 extra bytes at the end"},
		{"\x03\x00\x00\x00", func(c *Walk) { c.Sized(func(c *Walk) { c.Flag(new(bool)) }) }, "2 extra bytes at the end"},
		{"\x01\x00\x00", func(c *Walk) { c.Sized(func(c *Walk) { c.Flag(new(bool)); c.Flag(new(bool)) }) }, "truncated"},
		{"\x02\x00", func(c *Walk) { c.Sized(func(c *Walk) { c.Flag(new(bool)) }) }, "a length of 2 with 1 bytes left"},
	} {
		w := Decode([]byte(c.b))
		if c.walk(w); w.End() == nil || !strings.Contains(w.End().Error(), c.want) {
			t.Errorf("%x: %v, want %s", c.b, w.End(), c.want)
		}
	}
}

// A decoder that does not know a part reads it as a text, and continues after it.
func TestSizedPartReadsAsText(t *testing.T) {
	long := strings.Repeat("long", 100)
	b := Encode(nil)
	b.Sized(func(c *Walk) { Text(c, &long) })
	last := "last"
	Text(b, &last)
	var part, behind string
	c := Decode(b.Bytes())
	Text(c, &part)
	if Text(c, &behind); c.End() != nil || !strings.HasSuffix(part, long) || behind != last {
		t.Errorf("%v: a part of %d bytes, and %q after it", c.End(), len(part), behind)
	}
}

// Encoding data that cannot be decoded is a bug and panics.
func TestEncodingErrorPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "codec: it is broken" {
			t.Errorf("panic with %v", v)
		}
	}()
	c := Encode(nil)
	c.Fail(errBroken)
	c.Bytes()
}

var errBroken = errorText("it is broken")

type errorText string

func (e errorText) Error() string { return string(e) }
