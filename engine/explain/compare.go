package explain

import (
	"fmt"
	"maps"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Bar is a term of B minus the term of A.
type Bar struct {
	Name, Note string
	A, B       cluster.Time
	Where, Why string // of the place with the largest part of the difference

	a, b map[place]cluster.Time
}

// Span returns the difference.
func (b *Bar) Span() cluster.Time { return b.B - b.A }

// A Waterfall explains the difference of two times. The bars of each list add up to it exactly.
type Waterfall struct {
	A, B      cluster.Time
	Spent     []Bar // by activity of the rank that ends last
	Constants []Bar // by constant, on the critical paths
	Phases    []Bar // by part of the program, on the critical paths
	Reasons   []Bar
}

// Compare returns the waterfall from A to B.
func Compare(a, b *Run) *Waterfall {
	return &Waterfall{A: a.Total, B: b.Total, Spent: bars(a.Spent, b.Spent, &b.layout),
		Constants: bars(a.Terms, b.Terms, &b.layout), Phases: bars(a.Phases, b.Phases, &b.layout),
		Reasons: bars(a.Reasons, b.Reasons, &b.layout)}
}

// bars returns the differences of terms, the largest first.
func bars(a, b []Term, l *cluster.Layout) []Bar {
	type key struct{ name, note string }
	at := map[key]int{}
	var all []Bar
	entry := func(t *Term) *Bar {
		k := key{t.Name, t.Note}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			all = append(all, Bar{Name: t.Name, Note: t.Note})
		}
		return &all[i]
	}
	for i := range a {
		x := entry(&a[i])
		x.A, x.a = a[i].Span, a[i].places
	}
	for i := range b {
		x := entry(&b[i])
		x.B, x.b = b[i].Span, b[i].places
	}
	for i := range all {
		x := &all[i]
		from, to := x.a, x.b
		if x.B < x.A {
			from, to = to, from
		}
		more := maps.Clone(to)
		for at, span := range from {
			if _, ok := more[at]; ok {
				more[at] -= span
			}
		}
		x.Where, x.Why = largest(more, l)
	}
	return sortedBars(all)
}

// Sentence names the two largest bars by activity, and the largest bar by constant.
func (w *Waterfall) Sentence(format func(cluster.Time) string) string {
	d := w.B - w.A
	if d == 0 {
		return "Both take the same time."
	}
	verb := "longer"
	if d < 0 {
		verb = "shorter"
	}
	signed := func(t cluster.Time) string {
		if t < 0 {
			return "−" + format(-t)
		}
		return "+" + format(t)
	}
	s := fmt.Sprintf("B takes %s %s than A: ", format(max(d, -d)), verb)
	for i := range min(2, len(w.Spent)) {
		if w.Spent[i].Span() == 0 {
			break
		}
		if i > 0 {
			s += ", "
		}
		s += w.Spent[i].Name + " " + signed(w.Spent[i].Span())
	}
	s += "."
	if len(w.Constants) > 0 {
		c := &w.Constants[0]
		s += fmt.Sprintf(" On the critical path, %s has %s.", c.label(), signed(c.Span()))
	}
	return s
}

// Causes names the two largest bars by constant, with the reason for which the critical path reaches the largest one.
func (w *Waterfall) Causes(format func(cluster.Time) string) string {
	var parts []string
	for i := range w.Constants[:min(2, len(w.Constants))] {
		b := &w.Constants[i]
		span, more := b.Span(), "more"
		if span < 0 {
			span, more = -span, "less"
		}
		if span == 0 {
			break
		}
		s := b.Name
		if b.Note != "" {
			s += " (" + b.Note + ")"
		}
		s += " takes " + format(span) + " " + more
		if i == 0 && b.Why != "" {
			s += " (" + b.Why + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// label returns the name of a bar with its note and its place.
func (b *Bar) label() string {
	s := b.Name
	if b.Note != "" {
		s += " (" + b.Note + ")"
	}
	if b.Where != "" {
		s += " on " + b.Where
	}
	if b.Why != "" {
		s += " (" + b.Why + ")"
	}
	return s
}
