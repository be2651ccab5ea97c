package help

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/glossary"
	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Each term is found by its name and by its other names. The box shows its whole definition,
// also on a screen of 80×24.
func TestTermsAreFound(t *testing.T) {
	notice := ""
	host := &pane.Host{Theme: grid.Themes()[0], Say: func(text string) { notice = text }}
	h := &overlay.Host{Host: host, Lines: func() []overlay.Line {
		return []overlay.Line{{Name: "find", Keys: "/", Doc: "select a node, a rank or a thread", Mode: overlay.OnScreen}}
	}}
	for _, x := range glossary.Find("") {
		for _, name := range append([]string{x.Name}, x.Also...) {
			o := &help{h: h}
			o.Open()
			o.line.Insert(name)
			o.Retyped()
			all := o.entries()
			for o.list.At < len(all) && all[o.list.At].Name != x.Names() {
				o.list.At++
			}
			if o.list.At > 9 {
				t.Errorf("%q: %s is number %d of %d, want one of the first ten", name, x.Name, o.list.At+1, len(all))
				continue
			}
			for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
				g := grid.New(size[0], size[1])
				o.Draw(g.View(grid.Rect{Y: 1, W: size[0], H: size[1] - 3}))
				if text := flat(g.PlainText()); !strings.Contains(text, flat(x.Definition())) {
					t.Errorf("%d×%d: the definition of %s is cut off:\n%s", size[0], size[1], x.Name, g.PlainText())
				}
			}
			if o.run(); notice != x.Names()+": "+x.Definition() {
				t.Errorf("enter on %s says %q", x.Name, notice)
			}
		}
	}
}

// "glossary" lists all terms in their order, and only terms.
func TestGlossaryIsListed(t *testing.T) {
	h := &overlay.Host{Lines: func() []overlay.Line { return []overlay.Line{{Name: "glossary", Mode: overlay.OnScreen}} }}
	o := &help{h: h}
	o.line.Insert("Glossary")
	all, terms := o.entries(), glossary.Find("")
	if len(all) != len(terms) || all[0].Name != terms[0].Names() {
		t.Errorf("got %d lines, first %q, want all %d terms", len(all), all[0].Name, len(terms))
	}
	o.line.Insert(" dilation")
	if all := o.entries(); all[0].Name != "time dilation, dilation" {
		t.Errorf("got %q first, want time dilation", all[0].Name)
	}
}

// flat removes borders and line breaks from a text.
func flat(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '│' }), " ")
}

// TestGroups checks that lines are listed below the headings of their groups, and that the keys for lines, groups and
// pages never select a heading.
func TestGroups(t *testing.T) {
	h := &overlay.Host{Host: &pane.Host{Theme: grid.Themes()[0], Say: func(string) {}}, Close: func() {}, Lines: func() []overlay.Line {
		return []overlay.Line{{Name: "a", Group: "One"}, {Name: "b", Group: "One"}, {Name: "c", Group: "Two"}}
	}}
	o := &help{h: h}
	o.Open()
	g := grid.New(80, 24)
	at := func() string {
		o.Draw(g.All())
		all := o.entries()
		return all[o.list.At].Group + " " + all[o.list.At].Name
	}
	terms := glossary.Find("")
	last := "Glossary " + terms[len(terms)-1].Names()
	for _, c := range []struct {
		key  string
		do   func()
		want string
	}{
		{"open", func() {}, "One a"}, {"down", func() { o.move(+1) }, "One b"}, {"down", func() { o.move(+1) }, "Two c"},
		{"up", func() { o.move(-1) }, "One b"}, {"tab", o.nextGroup, "Two c"}, {"tab", o.nextGroup, "Glossary " + terms[0].Names()},
		{"tab", o.nextGroup, "One a"}, {"up", func() { o.move(-1) }, last}, {"down", func() { o.move(+1) }, "One a"},
		{"pgup", func() { o.turn(-1) }, "One a"}, {"pgdn", func() { o.turn(+999) }, last},
	} {
		if c.do(); at() != c.want {
			t.Errorf("%s: selected %q, want %q", c.key, at(), c.want)
		}
	}
	o.Open()
	if text := at() + g.PlainText(); !strings.Contains(text, "page 1 of ") || !strings.Contains(text, "│ Two ") {
		t.Errorf("no pages and headings:\n%s", text)
	}
}

// TestPagesAreConsecutive turns all pages, with lines whose texts need one row or several.
func TestPagesAreConsecutive(t *testing.T) {
	var lines []overlay.Line
	for i := range 100 {
		lines = append(lines, overlay.Line{Name: "a", Doc: strings.Repeat("word ", 1+i%5*20), Group: fmt.Sprint(i / 7)})
	}
	h := &overlay.Host{Host: &pane.Host{Theme: grid.Themes()[0]}, Lines: func() []overlay.Line { return lines }}
	o := &help{h: h}
	o.Open()
	g := grid.New(80, 24)
	all, shown := 0, 0
	check := func(want int) {
		t.Helper()
		o.Draw(g.All())
		if want == 1 && all == 0 {
			all = (len(o.entries()) + o.page - 1) / o.page
		}
		if page := fmt.Sprintf("page %d of %d,", want, all); !strings.Contains(g.PlainText(), page) {
			t.Fatalf("want %s:\n%s", page, g.PlainText())
		}
	}
	for check(1); shown < all-1; shown++ {
		o.turn(+1)
		check(shown + 2)
	}
	if o.turn(+1); o.list.At != len(o.entries())-1 {
		t.Errorf("the last page ends at line %d", o.list.At)
	}
	for check(all); shown > 0; shown-- {
		o.turn(-1)
		check(shown)
	}
}
