package help

import (
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
