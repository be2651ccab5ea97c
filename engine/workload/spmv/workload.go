package spmv

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

func init() { workload.Register(&spmv) }

// maxRows is the maximum number of rows of a process that stores numbers: their entries are
// counted in 32 bits.
const maxRows = math.MaxInt32 / entries

var spmv = workload.Workload{
	Name:  "spmv",
	Title: "Sparse matrix-vector product",
	Doc: "A seven-point matrix on a periodic grid times a vector. Each process owns a block of planes and has " +
		"several threads. Every product runs twice: masteronly, where all other threads sleep while one communicates, " +
		"and by the scheme of the knob threading, where they compute meanwhile. " +
		"ε = T_masteronly / T_scheme is the speedup of the scheme. Increase the local planes until it no longer pays, " +
		"and reserve more threads. Set nowait = off under threading = serialized to see what the implied barrier of SINGLE " +
		"costs. Omit the barriers of a MASTER section (master-section = bare) to see the wrong result.",
	Paper: "paper 2, section 7.2",
	Knobs: []engine.Knob{
		{Name: "ni", Label: "n_i", Doc: "points of the grid along i", Type: engine.Integer, Default: "40", Min: 1,
			Max:     1 << 14,
			Choices: []string{"8", "16", "40", "64", "128", "256", "512"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "communication compared with computing: the points of a plane are sent, all points are computed",
			Paper: "paper 2, section 7.2.2"},
		{Name: "nj", Label: "n_j", Doc: "points of the grid along j", Type: engine.Integer, Default: "40", Min: 1,
			Max:     1 << 14,
			Choices: []string{"8", "16", "40", "64", "128", "256", "512"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "communication compared with computing, as for n_i", Paper: "paper 2, section 7.2.2"},
		{Name: "local-k", Label: "n_k local", Doc: "planes per process: its share of the grid along k",
			Type: engine.Integer, Default: "4", Min: 1, Max: 1 << 14,
			Choices: []string{"1", "2", "4", "8", "16", "32", "64"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "ε: with more planes communication matters less, until a reserved thread costs more than it saves",
			Paper: "paper 2, section 7.2.2, figure 6"},
		{Name: "reserved", Label: "reserved", Doc: "threads reserved for communication under threading = multiple " +
			"(otherwise 1); balanced: one thread communicates, and computes when it has finished", Type: engine.Integer,
			Default: "1", Min: 1, Max: 1023,
			Choices: []string{balanced, "1", "2", "3", "4"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the bottleneck, communication or computing: more reserved threads shorten the first and lengthen " +
				"the second", Paper: "paper 2, section 7.2.1, figure 5"},
		{Name: "split", Label: "split", Doc: "part of the product that needs the halo; paper: a seventh; planes: the " +
			"rows of the boundary planes", Type: engine.Choice, Default: splitPaper,
			Choices: []string{splitPaper, splitPlanes}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the part of the product that can overlap with communication", Paper: "paper 2, section 7.2.2"},
		{Name: "section", Label: "section",
			Doc: "OpenMP construct around the exchange in a parallel region; level: MASTER under threading = funneled, " +
				"SINGLE under serialized; single: the first thread that arrives (needs serialized)", Type: engine.Choice,
			Default: sectionLevel,
			Choices: []string{sectionLevel, sectionMaster, sectionSingle}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the thread level: any thread may communicate in SINGLE, so it needs SERIALIZED",
			Paper: "paper 2, section 4"},
		{Name: "nowait", Label: "nowait",
			Doc: "barriers that NOWAIT drops with SINGLE; off: none, all threads wait; single: at the end " +
				"of SINGLE; all: also at the end of the next loop (a race)",
			Type: engine.Choice, Default: nowaitSingle,
			Choices: []string{nowaitOff, nowaitSingle, nowaitAll}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "ε: without NOWAIT nothing overlaps; the barrier of the next loop is still needed",
			Paper: "paper 2, section 4"},
		{Name: "master-section", Label: "master section",
			Doc: "barriers of a MASTER section; overlapped: the other threads compute meanwhile; barriers: a barrier before " +
				"and after it (masteronly again); bare: no barriers (a race)", Type: engine.Choice, Default: sectionOverlapped,
			Choices: []string{sectionOverlapped, sectionBarriers, sectionBare}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the barriers on the timeline, and the wrong result with bare", Paper: "paper 2, section 4"},
		workload.RealLimit("3407872"),
	},
	Defaults: map[string]string{"model": "flat", "ranks-per-node": "1", "threads-per-rank": "8", "threading": "masteronly"},
	Question: "should one thread communicate while the others compute?",
	PerRank:  []string{"local-k"},
	Shapes: &workload.Shapes{Problem: map[string]string{"ni": "128", "nj": "128", "local-k": "256"},
		Small: map[string]string{"ni": "8", "nj": "8", "local-k": "2"}, Time: "time_scheme",
		Tolerance: "each checked row equals the operator's to 1e-12"},
	First: "threading", Panes: []string{"overlap", "latency"}, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "time_masteronly", Phrase: "time of masteronly", Unit: "s", Always: true, Parts: []string{"time_comm", "time_overlap", "time_non"},
			Doc: "time of a masteronly product, mean over processes"},
		{Name: "time_scheme", Phrase: "time of the scheme", Unit: "s", Always: true,
			Doc: "time of a product by the scheme, mean over processes"},
		{Name: "time_comm", Phrase: "time of communication", Unit: "s", Always: true,
			Doc: "part of masteronly: exchange of the boundary planes"},
		{Name: "time_overlap", Phrase: "time that can overlap", Unit: "s",
			Doc: "part of masteronly: computing that does not need the halo"},
		{Name: "time_non", Phrase: "time that cannot overlap", Unit: "s",
			Doc: "part of masteronly: computing that needs the halo"},
		{Name: "wrong_rows", Phrase: "share of wrong rows", Unit: "1", Doc: "share of wrong rows in the scheme's product"},
	},
	Derived: []engine.MetricSpec{
		{Name: "f_comm", Phrase: "share of communication", Unit: "1", Doc: "share of masteronly's time for communication"},
		{Name: "f_non", Phrase: "share that cannot overlap", Unit: "1",
			Doc: "share of masteronly's time for computing that needs the halo"},
		{Name: "f_overlap", Phrase: "share that can overlap", Unit: "1",
			Doc: "share of masteronly's time for computing that does not need the halo"},
		{Name: "x_comm_over_x_overlap", Phrase: "communication over overlap", Unit: "1",
			Doc: "communication per point of a plane / computing per point that does not need the halo; the parameter of " +
				"equation (14)"},
		{Name: "epsilon", Phrase: "ε, masteronly/scheme", Unit: "1",
			Doc: "T_masteronly / T_scheme: above 1 the scheme is faster"},
		{Name: "epsilon_model", Phrase: "ε by equation (3)", Unit: "1",
			Doc: "ε by equation (3), from the fractions of the run"},
		{Name: "epsilon_max", Phrase: "maximum ε, equation (5)", Unit: "1",
			Doc: "largest ε at this f_non (the share that cannot overlap), equation (5)"},
		{Name: "epsilon_min", Phrase: "minimum ε, equation (9)", Unit: "1",
			Doc: "smallest ε, without communication, equation (9)"},
		{Name: "epsilon_machine", Phrase: "ε by the machine", Unit: "1",
			Doc: "ε from the machine's constants; fewer threads may saturate the memory"},
		{Name: "x_comm_over_x_overlap_machine", Phrase: "communication over overlap, machine", Unit: "1",
			Doc: "parameter of equation (14), from the machine's constants"},
	},
	Studies:    []*engine.Study{study.Epsilon(schemeFor, readMetrics, "reserved", "local-k", "section", "nowait", "master-section")},
	Accesses:   true,
	Iterations: 4,
	Quick:      map[string]string{"ni": "8", "nj": "8"},
	Plan:       plan,
	Run:        run,
	Finish:     finish,
	Bars:       refusedChoices,
	Doubt:      doubt,
}

// needsSerialized is the reason why FUNNELED refuses a SINGLE construct.
const needsSerialized = "SINGLE lets any thread call MPI, but FUNNELED permits only the master"

// refusedChoices returns the choices that cannot run with the present values of the other knobs.
func refusedChoices(s *engine.Scenario, _ *workload.Site) map[string]map[string]string {
	if s.Threading() != cluster.ThreadFunneled {
		return nil
	}
	return map[string]map[string]string{"section": {sectionSingle: needsSerialized + ": use threading = serialized"}}
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	l := s.Layout()
	n, threading := l.ThreadsPerRank, s.Text("threading")
	if err := workload.CheckThreads(s); err != nil {
		return workload.Plan{}, err
	}
	switch level := s.Threading(); {
	case level <= cluster.ThreadMasteronly:
	case n < 2:
		return fail("threads-per-rank = 1: want 2 or more under threading = %s, where one thread communicates and "+
			"others compute (or use threading = masteronly)", threading)
	case level == cluster.ThreadFunneled && s.Text("section") == sectionSingle:
		return fail("section = single under threading = funneled: %s (use threading = serialized, or section = master)",
			needsSerialized)
	case level == cluster.ThreadMultiple && s.Int("reserved") >= int64(n):
		return fail("reserved = %d of %d threads: no thread is left to compute (use fewer reserved or more threads "+
			"per rank)", s.Int("reserved"), n)
	}
	whole := mesh{ni: int(s.Int("ni")), nj: int(s.Int("nj")), nk: int(s.Int("local-k"))}
	_, m, _ := workload.Parts(on.Store(s, whole.bytes()), func(_ cluster.Store, small bool) (*mesh, error) {
		m := whole.part(small)
		return &m, nil
	})
	if m.rows()+2*int64(m.plane()) > maxRows {
		return fail("ni × nj × local-k = %d × %d × %d points per process: want at most %d (use fewer, or fabric = "+
			"sim with a lower real-limit)", m.ni, m.nj, m.nk, maxRows)
	}
	holds := []workload.Item{{Name: "planes in flight", Per: workload.PerRank, Bytes: 4 * on.Eager(s, 8*int64(m.plane()))}}
	if _, variant := sectionOf(s); variant == sectionBare {
		holds = append(holds, workload.Item{Name: "received planes", Per: workload.PerRank, Bytes: 2 * 8 * int64(m.plane())})
	}
	return workload.Plan{Segment: m.segment(), Items: holds}, nil
}

// finish computes ratios of the times, and adds the predictions of the models.
func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	var all []engine.Metric
	add := func(kind engine.Kind, name string, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, engine.Metric{Name: name, Value: v, Unit: "1", Kind: kind})
		}
	}
	s := &snap.Scenario
	value := func(name string) float64 {
		if v, ok := snap.Metric(name); ok {
			return v.Value
		}
		return math.NaN()
	}
	if f, err := models.FractionsOf(value("time_comm"), value("time_non"), value("time_overlap")); err == nil {
		add(snap.Kind, "f_comm", f.Comm)
		add(snap.Kind, "f_non", f.NonOverlap)
		add(snap.Kind, "f_overlap", f.Overlap)
		add(snap.Kind, "x_comm_over_x_overlap", value("time_comm")*float64(s.Int("local-k"))/value("time_overlap"))
		add(snap.Kind, "epsilon", value("time_masteronly")/value("time_scheme"))
		r, overlaps := reserved(s, f)
		if e, err := models.Epsilon(r, f); err == nil && overlaps {
			add(engine.Modelled, "epsilon_model", e.Value)
		}
		if l, err := models.LimitsOf(r, f.NonOverlap); err == nil && overlaps {
			add(engine.Modelled, "epsilon_max", l.Max)
			add(engine.Modelled, "epsilon_min", l.Min)
		}
	}
	if m.Emulated && snap.Kind != engine.Measured {
		c := Model(s, m)
		add(engine.Modelled, "epsilon_machine", c.Epsilon())
		add(engine.Modelled, "x_comm_over_x_overlap_machine", c.CommCost(int(s.Int("local-k"))))
	}
	return all
}

// reserved returns m and n for equation (3), and reports whether the scheme computes while
// it communicates. For a balanced load, m makes both terms of the max() equal (equation (4)),
// but is at most 1: the one thread that communicates.
func reserved(s *engine.Scenario, f models.Fractions) (models.Reserved, bool) {
	n := s.Layout().ThreadsPerRank
	r := models.Reserved{M: 1, N: n}
	switch s.Threading() {
	case cluster.ThreadFunneled, cluster.ThreadSerialized:
		_, variant := sectionOf(s)
		return r, variant == sectionOverlapped
	case cluster.ThreadMultiple:
		r.M = s.Float("reserved")
		if s.Text("reserved") == balanced {
			r.M = min(1, float64(n)*f.Comm/(f.Comm+float64(n)*f.Overlap))
		}
		return r, true
	}
	return r, false
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	level := s.Threading()
	construct, _ := sectionOf(s)
	switch {
	case knob == "reserved" && level != cluster.ThreadMultiple:
		return "only threading = multiple uses this knob"
	case knob == "section" && level == cluster.ThreadFunneled:
		return "FUNNELED permits MPI calls only by the master, so the section is MASTER: use threading = serialized"
	case knob == "section" && level != cluster.ThreadSerialized:
		return "only threading = funneled and serialized have one thread at a time communicate in the region"
	case knob == "nowait" && construct != sectionSingle:
		return "only SINGLE has an implied barrier: use threading = serialized with section = single"
	case knob == "master-section" && construct != sectionMaster:
		return "only a MASTER section has these barriers: use threading = funneled, or section = master"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
