package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/models"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Verdicts on pairs of simulations.
const (
	isReal   = "real"
	noneSeen = "none seen"
	smaller  = "smaller than"
)

// Limits for the number of seeds. Six pairs are the least for an interval of 95 %.
const (
	fewestSeeds = 6
	mostSeeds   = 1000
)

// negligible is the share of A's median below which all differences of the interval are called smaller than it.
const negligible = 0.02

// compareSeeds simulates both variants with each of several seeds. The runs of a pair have the same seed, so they draw the same noise.
func (v *variants) compareSeeds(ctx context.Context, o session.Options, seeds int, progress io.Writer) ([]round, error) {
	if seeds < fewestSeeds || seeds > mostSeeds {
		return nil, fmt.Errorf("--seeds %d: want %d to %d (6 pairs are the least for 95 %%)", seeds, fewestSeeds, mostSeeds)
	}
	var rows []session.Row
	var scenarios []engine.Scenario
	for n := range seeds {
		for i := range v.scenarios {
			sc := v.scenarios[i].Clone()
			if sc.Text("fabric") != engine.Sim {
				return nil, errors.New("--seeds: want simulations (use --fabric sim, or --pairs for measurements)")
			}
			if err := sc.Set("seed", strconv.FormatInt(sc.Int("seed")+int64(n), 10)); err != nil {
				return nil, err
			}
			rows = append(rows, session.Row{Knobs: []session.Setting{{Knob: "variant", Value: v.names[i]}, {Knob: "seed", Value: sc.Text("seed")}}})
			scenarios = append(scenarios, sc)
		}
	}
	rows, err := session.RunRows(ctx, rows, scenarios, o, newSweepLine(progress))
	if err != nil {
		return nil, err
	}
	all := make([]round, seeds)
	for n := range rows {
		s := rows[n].Snapshot
		switch {
		case s.Failure != "":
			return nil, fmt.Errorf("%s: %s", rows[n].Name(), s.Failure)
		case !verified(s):
			return nil, fmt.Errorf("%s: %s", rows[n].Name(), unverified(s))
		}
		m, ok := session.Headline(s)
		if !ok {
			m.Value = math.NaN()
		}
		r := &all[n/2]
		r.value[n%2], r.dilation[n%2] = m, s.Dilation
	}
	return all, nil
}

// concludeSeeds returns the conclusion from the differences of all pairs.
func (v *variants) concludeSeeds(rounds []round) *conclusion {
	a, b := rounds[0].value[0], rounds[0].value[1]
	if a.Name != b.Name {
		return concludeNothing(fmt.Sprintf("A has numbers of %s, B numbers of %s", a.Name, b.Name))
	}
	x, y := columnsOf(rounds)
	d := models.PairedDifference(x, y)
	if math.IsNaN(d.Level) {
		return concludeNothing(fmt.Sprintf("%d pairs have values: want at least %d", d.Pairs, fewestSeeds))
	}
	middle := models.PairedDifference(make([]float64, len(x)), x).Median
	shown := func(x float64) string {
		m := a
		m.Value = x
		return text(m)
	}
	most := max(math.Abs(d.Low), math.Abs(d.High))
	c := &conclusion{}
	how := fmt.Sprintf("median of B − A %s (%.3g %%: %s to %s) in %d pairs of equal seeds (%s). A: %s, median %s. B: %s.",
		shown(d.Median), 100*d.Level, shown(d.Low), shown(d.High), d.Pairs, a.Kind, v.names[0], shown(middle), v.names[1])
	switch {
	case d.Real():
		c.Verdict = isReal
		c.Text = "the difference is real: " + how
	case d.Low == 0 && d.High == 0:
		c.Verdict = noneSeen
		c.Text = "none seen: all pairs are equal. " + how
	case most <= negligible*math.Abs(middle):
		c.Verdict = smaller
		c.Text = fmt.Sprintf("a difference is smaller than %s: %s", shown(most), how)
	default:
		c.Verdict = noneSeen
		c.Text = "none seen: " + how
	}
	if ratio := (middle + d.Median) / middle; middle != 0 {
		c.Ratio = engine.Finite(ratio)
	}
	return c
}

// columnsOf returns the values of A and of B.
func columnsOf(rounds []round) (a, b []float64) {
	for i := range rounds {
		a, b = append(a, rounds[i].value[0].Value), append(b, rounds[i].value[1].Value)
	}
	return a, b
}

// histogramBins is the number of bins of a histogram.
const histogramBins = 10

// histograms are the distributions of A and of B with the same bins.
type histograms struct {
	metric string
	from   []string              // lower ends of the bins
	counts [2][histogramBins]int // of A and of B
}

// histogramsOf returns the distributions, or nil if all values are equal.
func histogramsOf(rounds []round) *histograms {
	a, b := columnsOf(rounds)
	all := slices.DeleteFunc(slices.Concat(a, b), math.IsNaN)
	if len(all) == 0 {
		return nil
	}
	low, high := slices.Min(all), slices.Max(all)
	if low == high {
		return nil
	}
	h := &histograms{metric: rounds[0].value[0].Name}
	for side, values := range [2][]float64{a, b} {
		for _, x := range values {
			if !math.IsNaN(x) {
				h.counts[side][min(int((x-low)/(high-low)*histogramBins), histogramBins-1)]++
			}
		}
	}
	for i := range histogramBins {
		m := rounds[0].value[0]
		m.Value = low + (high-low)*float64(i)/histogramBins
		h.from = append(h.from, text(m))
	}
	return h
}

// write draws the histograms next to each other.
func (h *histograms) write(w io.Writer) error {
	widest := max(slices.Max(h.counts[0][:]), slices.Max(h.counts[1][:]))
	t := newTable(w)
	t.row()
	t.title(h.metric + ", number of runs")
	t.head("from", "A", "B")
	const cells = 30
	bar := func(n int) string { return strings.Repeat("█", (n*cells+widest-1)/widest) + fmt.Sprintf(" %d", n) }
	for i, from := range h.from {
		t.row(from, bar(h.counts[0][i]), bar(h.counts[1][i]))
	}
	return t.close()
}

// seedsPage returns the report of a comparison of pairs: the conclusion, both histograms and all pairs.
func (v *variants) seedsPage(rounds []round, c *conclusion) *export.Page {
	kind := string(rounds[0].value[0].Kind)
	p := &export.Page{Title: v.scenarios[0].Workload + ": " + v.names[0] + " or " + v.names[1], Lead: []string{sentence(c.Text)},
		Foot: []string{"Made by hybridtop compare --seeds.", kindsText}}
	if h := histogramsOf(rounds); h != nil {
		s := export.Section{Title: "Distributions"}
		for side, name := range v.names {
			bars := export.Bars{Label: name, Tint: export.Series(side)}
			for _, n := range h.counts[side] {
				bars.Values = append(bars.Values, float64(n))
			}
			s.Charts = append(s.Charts, export.Chart{Title: h.metric + " of " + name + ", " + kind, Names: h.from, Bars: []export.Bars{bars},
				Y: export.ChartAxis{Label: "runs", Unit: grid.Count, FromZero: true}, Low: true})
		}
		p.Sections = append(p.Sections, s)
	}
	pairs := export.Sheet{Title: rounds[0].value[0].Name + " of all pairs, " + kind, Head: []string{"pair", v.names[0], v.names[1]}}
	for i := range rounds {
		pairs.Rows = append(pairs.Rows, []string{strconv.Itoa(i + 1), text(rounds[i].value[0]), text(rounds[i].value[1])})
	}
	p.Sections = append(p.Sections, export.Section{Title: "Pairs", Tables: []export.Sheet{pairs}})
	return p
}
