package engine

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// knobs of each type; numeric ones also accept words.
var (
	whole = Knob{Name: "group", Type: Integer, Default: "4", Min: 1, Max: 64, Choices: []string{"1", "2", "4", "8"}}
	size  = Knob{Name: "limit", Type: Size, Default: "machine", Min: 0, Max: 1 << 40,
		Choices: []string{"machine", "0", "64"}}
	number = Knob{Name: "dilation", Type: Real, Default: "auto", Min: 1, Max: 1e9, Choices: []string{"auto", "10", "100"}}
	choice = Knob{Name: "model", Type: Choice, Default: "flat", Choices: []string{"flat", "funneled", "multiple"}}
)

func TestKnobParse(t *testing.T) {
	tests := []struct {
		knob       *Knob
		text, want string // want starts with "!" for an error that contains the rest
	}{
		{&whole, "8", "8"},
		{&whole, " 08 ", "8"},
		{&whole, "64", "64"},
		{&whole, "0", "!group = \"0\": want a whole number from 1 to 64"},
		{&whole, "65", "!from 1 to 64"},
		{&whole, "4.5", "!a whole number"},
		{&whole, "four", "!a whole number"},
		{&whole, "", "!a whole number"},
		{&whole, "99999999999999999999", "!a whole number"},
		{&size, "machine", "machine"},
		{&size, "4096", "4096"},
		{&size, "4KiB", "4096"},
		{&size, "4 KiB", "4096"},
		{&size, "4kB", "4000"},
		{&size, "1MB", "1000000"},
		{&size, "1MiB", "1048576"},
		{&size, "7B", "7"},
		{&size, "-1", "!from 0 to 1099511627776, or machine"},
		{&size, "2TiB", "!from 0"},
		{&size, "9999999999TiB", "!from 0"},
		{&size, "lots", "!or machine"},
		{&number, "auto", "auto"},
		{&number, "2.50", "2.5"},
		{&number, "1e3", "1000"},
		{&number, "NaN", "!want a number from 1 to 1000000000, or auto"},
		{&number, "Inf", "!want a number"},
		{&number, "0.5", "!want a number"},
		{&choice, "funneled", "funneled"},
		{&choice, "Funneled", "!model = \"Funneled\": want one of flat, funneled, multiple"},
	}
	for _, tt := range tests {
		got, err := tt.knob.Parse(tt.text)
		if want, fails := strings.CutPrefix(tt.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %q: %q, %v; want the error %q", tt.knob.Name, tt.text, got, err, want)
			}
		} else if err != nil || got != tt.want {
			t.Errorf("%s %q: %q, %v; want %q", tt.knob.Name, tt.text, got, err, tt.want)
		}
	}
}

// The result of Parse is canonical: parsing it again does not change it.
func TestKnobParseIsIdempotent(t *testing.T) {
	for _, k := range []*Knob{&whole, &size, &number, &choice} {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(rapid.String(),
				rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,3})?(e[0-9])?( ?[kMGT]?i?B)?`)).Draw(t, "text")
			once, err := k.Parse(text)
			if err != nil {
				return
			}
			if twice, err := k.Parse(once); err != nil || twice != once {
				t.Fatalf("%s: %q gives %q, which gives %q, %v", k.Name, text, once, twice, err)
			}
		})
	}
}

func TestKnobTurn(t *testing.T) {
	tests := []struct {
		knob     *Knob
		value    string
		by       int
		expected string
	}{
		{&whole, "2", 1, "4"},
		{&whole, "2", -1, "1"},
		{&whole, "1", -1, "1"}, // the ends of numbers do not wrap
		{&whole, "8", 1, "8"},
		{&whole, "5", 1, "8"}, // a typed value moves to its neighbour
		{&whole, "5", -1, "4"},
		{&whole, "64", 1, "64"},
		{&whole, "64", -1, "8"},
		{&size, "machine", 1, "0"},
		{&size, "0", -1, "machine"},
		{&size, "32", 1, "64"},
		{&number, "auto", 1, "10"},
		{&choice, "multiple", 1, "flat"}, // the ends of choices do
		{&choice, "flat", -1, "multiple"},
		{&Knob{Name: "free", Type: Integer, Default: "0"}, "7", 1, "7"},
	}
	for _, tt := range tests {
		if got := tt.knob.Next(tt.value, tt.by); got != tt.expected {
			t.Errorf("%s %s turned by %+d is %s, want %s", tt.knob.Name, tt.value, tt.by, got, tt.expected)
		}
	}
}

// Every knob of the base table can be set from its default to all its choices, and back.
func TestBaseTable(t *testing.T) {
	seen := make(map[string]bool)
	for i := range Base {
		k := &Base[i]
		if !slices.Contains(Roles, k.Role) {
			t.Errorf("%s: role %q, want one of %v", k.Name, k.Role, Roles)
		}
		if seen[k.Name] || k.Label == "" || k.Doc == "" || strings.HasSuffix(k.Doc, ".") || k.Scope == "" {
			t.Errorf("%s: named twice, or without label, doc or scope, or with a full stop", k.Name)
		}
		seen[k.Name] = true
		if v, err := k.Parse(k.Default); err != nil || v != k.Default {
			t.Errorf("%s: the default %q is not canonical: %q, %v", k.Name, k.Default, v, err)
		}
		for _, c := range k.Choices {
			if v, err := k.Parse(c); err != nil || v != c {
				t.Errorf("%s: the choice %q is not canonical: %q, %v", k.Name, c, v, err)
			}
			if k.Type != Choice && k.Next(k.Next(c, 1), -1) != c && c != k.Choices[len(k.Choices)-1] {
				t.Errorf("%s: %s turned forth and back is %s", k.Name, c, k.Next(k.Next(c, 1), -1))
			}
		}
	}
}
