package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/export"
)

// sweepPoint is a point of a recorded sweep.
type sweepPoint struct {
	run     *recording.RunInfo
	row     session.Row
	machine *cluster.Machine
}

// recordedSweepPage returns the report of the sweep that a run is a point of, with all of its points. It
// returns nil if the run belongs to no sweep, or if the file has one readable point.
func recordedSweepPage(f *recording.File, run *recording.RunInfo) (*export.Page, error) {
	all := recordedPoints(f, run)
	if len(all) < 2 {
		return nil, nil
	}
	rows := make([]session.Row, len(all))
	for i := range all {
		rows[i] = all[i].row
	}
	first := rows[0].Snapshot
	metric, err := chartMetric(first.Scenario.Workload, "")
	if err != nil {
		return nil, nil // a workload of another version: the report of the run has its data
	}
	p := sweepPage(first.Scenario, rows, metric, func(i int) *cluster.Machine { return all[i].machine })
	p.Facts = append(p.Facts, export.Pair{Name: "program", Value: "hybridtop, " + programText(run.Program(), run.Rules)})
	for i := range all {
		if i == maxBoxes {
			break
		}
		launches, err := f.Launches(all[i].run.ID)
		if err != nil {
			return nil, err
		}
		marks, err := f.Marks(all[i].run.ID)
		if err != nil {
			return nil, err
		}
		s, err := seriesSection(f, all[i].run, launches, marks, kindsOf(launches))
		if err != nil {
			return nil, err
		}
		s.Title, s.Inner = all[i].row.Name()+", over wall time", i > 0
		p.Sections = append(p.Sections, s)
	}
	p.Foot[0] = "Made by hybridtop export --to html from " + f.Name + ". A report of one point: --run N."
	return p, nil
}

// recordedPoints returns the points of the sweep of a run, in the order of their knobs. A point that was
// recorded again before belongs to an earlier sweep.
func recordedPoints(f *recording.File, run *recording.RunInfo) []sweepPoint {
	names := func(r *recording.RunInfo) string {
		var all []string
		for part := range strings.SplitSeq(r.Sweep, ", ") {
			knob, _, _ := strings.Cut(part, " ")
			all = append(all, knob)
		}
		return strings.Join(all, " ")
	}
	at := slices.IndexFunc(f.Runs, func(r recording.RunInfo) bool { return r.ID == run.ID })
	if at < 0 || run.Sweep == "" {
		return nil
	}
	var all []sweepPoint
	seen := make(map[string]bool)
	for i := at; i >= 0; i-- {
		r := &f.Runs[i]
		if names(r) != names(run) || seen[r.Sweep] {
			break
		}
		seen[r.Sweep] = true
		if p, ok := recordedPoint(f, r); ok && (len(all) == 0 ||
			p.row.Snapshot.Scenario.Workload == all[0].row.Snapshot.Scenario.Workload) {
			all = append(all, p)
		}
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b sweepPoint) int {
		for i := range min(len(a.row.Knobs), len(b.row.Knobs)) {
			x, errX := strconv.ParseFloat(a.row.Knobs[i].Value, 64)
			y, errY := strconv.ParseFloat(b.row.Knobs[i].Value, 64)
			if c := cmp.Compare(x, y); errX == nil && errY == nil && c != 0 {
				return c
			}
		}
		return 0
	})
	return all
}

// recordedPoint returns a point with its last snapshot. It returns false if this program cannot read the
// snapshot.
func recordedPoint(f *recording.File, run *recording.RunInfo) (sweepPoint, bool) {
	p := sweepPoint{run: run}
	player, err := f.Player(run.ID)
	if err != nil {
		return p, false
	}
	p.row.Snapshot, err = player.At(run.Length)
	if err != nil {
		return p, false
	}
	for part := range strings.SplitSeq(run.Sweep, ", ") {
		knob, value, _ := strings.Cut(part, " ")
		p.row.Knobs = append(p.row.Knobs, session.Setting{Knob: knob, Value: value})
	}
	if launches, err := f.Launches(run.ID); err == nil && len(launches) > 0 {
		l := &launches[len(launches)-1]
		if m, err := presets.ReadMachine(l.Machine, l.MachineFile); err == nil {
			p.machine = &m
		}
	}
	return p, true
}
