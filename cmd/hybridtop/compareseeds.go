package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// compareSeeds simulates both variants with each of several seeds. The runs of a pair have the same seed, so they draw the same noise.
func (v *variants) compareSeeds(ctx context.Context, o session.Options, seeds int, progress io.Writer) (*pairs.Result, error) {
	r, err := pairs.Run(ctx, v.names, v.scenarios, seeds, o, newSweepLine(progress))
	if err != nil {
		return nil, fmt.Errorf("--seeds: %w", err)
	}
	return r, nil
}

// roundsOf returns pairs as rounds.
func roundsOf(r *pairs.Result) []round {
	all := make([]round, len(r.Pairs))
	for i := range all {
		all[i].value = r.Pairs[i]
	}
	return all
}

// concludeSeeds returns the conclusion from the differences of all pairs.
func concludeSeeds(r *pairs.Result) *conclusion {
	c := r.Conclude()
	if c.Verdict == "" {
		return concludeNothing(c.Why)
	}
	shown := func(x float64) string {
		m := r.Metric()
		m.Value = x
		return text(m)
	}
	d, said := &c.Difference, c.Sentence(shown)
	separator := ": "
	if d.Low == 0 && d.High == 0 {
		separator = ". "
	}
	out := &conclusion{Verdict: c.Verdict, Text: said + separator +
		fmt.Sprintf("median of B − A %s (%.3g %%: %s to %s) in %d pairs of equal seeds (%s). A: %s, median %s. B: %s.",
			shown(d.Median), 100*d.Level, shown(d.Low), shown(d.High), d.Pairs, r.Metric().Kind, r.Names[0], shown(c.Middle), r.Names[1])}
	if ratio := c.Ratio(); ratio != 0 {
		out.Ratio = engine.Finite(ratio)
	}
	return out
}

// binsOf returns the lower ends of the bins.
func binsOf(r *pairs.Result, h *pairs.Histograms) (from []string) {
	for _, x := range h.From {
		m := r.Metric()
		m.Value = x
		from = append(from, text(m))
	}
	return from
}

// writeHistograms draws the histograms next to each other.
func writeHistograms(w io.Writer, r *pairs.Result) error {
	h := r.Histograms()
	if h == nil {
		return nil
	}
	widest := max(slices.Max(h.Counts[0][:]), slices.Max(h.Counts[1][:]))
	t := newTable(w)
	t.row()
	t.title(r.Metric().Name + ", number of runs")
	t.head("from", "A", "B")
	const cells = 30
	bar := func(n int) string { return strings.Repeat("█", (n*cells+widest-1)/widest) + fmt.Sprintf(" %d", n) }
	for i, from := range binsOf(r, h) {
		t.row(from, bar(h.Counts[0][i]), bar(h.Counts[1][i]))
	}
	return t.close()
}

// seedsPage returns the report of a comparison of pairs: the conclusion, both histograms and all pairs.
func (v *variants) seedsPage(r *pairs.Result, c *conclusion) *export.Page {
	m := r.Metric()
	kind := string(m.Kind)
	p := &export.Page{Title: v.scenarios[0].Workload + ": " + v.names[0] + " or " + v.names[1], Lead: []string{sentence(c.Text)},
		Foot: []string{"Made by hybridtop compare --seeds.", kindsText}}
	if h := r.Histograms(); h != nil {
		s := export.Section{Title: "Distributions"}
		for side, name := range v.names {
			bars := export.Bars{Label: name, Tint: export.Series(side)}
			for _, n := range h.Counts[side] {
				bars.Values = append(bars.Values, float64(n))
			}
			s.Charts = append(s.Charts, export.Chart{Title: m.Name + " of " + name + ", " + kind, Names: binsOf(r, h), Bars: []export.Bars{bars},
				Y: export.ChartAxis{Label: "runs", Unit: grid.Count, FromZero: true}, Low: true})
		}
		p.Sections = append(p.Sections, s)
	}
	pairs := export.Sheet{Title: m.Name + " of all pairs, " + kind, Head: []string{"pair", v.names[0], v.names[1]}}
	for i := range r.Pairs {
		pairs.Rows = append(pairs.Rows, []string{strconv.Itoa(i + 1), text(r.Pairs[i][0]), text(r.Pairs[i][1])})
	}
	p.Sections = append(p.Sections, export.Section{Title: "Pairs", Tables: []export.Sheet{pairs}})
	return p
}
