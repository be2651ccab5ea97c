package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	lanes "github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Limits of the page of a recording, so that a browser can open a recording of hours.
const (
	pageSpans    = 600     // of a chart over time: each has its minimum and maximum
	pageLaunches = 40      // with their own charts
	pageRows     = 500     // of a table
	pageSamples  = 1 << 15 // read at once
)

// recordingPage returns a report of a run of a recording.
func recordingPage(f *recording.File, run *recording.RunInfo) (*export.Page, error) {
	launches, err := f.Launches(run.ID)
	if err != nil {
		return nil, err
	}
	marks, err := f.Marks(run.ID)
	if err != nil {
		return nil, err
	}
	p := &export.Page{Title: runTitle(launches), Facts: runFacts(f, run, launches)}
	if run.Sweep != "" {
		p.Lead = append(p.Lead, "A point of a sweep: "+run.Sweep+".")
	}
	kinds := kindsOf(launches)
	p.Lead = append(p.Lead, "Numbers of launches are "+kinds+" unless a table states another kind. Charts over the "+
		"run use wall time since its start.")
	series, err := seriesSection(f, run, launches, marks, kinds)
	if err != nil {
		return nil, err
	}
	p.Sections = append(p.Sections, launchesSection(launches))
	player, _ := f.Player(run.ID) // another version has no readable snapshots, but everything else
	if player != nil {
		// If the snapshot cannot be read, only its sentence is missing.
		if last, err := player.At(run.Length); err == nil && last.Why != "" {
			p.Lead = append([]string{sentence(strings.TrimSuffix(last.Why, "."))}, p.Lead...)
		}
	}
	var activities []export.Bars
	var named []string
	for i := range launches {
		l := &launches[i]
		if sums, there, err := f.Activities(l.ID); err != nil {
			return nil, err
		} else if there && len(named) < pageLaunches {
			activities, named = addActivities(activities, len(named), &sums), append(named, fmt.Sprint("launch ", i+1))
		}
	}
	for i := range launches {
		if i == pageLaunches {
			p.Sections = append(p.Sections,
				export.Section{Title: "More launches",
					Text: []string{fmt.Sprintf("%d more launches are only in the table above.", len(launches)-i)}})
			break
		}
		last := run.Length
		if i+1 < len(launches) {
			last = launches[i+1].At - 1
		}
		s, err := launchSection(f, player, &launches[i], i+1, last)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, s)
	}
	if named != nil {
		p.Sections = append(p.Sections, export.Section{Title: "Thread activity", Charts: []export.Chart{{
			Title: "Share of the threads' time by activity, " + kinds,
			Y:     export.ChartAxis{Label: "share", Unit: grid.Share, FromZero: true}, Names: named, Bars: activities,
		}}})
	}
	commands, err := f.Commands(run.ID)
	if err != nil {
		return nil, err
	}
	if len(commands)+len(marks) > 0 {
		p.Sections = append(p.Sections, commandsSection(commands, marks))
	}
	p.Sections = append(append(p.Sections, machineSections(launches)...), series)
	p.Foot = []string{"Made by hybridtop export --to html from " + f.Name + ", run " + strconv.FormatInt(run.ID, 10) +
		".", kindsText}
	return p, nil
}

const kindsText = "Measured: wall clock of this host. Emulated: on this host, with a machine's delays. Simulated: " +
	"in virtual time. Modelled: a closed formula. Published: from a paper."

// runTitle returns the title of a run, with its programs.
func runTitle(launches []recording.LaunchInfo) string {
	var names []string
	for i := range launches {
		if w := launches[i].Scenario.Workload; !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	if names == nil {
		return "A recording without a launch"
	}
	return strings.Join(names, ", ") + ": a recorded run"
}

func runFacts(f *recording.File, run *recording.RunInfo, launches []recording.LaunchInfo) []export.Pair {
	state := "complete"
	if !run.Finished {
		state = "cut off"
	}
	all := []export.Pair{
		{Name: "recorded",
			Value: run.Began.UTC().Format("2006-01-02 15:04:05 UTC") + ", " + run.Length.Round(time.Millisecond).String() +
				", " + state},
		{Name: "program", Value: "hybridtop, " + programText(run.Program(), run.Rules)},
		{Name: "host", Value: fmt.Sprintf("%s/%s, %d cores", run.OS, run.Arch, run.Cores)},
		{Name: "launches", Value: strconv.Itoa(len(launches))},
	}
	if intervals, messages, err := f.Dropped(run.ID); err == nil && intervals+messages > 0 {
		all = append(all,
			export.Pair{Name: "not recorded",
				Value: fmt.Sprintf("%d intervals and %d messages, because they came too fast", intervals, messages)})
	}
	if run.Lost > 0 {
		all = append(all, export.Pair{Name: "lost", Value: fmt.Sprintf("%d snapshots, because they came too fast", run.Lost)})
	}
	return all
}

// kindsOf returns the kinds of a run's numbers.
func kindsOf(launches []recording.LaunchInfo) string {
	var all []string
	for i := range launches {
		if k := string(launches[i].Kind); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return strings.Join(all, " and ")
}

// launchBadges returns the outcome of a launch.
func launchBadges(l *recording.LaunchInfo) []export.Badge {
	var all []export.Badge
	switch {
	case l.Failure != "":
		all = append(all, export.Badge{Word: "failed", Tone: export.Bad})
	case l.Verified():
		all = append(all, export.Badge{Word: "verified", Tone: export.Good})
	case l.Verification.Done:
		all = append(all, export.Badge{Word: "verification failed", Tone: export.Bad})
	default:
		all = append(all, export.Badge{Word: "nothing verified", Tone: export.Amiss})
	}
	switch {
	case !l.Ended:
		all = append(all, export.Badge{Word: "recording ends before the launch", Tone: export.Amiss})
	case l.Cut:
		all = append(all, export.Badge{Word: "stopped inside an iteration", Tone: export.Amiss})
	}
	return append(all, export.Badge{Word: string(l.Kind), Tone: export.Plain})
}

func hashText(l *recording.LaunchInfo) string {
	if l.Virtual == nil {
		return "–"
	}
	return fmt.Sprintf("%016x", l.Virtual.Hash)
}

// turnedText returns the knobs of a launch that are not at their defaults.
func turnedText(l *recording.LaunchInfo) string {
	var parts []string
	for _, k := range l.ChangedKnobs() {
		parts = append(parts, k[0]+"="+k[1])
	}
	if parts == nil {
		return "all knobs at their defaults"
	}
	return strings.Join(parts, ", ")
}

func launchesSection(launches []recording.LaunchInfo) export.Section {
	t := export.Sheet{Head: []string{"launch", "at", "workload", "machine", "changed knobs", "iterations", "checks",
		"result", "hash"}}
	for i := range launches {
		l := &launches[i]
		if i == pageRows {
			t.Title = fmt.Sprintf("the first %d of %d", i, len(launches))
			break
		}
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(i + 1), l.At.Round(time.Millisecond).String(), l.Scenario.Workload, l.Machine, turnedText(l),
			strconv.Itoa(l.Iterations), strconv.FormatInt(l.Verification.Checks, 10), launchBadges(l)[0].Word, hashText(l),
		})
	}
	return export.Section{Title: "Launches", Tables: []export.Sheet{t}}
}

// A trace is a line over time that has only the minimum and maximum of each span.
type trace struct {
	x, y             []float64
	span             int
	loX, lo, hiX, hi float64
}

func newTrace() trace { return trace{lo: math.NaN(), hi: math.NaN()} }

func (t *trace) add(span int, x, y float64) {
	if span != t.span {
		t.flush()
		t.span = span
	}
	if math.IsNaN(y) {
		return
	}
	if math.IsNaN(t.lo) || y < t.lo {
		t.loX, t.lo = x, y
	}
	if math.IsNaN(t.hi) || y > t.hi {
		t.hiX, t.hi = x, y
	}
}

func (t *trace) flush() {
	switch {
	case math.IsNaN(t.lo):
	case t.loX == t.hiX:
		t.x, t.y = append(t.x, t.loX), append(t.y, t.lo)
	case t.loX < t.hiX:
		t.x, t.y = append(t.x, t.loX, t.hiX), append(t.y, t.lo, t.hi)
	default:
		t.x, t.y = append(t.x, t.hiX, t.loX), append(t.y, t.hi, t.lo)
	}
	t.lo, t.hi = math.NaN(), math.NaN()
}

// seriesSection returns the charts of the samples over the time of the run.
func seriesSection(f *recording.File, run *recording.RunInfo, launches []recording.LaunchInfo, marks []engine.Mark,
	kinds string) (export.Section, error) {
	var rate, ops [cluster.Classes]trace
	local, access := newTrace(), newTrace()
	all := []*trace{&local, &access}
	for c := range cluster.Classes {
		rate[c], ops[c] = newTrace(), newTrace()
		all = append(all, &rate[c], &ops[c])
	}
	whole := max(run.Length, 1)
	for first := int64(0); ; {
		samples, err := f.Samples(run.ID, first, pageSamples)
		if err != nil {
			return export.Section{}, err
		}
		for i := range samples {
			s := &samples[i]
			x, span := s.At.Seconds(), int(float64(s.At)/float64(whole)*pageSpans)
			for c := range cluster.Classes {
				rate[c].add(span, x, s.Rate[c])
				ops[c].add(span, x, s.Ops[c])
			}
			local.add(span, x, s.Local)
			access.add(span, x, s.Access)
		}
		first += int64(len(samples))
		if len(samples) < pageSamples {
			break
		}
	}
	for _, t := range all {
		t.flush()
	}
	var rules []float64
	for i := range launches {
		if i > 0 && i < pageLaunches {
			rules = append(rules, launches[i].At.Seconds())
		}
	}
	for i := range marks {
		if i < pageRows {
			rules = append(rules, marks[i].At.Seconds())
		}
	}
	time := export.ChartAxis{Label: "wall time of the run", Unit: grid.Seconds, FromZero: true}
	byClass := func(title, axis string, unit grid.Unit, of *[cluster.Classes]trace) export.Chart {
		c := export.Chart{Title: title + " by locality, " + kinds, X: time,
			Y: export.ChartAxis{Label: axis, Unit: unit, FromZero: true}, Rules: rules}
		for k := range of {
			c.Curves = append(c.Curves,
				export.Curve{Label: pane.ClassNames[k], Tint: export.Role(grid.Role(k)), X: of[k].x, Y: of[k].y, Line: true})
		}
		return c
	}
	one := func(title, axis string, unit grid.Unit, scale grid.Scale, t *trace) export.Chart {
		return export.Chart{Title: title + ", " + kinds, X: time,
			Y: export.ChartAxis{Label: axis, Unit: unit, Scale: scale, FromZero: scale == grid.Linear}, Rules: rules,
			Curves: []export.Curve{{Tint: export.Series(0), X: t.x, Y: t.y, Line: true}}}
	}
	s := export.Section{Title: "Over the run"}
	if len(rate[cluster.Remote].x) == 0 {
		s.Text = []string{"The run has no sample, because it ended before the first interval did."}
		return s, nil
	}
	s.Charts = append(s.Charts, byClass("Bandwidth", "rate", inUnits.Rate(), &rate),
		byClass("Operations", "rate", grid.PerSecond, &ops))
	if len(access.x) > 0 {
		s.Charts = append(s.Charts, one("Mean access time", "time", grid.Seconds, grid.Log10, &access))
	}
	if len(local.x) > 0 {
		s.Charts = append(s.Charts,
			one("Share of accesses in the local rank's memory", "share", grid.Share, grid.Linear, &local))
	}
	if len(rules) > 0 {
		s.Text = []string{"Dashed lines mark changes of knobs."}
	}
	return s, nil
}

// activityTints has the colours of activities, in the order of their stack.
var activityTints = []struct {
	of   lanes.Activity
	tint export.Tint
}{
	{lanes.ActivityCompute, export.Role(grid.RoleCompute)}, {lanes.ActivityCommunicate, export.Role(grid.RoleCommunicate)},
	{lanes.ActivityCopy, export.Role(grid.RoleCopy)}, {lanes.ActivityWait, export.Role(grid.RoleWait)},
	{lanes.ActivityLock, export.Role(grid.RoleLock)}, {lanes.ActivitySleep, export.Role(grid.RoleSleep)},
}

// addActivities adds one stack to n others.
func addActivities(all []export.Bars, n int, sums *lanes.Sums) []export.Bars {
	total := 0.0
	for _, t := range sums {
		total += float64(t)
	}
	if all == nil {
		for _, a := range activityTints {
			all = append(all, export.Bars{Label: a.of.String(), Tint: a.tint})
		}
	}
	for i, a := range activityTints {
		all[i].Values = append(all[i].Values[:n:n], float64(sums[a.of])/max(total, 1))
	}
	return all
}

// launchSection returns the section of a launch: iterations, latencies, results, knobs. Its last
// snapshot was published at the time last or earlier.
func launchSection(f *recording.File, player *recording.Player, l *recording.LaunchInfo, number int,
	last time.Duration) (export.Section, error) {
	s := export.Section{Title: fmt.Sprintf("Launch %d: %s", number, l.Scenario.Workload), Badges: launchBadges(l),
		Text: []string{sentence(turnedText(l))}}
	if l.Failure != "" {
		s.Text = append(s.Text, l.Failure)
	}
	s.Facts = []export.Pair{{Name: "machine", Value: l.Machine}, {Name: "fabric", Value: l.Fabric},
		{Name: "iterations", Value: strconv.Itoa(l.Iterations)},
		{Name: "verification",
			Value: strings.TrimSpace(strings.TrimSuffix(fmt.Sprintf("%d checks: %s", l.Verification.Checks,
				l.Verification.Detail), ": "))}}
	if v := l.Virtual; v != nil {
		s.Facts = append(s.Facts, export.Pair{Name: "hash", Value: hashText(l)},
			export.Pair{Name: "virtual time", Value: v.Time.String()},
			export.Pair{Name: "events", Value: strconv.FormatUint(v.Events, 10)})
	}
	var snap *engine.Snapshot
	if player != nil {
		// If a snapshot cannot be read, only its charts are missing.
		if x, err := player.At(last); err == nil && x.Scenario.Workload == l.Scenario.Workload {
			snap = x
			for i := range snap.Studies {
				for n := range snap.Studies[i].Charts {
					if c, there := studyChart(snap.Studies[i], n); there {
						s.Charts = append(s.Charts, c)
					}
				}
			}
		}
	}
	times, err := f.Iterations(l.ID)
	if err != nil {
		return s, err
	}
	iterations := newTrace()
	for i, t := range times {
		iterations.add(i*pageSpans/len(times), float64(i+1), t)
	}
	iterations.flush()
	if len(times) > 1 {
		curve := export.Curve{Tint: export.Series(0), X: iterations.x, Y: iterations.y, Line: true}
		if len(times) <= 60 {
			curve.Point = export.Disc
		}
		s.Charts = append(s.Charts,
			export.Chart{Title: "Iteration time, " + string(l.Kind), X: export.ChartAxis{Label: "iteration", Unit: grid.Count},
				Y: export.ChartAxis{Label: "time", Unit: grid.Seconds, FromZero: true}, Curves: []export.Curve{curve}})
	}
	latencies, err := f.Latencies(l.ID)
	if err != nil {
		return s, err
	}
	if c, there := spreadChart(latencies, l); there {
		s.Charts = append(s.Charts, c)
	}
	if snap != nil {
		if c, there := latencyChart(snap); there {
			s.Charts = append(s.Charts, c)
		}
		if snap.Why != "" {
			s.Text = append(s.Text, sentence(strings.TrimSuffix(snap.Why, ".")))
		}
	}
	metrics := export.Sheet{Title: "results", Head: []string{"name", "value", "kind"}}
	for i, m := range l.Metrics {
		if i == pageRows {
			break
		}
		metrics.Rows = append(metrics.Rows, []string{m.Name, text(m), string(m.Kind)})
	}
	knobs := export.Sheet{Title: "knobs", Head: []string{"name", "value", "default", "unit", "meaning"}}
	for i := range l.Scenario.Table {
		k := &l.Scenario.Table[i]
		if i == pageRows {
			break
		}
		knobs.Rows = append(knobs.Rows, []string{k.Name, l.Scenario.Values[k.Name], k.Default, k.Unit, k.Label})
	}
	for _, t := range []export.Sheet{metrics, knobs} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return s, nil
}

// spreadChart returns a chart of access times over a launch, or false if there is at most one
// interval.
func spreadChart(all []recording.LatencyInfo, l *recording.LaunchInfo) (export.Chart, bool) {
	c := export.Chart{Title: "Median and 99th percentile of access times over the launch, " + string(l.Kind),
		X: export.ChartAxis{Label: "wall time of the run", Unit: grid.Seconds},
		Y: export.ChartAxis{Label: "access time", Unit: grid.Seconds, Scale: grid.Log10}}
	if len(all) == 0 || all[0].To == all[len(all)-1].To {
		return c, false
	}
	first, whole := all[0].To, float64(all[len(all)-1].To-all[0].To)
	for k := range cluster.Classes {
		median, p99 := newTrace(), newTrace()
		for i := range all {
			x := &all[i]
			if x.Class != cluster.Class(k) {
				continue
			}
			span := int(float64(x.To-first) / whole * pageSpans)
			median.add(span, x.To.Seconds(), x.P50)
			p99.add(span, x.To.Seconds(), x.P99)
		}
		median.flush()
		p99.flush()
		if len(median.x) > 0 {
			c.Curves = append(c.Curves,
				export.Curve{Label: pane.ClassNames[k] + ": median", Tint: export.Role(grid.Role(k)), X: median.x, Y: median.y, Line: true},
				export.Curve{Label: "99 %", Tint: export.Role(grid.Role(k)), X: p99.x, Y: p99.y, Line: true, Dashed: true})
		}
	}
	return c, len(c.Curves) > 0
}

// latencyChart returns the distribution of access times, or false if there are none.
func latencyChart(s *engine.Snapshot) (export.Chart, bool) {
	c := export.Chart{Title: "Share of accesses up to an access time, " + string(s.Kind),
		X: export.ChartAxis{Label: "access time", Unit: grid.Seconds, Scale: grid.Log10},
		Y: export.ChartAxis{Label: "share of accesses", Unit: grid.Share, FromZero: true}}
	for k := range s.Latency {
		q := &s.Latency[k]
		if q.Count <= 0 || len(q.Buckets) == 0 {
			continue
		}
		curve := export.Curve{Label: fmt.Sprintf("%s: median %s, 99 %% %s", pane.ClassNames[k], grid.Seconds.String(q.P50),
			grid.Seconds.String(q.P99)), Tint: export.Role(grid.Role(k)), Line: true}
		sum := int64(0)
		for i, b := range q.Buckets {
			if i == 0 && len(q.Buckets) == 1 {
				curve.X, curve.Y = append(curve.X, b.Upper*0.999), append(curve.Y, 0)
			}
			sum += b.Count
			curve.X, curve.Y = append(curve.X, b.Upper), append(curve.Y, float64(sum)/float64(q.Count))
		}
		c.Curves = append(c.Curves, curve)
	}
	return c, len(c.Curves) > 0
}

func commandsSection(commands []recording.CommandInfo, marks []engine.Mark) export.Section {
	s := export.Section{Title: "Changes"}
	requests := export.Sheet{Title: "commands", Head: []string{"at", "command", "reason of refusal"}}
	for i, c := range commands {
		if i == pageRows {
			break
		}
		requests.Rows = append(requests.Rows,
			[]string{c.At.Round(time.Millisecond).String(), strings.TrimSpace(c.Verb + " " + c.Knob + " " + c.Value), c.Error})
	}
	changed := export.Sheet{Title: "marks", Head: []string{"at", "mark"}}
	for i, m := range marks {
		if i == pageRows {
			break
		}
		changed.Rows = append(changed.Rows, []string{m.At.Round(time.Millisecond).String(), m.Label})
	}
	for _, t := range []export.Sheet{requests, changed} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

// machineSections returns the machines of the launches, with the source of each constant.
func machineSections(launches []recording.LaunchInfo) []export.Section {
	var all []export.Section
	seen := make(map[string]bool)
	for i := range launches {
		l := &launches[i]
		if seen[l.MachineFile] || l.MachineFile == "" || len(all) == pageLaunches {
			continue
		}
		seen[l.MachineFile] = true
		s := export.Section{Title: "Machine " + l.Machine}
		m, err := presets.ReadMachine(l.Machine, l.MachineFile)
		if err != nil {
			s.Text = []string{"This program cannot read the machine's file: " + safetext.Clean(err.Error())}
		} else {
			s.Tables = []export.Sheet{factSheet(presets.Facts(&m))}
		}
		all = append(all, s)
	}
	return all
}

func factSheet(facts []presets.Fact) export.Sheet {
	t := export.Sheet{Head: []string{"constant", "value", "source"}}
	for _, f := range facts {
		t.Rows = append(t.Rows, []string{f.Key, factText(f), f.Source})
	}
	return t
}
