package overlay

import (
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Picker is a searchable list with a description of the selected row. An overlay embeds it and
// provides the rows.
type Picker struct {
	Plain
	Host *Host
	Noun string // name of a row
	Verb string // name of the action of enter
	Size [2]int // maximum number of columns and rows

	// All returns the rows.
	All func() []Choice
	// Describe writes the description of the row with a name.
	Describe func(f *grid.Flow, name string)
	// Take handles enter on a row. The list is closed already.
	Take func(name string)

	line grid.Line
	list List
	top  int       // rows by which the description is scrolled
	text grid.Rect // position of the description on the screen in the last drawing
}

// Choice is a row of a Picker.
type Choice struct {
	Name    string
	Search  string // text that is searched
	Warning string // warning after the name
	Now     bool   // the current value
}

// Begin clears the input line and selects the current value.
func (p *Picker) Begin() {
	p.line.Clear()
	p.Retyped()
	for i, c := range p.All() {
		if c.Now {
			p.list.At = i
		}
	}
}

func (p *Picker) Line() *grid.Line { return &p.line }

func (p *Picker) Retyped() { p.list.At, p.top = 0, 0 }

func (p *Picker) Actions() []pane.Action {
	return []pane.Action{
		{Name: "take", Keys: []string{"enter"}, Doc: p.Verb + " the selected " + p.Noun, Hint: p.Verb,
			Do: func(*pane.Host) { p.take() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the " + p.Noun + " above", Do: func(*pane.Host) { p.move(-1) }},
		{Name: "down", Keys: []string{"down", "tab"}, Doc: "select the " + p.Noun + " below", Hint: "select",
			Both: "↑↓", Other: "up", Do: func(*pane.Host) { p.move(+1) }},
		{Name: "text-up", Keys: []string{"pgup"}, Doc: "scroll the description up", Do: func(*pane.Host) { p.scroll(-8) }},
		{Name: "text-down", Keys: []string{"pgdown"}, Doc: "scroll the description down", Hint: "scroll", Both: "pgup/dn",
			Do: func(*pane.Host) { p.scroll(+8) }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close the " + p.Noun + "s", Hint: "close", Do: func(*pane.Host) {
			p.Host.Close()
		}},
	}
}

// offers returns the rows that contain every typed word.
func (p *Picker) offers() []Choice {
	words := strings.Fields(strings.ToLower(p.line.String()))
	var fit []Choice
	for _, c := range p.All() {
		if Fits(strings.ToLower(c.Search), words) {
			fit = append(fit, c)
		}
	}
	return fit
}

func (p *Picker) move(by int) {
	p.list.Move(by, len(p.offers()))
	p.top = 0
}

// scroll scrolls the description; Draw stops at its end.
func (p *Picker) scroll(by int) { p.top = max(p.top+by, 0) }

func (p *Picker) take() {
	if name := p.Offer(); name != "" {
		p.Host.Close()
		p.Take(name)
	}
}

// Offer returns the name of the selected row.
func (p *Picker) Offer() string {
	if all := p.offers(); p.list.At < len(all) {
		return all[p.list.At].Name
	}
	return ""
}

// Click selects a row; a second click chooses it.
func (p *Picker) Click(x, y int) {
	i, ok := p.list.Row(x, y)
	switch {
	case ok && p.list.At == i:
		p.take()
	case ok:
		p.list.At, p.top = i, 0
	}
}

func (p *Picker) Wheel(x, y, by int) {
	if _, ok := p.list.Row(x, y); ok {
		p.move(-by)
	} else if p.text.Contains(x, y) {
		p.scroll(-3 * by)
	}
}

func (p *Picker) Draw(body grid.View) {
	th := p.Host.Theme
	title := strings.ToUpper(p.Noun[:1]) + p.Noun[1:] + "s"
	v := Box(body, Middle(body, p.Size[0], p.Size[1]), title, "type to search, enter "+p.Verb, th)
	v.Text(0, 0, "/", th.Accent)
	p.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := p.offers()
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no matching "+p.Noun, grid.Center, th.Dim)
		return
	}
	_, rest := v.Local().CutTop(1)
	list, text := rest, rest
	if v.W() >= 60 {
		wide := 0
		for _, c := range all {
			wide = max(wide, grid.Width(c.Name)+grid.Width(c.Warning))
		}
		list, text = rest.CutLeft(min(wide+3, v.W()/3))
	} else {
		list, text = rest.CutTop(min(len(all), max(rest.H/3, 2)))
	}
	list.W--
	p.list.Draw(v.Sub(list), len(all), th, func(i int, row grid.View, selected bool) {
		c, st := &all[i], th.Text
		w := row.W() - 1 - grid.Width(c.Warning)
		row.Text(1+w, 0, c.Warning, th.Warning)
		if c.Now {
			st = th.Accent
		}
		if selected {
			row.Rune(0, 0, '▸', th.Selected)
			st = th.Selected
		}
		row.TextIn(1, 0, w, c.Name, grid.Left, st)
	})
	p.drawDescription(v.Sub(text), all[min(p.list.At, len(all)-1)].Name)
}

// drawDescription writes the scrolled description of a row, and shows whether there is more above
// or below.
func (p *Picker) drawDescription(v grid.View, name string) {
	th := p.Host.Theme
	p.text = v.Rect()
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1})}
	p.Describe(&measure, name)
	maxTop := max(0, measure.Y-v.H())
	p.top = min(p.top, maxTop)
	p.Describe(&grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1, H: v.H()}), Y: -p.top}, name)
	if p.top > 0 {
		v.Rune(v.W()-1, 0, '▴', th.Accent)
	}
	if p.top < maxTop {
		v.Rune(v.W()-1, v.H()-1, '▾', th.Accent)
	}
}
