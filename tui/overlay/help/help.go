package help

import (
	"strings"

	"github.com/hybridtop/hybridtop/engine/glossary"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the help overlay.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "help", Keys: []string{"?"}, Doc: "search keys, actions and terms, and run an action",
		Hint: "help"},
	First: true,
	Mode:  "in the help",
	New:   func(h *overlay.Host) overlay.Overlay { return &help{h: h} },
}

type help struct {
	overlay.Plain
	h    *overlay.Host
	line grid.Line
	list overlay.List
}

func (o *help) Open() bool {
	o.line.Clear()
	o.Retyped()
	return true
}

func (o *help) Line() *grid.Line { return &o.line }

func (o *help) Retyped() { o.list.At = 0 }

func (o *help) Actions() []pane.Action {
	return []pane.Action{
		{Name: "run", Keys: []string{"enter"}, Doc: "run the selected action", Hint: "run", Do: func(*pane.Host) { o.run() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the action above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down", "tab"}, Doc: "select the action below", Hint: "select", Both: "↑↓",
			Other: "up", Do: func(*pane.Host) { o.move(+1) }},
		{Name: "close", Keys: []string{"esc", "?"}, Doc: "close the help", Hint: "close", Do: func(*pane.Host) {
			o.h.Close()
		}},
	}
}

// inGlossary is the mode of a term, shown where an action shows when its keys work.
const inGlossary = "glossary"

// entries returns the lines of the key table and the terms that match the typed words, best first.
// A term must contain the words literally. "glossary" lists
// only terms.
func (o *help) entries() []overlay.Line {
	all := o.h.Lines()
	query, only := strings.CutPrefix(strings.ToLower(o.line.String()), inGlossary)
	if only {
		all = nil
	}
	for _, t := range glossary.Find(query) {
		all = append(all, overlay.Line{Name: t.Names(), Doc: t.Definition(), Mode: inGlossary})
	}
	return overlay.Rank(all, query, func(l overlay.Line) string {
		return l.Name + "\n" + l.Keys + " " + l.Doc + " " + l.Mode
	})
}

// move selects another line, and wraps around at both ends.
func (o *help) move(by int) {
	if n := len(o.entries()); n > 0 {
		o.list.At = ((o.list.At+by)%n + n) % n
	}
}

// run runs the selected action. Terms, and actions of other modes than the screen, are only listed.
func (o *help) run() {
	all := o.entries()
	if o.list.At >= len(all) {
		return
	}
	l := all[o.list.At]
	if l.Mode == inGlossary {
		o.h.Say(l.Name + ": " + l.Doc)
		return
	}
	if !l.Here() {
		o.h.Say(l.Keys + " works " + l.Mode)
		return
	}
	o.h.Close()
	l.Run()
}

func (o *help) Offer() string {
	if all := o.entries(); o.list.At < len(all) {
		return all[o.list.At].Name
	}
	return ""
}

func (o *help) Click(x, y int) {
	if i, ok := o.list.Row(x, y); ok {
		o.list.At = i
		o.run()
	}
}

func (o *help) Wheel(x, y, by int) {
	if _, ok := o.list.Row(x, y); ok {
		o.move(-by)
	}
}

// drawEntry writes everything about a line, and returns the number of rows that it needs.
func drawEntry(v grid.View, l *overlay.Line, th *grid.Theme) (rows int) {
	f := grid.Flow{V: v}
	where := ""
	if l.Mode != overlay.OnScreen {
		where = ", " + l.Mode
	}
	if l.Mode == inGlossary {
		where = ""
	}
	f.Text(strings.TrimSpace(l.Keys+"  "+l.Name)+where, th.Accent)
	f.Text(l.Doc, th.Text)
	return f.Y
}

func (o *help) Draw(body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 86, 44), "Help and glossary", "type to search, enter run", th)
	v.Text(0, 0, "/", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := o.entries()
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no matching key, action or term", grid.Center, th.Dim)
	}
	list, foot := v.Local(), grid.Rect{}
	_, list = list.CutTop(1)
	if list.H >= 8 && len(all) > 0 {
		l := &all[min(o.list.At, len(all)-1)]
		foot, list = list.CutBottom(min(1+drawEntry(v.Sub(grid.Rect{W: v.W()}), l, th), list.H/2))
		for x := range v.W() {
			v.Sub(foot).Rune(x, 0, '─', th.Border)
		}
		_, foot = foot.CutTop(1)
		drawEntry(v.Sub(foot), l, th)
	}
	o.list.Draw(v.Sub(list), len(all), th, func(i int, row grid.View, selected bool) {
		l := &all[i]
		keys, text, right := l.Keys, l.Doc, l.Name
		cols := 14 // of the keys
		keyStyle, textStyle, rightStyle := th.Accent, th.Text, th.Dim
		switch {
		case l.Mode == inGlossary:
			keys = l.Name
			right = l.Mode
			cols = 28
		case !l.Here():
			keyStyle = th.Dim
			textStyle = th.Dim
			text = l.Mode + ": " + text
		}
		if selected {
			keyStyle = th.Selected
			textStyle = th.Selected
			rightStyle = th.Selected
		}
		row.TextIn(0, 0, cols, keys, grid.Left, keyStyle)
		row.TextIn(cols+1, 0, row.W()-cols-18, text, grid.Left, textStyle)
		if row.W() > 60 {
			row.TextIn(row.W()-16, 0, 16, right, grid.Right, rightStyle)
		}
	})
}
