package export

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Page is a report in one self-contained HTML document, without network access or scripts. All its
// texts are escaped.
type Page struct {
	Title    string
	Lead     []string // paragraphs
	Facts    []Pair
	Sections []Section
	Foot     []string
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Section is a part of a page. A section with a Title is listed in the table of contents unless
// Inner is set.
type Section struct {
	Title  string
	Inner  bool // subsection of the previous section
	Badges []Badge
	Text   []string
	Facts  []Pair
	Charts []Chart
	Tables []Sheet
}

// Badge is a highlighted word.
type Badge struct {
	Word string
	Tone Tone
}

// Tone is the meaning of a badge's colour.
type Tone string

// The tones.
const (
	Plain Tone = "plain"
	Good  Tone = "good"
	Bad   Tone = "bad"
	Amiss Tone = "amiss" // neither good nor bad: did not run, or missing
)

// longestNumber is the maximum length of a text that counts as a number with its unit.
const longestNumber = 14

// Sheet is a table. Short cells that start with a digit or a sign are right-aligned.
type Sheet struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Kind returns the tint of a kind of number.
func Kind(k grid.Kind) Tint { return Tint("k-" + k.String()) }

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"right": func(cell string) bool {
		r := []rune(cell)
		return len(r) > 0 && len(r) <= longestNumber && strings.ContainsRune("0123456789+-–−∞", r[0])
	},
}).Parse(pageText))

// In returns the page with the sizes and rates of its texts in the given units. Axes keep their own
// units.
func (p *Page) In(u grid.Units) *Page {
	texts := func(all []string) []string {
		all = slices.Clone(all)
		for i, s := range all {
			all[i] = u.Text(s)
		}
		return all
	}
	pairs := func(all []Pair) []Pair {
		all = slices.Clone(all)
		for i := range all {
			all[i].Value = u.Text(all[i].Value)
		}
		return all
	}
	q := *p
	q.Lead = texts(p.Lead)
	q.Facts = pairs(p.Facts)
	q.Sections = slices.Clone(p.Sections)
	for i := range q.Sections {
		s := &q.Sections[i]
		s.Title = u.Text(s.Title)
		s.Text = texts(s.Text)
		s.Facts = pairs(s.Facts)
		s.Tables = slices.Clone(s.Tables)
		for k := range s.Tables {
			rows := slices.Clone(s.Tables[k].Rows)
			for r := range rows {
				rows[r] = texts(rows[r])
			}
			s.Tables[k].Rows = rows
		}
	}
	return &q
}

// HTML writes the page. Equal pages give equal bytes.
func (p *Page) HTML(w io.Writer) error {
	letters := &outlines{}
	type drawn struct {
		*Section
		ID       string
		Pictures []template.HTML
	}
	data := struct {
		*Page
		All         []drawn
		Dark, Light template.CSS
		Letters     template.HTML
	}{Page: p}
	for i := range p.Sections {
		s := &p.Sections[i]
		d := drawn{Section: s, ID: fmt.Sprintf("s%d", i+1)}
		for k := range s.Charts {
			d.Pictures = append(d.Pictures, template.HTML(s.Charts[k].svg(letters))) // texts are outlines or escaped
		}
		data.All = append(data.All, d)
	}
	data.Letters = template.HTML(letters.shapes)
	dark, _ := grid.ThemeByName("dark")
	light, _ := grid.ThemeByName("light")
	data.Dark, data.Light = tints(dark), tints(light)
	return pageTemplate.Execute(w, data)
}

// tints returns a theme's colours as CSS variables.
func tints(t *grid.Theme) template.CSS {
	var b strings.Builder
	set := func(name Tint, c grid.Color) { fmt.Fprintf(&b, "--%s:%s;", name, solid(c)) }
	ink, ground := t.Ink, t.Ground
	set("ground", ground)
	set(Ink, ink)
	set(Soft, grid.Blend(solid(ground), solid(ink), 0.18))
	set(Hint, grid.Blend(solid(ground), solid(ink), 0.28))
	set("dim", grid.Blend(solid(ground), solid(ink), 0.65))
	set("sheet", grid.Blend(solid(ground), solid(ink), 0.05))
	set("accent", t.Accent.Fg)
	set("good", t.Good.Fg)
	set("bad", t.Error.Fg)
	set("amiss", t.Warning.Fg)
	for i := range t.Series {
		set(Series(i), t.Series[i])
	}
	for i := range t.Roles {
		set(Role(grid.Role(i)), t.Roles[i])
	}
	for k := grid.Measured; k <= grid.Published; k++ {
		set(Kind(k), t.Kinds[k].Style.Fg)
	}
	return template.CSS(b.String())
}
