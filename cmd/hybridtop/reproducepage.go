package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// wideRange is the ratio of the largest to the smallest value from which an axis is logarithmic,
// because a linear one would hide the small values.
const wideRange = 30

// claimsPage returns the report of the papers: one section per claim, missing ones included.
func claimsPage(r *reproduce.Report, figures []presets.Figure, claims []presets.Claim) *export.Page {
	host := thisHost()
	p := &export.Page{
		Title: "Claims of the papers, and results in virtual time",
		Lead: []string{
			"Each claim with published, simulated and modelled values. Predicted: computed from constants that were set " +
				"elsewhere, and can fail. Fitted: sets constants, and proves nothing alone. Exact: arithmetic. Verified: true " +
				"by construction, and no evidence for the claim.",
			r.Summary() + ".",
		},
		Facts: []export.Pair{{Name: "host",
			Value: fmt.Sprintf("%s/%s, %d cores, %s; virtual time gives the same numbers everywhere", host.OS, host.Arch,
				host.Cores, host.Go)}},
		Foot: []string{"Made by hybridtop reproduce --html.", kindsText},
	}
	rows := make(map[int][]*reproduce.Row)
	for i := range r.Rows {
		rows[r.Rows[i].Claim] = append(rows[r.Rows[i].Claim], &r.Rows[i])
	}
	all := export.Sheet{Head: []string{"claim", "paper", "statement", "use", "rows", "verdict"}}
	var sections []export.Section
	for _, c := range claims {
		of := rows[c.Number]
		number, paper := strconv.Itoa(c.Number), strconv.Itoa(c.Paper)
		switch {
		case slices.Contains(r.Missing, c):
			all.Rows = append(all.Rows, []string{number, paper, c.Says, "–", "0", "missing"})
			sections = append(sections,
				export.Section{Title: claimTitle(&c), Badges: []export.Badge{{Word: "missing", Tone: export.Amiss}},
					Text: []string{sentence(c.Says), "This program does not run it yet."}})
		case len(of) > 0:
			badges := claimBadges(of)
			all.Rows = append(all.Rows, []string{number, paper, c.Says, claimUses(of), strconv.Itoa(len(of)), badges[0].Word})
			sections = append(sections, claimSections(&c, of, badges, r.Constants)...)
		}
	}
	p.Sections = append([]export.Section{{Title: "All claims", Tables: []export.Sheet{all}}}, sections...)
	for i := range figures {
		if c, there := figureCurves(&figures[i], r); there {
			p.Sections = append(p.Sections, c)
		}
	}
	if len(r.Constants) > 0 {
		p.Sections = append(p.Sections, export.Section{Title: "All constants", Text: []string{"Constants of the " +
			"machines, with the claims that depend on each, and its source."},
			Tables: []export.Sheet{constantSheet(r.Constants, 0)}})
	}
	return p
}

func claimTitle(c *presets.Claim) string {
	return fmt.Sprintf("Claim %d: paper %d, %s", c.Number, c.Paper, c.Place)
}

// sentence returns words as a sentence. A symbol at the beginning does not change: ε, x_comm.
func sentence(words string) string {
	first, _, _ := strings.Cut(words, " ")
	if first != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz-,:") == "" {
		words = strings.ToUpper(words[:1]) + words[1:]
	}
	return words + "."
}

// claimUses returns the uses of a claim's rows.
func claimUses(rows []*reproduce.Row) string {
	var all []string
	for _, row := range rows {
		if w := reproduce.UseWord(row.Use); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return strings.Join(all, ", ")
}

// claimBadges returns the verdicts and uses of some rows.
func claimBadges(rows []*reproduce.Row) []export.Badge {
	refuted := 0
	failed := 0
	changed := 0
	for _, row := range rows {
		switch row.Verdict() {
		case presets.Refuted:
			refuted++
		case reproduce.Failed:
			failed++
		}
		if row.Changed() {
			changed++
		}
	}
	var all []export.Badge
	switch {
	case failed > 0:
		all = append(all, export.Badge{Word: fmt.Sprintf("%d of %d failed to run", failed, len(rows)), Tone: export.Bad})
	case refuted == len(rows):
		all = append(all, export.Badge{Word: "refuted", Tone: export.Bad})
	case refuted > 0:
		all = append(all, export.Badge{Word: fmt.Sprintf("refuted in %d of %d rows", refuted, len(rows)), Tone: export.Bad})
	default:
		all = append(all, export.Badge{Word: "pass", Tone: export.Good})
	}
	if changed > 0 {
		all = append(all, export.Badge{Word: fmt.Sprintf("%d not as recorded", changed), Tone: export.Amiss})
	}
	return append(all, export.Badge{Word: claimUses(rows), Tone: export.Plain})
}

// claimSections returns the sections of a claim: its charts, then one part per check.
func claimSections(c *presets.Claim, rows []*reproduce.Row, badges []export.Badge,
	constants []reproduce.Constant) []export.Section {
	top := export.Section{Title: claimTitle(c), Badges: badges, Text: []string{sentence(c.Says)}}
	numbers := make(map[*reproduce.Row]string)
	groups := make(map[string][]*reproduce.Row)
	var order []string
	for i, row := range rows {
		numbers[row] = strconv.Itoa(i + 1)
		key := row.Quantity + "\x00" + row.Unit
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], row)
	}
	for _, key := range order {
		if chart, there := rowsChart(c, groups[key], numbers); there {
			top.Charts = append(top.Charts, chart)
		}
	}
	all := []export.Section{top}
	for i := 0; i < len(rows); {
		n := i + 1
		for n < len(rows) && rows[n].Check == rows[i].Check && rows[n].Figure == rows[i].Figure {
			n++
		}
		all = append(all, checkSection(rows[i:n], numbers))
		i = n
	}
	if t := constantSheet(constants, c.Number); len(t.Rows) > 0 {
		last := &all[len(all)-1]
		t.Title = fmt.Sprintf("constants of claim %d", c.Number)
		last.Tables = append(last.Tables, t)
	}
	return all
}

// checkSection returns a check with its rows.
func checkSection(rows []*reproduce.Row, numbers map[*reproduce.Row]string) export.Section {
	row := rows[0]
	s := export.Section{Title: sentence(row.Says), Inner: true, Badges: claimBadges(rows)}
	s.Text = append(s.Text,
		fmt.Sprintf("%s, %s: %s (%s, %s).", row.Figure, row.Place, ruleText(row.Rule, row.Tolerance, row.Least, row.Most),
			row.Quantity, reproduce.UseWord(row.Use)))
	for _, add := range [][2]string{{"It cannot fail: ", row.Reason},
		{"Reachable, known from the outcome and therefore not a prediction: ", row.Reach},
		{"Decisive measurement: ", row.Measure}, {"Assumed constants, halved and doubled: ", row.Sensitivity()}} {
		if add[1] != "" {
			s.Text = append(s.Text, add[0]+add[1]+".")
		}
	}
	t := export.Sheet{Head: []string{"row", "series", "at", "published", "simulated", "modelled", "error", "verdict",
		"decisive term"}}
	for _, row := range rows {
		c := newRowCells(row)
		t.Rows = append(t.Rows,
			[]string{numbers[row], row.Series, c.at, c.published, c.simulated, c.modelled, c.miss, verdict(row), c.note})
	}
	s.Tables = []export.Sheet{t}
	return s
}

// rowsChart returns a chart of the published, simulated and modelled values of some rows. It returns
// false if they have none.
func rowsChart(c *presets.Claim, rows []*reproduce.Row, numbers map[*reproduce.Row]string) (export.Chart, bool) {
	row := rows[0]
	chart := export.Chart{
		Title: fmt.Sprintf("Claim %d: %s, published, simulated and modelled", c.Number, row.Quantity),
		X:     export.ChartAxis{Label: "row of the tables below"}, Low: true,
		Y: export.ChartAxis{Label: rowLabel(row), Unit: rowUnit(row)},
	}
	kinds := [...]struct {
		kind  grid.Kind
		shape export.Point
		of    func(*reproduce.Row) float64
	}{
		{grid.Published, export.Cross, func(r *reproduce.Row) float64 { return r.Published }},
		{grid.Simulated, export.Disc, func(r *reproduce.Row) float64 { return r.Simulated }},
		{grid.Modelled, export.Ring, func(r *reproduce.Row) float64 { return r.Modelled }},
	}
	var values []float64
	for i, r := range rows {
		chart.Names = append(chart.Names, numbers[r])
		if lo, hi, there := allowed(r); there {
			chart.Spans = append(chart.Spans, export.Span{X: float64(i), Least: lo, Most: hi})
		}
	}
	for k := len(kinds) - 1; k >= 0; k-- { // published values are drawn on top
		curve := export.Curve{Label: kinds[k].kind.String(), Tint: export.Kind(kinds[k].kind), Point: kinds[k].shape}
		for i, r := range rows {
			if v := kinds[k].of(r); !math.IsNaN(v) {
				curve.X = append(curve.X, float64(i))
				curve.Y = append(curve.Y, v)
				values = append(values, v)
			}
		}
		if len(curve.X) > 0 {
			chart.Curves = append(chart.Curves, curve)
		}
	}
	if len(values) == 0 {
		return chart, false
	}
	if len(chart.Spans) > 0 {
		chart.Title += "; grey: passing range"
	}
	chart.Y.Scale, chart.Y.FromZero = spread(values)
	return chart, true
}

// allowed returns the range in which a row passes, or false if its rule has none.
func allowed(r *reproduce.Row) (lo, hi float64, there bool) {
	switch r.Rule {
	case presets.Range, presets.Peaks:
		return r.Least, r.Most, true
	case presets.Crosses:
		return r.Published / r.Tolerance, r.Published * r.Tolerance, true
	case presets.Flat:
		return math.Inf(-1), r.Tolerance, true
	case presets.Rises:
		return 0, math.Inf(1), true
	case presets.Within:
		truth := r.Published
		if math.IsNaN(truth) {
			truth = r.Modelled
		}
		return truth - math.Abs(truth)*r.Tolerance, truth + math.Abs(truth)*r.Tolerance, !math.IsNaN(truth)
	case presets.Direction:
		if r.Published > 1 {
			return 1, math.Inf(1), true
		}
		return math.Inf(-1), 1, r.Published < 1
	}
	return 0, 0, false
}

// spread returns the scale of an axis for some values.
func spread(values []float64) (scale grid.Scale, fromZero bool) {
	lo, hi := slices.Min(values), slices.Max(values)
	if lo > 0 && hi > wideRange*lo {
		return grid.Log10, false
	}
	return grid.Linear, lo >= 0
}

// rowUnit returns the unit of an axis for the numbers of a row.
func rowUnit(r *reproduce.Row) grid.Unit {
	switch {
	case r.Rule == presets.Crosses || r.Rule == presets.Peaks:
		return grid.Count
	case math.IsNaN(r.X) || isShare(r.Quantity):
		return grid.Share
	}
	if !siUnits[r.Unit] {
		return grid.Count
	}
	return inUnits.Of(r.Unit)
}

// rowLabel returns the label of an axis for the numbers of a row. A unit with prefixes is at each
// tick instead.
func rowLabel(r *reproduce.Row) string {
	if siUnits[r.Unit] || r.Unit == "1" || r.Unit == "" {
		return r.Quantity
	}
	return r.Unit
}

// figureCurves returns the chart of a figure's results, or false if it has no curve.
func figureCurves(f *presets.Figure, r *reproduce.Report) (export.Section, bool) {
	var numbers []string
	for _, n := range f.Claims() {
		numbers = append(numbers, strconv.Itoa(n))
	}
	s := export.Section{Title: "Figure " + f.Name,
		Text: []string{f.Title + ".",
			fmt.Sprintf("Paper %d, %s; on %s; claims %s.", f.Paper, f.Place, f.Machine, strings.Join(numbers, ", "))}}
	if f.Lost != "" {
		s.Text = append(s.Text, "Lost: "+f.Lost+".")
	}
	chart := export.Chart{Title: fmt.Sprintf("%s over %s; points: simulated, dashed: modelled, crosses: published", f.Y,
		f.X), X: export.ChartAxis{Label: f.X}, Y: export.ChartAxis{Label: f.Y}}
	var xs, ys []float64
	n := 0
	for i := range r.Curves {
		c := &r.Curves[i]
		if c.Figure.Name != f.Name {
			continue
		}
		if siUnits[c.Unit] {
			chart.Y.Unit = inUnits.Of(c.Unit)
		} else if isShare(f.Y) {
			chart.Y.Unit = grid.Share
		}
		chart.Curves = append(chart.Curves,
			export.Curve{Tint: export.Series(n), X: c.Series.X, Y: c.Modelled, Line: true, Dashed: true},
			export.Curve{Label: c.Series.Label, Tint: export.Series(n), X: c.Series.X, Y: c.Simulated,
				Point: figureShapes[n%len(figureShapes)]})
		xs, ys = append(xs, c.Series.X...), append(append(ys, c.Simulated...), c.Modelled...)
		n++
	}
	published := export.Curve{Label: "published", Tint: export.Kind(grid.Published), Point: export.Cross}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Figure == f.Name && row.Quantity == f.Y && !row.Rule.Whole() && !math.IsNaN(row.X) &&
			!math.IsNaN(row.Published) {
			published.X, published.Y = append(published.X, row.X), append(published.Y, row.Published)
		}
	}
	if len(published.X) > 0 {
		chart.Curves, ys = append(chart.Curves, published), append(ys, published.Y...)
	}
	ys = slices.DeleteFunc(ys, math.IsNaN)
	if len(xs) == 0 || len(ys) == 0 {
		return s, false
	}
	if slices.Min(xs) > 0 && slices.Max(xs) >= 8*slices.Min(xs) {
		chart.X.Scale = grid.Log2
	}
	if strings.Contains(f.X, "bytes") || strings.Contains(f.X, "size") {
		chart.X.Unit = inUnits.Bytes()
	}
	chart.Y.Scale, chart.Y.FromZero = spread(ys)
	s.Charts = []export.Chart{chart}
	return s, true
}

var figureShapes = []export.Point{export.Disc, export.Square, export.Triangle, export.Ring}

// constantSheet lists the constants that a claim depends on; 0: all constants.
func constantSheet(constants []reproduce.Constant, claim int) export.Sheet {
	t := export.Sheet{Head: []string{"machine", "constant", "value", "kind", "dependent claims", "fitted to", "source"}}
	for i := range constants {
		c := &constants[i]
		if claim != 0 && !slices.Contains(c.Claims, claim) {
			continue
		}
		fitted := "–"
		if len(c.FittedClaims) > 0 {
			fitted = "claim " + numbers(c.FittedClaims)
		}
		t.Rows = append(t.Rows,
			[]string{c.Machine, c.Key, factText(c.Fact), c.Kind(), strings.ReplaceAll(numbers(c.Claims), " ", ", "), fitted,
				c.Source})
	}
	return t
}
