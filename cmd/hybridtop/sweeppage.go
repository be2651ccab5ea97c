package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// writeSweepPage writes the report of a sweep to a file.
func writeSweepPage(ctx context.Context, file string, sc engine.Scenario, rows []session.Row, metric string,
	machines []cluster.Machine) error {
	var b bytes.Buffer
	machine := func(i int) *cluster.Machine { return machineNamed(rows[i].Snapshot.Machine, machines) }
	if err := sweepPage(sc, rows, metric, machine).In(inUnits).HTML(&b); err != nil {
		return err
	}
	return atomicfile.Write(ctx, file, b.Bytes())
}

// machineNamed returns a machine of the user or a built-in one, or nil.
func machineNamed(name string, machines []cluster.Machine) *cluster.Machine {
	if i := slices.IndexFunc(machines, func(m cluster.Machine) bool { return m.Name == name }); i >= 0 {
		return &machines[i]
	}
	if m, err := presets.Machine(name); err == nil {
		return &m
	}
	return nil
}

// sweepPage returns the report of a sweep: the result in words, charts of the metric, the law and the
// studies, and all points as a table. Iterations come last. machine returns the machine of a point, or nil
// if it is unknown.
func sweepPage(sc engine.Scenario, rows []session.Row, metric string, machine func(i int) *cluster.Machine) *export.Page {
	sw := newSweepResult(sc, rows)
	p := &export.Page{Title: fmt.Sprintf("%s: a sweep of %s", sc.Workload, points(len(rows)))}
	if len(rows) == 0 {
		return p
	}
	kinds := sw.kindsText()
	views := sweepStudies(sc.Workload, rows, machine)
	for _, v := range views {
		if v.Why != "" {
			p.Lead = append(p.Lead, v.Why)
			break
		}
	}
	if c := sw.largestChange(); c != "" {
		p.Lead = append(p.Lead, "Largest change from the first point of the same work: "+c+".")
	}
	p.Lead = append(p.Lead, "Numbers are "+kinds+" unless a chart or a table states another kind.")
	p.Facts = []export.Pair{{Name: "machine", Value: rows[0].Snapshot.Machine}, {Name: "points", Value: points(len(rows))},
		{Name: "verified", Value: map[bool]string{true: "all points", false: "not all points"}[sw.Verified]}}
	result := export.Section{Title: "Result"}
	if c, ok := sw.metricChart(metric, kinds); ok {
		result.Charts = append(result.Charts, c)
	}
	if sw.Fit != nil {
		result.Charts = append(result.Charts, sw.lawChart(kinds))
		result.Text = append(result.Text, sw.lawWords())
	}
	p.Sections = append(p.Sections, result)
	for _, v := range views {
		s := export.Section{Title: v.Title}
		if v.Caption != "" {
			s.Text = append(s.Text, sentence(v.Caption))
		}
		for n := range v.Charts {
			if c, ok := studyChart(v, n); ok {
				s.Charts = append(s.Charts, c)
			}
		}
		if len(s.Charts) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	p.Sections = append(p.Sections, sw.pointsSection())
	if c, ok := sw.iterationsChart(kinds); ok {
		p.Sections = append(p.Sections, export.Section{Title: "Iterations", Charts: []export.Chart{c}})
	}
	p.Foot = []string{"Made by hybridtop sweep --html.", kindsText}
	return p
}

// sweepStudies returns the workload's studies with the rows of all points. A study is left out if its
// table cannot compare the points.
func sweepStudies(name string, rows []session.Row, machine func(i int) *cluster.Machine) []engine.StudyView {
	w, err := workload.Find(name)
	if err != nil {
		return nil
	}
	ran := 0
	for i := range rows {
		if rows[i].Snapshot.Failure == "" {
			ran++
		}
	}
	var all []engine.StudyView
	for _, st := range w.Studies {
		t := study.NewTable(st)
		var v engine.StudyView
		for i := range rows {
			s, m := rows[i].Snapshot, machine(i)
			if s.Failure != "" || m == nil {
				continue
			}
			t.Begin(&s.Scenario, m, s.Kind)
			v = t.Look(s)
			t.Fold()
		}
		have := 0
		for i := range v.Rows {
			if v.Rows[i].Kind != "" && v.Rows[i].Kind != engine.Modelled {
				have++
			}
		}
		if have >= min(ran, 2) && ran > 0 {
			all = append(all, v)
		}
	}
	return all
}

// largestChange returns the change with the largest ratio, or "" if there is none.
func (sw *sweepResult) largestChange() string {
	largest, text := 1.0, ""
	for i := range sw.Rows {
		_, words, _ := strings.Cut(sw.Rows[i].Change, ": ")
		head, _, found := strings.Cut(words, "×")
		if ratio, err := strconv.ParseFloat(head, 64); found && err == nil && ratio > largest {
			largest, text = ratio, sw.Rows[i].Change
		}
	}
	return text
}

// metricChart returns the chart of a metric with one mark per point, and the predictions of the law or the
// model.
func (sw *sweepResult) metricChart(metric, kinds string) (export.Chart, bool) {
	c := export.Chart{Title: metric + ", " + kinds, X: export.ChartAxis{Label: "point"}}
	for _, k := range sw.kinds() {
		c.Curves = append(c.Curves, export.Curve{Label: string(k), Tint: export.Kind(pane.KindOf(k)), Point: export.Disc, Line: true})
	}
	var values []float64
	for i := range sw.Rows {
		r := &sw.Rows[i]
		c.Names = append(c.Names, r.row.Name())
		m, ok := r.Metrics[metric]
		if ok {
			c.Y = metricAxis(&m)
			values = append(values, m.Value)
		}
		for n, k := range sw.kinds() {
			y := math.NaN()
			if ok && r.Kind == k {
				y = m.Value
			}
			c.Curves[n].X, c.Curves[n].Y = append(c.Curves[n].X, float64(i)), append(c.Curves[n].Y, y)
		}
	}
	if len(values) == 0 {
		return c, false
	}
	law := export.Curve{Label: "modelled", Tint: export.Kind(grid.Modelled), Point: export.Ring}
	if sw.Fit != nil && sw.Fit.Metric == metric {
		law.Label = "the law, modelled"
		for _, p := range sw.Fit.Predictions {
			law.X, law.Y = append(law.X, float64(p.Row)), append(law.Y, p.Predicted)
		}
	} else {
		for i := range sw.Rows {
			if m, ok := sw.Rows[i].Metrics[metric+"_model"]; ok {
				law.X, law.Y = append(law.X, float64(i)), append(law.Y, m.Value)
			}
		}
	}
	if len(law.X) > 0 {
		c.Curves, values = append(c.Curves, law), append(values, law.Y...)
	}
	c.Y.Scale, c.Y.FromZero = spread(values)
	return c, true
}

// metricAxis returns the axis of a metric.
func metricAxis(m *engine.Metric) export.ChartAxis {
	a := export.ChartAxis{Label: strings.ReplaceAll(m.Name, "_", " "), Unit: grid.Count}
	switch {
	case isShare(m.Name):
		a.Unit = grid.Share
	case siUnits[m.Unit]:
		a.Unit = inUnits.Of(m.Unit)
	case m.Unit != "1" && m.Unit != "":
		a.Label += ", " + m.Unit
	}
	return a
}

// lawChart returns the fitted law as a line over its share, with one mark per point.
func (sw *sweepResult) lawChart(kinds string) export.Chart {
	f := sw.Fit
	c := export.Chart{Title: f.Formula + ", " + kinds + " and modelled",
		X: export.ChartAxis{Label: f.Share + ": share inside the " + f.Within, Unit: grid.Share},
		Y: export.ChartAxis{Label: strings.ReplaceAll(f.Metric, "_", " "), Unit: grid.Seconds, FromZero: true}}
	law := export.Curve{Label: "the law, modelled", Tint: export.Kind(grid.Modelled), Line: true}
	runs := export.Curve{Label: kinds, Tint: export.Kind(pane.KindOf(sw.Rows[0].Kind)), Point: export.Disc}
	sorted := slices.Clone(f.Predictions)
	slices.SortFunc(sorted, func(a, b engine.Prediction) int { return cmp.Compare(a.Share, b.Share) })
	for _, p := range sorted {
		law.X, law.Y = append(law.X, p.Share), append(law.Y, p.Predicted)
		runs.X, runs.Y = append(runs.X, p.Share), append(runs.Y, p.Measured)
	}
	c.Curves = []export.Curve{law, runs}
	return c
}

// lawWords states the law with its constants.
func (sw *sweepResult) lawWords() string {
	var constants []string
	for _, m := range sw.Fit.Constants {
		constants = append(constants, m.Name+" = "+text(m))
	}
	return fmt.Sprintf("The law %s: %s.", sw.Fit.Formula, strings.Join(constants, ", "))
}

// studyChart returns a chart of a study with one mark per row and column, and the lines of its models. It
// returns false for a chart without points.
func studyChart(v engine.StudyView, n int) (export.Chart, bool) {
	spec := &v.Charts[n]
	if spec.Shape == engine.Heat {
		return export.Chart{}, false
	}
	c := export.Chart{Title: v.Title, X: columnAxis(&v.Columns[spec.X], spec.XLog), Y: columnAxis(&v.Columns[spec.Y[0]], spec.YLog)}
	if n < len(v.Plots) && v.Plots[n].Title != "" {
		c.Title += ": " + v.Plots[n].Title
	}
	byRow := spec.Shape != engine.Curve
	if byRow {
		c.X = export.ChartAxis{Label: v.Item}
		for i := range v.Rows {
			c.Names = append(c.Names, v.Rows[i].Label)
		}
	}
	hasPoints := false
	for i, column := range spec.Y {
		byKind := make(map[string]*export.Curve)
		var order []string
		for row := range v.Rows {
			r := &v.Rows[row]
			kind := v.Columns[column].Kind
			if kind == "" {
				kind = r.Kind
			}
			x, y := v.Cell(row, spec.X), v.Cell(row, column)
			if byRow {
				x = float64(row)
			}
			if engine.Finite(x) == nil || engine.Finite(y) == nil || kind == "" {
				continue
			}
			key := r.Series + "\x00" + string(kind)
			k := byKind[key]
			if k == nil {
				label := strings.Join(strings.Fields(r.Series+" "+pane.Or(v.Columns[column].Legend, v.Columns[column].Title)+" "+
					string(kind)), " ")
				k = &export.Curve{Label: label, Tint: export.Series(i + len(order)), Point: export.Disc, Line: spec.Join && !byRow}
				if kind == engine.Modelled {
					k.Tint, k.Point = export.Kind(grid.Modelled), export.Ring
				} else if len(spec.Y) == 1 && r.Series == "" {
					k.Tint = export.Kind(pane.KindOf(kind))
				}
				byKind[key], order = k, append(order, key)
			}
			k.X, k.Y = append(k.X, x), append(k.Y, y)
			hasPoints = true
		}
		for _, key := range order {
			c.Curves = append(c.Curves, *byKind[key])
		}
	}
	if n < len(v.Plots) && !byRow {
		for _, l := range v.Plots[n].Lines {
			k := export.Curve{Label: pane.Or(l.Name, l.Label), Tint: export.Kind(pane.KindOf(l.Kind)), X: l.X, Y: l.Y, Line: true,
				Dashed: l.Look != engine.Plain}
			if l.Look == engine.Faint {
				k.Tint = export.Hint
			}
			c.Curves = append(c.Curves, k)
		}
	}
	return c, hasPoints
}

// columnAxis returns the axis of a study's column.
func columnAxis(c *engine.Column, log int) export.ChartAxis {
	a := metricAxis(&engine.Metric{Name: pane.Or(c.Name, c.Title), Unit: c.Unit})
	if c.Unit == "%" {
		a.Label, a.Unit = strings.ReplaceAll(pane.Or(c.Name, c.Title), "_", " "), grid.Share
	}
	switch log {
	case 2:
		a.Scale = grid.Log2
	case 10:
		a.Scale = grid.Log10
	}
	return a
}

// pointsSection returns the table of all points.
func (sw *sweepResult) pointsSection() export.Section {
	first := &sw.Rows[0]
	t := export.Sheet{}
	for _, k := range first.row.Knobs {
		t.Head = append(t.Head, k.Knob)
	}
	var names []string
	for i := range sw.Rows {
		for _, name := range sw.Rows[i].order {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	t.Head = append(append(t.Head, names...), "iterations", "verified")
	changes := export.Sheet{Title: "compared with the first point of the same work", Head: []string{"point", "change"}}
	for i := range sw.Rows {
		r := &sw.Rows[i]
		var cells []string
		for _, k := range r.row.Knobs {
			cells = append(cells, k.Value)
		}
		for _, name := range names {
			cell := "–"
			if m, ok := r.Metrics[name]; ok {
				cell = text(m)
			}
			cells = append(cells, cell)
		}
		verdict := "no"
		switch {
		case r.failed():
			verdict = "failed: " + firstLine(r.Failure)
		case r.Verified:
			verdict = "yes"
		}
		t.Rows = append(t.Rows, append(cells, strconv.Itoa(r.Iterations), verdict))
		if r.Change != "" {
			changes.Rows = append(changes.Rows, []string{r.row.Name(), r.Change})
		}
	}
	s := export.Section{Title: "All points", Tables: []export.Sheet{t}}
	if len(changes.Rows) > 0 {
		s.Tables = append(s.Tables, changes)
	}
	return s
}

// iterationsChart returns the iteration times of the points, or false if none has two.
func (sw *sweepResult) iterationsChart(kinds string) (export.Chart, bool) {
	c := export.Chart{Title: "Iteration time, " + kinds, X: export.ChartAxis{Label: "iteration", Unit: grid.Count},
		Y: export.ChartAxis{Label: "time", Unit: grid.Seconds}}
	var values []float64
	for i := range sw.Rows {
		times := sw.Rows[i].row.Snapshot.IterationTimes
		if len(times) < 2 || len(c.Curves) == maxBoxes {
			continue
		}
		k := export.Curve{Label: sw.Rows[i].row.Name(), Tint: export.Series(len(c.Curves)), Line: true}
		for n, t := range times {
			k.X, k.Y, values = append(k.X, float64(n+1)), append(k.Y, t), append(values, t)
		}
		c.Curves = append(c.Curves, k)
	}
	if len(values) == 0 {
		return c, false
	}
	c.Y.Scale, c.Y.FromZero = spread(values)
	return c, true
}
