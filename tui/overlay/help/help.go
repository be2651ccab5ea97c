package help

import (
	"cmp"
	"fmt"
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
	page int // rows of a page in the last drawing; the list may show more
}

func (o *help) Open() bool {
	o.line.Clear()
	o.Retyped()
	return true
}

func (o *help) Line() *grid.Line { return &o.line }

// Retyped selects the first line again.
func (o *help) Retyped() {
	o.list.At = 0
	o.move(0)
}

func (o *help) Actions() []pane.Action {
	return []pane.Action{
		{Name: "run", Keys: []string{"enter"}, Doc: "run the selected action", Hint: "run", Do: func(*pane.Host) { o.run() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the action above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down"}, Doc: "select the action below", Hint: "select", Both: "↑↓",
			Other: "up", Do: func(*pane.Host) { o.move(+1) }},
		{Name: "next-group", Keys: []string{"tab"}, Doc: "select the first action of the next group", Hint: "next group",
			Do: func(*pane.Host) { o.nextGroup() }},
		{Name: "page-up", Keys: []string{"pgup"}, Doc: "select the first action of the page above", Do: func(*pane.Host) {
			o.turn(-1)
		}},
		{Name: "page-down", Keys: []string{"pgdown"}, Doc: "select the first action of the page below", Hint: "page", Both: "pgup/dn",
			Do: func(*pane.Host) { o.turn(+1) }},
		{Name: "close", Keys: []string{"esc", "?"}, Doc: "close the help", Hint: "close", Do: func(*pane.Host) {
			o.h.Close()
		}},
	}
}

// inGlossary is the mode of a term, shown where an action shows when its keys work.
const inGlossary = "glossary"

// glossaryGroup is the heading above the terms.
const glossaryGroup = "Glossary"

// row is a line, or a heading if it has only a group.
type row struct{ overlay.Line }

func (r *row) isHead() bool { return r.Name == "" }

// entries returns the rows of the list. An empty search line lists all keys, actions and terms by groups. Typed
// words select the matching lines, best first; a term must contain them literally. "glossary" lists only
// terms.
func (o *help) entries() (rows []row) {
	all := o.h.Lines()
	query, only := strings.CutPrefix(strings.ToLower(o.line.String()), inGlossary)
	if only {
		all = nil
	}
	for _, t := range glossary.Find(query) {
		all = append(all, overlay.Line{Name: t.Names(), Doc: t.Definition(), Mode: inGlossary, Group: glossaryGroup})
	}
	if strings.TrimSpace(query) == "" && !only {
		for i, l := range all {
			if i == 0 || all[i-1].Group != l.Group {
				rows = append(rows, row{overlay.Line{Group: l.Group}})
			}
			rows = append(rows, row{l})
		}
		return rows
	}
	for _, l := range overlay.Rank(all, query, func(l overlay.Line) string {
		return l.Name + "\n" + l.Keys + " " + l.Doc + " " + l.Mode
	}) {
		rows = append(rows, row{l})
	}
	return rows
}

// move selects the line that is one row below (+1) or above (−1), and skips headings. It wraps around at both ends. 0
// only skips headings.
func (o *help) move(by int) {
	all := o.entries()
	n := len(all)
	if n == 0 {
		return
	}
	o.list.At = (o.list.At + by + n) % n
	for all[o.list.At].isHead() {
		o.list.At = (o.list.At + cmp.Or(by, 1) + n) % n
	}
}

// turn selects the first line of the next page (+1) or the previous one (−1). Beyond the last page it selects the last
// line.
func (o *help) turn(by int) {
	page := max(o.page, 1)
	o.list.At = (o.list.At/page + by) * page
	o.list.Move(0, len(o.entries()))
	o.move(0)
}

// nextGroup selects the first line of the next group; without groups, the next line.
func (o *help) nextGroup() {
	all := o.entries()
	for i := range all {
		if at := (o.list.At + 1 + i) % len(all); all[at].isHead() {
			o.list.At = at
			o.move(+1)
			return
		}
	}
	o.move(+1)
}

// run runs the selected action. Terms, and actions of other modes than the screen, are only listed.
func (o *help) run() {
	all := o.entries()
	if o.list.At >= len(all) {
		return
	}
	l := all[o.list.At].Line
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
	if i, ok := o.list.Row(x, y); ok && !o.entries()[i].isHead() {
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
	where, name := "", l.Name
	if l.Mode != overlay.OnScreen && l.Mode != inGlossary {
		where = ", " + l.Mode
	}
	if l.Here() {
		name = ":" + name
	}
	f.Text(strings.TrimSpace(l.Keys+"  "+name)+where, th.Accent)
	f.Text(l.Doc, th.Text)
	return f.Y
}

// minList is the smallest number of rows of the list that leaves rows for the selected entry.
const minList = 8

func (o *help) Draw(body grid.View) {
	th, all := o.h.Theme, o.entries()
	r := overlay.Middle(body, 86, 44)
	foot, rows := 0, max(r.H-3, 1)
	o.page = max(rows*2/3, 1) // does not depend on the text of the selected line
	var selected *overlay.Line
	if rows >= minList && len(all) > 0 {
		selected = &all[min(o.list.At, len(all)-1)].Line
		foot = min(1+drawEntry(body.Sub(grid.Rect{W: r.W - 4}), selected, th), rows/2)
	}
	right := "type to search, enter run"
	if len(all) > o.page {
		right = fmt.Sprintf("page %d of %d, %s", o.list.At/o.page+1, (len(all)+o.page-1)/o.page, right)
	}
	v := overlay.Box(body, r, "Help and glossary", right, th)
	v.Text(0, 0, "/", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no matching key, action or term", grid.Center, th.Dim)
	}
	_, list := v.Local().CutTop(1)
	if selected != nil {
		var under grid.Rect
		under, list = list.CutBottom(foot)
		for x := range v.W() {
			v.Sub(under).Rune(x, 0, '─', th.Border)
		}
		_, under = under.CutTop(1)
		drawEntry(v.Sub(under), selected, th)
	}
	o.list.Draw(v.Sub(list), len(all), th, func(i int, row grid.View, selected bool) {
		l := &all[i]
		if l.isHead() {
			row.TextIn(0, 0, row.W(), l.Group, grid.Left, th.Title)
			return
		}
		keys, text, right := l.Keys, l.Doc, l.Name
		cols := 14 // of the keys
		keyStyle, textStyle, rightStyle := th.Accent, th.Text, th.Dim
		switch {
		case l.Mode == inGlossary:
			keys = l.Name
			right = l.Mode
			cols = 28
		case l.Here():
			right = ":" + l.Name // as typed in the command line
		default:
			keyStyle = th.Dim
			textStyle = th.Dim
			if !all[0].isHead() {
				text = l.Mode + ": " + text
			}
		}
		if selected {
			keyStyle = th.Selected
			textStyle = th.Selected
			rightStyle = th.Selected
		}
		row.TextIn(0, 0, cols, keys, grid.Left, keyStyle)
		row.TextIn(cols+1, 0, row.W()-cols-20, text, grid.Left, textStyle)
		if row.W() > 60 {
			row.TextIn(row.W()-18, 0, 18, right, grid.Right, rightStyle)
		}
	})
}
