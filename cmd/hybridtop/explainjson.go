package main

import (
	"io"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/explain"
)

// The JSON document of explain. Times are in s; picoseconds are exact.
type (
	explainDocument struct {
		Schema    string            `json:"schema"`
		Kind      string            `json:"kind"`
		A         *explainedRun     `json:"a,omitempty"`
		B         *explainedRun     `json:"b,omitempty"`
		Waterfall *waterfallParts   `json:"waterfall,omitempty"`
		Changes   []string          `json:"changes,omitempty"`
		Forecast  *explainedOutlook `json:"forecast,omitempty"`
		Curve     []curvePoint      `json:"points,omitempty"`
		Tolerance []toleranceEntry  `json:"tolerances,omitempty"`
		Map       *mapDocument      `json:"map,omitempty"`
		Waits     *waitsDocument    `json:"waits,omitempty"`
		Sentence  string            `json:"sentence,omitempty"`
	}
	explainedRun struct {
		Workload    string            `json:"workload"`
		Machine     string            `json:"machine"`
		Values      map[string]string `json:"values"`
		Seconds     float64           `json:"time"`
		Ps          cluster.Time      `json:"time_ps"`
		Rank        int               `json:"last_rank"`
		Activities  []explainedTerm   `json:"activities"`
		Constants   []explainedTerm   `json:"constants"`
		Phases      []explainedTerm   `json:"parts"`
		Reasons     []explainedTerm   `json:"reasons"`
		Sensitivity []sensitivityTerm `json:"sensitivity"`
		Pieces      []explainedPiece  `json:"longest_pieces"`
		Choices     string            `json:"choices"`
	}
	explainedTerm struct {
		Name  string       `json:"name"`
		Note  string       `json:"note,omitempty"`
		Ps    cluster.Time `json:"time_ps"`
		Count *float64     `json:"count,omitempty"`
		Unit  string       `json:"count_unit,omitempty"`
		Where string       `json:"where,omitempty"`
		Why   string       `json:"why,omitempty"`
	}
	sensitivityTerm struct {
		Key   string  `json:"key"`
		Share float64 `json:"percent_per_percent"`
	}
	explainedPiece struct {
		Name   string       `json:"name"`
		Note   string       `json:"note,omitempty"`
		Rank   int          `json:"rank"`
		Start  cluster.Time `json:"start_ps"`
		Ps     cluster.Time `json:"time_ps"`
		Reason string       `json:"reason,omitempty"`
		Part   string       `json:"part,omitempty"`
	}
	waterfallParts struct {
		Ps         cluster.Time    `json:"difference_ps"`
		Activities []explainedTerm `json:"activities"`
		Constants  []explainedTerm `json:"constants"`
		Phases     []explainedTerm `json:"parts"`
		Reasons    []explainedTerm `json:"reasons"`
	}
	explainedOutlook struct {
		Known       bool         `json:"known"`
		Line        cluster.Time `json:"line_ps"`
		Low         cluster.Time `json:"low_ps"`
		High        cluster.Time `json:"high_ps"`
		Simulated   cluster.Time `json:"simulated_ps"`
		SameChoices bool         `json:"same_choices"`
		Inside      bool         `json:"inside"`
	}
	curvePoint struct {
		Part float64 `json:"part"`
		explainedOutlook
	}
)

func jsonForecast(p *explain.CurvePoint) explainedOutlook {
	return explainedOutlook{Known: p.Known, Line: p.Line, Low: p.Low, High: p.High, Simulated: p.Simulated.Total,
		SameChoices: p.SameChoices, Inside: p.Inside()}
}

// document returns the JSON document.
func (x *explanation) document(longest int) *explainDocument {
	if w := x.waiting; w != nil {
		return &explainDocument{Schema: "hybridtop.explain.v1", Kind: string(w.Kind), Waits: &waitsDocument{Workload: w.Scenario.Workload,
			Threads: w.Threads, Ps: w.Total, Reasons: jsonTerms(w.Waits)}}
	}
	d := &explainDocument{Schema: "hybridtop.explain.v1", Kind: "simulated", A: jsonRun(x.a, longest)}
	for _, c := range x.changes {
		d.Changes = append(d.Changes, c.String())
	}
	d.Tolerance, d.Map = x.jsonTolerances(), jsonMap(x.decisions)
	if x.b == nil {
		return d
	}
	d.B = jsonRun(x.b, longest)
	f := explain.Compare(x.a, x.b)
	d.Waterfall = &waterfallParts{Ps: f.B - f.A, Activities: jsonBars(f.Spent), Constants: jsonBars(f.Constants),
		Phases: jsonBars(f.Phases), Reasons: jsonBars(f.Reasons)}
	d.Sentence = f.Sentence(timeText)
	if w := x.whatIf(); w != nil {
		f := jsonForecast(w)
		d.Forecast = &f
	}
	if len(x.curve) > 1 {
		for i := range x.curve {
			d.Curve = append(d.Curve, curvePoint{x.curve[i].Part, jsonForecast(&x.curve[i])})
		}
	}
	return d
}

func jsonRun(r *explain.Run, longest int) *explainedRun {
	e := &explainedRun{Workload: r.Scenario.Workload, Machine: r.Machine.Name, Values: r.Scenario.Values,
		Seconds: r.Total.Seconds(), Ps: r.Total, Rank: r.Path.Rank, Activities: jsonTerms(r.Spent),
		Constants: jsonTerms(r.Terms), Phases: jsonTerms(r.Phases), Reasons: jsonTerms(r.Reasons),
		Choices: strconv.FormatUint(r.Path.Choices, 16)}
	for _, s := range r.Sensitivities() {
		e.Sensitivity = append(e.Sensitivity, sensitivityTerm{s.Key, s.Share})
	}
	for _, s := range r.Longest(longest) {
		e.Pieces = append(e.Pieces, explainedPiece{Name: s.Constant.Name(&r.Machine), Note: s.Note.String(), Rank: s.Rank,
			Start: s.Start, Ps: s.Span, Reason: s.Reason.String(), Part: s.Phase})
	}
	return e
}

func jsonTerms(all []explain.Term) []explainedTerm {
	out := make([]explainedTerm, len(all))
	for i := range all {
		t := &all[i]
		out[i] = explainedTerm{Name: t.Name, Note: t.Note, Ps: t.Span, Unit: t.Unit, Where: t.Where, Why: t.Why}
		if t.Count != 0 {
			out[i].Count = &t.Count
		}
	}
	return out
}

func jsonBars(all []explain.Bar) []explainedTerm {
	out := make([]explainedTerm, len(all))
	for i := range all {
		b := &all[i]
		out[i] = explainedTerm{Name: b.Name, Note: b.Note, Ps: b.Span(), Where: b.Where, Why: b.Why}
	}
	return out
}

// writeCSV writes the terms, one per row. With two runs, the time is B minus A.
func (x *explanation) writeCSV(w io.Writer) error {
	var rows [][]string
	add := func(of string, all []explainedTerm) {
		for i := range all {
			t := &all[i]
			rows = append(rows, []string{of, t.Name, t.Note, strconv.FormatFloat(t.Ps.Seconds(), 'g', -1, 64),
				strconv.FormatInt(int64(t.Ps), 10), t.Where, t.Why})
		}
	}
	d := x.document(0)
	if d.Waits != nil {
		add("wait", d.Waits.Reasons)
	} else if f := d.Waterfall; f != nil {
		add("activity", f.Activities)
		add("constant", f.Constants)
		add("part", f.Phases)
		add("reason", f.Reasons)
	} else {
		add("activity", d.A.Activities)
		add("constant", d.A.Constants)
		add("part", d.A.Phases)
		add("reason", d.A.Reasons)
	}
	return writeCSV(w, []string{"of", "name", "note", "time", "time_ps", "where", "why"}, rows)
}
