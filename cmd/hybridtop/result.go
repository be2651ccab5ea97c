package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// result is the result of a run, as docs/json.md describes it.
type result struct {
	Schema       string                   `json:"schema"`
	Scenario     engine.Scenario          `json:"scenario"`
	Verified     bool                     `json:"verified"`
	Metrics      map[string]engine.Metric `json:"metrics"`
	Verification engine.Verification      `json:"verification"`
	Iterations   int                      `json:"iterations"`
	Times        []float64                `json:"iteration_times"`
	Latency      map[string]latency       `json:"latency"`
	Samples      map[string]sample        `json:"samples"`
	Tallies      map[string]tally         `json:"tallies"`
	Profiles     map[string]profile       `json:"profiles"`
	Ranked       map[string][]*float64    `json:"by_rank"`
	Traffic      map[string]traffic       `json:"traffic"`
	Layout       layoutView               `json:"layout"`
	Kind         engine.Kind              `json:"kind"`
	Dilation     float64                  `json:"dilation"`
	Late         []float64                `json:"dilations_late"` // of earlier launches that were restarted
	FabricTime   float64                  `json:"fabric_time"`
	virtual
	Elapsed     float64               `json:"elapsed"`
	SizeOnly    *engine.SizeOnly      `json:"size_only"`
	Job         *engine.Job           `json:"job"`
	Memory      int64                 `json:"memory_per_node"`
	Replicas    int                   `json:"replicas"`
	LaunchLine  string                `json:"launch_line"`
	Why         string                `json:"why"`
	Warnings    []string              `json:"warnings"`
	Failure     string                `json:"failure"`
	Interrupted bool                  `json:"interrupted"`
	Host        host                  `json:"host"`
	Timeline    *timeline             `json:"timeline"`
	Studies     map[string][]studyRow `json:"studies"`
	Baseline    *comparison           `json:"baseline"`

	order   []string // of the metrics
	assumed []string // keys of the assumed numbers of a sketch
	snap    *engine.Snapshot
}

// virtual is the outcome of a simulation; all fields are null for other runs.
type virtual struct {
	Hash   *string  `json:"hash"`
	Time   *float64 `json:"virtual_time"`
	Events *uint64  `json:"events"`
	// Repeat is the command that repeats the result bit for bit, if the wall clock has ended the
	// run.
	Repeat *string `json:"repeat"`
	whole  bool
}

func virtualOf(s *engine.Snapshot) (v virtual) {
	if s.Virtual != nil {
		hash := fmt.Sprintf("%016x", s.Virtual.Hash)
		time := s.Virtual.Time.Seconds()
		events := s.Virtual.Events
		v = virtual{Hash: &hash, Time: &time, Events: &events, whole: s.Virtual.Whole}
	}
	return v
}

type latency struct {
	Count int64    `json:"count"`
	Mean  *float64 `json:"mean"`
	Min   *float64 `json:"min"`
	P50   *float64 `json:"p50"`
	P99   *float64 `json:"p99"`
	Max   *float64 `json:"max"`
}

// sample is the distribution of a declared sample.
type sample struct {
	Unit string      `json:"unit"`
	Kind engine.Kind `json:"kind"`
	latency
	Buckets []engine.Bucket `json:"buckets"`
}

// tally is a table of counts.
type tally struct {
	Unit    string      `json:"unit"`
	Each    float64     `json:"each"`
	Kind    engine.Kind `json:"kind"`
	Layer   string      `json:"layer"`
	Layers  []string    `json:"layers"`
	Row     string      `json:"row"`
	Column  string      `json:"column"`
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Counts  [][]int64   `json:"counts"`
}

func newTally(t *engine.Table) tally {
	v := tally{
		Unit:    t.Unit,
		Each:    t.Each,
		Kind:    t.Kind,
		Layer:   t.Layer,
		Layers:  append([]string{}, t.Layers...),
		Row:     t.Row,
		Column:  t.Column,
		Rows:    t.Rows,
		Columns: t.Columns,
		Counts:  [][]int64{},
	}
	for row := range max(len(t.Layers), 1) * len(t.Rows) {
		v.Counts = append(v.Counts, t.Counts[row*len(t.Columns):(row+1)*len(t.Columns)])
	}
	return v
}

// profile holds numbers by index.
type profile struct {
	Unit   string      `json:"unit"`
	Kind   engine.Kind `json:"kind"`
	Over   string      `json:"over"`
	Values []*float64  `json:"values"`
}

func newLatency(q *engine.Quantiles) latency {
	if q.Count == 0 {
		return latency{}
	}
	return latency{
		Count: q.Count,
		Mean:  engine.Finite(q.Mean),
		Min:   engine.Finite(q.Min),
		P50:   engine.Finite(q.P50),
		P99:   engine.Finite(q.P99),
		Max:   engine.Finite(q.Max),
	}
}

type traffic struct {
	Operations int64 `json:"operations"`
	Bytes      int64 `json:"bytes"`
}

type layoutView struct {
	Nodes          int             `json:"nodes"`
	RanksPerNode   int             `json:"ranks_per_node"`
	ThreadsPerRank int             `json:"threads_per_rank"`
	Ranks          int             `json:"ranks"`
	Ranking        cluster.Ranking `json:"ranking"`
	Model          cluster.Model   `json:"model"`
	GroupSize      int             `json:"group_size"`
	N              triple          `json:"n"`
}

type triple struct {
	Groups int `json:"groups"`
	UPC    int `json:"upc_threads_per_group"`
	MPI    int `json:"mpi_ranks"`
}

type host struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

func thisHost() host {
	return host{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
}

// classKeys name the locality classes in JSON.
var classKeys = [cluster.Classes]string{"in_rank", "in_node", "remote"}

func newResult(s *engine.Snapshot, interrupted bool) *result {
	n := s.Layout.N()
	r := &result{
		snap: s, Studies: studyRows(s),
		Schema: "hybridtop.run.v1", Scenario: s.Scenario, Verified: verified(s), Metrics: make(map[string]engine.Metric),
		Verification: s.Verification, Iterations: s.Iteration, Times: append([]float64{}, s.IterationTimes...),
		Latency: make(map[string]latency), Samples: make(map[string]sample), Tallies: make(map[string]tally),
		Profiles: make(map[string]profile), Ranked: make(map[string][]*float64), Traffic: make(map[string]traffic),
		Layout: layoutView{
			Nodes:          s.Layout.Nodes,
			RanksPerNode:   s.Layout.RanksPerNode,
			ThreadsPerRank: s.Layout.ThreadsPerRank,
			Ranks:          s.Layout.Ranks(),
			Ranking:        s.Layout.Ranking,
			Model:          s.Layout.Model,
			GroupSize:      s.Layout.GroupSize(),
			N:              triple{Groups: n.Group, UPC: n.UPC, MPI: n.MPI},
		},
		Kind: s.Kind, Dilation: s.Dilation, Late: []float64{}, FabricTime: s.Fabric.Seconds(), virtual: virtualOf(s),
		Elapsed:  s.Elapsed.Seconds(),
		SizeOnly: s.SizeOnly, Job: s.Job, Memory: s.MemoryPerNode, Replicas: s.Replicas, LaunchLine: s.LaunchLine, Why: s.Why,
		Warnings: append([]string{}, s.Warnings...), Failure: s.Failure, Interrupted: interrupted, Host: thisHost(),
	}
	for _, m := range s.Metrics {
		r.Metrics[m.Name] = m
		r.order = append(r.order, m.Name)
	}
	for i := range s.Samples {
		d := &s.Samples[i]
		r.Samples[d.Name] = sample{Unit: d.Unit, Kind: d.Kind, latency: newLatency(&d.Quantiles), Buckets: d.Buckets}
	}
	for i := range s.Tallies {
		r.Tallies[s.Tallies[i].Name] = newTally(&s.Tallies[i])
	}
	for i := range s.Profiles {
		p := &s.Profiles[i]
		r.Profiles[p.Name] = profile{Unit: p.Unit, Kind: p.Kind, Over: p.Over, Values: finite(p.Values)}
	}
	for i := range s.Ranked {
		r.Ranked[s.Ranked[i].Name] = finite(s.Ranked[i].Values)
	}
	for c, key := range classKeys {
		r.Latency[key] = newLatency(&s.Latency[c])
		r.Traffic[key] = traffic{s.Traffic.Ops[c], s.Traffic.Bytes[c]}
	}
	return r
}

// verified reports whether a run is verified.
func verified(s *engine.Snapshot) bool {
	reason, _ := s.Unverified()
	return reason == ""
}

// unverified returns the error of a run that is not verified.
func unverified(s *engine.Snapshot) string {
	reason, hint := s.Unverified()
	switch {
	case s.Verification.Done && !s.Verification.OK:
		return "verification failed: " + reason
	case hint != "":
		reason += " (" + hint + ")"
	}
	return "not verified: " + reason
}

// write writes the result in the format.
func (r *result) write(w io.Writer, f *format) error {
	switch {
	case f.json:
		return writeJSON(w, r)
	case f.lines:
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	case f.csv:
		var rows [][]string
		for _, name := range r.order {
			m := r.Metrics[name]
			row := []string{name, plain(m.Value), m.Unit, string(m.Kind), strconv.FormatBool(r.Verified)}
			rows = append(rows, append(row, r.Baseline.plainCells(name)...))
		}
		return writeCSV(w, append([]string{"metric", "value", "unit", "kind", "verified"}, r.Baseline.plainHeads()...), rows)
	}
	return errors.Join(r.table(w), writeStudies(w, "", r.snap))
}

// latePhrase returns why a run was restarted, or "" if it was not.
func latePhrase(late []float64) string {
	if len(late) == 0 {
		return ""
	}
	words := make([]string, len(late))
	for i, d := range late {
		words[i] = fmt.Sprintf("%.4g", d)
	}
	return "restarted: the host fell behind with time dilation " + strings.Join(words, ", then ")
}

func (r *result) table(w io.Writer) error {
	l := &r.Layout
	t := newTable(w)
	threads := ""
	if l.ThreadsPerRank > 1 {
		threads = fmt.Sprintf(" × %d threads", l.ThreadsPerRank)
	}
	machine := r.Scenario.Text("machine")
	if len(r.assumed) > 0 {
		machine += " (a sketch: over a third of its numbers are assumed)"
	}
	t.title(fmt.Sprintf("%s on %s: %d nodes × %d ranks%s, %s, N = ⟨%d, %d, %d⟩ (groups, UPC threads per group, "+
		"MPI ranks)", r.Scenario.Workload,
		machine, l.Nodes, l.RanksPerNode, threads, l.Model, l.N.Groups, l.N.UPC, l.N.MPI))
	if v := r.Scenario.Text("ranking"); engine.IsCheapest(v) {
		words, _, _ := strings.Cut(v, ": ")
		t.row("ranking " + words)
	}
	if r.Dilation != 1 {
		t.row(fmt.Sprintf("times are the emulated machine's (time dilation %.4g×, divided out)", r.Dilation))
	}
	if j := r.Job; j != nil {
		t.row(j.String())
	}
	if text := latePhrase(r.Late); text != "" {
		t.row(text)
	}
	if len(r.order) > 0 {
		t.row()
		t.head(append([]string{"metric", "value", "kind"}, r.Baseline.heads()...)...)
	}
	for _, name := range r.order {
		m := r.Metrics[name]
		t.row(append([]string{name, text(m), string(m.Kind)}, r.Baseline.cells(name)...)...)
	}
	seconds := func(x *float64) string { return text(engine.Metric{Value: *x, Unit: "s"}) }
	if slices.ContainsFunc(classKeys[:], func(key string) bool { return r.Latency[key].Count > 0 }) {
		t.row()
		t.head("access", "count", "mean", "p50", "p99", "max")
		for c, key := range classKeys {
			if q := r.Latency[key]; q.Count > 0 {
				t.row(cluster.Class(c).String(), strconv.FormatInt(q.Count, 10), seconds(q.Mean), seconds(q.P50), seconds(q.P99),
					seconds(q.Max))
			}
		}
	}
	t.row()
	if r.Baseline != nil {
		t.row("baseline", r.Baseline.words())
	}
	t.row("iterations", strconv.Itoa(r.Iterations))
	if r.Hash != nil {
		t.row("virtual time", text(engine.Metric{Value: *r.Time, Unit: "s"}))
		t.row("events", strconv.FormatUint(*r.Events, 10))
		t.row("hash", r.covers())
	}
	if r.Memory > 0 { // else the program has no segments
		t.row("memory", text(engine.Metric{Value: float64(r.Memory), Unit: "B"})+" per node")
	}
	if d := r.SizeOnly; d != nil {
		bytes := func(n int64) string { return text(engine.Metric{Value: float64(n), Unit: "B"}) }
		t.row("data", fmt.Sprintf("size-only above %s per rank (knob real-limit; here %s); only a small instance is checked",
			bytes(d.Limit), bytes(d.Bytes)))
	}
	t.row("verified", r.verdict())
	for _, warning := range r.Warnings {
		t.row("warning", warning)
	}
	if r.Why != "" {
		t.row("why", r.Why)
	}
	if len(r.assumed) > 0 {
		t.row("assumed", strings.Join(r.assumed, ", "))
	}
	t.command("launch", engine.Launches(&r.snap.Layout, "myapp")[0].Command)
	if r.LaunchLine != "" {
		t.command("MPI + UPC", r.LaunchLine)
	}
	return t.close()
}

// covers returns the hash and, if the wall clock has ended the run, the iterations that it covers.
func (r *result) covers() string {
	switch {
	case !r.whole && r.Failure == "":
		return fmt.Sprintf("%s (stopped inside an iteration, after %s; not repeatable)", *r.Hash, iterations(r.Iterations))
	case r.Repeat != nil:
		return fmt.Sprintf("%s (%s, ended by the wall clock; to repeat exactly these:)\n%s", *r.Hash,
			iterations(r.Iterations), *r.Repeat)
	}
	return *r.Hash
}

func iterations(n int) string {
	if n == 1 {
		return "1 iteration"
	}
	return strconv.Itoa(n) + " iterations"
}

func (r *result) verdict() string {
	v := r.Verification
	switch {
	case r.Verified:
		return fmt.Sprintf("yes, %d checks: %s", v.Checks, v.Detail)
	case r.Failure != "":
		return "no: the run failed"
	case v.Done && !v.OK:
		return "no: " + v.Detail
	case r.Iterations == 0:
		return "no: no iteration ended"
	}
	return "no: no check was made"
}
