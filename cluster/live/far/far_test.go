package far

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// TestFramesTravel checks that a frame keeps its fields, with spans, a shape, data, or only a size.
func TestFramesTravel(t *testing.T) {
	shape := cluster.Strided{Block: 8, Count: [2]int{3, 2}, Far: cluster.Lattice{Off: 16, Stride: [2]int64{32, 128}},
		Near: cluster.Lattice{Off: 1, Stride: [2]int64{8, 24}}}
	whole := Frame{Kind: Put, SigOp: cluster.SigAdd, Err: cluster.Truncated, Src: 1, Dst: -2, Ctx: 3, Tag: -4, Fn: 5, Arg: -6,
		Req: 1 << 63, A: 9, B: 10, Size: 11, Off: 12, Sig: 13}
	for name, change := range map[string]func(f *Frame){
		"data":           func(f *Frame) { f.Data = []byte("abc") },
		"empty data":     func(f *Frame) { f.Data = []byte{} },
		"only a size":    func(f *Frame) { f.Sized = true },
		"spans and data": func(f *Frame) { f.Vec, f.Data = []cluster.Span{{Off: 1, Len: 2}, {Off: 3, Len: 1}}, []byte("abc") },
		"a shape":        func(f *Frame) { f.Shape, f.Sized = &shape, true },
	} {
		f := whole
		change(&f)
		var got Frame
		run, err := got.decode(append(f.encode(nil, 77), f.Data...))
		if err != nil || run != 77 || !reflect.DeepEqual(got, f) {
			t.Errorf("%s: run %d, %v\n got %+v\nwant %+v", name, run, err, got, f)
		}
	}
}

// FuzzFrame checks that damaged frames are errors, and that no input panics.
func FuzzFrame(f *testing.F) {
	f.Add((&Frame{Kind: Put, Vec: []cluster.Span{{Off: 1, Len: 2}}}).encode(nil, 1))
	f.Add((&Frame{Kind: Put, Sized: true, Shape: &cluster.Strided{Block: 1}}).encode(nil, 1))
	f.Add([]byte{byte(kinds)})
	f.Add((&Message{Src: 1, Size: 2, Data: []byte{3, 4}}).encode((&Message{Size: 5}).encode(appendPackHead(nil, 1))))
	f.Add((&Message{Src: 1, Size: MaxData, Body: MaxKey}).encode(appendPackHead(nil, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var x, again Frame
		run, err := x.decode(b)
		if err != nil {
			return
		}
		if _, err := again.decode(append(x.encode(nil, run), x.Data...)); err != nil || !reflect.DeepEqual(x, again) {
			t.Errorf("%+v\nbecomes %+v (%v)", x, again, err)
		}
		var messages []byte
		if x.Unpack(func(m *Message) error { messages = m.encode(messages); return nil }) == nil && !bytes.Equal(messages, x.Data) {
			t.Errorf("pack %v becomes %v", x.Data, messages)
		}
	})
}

// TestUnpack checks that a pack keeps its messages, and that damaged packs are refused.
func TestUnpack(t *testing.T) {
	all := []Message{{Src: 1, Dst: 2, Ctx: 3, Tag: 1 << 29, Size: 3, Data: []byte{4, 5, 6}}, {Src: 1, Dst: 2, Size: MaxPacked},
		{Src: 1, Dst: 2, Data: []byte{}}, {Src: 127, Dst: 128, Ctx: -1, Tag: math.MaxInt32, Size: MaxPacked, Data: make([]byte, MaxPacked)},
		{Src: 1, Dst: 2, Body: 1}, {Src: 1, Dst: 2, Size: MaxData, Body: MaxKey}}
	b := appendPackHead(nil, 7)
	for i := range all {
		b = all[i].encode(b)
	}
	var f Frame
	if run, err := f.decode(b); run != 7 || err != nil || f.Kind != Messages {
		t.Fatalf("%+v of run %d, error %v", f, run, err)
	}
	var got []Message
	if err := f.Unpack(func(m *Message) error { got = append(got, *m); return nil }); err != nil || !reflect.DeepEqual(got, all) {
		t.Errorf("%+v, error %v, want %+v", got, err, all)
	}
	none := func(*Message) error { return nil }
	for name, data := range map[string][]byte{
		"a part of an entry":      make([]byte, 4),
		"a part of a number":      {0, 0, 0, 0, 0x80},
		"a long number":           {0x80, 0, 0, 0, 0, 0},
		"a key that is too large": (&Message{Body: MaxKey + 1}).encode(nil),
		"no key":                  {0, 0, 0, 0, withBody},
		"key 0":                   {0, 0, 0, 0, withBody, 0},
		"a long key":              {0, 0, 0, 0, withBody, 0x81, 0},
		"a large body":            (&Message{Size: MaxData + 1, Body: 1}).encode(nil),
		"unknown contents":        {0, 0, 0, 0, withBody + 1},
		"a number of 35 bits":     {0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0},
		"data that do not exist":  (&Message{Size: 8, Data: []byte{}}).encode(nil),
		"a long message":          (&Message{Size: MaxPacked + 1, Data: make([]byte, MaxPacked+1)}).encode(nil),
		"a long size":             (&Message{Size: MaxPacked + 1}).encode(nil),
	} {
		if err := (&Frame{Data: data}).Unpack(none); !errors.Is(err, errFrame) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := f.Unpack(func(*Message) error { return io.EOF }); err != io.EOF {
		t.Errorf("error %v of a callback, want %v", err, io.EOF)
	}
}

// TestErrorsTravel checks that an error keeps its text, its abort, and the errors that it wraps.
func TestErrorsTravel(t *testing.T) {
	cause := fmt.Errorf("rank 3: %w", errors.Join(fs.ErrNotExist, context.Canceled))
	abort := &cluster.Abort{Reason: cluster.ReasonPanic, Rank: 3, Cause: cause, Stack: "main.go:1",
		Waits: []cluster.Wait{{Rank: 1, Call: "recv from 3 tag 7", For: []int{3}}}}
	for _, err := range []error{cause, abort, fmt.Errorf("dot: %w", abort)} {
		got := encodeFailure(encodeFailure(err).decode()).decode() // through two processes
		if got.Error() != err.Error() || !errors.Is(got, fs.ErrNotExist) || !errors.Is(got, context.Canceled) ||
			errors.Is(got, fs.ErrExist) {
			t.Errorf("%q becomes %q", err, got)
		}
		var want, a *cluster.Abort
		if errors.As(err, &want) {
			if !errors.As(got, &a) || a.Reason != want.Reason || a.Rank != 3 || a.Stack != want.Stack ||
				!reflect.DeepEqual(a.Waits, want.Waits) || !strings.Contains(a.Cause.Error(), "rank 3") {
				t.Errorf("the abort becomes %+v", a)
			}
		}
	}
}
