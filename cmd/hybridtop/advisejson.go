package main

import (
	"io"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
)

// The JSON document of advise. Times are simulated, except those whose name ends in _model.
type (
	adviceDocument struct {
		Schema      string            `json:"schema"`
		Kind        engine.Kind       `json:"kind"`
		Scenario    engine.Scenario   `json:"scenario"`
		Paper       string            `json:"paper"`
		Vary        []string          `json:"vary"`
		VaryLate    []string          `json:"vary_at_winner"`
		Simulations int               `json:"simulations"`
		Candidates  []adviceCandidate `json:"candidates"`
		Flips       []adviceFlip      `json:"flips"`
		Unconfirmed []adviceFlip      `json:"unconfirmed"`
		Searched    bool              `json:"searched"`
		NoSearch    string            `json:"no_search"`
		Conclusion  string            `json:"conclusion"`
		Check       *adviceCheck      `json:"check,omitempty"`
	}
	adviceCandidate struct {
		Place         int               `json:"place"`
		Knobs         map[string]string `json:"knobs"`
		Own           bool              `json:"own"`
		Seconds       *float64          `json:"time"`
		Ps            cluster.Time      `json:"time_ps"`
		Ratio         *float64          `json:"ratio"`
		Seeds         []cluster.Time    `json:"seeds_ps,omitempty"`
		Modelled      *float64          `json:"time_model"`
		MemoryPerNode int64             `json:"memory_per_node"`
		Pruned        bool              `json:"pruned"`
		Refusal       string            `json:"refusal"`
	}
	adviceFlip struct {
		Key       string      `json:"key"`
		Source    string      `json:"source"`
		Predicted float64     `json:"predicted_factor"`
		Factor    float64     `json:"factor"`
		Value     float64     `json:"value"`
		Unit      string      `json:"unit"`
		Before    adviceSides `json:"before"`
		After     adviceSides `json:"after"`
		Reason    string      `json:"reason"`
	}
	adviceSides struct {
		Factor   float64      `json:"factor"`
		Winner   cluster.Time `json:"winner_ps"`
		RunnerUp cluster.Time `json:"runner_up_ps"`
	}
	adviceCheck struct {
		File  string  `json:"file"`
		Ranks int     `json:"ranks"`
		Ratio float64 `json:"ratio"`
	}
)

// modelTime returns the modelled time of a candidate.
func modelTime(c *advise.Candidate) cluster.Time { return cluster.FromSeconds(c.Modelled) }

// document returns the JSON document.
func (x *adviceText) document() *adviceDocument {
	d := &adviceDocument{Schema: "hybridtop.advise.v1", Kind: x.kind, Scenario: x.Scenario, Paper: x.paper, Simulations: x.Simulations,
		Searched: x.Searched, NoSearch: x.NoSearch, Vary: []string{}, VaryLate: []string{}, Candidates: []adviceCandidate{},
		Flips: jsonFlips(x.Flips), Unconfirmed: jsonFlips(x.Unproven)}
	for _, a := range x.Axes {
		d.Vary = append(d.Vary, a.Knob)
	}
	for _, a := range x.Late {
		d.VaryLate = append(d.VaryLate, a.Knob)
	}
	for _, c := range x.Candidates {
		o := adviceCandidate{Place: c.Place, Knobs: map[string]string{}, Own: c.Own, Ps: c.Time, Seeds: c.Seeds, MemoryPerNode: c.MemoryPerNode,
			Pruned: c.Pruned, Refusal: c.Refusal}
		for _, k := range c.Knobs {
			o.Knobs[k.Knob] = k.Value
		}
		if c.Run != nil {
			seconds, ratio := c.Time.Seconds(), x.Ratio(c)
			o.Seconds, o.Ratio = &seconds, &ratio
		}
		if c.Modelled > 0 {
			o.Modelled = &c.Modelled
		}
		d.Candidates = append(d.Candidates, o)
	}
	if x.Winner() != nil {
		d.Conclusion = x.Conclusion(timeText)
	}
	if c := x.check; c != nil {
		d.Check = &adviceCheck{File: c.file, Ranks: c.Ranks, Ratio: c.Ratio}
	}
	return d
}

func jsonFlips(all []advise.Flip) []adviceFlip {
	out := []adviceFlip{}
	for i := range all {
		f := &all[i]
		out = append(out, adviceFlip{Key: f.Key, Source: f.Source, Predicted: f.Predicted, Factor: f.Factor, Value: f.Value, Unit: f.Unit,
			Before: adviceSides(f.Near), After: adviceSides(f.Far), Reason: f.Reason})
	}
	return out
}

// writeCSV writes the candidates, one per row.
func (x *adviceText) writeCSV(w io.Writer) error {
	knobs := x.Knobs()
	head := append([]string{"place"}, knobs...)
	head = append(head, "time", "time_ps", "time_model", "memory_per_node", "own", "pruned", "refusal")
	var rows [][]string
	for _, c := range x.Candidates {
		row := []string{strconv.Itoa(c.Place)}
		for _, k := range knobs {
			row = append(row, c.Setting(k))
		}
		seconds, modelled := "", ""
		if c.Run != nil {
			seconds = plain(c.Time.Seconds())
		}
		if c.Modelled > 0 {
			modelled = plain(c.Modelled)
		}
		rows = append(rows, append(row, seconds, strconv.FormatInt(int64(c.Time), 10), modelled, strconv.FormatInt(c.MemoryPerNode, 10),
			strconv.FormatBool(c.Own), strconv.FormatBool(c.Pruned), c.Refusal))
	}
	return writeCSV(w, head, rows)
}
