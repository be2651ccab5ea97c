package main

import (
	"io"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/presets"
)

// reproduceResult is the result of figures, as docs/json.md describes it.
type reproduceResult struct {
	Schema    string          `json:"schema"`
	Pass      bool            `json:"pass"`
	Recorded  bool            `json:"as_recorded"`
	Summary   []useTally      `json:"summary"`
	Rows      []reproduceRow  `json:"rows"`
	Figures   []figureResult  `json:"figures"`
	Constants []constantValue `json:"constants"`
	Missing   []missingClaim  `json:"missing"`
	Host      host            `json:"host"`
}

type missingClaim struct {
	Claim int    `json:"claim"`
	Paper int    `json:"paper"`
	Place string `json:"place"`
	Says  string `json:"says"`
}

type reproduceRow struct {
	Claim     int              `json:"claim"`
	Figure    string           `json:"figure"`
	Paper     int              `json:"paper"`
	Place     string           `json:"place"`
	Check     string           `json:"check"`
	Says      string           `json:"says"`
	Series    string           `json:"series"`
	X         *float64         `json:"x"`
	Quantity  string           `json:"quantity"`
	Unit      string           `json:"unit"`
	Published *float64         `json:"published"`
	Simulated *float64         `json:"simulated"`
	Modelled  *float64         `json:"modelled"`
	Error     *float64         `json:"error"`
	Use       presets.Use      `json:"use"`
	Reason    string           `json:"reason"`
	Rule      presets.Rule     `json:"rule"`
	Tolerance float64          `json:"tolerance"`
	Least     *float64         `json:"least"`
	Most      *float64         `json:"most"`
	Null      *float64         `json:"null"`
	Pass      bool             `json:"pass"`
	Verdict   presets.Verdict  `json:"verdict"`
	Recorded  *presets.Verdict `json:"recorded"`
	Decided   []string         `json:"decided"`
	Term      string           `json:"term"`
	Note      string           `json:"note"`
	Long      bool             `json:"long"`
	Kept      bool             `json:"kept"`
	Hash      string           `json:"hash"`
	Reach     string           `json:"reach"`
	Measure   string           `json:"measure"`
	Fresh     bool             `json:"moves_fresh"`
	Moves     []moveResult     `json:"moves"`
}

// moveResult is the effect of an assumed constant on a row's check.
type moveResult struct {
	Key    string   `json:"key"`
	Factor float64  `json:"factor"`
	By     *float64 `json:"by"`
	Flips  bool     `json:"flips"`
}

// useTally counts the rows of one use.
type useTally struct {
	Use     presets.Use `json:"use"`
	Rows    int         `json:"rows"`
	Refuted int         `json:"refuted"`
	Failed  int         `json:"failed"`
	Changed int         `json:"changed"`
}

type figureResult struct {
	Name    string        `json:"name"`
	Title   string        `json:"title"`
	Machine string        `json:"machine"`
	Lost    string        `json:"lost"`
	X       string        `json:"x"`
	Y       string        `json:"y"`
	Unit    string        `json:"unit"`
	Curves  []curveResult `json:"curves"`
}

type curveResult struct {
	Series    string     `json:"series"`
	X         []float64  `json:"x"`
	Simulated []*float64 `json:"simulated"`
	Modelled  []*float64 `json:"modelled"`
}

type constantValue struct {
	Machine string `json:"machine"`
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Unit    string `json:"unit"`
	Source  string `json:"source"`
	Claims  []int  `json:"claims"`
	Fitted  []int  `json:"fitted"`
}

func newReproduceResult(r *reproduce.Report) *reproduceResult {
	all := &reproduceResult{
		Schema: "hybridtop.reproduce.v1", Pass: r.Pass(),
		Recorded: !r.Any(func(row *reproduce.Row) bool { return row.Failed || row.Changed() }), Host: thisHost(),
		Rows: []reproduceRow{}, Figures: []figureResult{}, Constants: []constantValue{}, Missing: []missingClaim{},
	}
	for _, t := range r.Tallies() {
		all.Summary = append(all.Summary, useTally{
			Use:     t.Use,
			Rows:    t.Rows,
			Refuted: t.Refuted,
			Failed:  t.Failed,
			Changed: t.Changed,
		})
	}
	for _, row := range r.Rows {
		moves, fresh := row.Effects()
		all.Rows = append(all.Rows, reproduceRow{
			Claim:     row.Claim,
			Figure:    row.Figure,
			Paper:     row.Paper,
			Place:     row.Place,
			Check:     row.Check,
			Says:      row.Says,
			Series:    row.Series,
			X:         engine.Finite(row.X),
			Quantity:  row.Quantity,
			Unit:      row.Unit,
			Published: engine.Finite(row.Published),
			Simulated: engine.Finite(row.Simulated),
			Modelled:  engine.Finite(row.Modelled),
			Error:     engine.Finite(row.Error),
			Use:       row.Use,
			Reason:    row.Reason,
			Rule:      row.Rule,
			Tolerance: row.Tolerance,
			Least:     bound(&row, row.Least),
			Most:      bound(&row, row.Most),
			Null:      engine.Finite(row.Null),
			Pass:      row.Pass,
			Verdict:   row.Verdict(),
			Recorded:  recorded(row.Recorded.VerdictOf(row.Name)),
			Decided:   append([]string{}, row.Recorded.Decided...),
			Term:      row.Term,
			Note:      row.Note,
			Long:      row.Long,
			Kept:      row.Kept,
			Hash:      row.Hash,
			Reach:     row.Reach,
			Measure:   row.Measure,
			Fresh:     fresh,
			Moves:     moveResults(moves),
		})
	}
	for i, c := range r.Curves {
		f := c.Figure
		if i == 0 || f != r.Curves[i-1].Figure {
			all.Figures = append(all.Figures, figureResult{
				Name:    f.Name,
				Title:   f.Title,
				Machine: f.Machine,
				Lost:    f.Lost,
				X:       f.X,
				Y:       f.Y,
				Unit:    c.Unit,
				Curves:  nil,
			})
		}
		last := &all.Figures[len(all.Figures)-1]
		last.Curves = append(last.Curves, curveResult{
			Series:    c.Series.Label,
			X:         c.Series.X,
			Simulated: finite(c.Simulated),
			Modelled:  finite(c.Modelled),
		})
	}
	for _, c := range r.Constants {
		all.Constants = append(all.Constants, constantValue{
			Machine: c.Machine,
			Key:     c.Key,
			Value:   c.Value,
			Unit:    c.Unit,
			Source:  c.Source,
			Claims:  c.Claims,
			Fitted:  append([]int{}, c.FittedClaims...),
		})
	}
	for _, c := range r.Missing {
		all.Missing = append(all.Missing, missingClaim{Claim: c.Number, Paper: c.Paper, Place: c.Place, Says: c.Says})
	}
	return all
}

// moveResults returns nil if the moves are unknown.
func moveResults(moves []presets.Move) []moveResult {
	if moves == nil {
		return nil
	}
	all := []moveResult{}
	for _, m := range moves {
		all = append(all, moveResult{Key: m.Key, Factor: m.Factor, By: engine.Finite(m.By), Flips: m.Flips})
	}
	return all
}

// bound returns the bound of a range or peak, or nil for other rules.
func bound(r *reproduce.Row, x float64) *float64 {
	if r.Rule != presets.Range && r.Rule != presets.Peaks {
		return nil
	}
	return engine.Finite(x)
}

// recorded returns a verdict, or nil if none is recorded.
func recorded(v presets.Verdict) *presets.Verdict {
	if v == "" {
		return nil
	}
	return &v
}

func finite(values []float64) []*float64 {
	all := make([]*float64, len(values))
	for i, v := range values {
		all[i] = engine.Finite(v)
	}
	return all
}

// reproduceCSV writes one line per row.
func reproduceCSV(w io.Writer, r *reproduce.Report) error {
	var lines [][]string
	for _, row := range r.Rows {
		lines = append(lines, []string{
			strconv.Itoa(row.Claim), row.Figure, row.Check, row.Series, plain(row.X), row.Quantity, row.Unit,
			plain(row.Published), plain(row.Simulated), plain(row.Modelled), plain(row.Error),
			string(row.Use), string(row.Rule), plain(row.Tolerance), plain(row.Null), strconv.FormatBool(row.Pass), row.Note,
			string(row.Verdict()), string(row.Recorded.VerdictOf(row.Name)),
		})
	}
	return writeCSV(w,
		[]string{"claim", "figure", "check", "series", "x", "quantity", "unit", "published", "simulated", "modelled", "error",
			"use", "rule", "tolerance", "null", "pass", "note", "verdict", "recorded"}, lines)
}
