package main

import (
	"io"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
)

// studyRow is a row of a study with more data than the metrics of its run.
type studyRow struct {
	Label  string              `json:"label"`
	Series string              `json:"series"`
	Kind   engine.Kind         `json:"kind"`
	Cells  map[string]*float64 `json:"cells"`
}

// studyRows returns the rows of all listed studies, by name of the study.
func studyRows(s *engine.Snapshot) map[string][]studyRow {
	all := make(map[string][]studyRow)
	for i := range s.Studies {
		v := &s.Studies[i]
		if !v.Listed {
			continue
		}
		rows := []studyRow{}
		for k := range v.Rows {
			r := &v.Rows[k]
			if r.Kind == "" { // not run
				continue
			}
			cells := make(map[string]*float64)
			for c := range v.Columns {
				cells[v.Columns[c].Name] = engine.Finite(v.Cell(k, c))
			}
			rows = append(rows, studyRow{Label: r.Label, Series: r.Series, Kind: r.Kind, Cells: cells})
		}
		all[v.Name] = rows
	}
	return all
}

// writeStudies writes the rows of all listed studies. The point is the point of a sweep, or "" for
// a run.
func writeStudies(w io.Writer, point string, s *engine.Snapshot) error {
	t := newTable(w)
	for i := range s.Studies {
		v := &s.Studies[i]
		if !v.Listed || !slices.ContainsFunc(v.Rows, func(r engine.Row) bool { return r.Kind != "" }) {
			continue
		}
		t.row()
		head := []string{v.Item}
		if point != "" {
			head[0] = point + ": " + v.Item
		}
		for _, c := range v.Columns {
			head = append(head, c.Name)
		}
		t.head(append(head, "kind")...)
		for k := range v.Rows {
			if v.Rows[k].Kind == "" {
				continue
			}
			cells := []string{v.Rows[k].Label}
			for c := range v.Columns {
				cells = append(cells, text(engine.Metric{Name: v.Columns[c].Name, Value: v.Cell(k, c), Unit: v.Columns[c].Unit}))
			}
			t.row(append(cells, string(v.Rows[k].Kind))...)
		}
	}
	return t.close()
}
