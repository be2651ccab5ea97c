package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

// baselineFlag is --baseline: another run, to compare with.
type baselineFlag struct{ file string }

func addBaseline(cmd *cobra.Command) *baselineFlag {
	b := &baselineFlag{}
	cmd.Flags().StringVar(&b.file, "baseline", "",
		"file of another run --json; the result has the ratio of each metric to it")
	return b
}

// earlier is a run from a file.
type earlier struct {
	*engine.Baseline
	file  string
	knobs map[string]any // as in the file
}

// read returns the run of the file, or nil if no file is given. Values of knobs get the spelling
// of the current scenario.
func (b *baselineFlag) read(now *engine.Scenario) (*earlier, error) {
	if b.file == "" {
		return nil, nil
	}
	e, err := openBaseline(b.file, now)
	if err != nil {
		return nil, fmt.Errorf("--baseline %s: %w", b.file, err)
	}
	return e, nil
}

func openBaseline(file string, now *engine.Scenario) (*earlier, error) {
	f, err := inputfile.Open(file, inputfile.Unlimited) // readBaseline has the limit
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	e, err := readBaseline(f, now)
	if err != nil {
		return nil, err
	}
	e.file = file
	return e, nil
}

// Limits of a file. The timeline of a long run is larger.
const (
	maxBaseline   = 64 << 20 // bytes
	maxNames      = 1000     // metrics, or knobs
	maxNameLength = 200      // bytes
)

// runFile has the fields that are read from a run's JSON. A later version may have more.
type runFile struct {
	Schema   string `json:"schema"`
	Scenario struct {
		Workload string         `json:"workload"`
		Knobs    map[string]any `json:"knobs"`
	} `json:"scenario"`
	Verified bool        `json:"verified"`
	Kind     engine.Kind `json:"kind"`
	Warnings []string    `json:"warnings"`
	Metrics  map[string]struct {
		Value *float64    `json:"value"`
		Unit  string      `json:"unit"`
		Kind  engine.Kind `json:"kind"`
	} `json:"metrics"`
}

// readBaseline reads a run from its JSON. The JSON is untrusted.
func readBaseline(r io.Reader, now *engine.Scenario) (*earlier, error) {
	limited := &io.LimitedReader{R: r, N: maxBaseline + 1}
	d := json.NewDecoder(limited)
	d.UseNumber()
	var f runFile
	err := d.Decode(&f)
	if err == nil && d.Decode(&json.RawMessage{}) != io.EOF {
		err = errors.New("unexpected data after the run")
	}
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("more than %d MiB (write the run without a timeline)", maxBaseline>>20)
	case err != nil:
		return nil, fmt.Errorf("not the JSON of a run: %w", err)
	case f.Schema != "hybridtop.run.v1":
		return nil, fmt.Errorf("schema %.40q: want hybridtop.run.v1 (from hybridtop run --json)", f.Schema)
	case !slices.Contains(engine.Kinds, f.Kind):
		return nil, fmt.Errorf("kind %.40q: want one of %v", f.Kind, engine.Kinds)
	case !f.Verified:
		return nil, errors.New("run not verified: a baseline must be a verified run")
	case len(f.Metrics) > maxNames || len(f.Scenario.Knobs) > maxNames:
		return nil,
			fmt.Errorf("%d metrics and %d knobs: want at most %d of each", len(f.Metrics), len(f.Scenario.Knobs), maxNames)
	}
	if _, err := workload.Find(f.Scenario.Workload); err != nil {
		return nil, fmt.Errorf("unknown workload %.40q", f.Scenario.Workload)
	}
	e := &earlier{knobs: f.Scenario.Knobs, Baseline: &engine.Baseline{
		Scenario: engine.Scenario{Workload: f.Scenario.Workload, Values: make(map[string]string)},
		Kind:     f.Kind, Late: f.Kind == engine.Emulated && len(f.Warnings) > 0,
	}}
	for _, name := range slices.Sorted(maps.Keys(f.Scenario.Knobs)) {
		value, err := knobText(f.Scenario.Knobs[name])
		if err == nil {
			err = errors.Join(words(maxNameLength, name), words(cluster.MaxRankingText, value))
		}
		if err != nil {
			return nil, fmt.Errorf("knob %.40q: %w", name, err)
		}
		if k, err := now.Knob(name); err == nil {
			if v, err := k.Parse(value); err == nil {
				value = v // else, for example, a machine that only that run had
			}
		}
		e.Scenario.Values[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(f.Metrics)) {
		m := f.Metrics[name]
		if err := words(maxNameLength, name, m.Unit); err != nil {
			return nil, fmt.Errorf("metric %.40q: %w", name, err)
		}
		if !slices.Contains(engine.Kinds, m.Kind) {
			return nil, fmt.Errorf("metric %s: kind %.40q: want one of %v", name, m.Kind, engine.Kinds)
		}
		if m.Value != nil {
			e.Metrics = append(e.Metrics, engine.Metric{Name: name, Value: *m.Value, Unit: m.Unit, Kind: m.Kind})
		}
	}
	return e, nil
}

// knobText returns a knob's JSON value as text.
func knobText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", errors.New("want a number or a text")
}

// words rejects texts that are too long or cannot be printed.
func words(longest int, all ...string) error {
	for _, s := range all {
		if len(s) > longest {
			return fmt.Errorf("text of %d bytes: want at most %d", len(s), longest)
		}
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
			return fmt.Errorf("unprintable text %q", s)
		}
	}
	return nil
}

// comparison is a run compared with its baseline.
type comparison struct {
	File     string `json:"file"`
	Scenario struct {
		Workload string         `json:"workload"`
		Knobs    map[string]any `json:"knobs"`
	} `json:"scenario"`
	Kind   engine.Kind      `json:"kind"`
	Name   string           `json:"apart"`
	Late   bool             `json:"late"`
	Ratios map[string]ratio `json:"ratios"`
}

// ratio is a metric divided by the baseline's.
type ratio struct {
	Value float64       `json:"ratio"`
	Base  engine.Metric `json:"baseline"`
	text  string
}

// compare compares a run with the baseline. It returns nil if there is no baseline.
func (e *earlier) compare(s *engine.Snapshot) *comparison {
	if e == nil {
		return nil
	}
	a := e.Against(s)
	c := &comparison{File: e.file, Kind: e.Kind, Name: a.Name, Late: a.Inaccurate, Ratios: make(map[string]ratio)}
	c.Scenario.Workload, c.Scenario.Knobs = e.Scenario.Workload, e.knobs
	for i := range s.Metrics {
		m := &s.Metrics[i]
		r, ok := a.Ratio(m)
		if !ok {
			continue
		}
		base := e.Metrics[slices.IndexFunc(e.Metrics, func(b engine.Metric) bool {
			return b.Name == m.Name && b.Unit == m.Unit
		})]
		text := r.Factor()
		if kinds := r.Kinds(); kinds != "" {
			text += " (" + kinds + ")"
		}
		c.Ratios[m.Name] = ratio{Value: r.Value, Base: base, text: text}
	}
	return c
}

// heads returns the columns that a baseline adds to a table of metrics, and cells its values.
func (c *comparison) heads() []string {
	if c == nil {
		return nil
	}
	return []string{"× baseline"}
}

func (c *comparison) cells(metric string) []string {
	if c == nil {
		return nil
	}
	if r, ok := c.Ratios[metric]; ok {
		return []string{r.text}
	}
	return []string{"–"}
}

// plainHeads and plainCells do the same for CSV.
func (c *comparison) plainHeads() []string {
	if c == nil {
		return nil
	}
	return []string{"baseline", "baseline_kind", "ratio"}
}

func (c *comparison) plainCells(metric string) []string {
	if c == nil {
		return nil
	}
	r, ok := c.Ratios[metric]
	if !ok {
		return []string{"", "", ""}
	}
	return []string{plain(r.Base.Value), string(r.Base.Kind), plain(r.Value)}
}

// words describes the run of the baseline.
func (c *comparison) words() string {
	text := fmt.Sprintf("%s, %s (%s)", c.Scenario.Workload, c.Name, c.Kind)
	if strings.HasPrefix(c.Name, c.Scenario.Workload) {
		text = fmt.Sprintf("%s (%s)", c.Name, c.Kind)
	}
	if c.Late {
		text += "; no ratios, because the host fell behind the machine in one of the runs"
	}
	return text
}
