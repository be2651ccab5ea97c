package engine

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster/codec"
)

// other is another type of drawings. Its name is before the name of a sketch.
type other struct{ N int }

func (o *other) Fields(c *codec.Walk) { codec.Integer(c, &o.N) }

func init() { RegisterDrawing[other]("other") }

// A pane finds the drawing of its type, in the first study that has one. A later drawing of the
// same type replaces the earlier one, but not in views that share the list.
func TestDrawingsAreFoundByTheirType(t *testing.T) {
	var first, second StudyView
	second.Draw(&sketch{Name: "a"})
	second.Draw(&other{N: 1})
	shared := second
	shared.Draw(&sketch{Name: "b"})
	for _, c := range []struct {
		view *StudyView
		want string
	}{{&second, "a"}, {&shared, "b"}} {
		if got := DrawingIn[*sketch](c.view); got == nil || got.Name != c.want {
			t.Errorf("the sketch is %+v, want %s", got, c.want)
		}
		if got := DrawingOf[*other](&Snapshot{Studies: []StudyView{first, *c.view}}); got == nil || got.N != 1 {
			t.Errorf("the other drawing is %+v", got)
		}
		if n := len(c.view.Drawings); n != 2 {
			t.Errorf("%d drawings, want 2", n)
		}
	}
	if DrawingIn[*sketch](&first) != nil || DrawingOf[*sketch](&Snapshot{Studies: []StudyView{first}}) != nil {
		t.Error("a view without drawings has one")
	}
}

// A drawing that this program does not know stays in the snapshot as it was, next to the known
// ones.
func TestAnUnknownDrawingIsKept(t *testing.T) {
	s := &Snapshot{Studies: []StudyView{{Rows: []Row{}}}}
	s.Studies[0].Draw(&other{N: 7})
	s.Studies[0].Draw(&sketch{Name: "from a newer version", Lines: []float64{1, 2}})
	b := new(Encoder).Append(nil, s)
	newer := bytes.Replace(b, []byte("\x06sketch"), []byte("\x06statue"), 1)
	got, err := new(Decoder).Decode(newer)
	if err != nil {
		t.Fatal(err)
	}
	v := &got.Studies[0]
	if DrawingIn[*other](v) == nil || DrawingIn[*sketch](v) != nil || len(v.Drawings) != 2 {
		t.Errorf("it is read as %+v", v.Drawings)
	}
	if again := new(Encoder).Append(nil, got); !bytes.Equal(again, newer) {
		t.Errorf("sent again it is\n%x, not\n%x", again, newer)
	}
}

// A list that Draw cannot make is rejected: drawings of an unknown type, two of one type,
// another order, or bytes of another type.
func TestDrawingsThatAreRefused(t *testing.T) {
	for want, all := range map[string][]Drawing{
		`drawing "sketch" (*engine.sketch) after "sketch"`: {&sketch{}, &sketch{}},
		`drawing "other" (*engine.other) after "sketch"`:   {&sketch{}, &other{}},
		`drawing "" (*engine.unread) after ""`:             {nil},
		`drawing "" (*engine.unregistered) after ""`:       {&unregistered{}},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("%v is encoded, or panics with %q: want %s", all, text, want)
				}
			}()
			new(Encoder).Append(nil, &Snapshot{Studies: []StudyView{{Drawings: all}}})
		}()
	}
	good := new(Encoder).Append(nil, &Snapshot{Studies: []StudyView{{Drawings: []Drawing{&other{N: 1}, &sketch{}}}}})
	for what, change := range map[string][2]string{
		"in another order":  {"\x05other", "\x05zebra"},
		"with another body": {"\x06sketch\x02\x00\x00", "\x06sketch\x02\x01\x00"},
		"without a name":    {"\x05other\x01\x02", "\x00\x06\x05other"},
	} {
		b := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		if _, err := new(Decoder).Decode(b); bytes.Equal(b, good) || err == nil {
			t.Errorf("drawings %s are read: %v", what, err)
		}
	}
	if s, err := new(Decoder).Decode(good); err != nil || !cmp.Equal(DrawingOf[*other](s), &other{N: 1}) {
		t.Errorf("%v: the other drawing is %+v", err, DrawingOf[*other](s))
	}
}

type unregistered struct{ other }
