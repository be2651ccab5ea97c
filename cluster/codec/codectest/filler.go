package codectest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Filler fills the fields of plain data.
type Filler struct {
	Integer func() int64
	Float   func() float64
	Text    func() string
	Flag    func() bool
	Length  func() int // of a list; −1: nil
	Skip    []string   // names of fields that stay zero
	// Repair changes a filled struct, passed by address, into one that its decoder accepts. It can
	// be nil.
	Repair func(p any)
}

// Distinct returns a filler of different values, none of them zero, and of lists with length
// parts.
func Distinct(length int, repair func(p any)) *Filler {
	n := int64(0)
	next := func() int64 { n++; return n }
	return &Filler{
		Integer: next,
		Float:   func() float64 { return float64(next()) + 0.5 },
		Text:    func() string { return fmt.Sprint("text ", next()) },
		Flag:    func() bool { return true },
		Length:  func() int { return length },
		Repair:  repair,
	}
}

// Fill fills all fields of *p. It leaves interfaces to Repair.
func (f *Filler) Fill(p any) { f.fill(reflect.ValueOf(p).Elem()) }

func (f *Filler) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && !slices.Contains(f.Skip, field.Name) {
				f.fill(v.Field(i))
			}
		}
		if f.Repair != nil {
			f.Repair(v.Addr().Interface())
		}
	case reflect.Slice:
		if n := f.Length(); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		if n := f.Length(); n >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				v.SetMapIndex(reflect.ValueOf(f.Text()), reflect.ValueOf(f.Text()))
			}
		}
	case reflect.Pointer:
		if f.Length() >= 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Interface:
	case reflect.String:
		v.SetString(f.Text())
	case reflect.Bool:
		v.SetBool(f.Flag())
	case reflect.Float64:
		v.SetFloat(f.Float())
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(f.Integer()) & (1<<v.Type().Bits() - 1))
	case reflect.Int, reflect.Int64:
		v.SetInt(f.Integer())
	default:
		panic(fmt.Sprintf("%s is not plain data", v.Type()))
	}
}

// Travels fails the test if a field of a filled T changes when it is encoded and decoded.
func Travels[T any](t testing.TB, fields func(*T, *codec.Walk), repair func(p any)) {
	t.Helper()
	sent, back := new(T), new(T)
	Distinct(2, repair).Fill(sent)
	c := codec.Encode(nil)
	fields(sent, c)
	d := codec.Decode(c.Bytes())
	fields(back, d)
	if err := d.End(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, back); diff != "" {
		t.Errorf("-sent +received\n%s", diff)
	}
}
