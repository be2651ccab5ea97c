package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster/codec"
)

// A Drawing is data for one pane: a pointer to plain data of a registered type. The type is
// defined next to the workload that makes it, or in a package of several workloads. A study's
// view contains it, and the pane finds it by its type (DrawingOf). No other package needs the
// type.
type Drawing interface {
	// Fields encodes or decodes all fields. It rejects data that the pane cannot draw.
	Fields(c *codec.Walk)
}

// The registry of drawings.
var (
	newDrawing  = map[string]func() Drawing{}
	drawingName = map[reflect.Type]string{}
)

// RegisterDrawing registers a type of drawings and its name in recordings. If the fields of a
// type change, the type needs a new name.
func RegisterDrawing[T any, D interface {
	*T
	Drawing
}](name string) {
	if newDrawing[name] != nil || name == "" {
		panic(fmt.Sprintf("engine: drawing %q: registered twice, or without a name", name))
	}
	newDrawing[name] = func() Drawing { return D(new(T)) }
	drawingName[reflect.TypeFor[D]()] = name
}

// unread is a drawing that only another version of the program knows.
type unread struct{ name, body string }

func (u *unread) Fields(c *codec.Walk) { codec.Text(c, &u.body) }

// nameOf returns the name of a drawing, or "" if it is nil or not registered.
func nameOf(d Drawing) string {
	if u, ok := d.(*unread); ok {
		return u.name
	}
	return drawingName[reflect.TypeOf(d)]
}

// Draw adds a drawing, or replaces the one of the same type. It copies the list first, because
// several views may share it.
func (v *StudyView) Draw(d Drawing) {
	at, there := slices.BinarySearchFunc(v.Drawings, nameOf(d), func(e Drawing, name string) int {
		return strings.Compare(nameOf(e), name)
	})
	v.Drawings = slices.Clone(v.Drawings)
	if there {
		v.Drawings[at] = d
	} else {
		v.Drawings = slices.Insert(v.Drawings, at, d)
	}
}

// DrawingIn returns the drawing of type D in a view, or nil.
func DrawingIn[D Drawing](v *StudyView) (found D) {
	for _, d := range v.Drawings {
		if d, ok := d.(D); ok {
			return d
		}
	}
	return found
}

// DrawingOf returns the drawing of type D in the first study that has one, or nil.
func DrawingOf[D Drawing](s *Snapshot) (found D) {
	for i := range s.Studies {
		for _, d := range s.Studies[i].Drawings {
			if d, ok := d.(D); ok {
				return d
			}
		}
	}
	return found
}

// drawings encodes the elements of a list: the name, then the fields with their length first.
var drawings = codec.PartOf(func(p *Drawing, c *codec.Walk) {
	if !c.Reading() && *p == nil { // the zero value has the fewest bytes
		*p = &unread{}
	}
	name := ""
	if !c.Reading() {
		name = nameOf(*p)
	}
	codec.Text(c, &name)
	if c.Reading() {
		if make := newDrawing[name]; make != nil {
			*p = make()
		} else {
			*p = &unread{name: name}
		}
	}
	if u, ok := (*p).(*unread); ok {
		u.Fields(c)
		return
	}
	c.Sized((*p).Fields)
})

// listDrawings encodes or decodes the list of drawings, which is sorted by name.
func (v *StudyView) listDrawings(c *codec.Walk) {
	codec.List(c, &v.Drawings, drawings)
	last := ""
	for _, d := range v.Drawings {
		name := nameOf(d)
		if name <= last {
			c.Fail(fmt.Errorf("study %q: drawing %q (%T) after %q: want registered types, sorted by name", v.Name, name, d,
				last))
		}
		last = name
	}
}

// drawingsBefore reads the drawings of a snapshot before version 8. There a view had at most one
// of each name, in this order, without name and length.
func (v *StudyView) drawingsBefore(c *codec.Walk) {
	for _, name := range []string{"flow", "field", "domain"} {
		var there bool
		if c.Flag(&there); !there {
			continue
		}
		if newDrawing[name] == nil {
			c.Fail(fmt.Errorf("study %q: unknown drawing %q", v.Name, name))
			return
		}
		d := newDrawing[name]()
		d.Fields(c)
		v.Draw(d)
	}
}
