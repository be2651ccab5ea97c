package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/presets"
)

func preset(t *testing.T, name string) cluster.Machine {
	t.Helper()
	m, err := presets.Machine(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// truth is a host that follows the formulas.
type truth struct {
	// of messages in cells
	shortO, shortL float64
	// of messages in buffers
	o, l, copy float64
	// per byte of messages that are copied once, and beyond a limit
	long, far float64
	// gaps: of messages in cells, and in buffers
	g, held                                                                     float64
	local, localPerByte, peer, anyLocal, anyPeer, atomic, handler, poll, copied float64
	// per independent operation, per operation of a stencil and of a chain, per byte of memory traffic
	flop, stencil, chain, moved float64
	loop                        float64 // to start a loop
	fork, meet                  float64 // of the threads of a region
}

var plain = truth{shortO: 30e-9, shortL: 70e-9, o: 60e-9, l: 150e-9, g: 50e-9, held: 110e-9, copy: .1e-9,
	long: .15e-9, far: .05e-9,
	local: 5e-9, localPerByte: .02e-9, peer: 9e-9, anyLocal: 13e-9, anyPeer: 25e-9, atomic: 11e-9, handler: 700e-9,
	poll: 20e-9, flop: .2e-9, stencil: .25e-9, chain: .5e-9, loop: 8e-9, fork: 2e-6, meet: 500e-9, moved: .04e-9,
	copied: 200e-6}

// times returns the times of the trials on such a host. Each is off by a share of up to noise in
// either direction.
func (h truth) times(noise float64, seed uint64, eager int64) []Time {
	rng := rand.New(rand.NewPCG(seed, 0))
	var ts []Time
	for _, tr := range trials(2) {
		n := tr.x
		var s float64
		switch tr.kind {
		case trialPingpong:
			switch {
			case n <= inlineLimit:
				s = 2*h.shortO + h.shortL
			case n <= float64(eager):
				s = 2*h.o + h.l + 2*n*h.copy
			default:
				s = 2*h.o + h.l + n*pick(n > 512<<10, h.far, h.long)
			}
		case trialAnyLocal:
			s = h.anyLocal
		case trialAnyPeer:
			s = h.anyPeer
		case trialGetLocal:
			s = h.local + (n-1)*h.localPerByte
		case trialGetPeer:
			s = h.peer + max(n-cluster.AccessLine, 0)*h.localPerByte
		case trialCopy:
			s = h.copied * (1 + (n-1)/2)
		case trialAtomic:
			s = h.local + 7*h.localPerByte + h.atomic
		case trialRPC:
			s = 2*h.o + h.l + h.handler
		case trialNow, trialTest:
			s = h.poll
		case trialChain:
			s = h.chain
		case trialSparse:
			s = 500e-9 + n*(sparseFlops*h.chain+h.shortO)
		case trialSpacing:
			s = 500e-9 + n*sparseFlops*h.chain
		case trialFlood:
			s = 500e-9 + n*max(h.shortO, h.g)
		case trialRegion:
			s = h.fork
		case trialThreadBarrier:
			s = h.fork + n*h.meet
		default:
			for i := range loops {
				if l := &loops[i]; tr.kind == loopOf(l) {
					s = max(l.flops*pick(l.kernel == cluster.Stencil, h.stencil, h.flop), l.bytes*h.moved) +
						h.loop*l.starts()/l.elements()
				}
			}
			for _, size := range eagerSizes {
				if tr.kind == exchangeOf(size) {
					s = 300e-9 + n*(2*h.o+2*float64(size)*h.copy)
				}
			}
			for _, size := range volleySizes {
				if tr.kind == volleyOf(size) {
					s = 300e-9 + n*(max(h.o, h.held)+float64(size)*h.copy)
				}
			}
			for _, size := range longSizes {
				if tr.kind == exchangeOf(size) {
					s = 300e-9 + n*(2*h.o+float64(size)*h.long)
				}
			}
		}
		ts = append(ts, Time{Kind: tr.kind, X: n, Seconds: s * (1 + noise*(2*rng.Float64()-1))})
	}
	return ts
}

// near compares fitted numbers with true ones.
func near(t *testing.T, m *Model, within float64, want map[string]float64) {
	t.Helper()
	for key, v := range want {
		i := slices.IndexFunc(m.Numbers, func(n Number) bool { return n.Key == key })
		if i < 0 {
			t.Errorf("%s was not fitted", key)
			continue
		}
		if n := m.Numbers[i]; math.Abs(n.Value-v) > within*v {
			t.Errorf("%s = %g %s, want %g within %g", key, n.Value, n.Unit, v, within)
		}
	}
}

func (h truth) numbers() map[string]float64 {
	return map[string]float64{
		"flops_per_core": 1 / h.flop, "memory_rate_per_core_bytes_per_s": 1 / h.moved,
		"kernel.stencil": h.flop / h.stencil, "kernel.chain": h.flop / h.chain,
		"memory_rate_per_node_bytes_per_s": max(2*copyBytes*2/(1.5*h.copied), 2/h.moved), "loop_time_s": h.loop,
		"in_rank.access_s": h.anyLocal, "in_node.access_s": h.anyPeer,
		"in_node.access_rate_bytes_per_s": 1 / h.localPerByte,
		"in_rank.latency_s":               h.local, "in_rank.bandwidth_bytes_per_s": 1 / h.localPerByte,
		"in_node.inline.overhead_s": h.shortO, "in_node.inline.latency_s": h.shortL,
		"in_node.overhead_s": h.o, "in_node.latency_s": h.l, "in_node.eager_copy_rate_bytes_per_s": 1 / h.copy,
		"in_node.single_copy_rate_bytes_per_s": 1 / h.long, "in_node.uncached.copy_rate_bytes_per_s": 1 / h.far,
		"in_node.uncached.limit_bytes": 512 << 10,
		"in_node.inline.gap_s":         h.g, "in_node.gap_s": h.held,
		"atomic_time_s": h.atomic, "handler_time_s": h.handler, "poll_time_s": h.poll,
		"fork_time_s": h.fork, "thread_barrier_time_s": h.meet,
	}
}

func TestFitRecoversTheHost(t *testing.T) {
	host := preset(t, "this-host")
	for _, c := range []struct {
		name          string
		noise, within float64
	}{
		{"no noise", 0, .001},
		{"times off by up to 2 %", .02, .12},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				m, err := Fit(plain.times(c.noise, seed, host.EagerLimit), host, "calibrated", 2)
				if err != nil {
					t.Fatal(err)
				}
				want := plain.numbers()
				if c.noise > 0 { // the overhead is the difference of two slopes, the latency is the rest
					for _, key := range []string{"in_node.overhead_s", "in_node.latency_s", "in_node.inline.overhead_s",
						"in_node.inline.latency_s"} {
						near(t, m, .9, map[string]float64{key: want[key]})
						delete(want, key)
					}
				}
				near(t, m, c.within, want)
				for _, n := range m.Numbers {
					if n.Key != "in_node.inline.gap_s" && (n.Worst > 3*c.noise+1e-4 || n.Residual > n.Worst+1e-12) {
						t.Errorf("seed %d: %s: residual %g, at worst %g, with noise %g", seed, n.Key, n.Residual, n.Worst, c.noise)
					}
				}
			}
		})
	}
}

// One time that a busy host has tripled only changes the numbers that depend on it.
func TestFitWithOutlier(t *testing.T) {
	host := preset(t, "this-host")
	ts := plain.times(0, 1, host.EagerLimit)
	i := slices.IndexFunc(ts, func(t Time) bool { return t.Kind == trialPingpong && t.X == 2048 })
	ts[i].Seconds *= 3
	m, err := Fit(ts, host, "calibrated", 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, m, .7, plain.numbers())
	want := plain.numbers()
	for key := range want {
		if strings.HasPrefix(key, "in_node.") || key == "handler_time_s" {
			delete(want, key)
		}
	}
	near(t, m, .01, want)
}

// The fit of times from the simulator returns the simulated machine, because both use the same
// formulas.
func TestFitOfSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	m := preset(t, "demo")
	m.Emulated = false
	m.NodeRate = 0
	m.Flops, m.MemoryRate = 4e9, 40e9
	m.Kernels[cluster.Stencil], m.Kernels[cluster.Chain] = 0.8, 0.25
	m.Progress = cluster.ProgressCall
	m.EagerLimit = 8192
	m.Classes[cluster.InNode] = cluster.Link{Latency: 140 * cluster.Nanosecond, Overhead: 60 * cluster.Nanosecond,
		Gap: 95 * cluster.Nanosecond, Bandwidth: 8e9, Uncached: cluster.Uncached{Limit: 192 << 10, Copy: 14e9},
		Inline: cluster.Inline{Limit: inlineLimit, Latency: 80 * cluster.Nanosecond, Overhead: 35 * cluster.Nanosecond,
			Gap: 45 * cluster.Nanosecond}, EagerCopy: 20e9, SingleCopy: 9e9,
		Access: 11 * cluster.Nanosecond, AccessRate: 40e9}
	m.Classes[cluster.InRank] = cluster.Link{Latency: 6 * cluster.Nanosecond, Bandwidth: 50e9,
		Access: 6 * cluster.Nanosecond}
	m.AtomicTime = 12 * cluster.Nanosecond
	m.HandlerTime = 600 * cluster.Nanosecond
	m.PollTime = 15 * cluster.Nanosecond
	m.ForkTime, m.ThreadBarrierTime = 1700*cluster.Nanosecond, 400*cluster.Nanosecond
	var times []Time
	for _, tr := range trials(2) {
		s := 1e-3 // of copies, which take no time there
		if tr.kind != trialCopy {
			got, err := tr.play(context.Background(), sim.New(), m, pace{n: 80, batches: 1})
			if err != nil {
				t.Fatal(err)
			}
			s = got[0]
		}
		times = append(times, Time{Kind: tr.kind, X: tr.x, Seconds: s})
	}
	fit, err := Fit(times, m, "again", 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, fit, .02, map[string]float64{
		"flops_per_core": m.Flops, "memory_rate_per_core_bytes_per_s": m.MemoryRate,
		"kernel.stencil": 0.8, "kernel.chain": 0.25,
		"in_rank.access_s": 6e-9, "in_rank.bandwidth_bytes_per_s": 50e9, "in_node.access_s": 11e-9,
		"in_node.access_rate_bytes_per_s": 40e9,
		"in_node.inline.overhead_s":       35e-9, "in_node.inline.latency_s": 80e-9,
		"in_node.overhead_s": 60e-9, "in_node.latency_s": 140e-9, "in_node.gap_s": 95e-9, "in_node.inline.gap_s": 45e-9,
		"in_node.eager_copy_rate_bytes_per_s":  20e9,
		"in_node.single_copy_rate_bytes_per_s": 9e9, "in_node.uncached.copy_rate_bytes_per_s": 14e9,
		"in_node.uncached.limit_bytes": 192 << 10,
		"atomic_time_s":                12e-9, "handler_time_s": 600e-9, "poll_time_s": 15e-9,
		"fork_time_s": 1700e-9, "thread_barrier_time_s": 400e-9,
	})
}

func TestMachineFileLoadsBackEqual(t *testing.T) {
	host := preset(t, "this-host")
	m, err := Fit(plain.times(.02, 7, host.EagerLimit), host, "laptop", 2)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "laptop.toml")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := presets.WriteMachine(f, m.Machine); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	back, err := presets.LoadMachine(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Machine, back); diff != "" {
		t.Errorf("-written +loaded:\n%s", diff)
	}
	for _, n := range m.Numbers {
		if s := back.Source[n.Key]; !strings.HasPrefix(s, "fitted to "+n.To+": ") ||
			strings.Contains(s, "residual") != (n.Points > 1) {
			t.Errorf("%s: source %q has no fit or no residual", n.Key, s)
		}
	}
	if back.Classes[cluster.Remote].Latency != back.Classes[cluster.InNode].Latency {
		t.Error("remote differs from in node")
	}
}

func TestFitRefuses(t *testing.T) {
	host := preset(t, "this-host")
	drop := func(kind string) func([]Time) []Time {
		return func(ts []Time) []Time {
			return slices.DeleteFunc(ts, func(t Time) bool { return t.Kind == kind })
		}
	}
	change := func(kind string, to func(Time) float64) func([]Time) []Time {
		return func(ts []Time) []Time {
			for i := range ts {
				if ts[i].Kind == kind {
					ts[i].Seconds = to(ts[i])
				}
			}
			return ts
		}
	}
	for _, c := range []struct {
		name string
		with func([]Time) []Time
		want string
	}{
		{"no ping-pong", drop(trialPingpong), "0 times of pingpong: want at least 2"},
		{"no floods", drop(trialFlood), "0 times of flood"},
		{"no chain", drop(trialChain), "0 times of chain"},
		{"a time of nothing", change(trialRPC, func(Time) float64 { return 0 }), "rpc at 8: invalid time 0 s"},
		{"no number", change(trialNow, func(Time) float64 { return math.NaN() }), "now at 0: invalid time NaN s"},
		{"more messages, less time", change(exchangeOf(128), func(t Time) float64 { return 1e-3 / t.X }),
			"exchange 128 B does not take longer with more operations"},
		{"more bytes, less time", change(trialPingpong, func(t Time) float64 { return 1e-8 / t.X }),
			"per byte of an eager message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Fit(c.with(plain.times(0, 1, host.EagerLimit)), host, "calibrated", 2)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestQuietBatches(t *testing.T) {
	for _, c := range []struct {
		name         string
		batches      []float64
		quiet, noise float64
		calm         bool
	}{
		{"all alike", []float64{2, 2, 2, 2, 2, 2}, 2, 0, true},
		{"the fastest third is closest", []float64{9, 1, 8, 1.1, 7, 1.2, 6, 5, 4}, 1.1, 5/1.1 - 1, true},
		{"the most frequent condition counts", []float64{1, 1, 1.2, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 5, 0, true},
		{"a lost time slice does not count", []float64{1, 1, 1.2, 50, 50, 50, 50, 50, 50, 50, 50, 50}, 1.1, 50/1.1 - 1,
			false},
		{"alike, and not calm", []float64{1, 9, 9, 9, 9, 9, 9}, 9, 0, false},
		{"one", []float64{3}, 3, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			quiet, noise := estimate(c.batches)
			if math.Abs(quiet-c.quiet) > 1e-12 || math.Abs(noise-c.noise) > 1e-12 || isCalm(c.batches) != c.calm {
				t.Errorf("quiet %g, noise %g, calm %t; want %g, %g, %t", quiet, noise, isCalm(c.batches), c.quiet, c.noise, c.calm)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	checks := []Check{
		newCheck("barrier", "2 ranks", 2, 1, 0),   // −50 %
		newCheck("halo exchange", "a", 10, 11, 0), // +10 %
		newCheck("halo exchange", "b", 10, 7, 0),  // −30 %
	}
	if e := checks[0].Error; e != -.5 {
		t.Errorf("error %g, want -0.5", e)
	}
	programs, all := Errors(checks)
	for i, want := range []ProgramError{{"barrier", .5}, {"halo exchange", .2}} {
		if programs[i].Program != want.Program || math.Abs(programs[i].Error-want.Error) > 1e-12 {
			t.Errorf("%v, want %v", programs[i], want)
		}
	}
	if math.Abs(all-.3) > 1e-12 {
		t.Errorf("of all %g, want 0.3", all)
	}
}

// A machine that is checked against a simulation of itself has no error in any program.
func TestCheckOfAMachineAgainstItself(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	m := preset(t, "demo")
	m.Emulated = false
	m.MemoryPerNode = 1 << 30
	r, err := CheckMachine(context.Background(),
		Options{Live: sim.New(), Sim: sim.New(), Host: m, Cores: 2, Rounds: 1, pace: &inSim}, m)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, c := range r.Checks {
		seen[c.Program] = true
		if c.Live != c.Simulated || c.Live <= 0 || c.Error != 0 {
			t.Errorf("%s, %s: live %g, simulated %g, error %g", c.Program, c.At, c.Live, c.Simulated, c.Error)
		}
	}
	for _, p := range []string{ProgramBarrier, ProgramBandwidth, ProgramHalo, ProgramDot, ProgramRandom, ProgramHeat,
		ProgramMultigrid, ProgramThreads} {
		if !seen[p] {
			t.Errorf("%s was not checked", p)
		}
	}
}

// Every trial and every check program runs on the live fabric. The test does not check their times.
func TestJobsRunLive(t *testing.T) {
	m := preset(t, "this-host")
	var jobs []*job
	ts := trials(2)
	for i := range ts {
		jobs = append(jobs, &ts[i].job)
	}
	for _, ranks := range []int{2, 3} {
		ps, err := programs(ranks)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ps {
			jobs = append(jobs, &ps[i].job)
		}
	}
	for _, j := range jobs {
		times, err := j.play(context.Background(), live.New(), m, pace{n: 2, batches: 2})
		if err != nil {
			t.Error(err)
		} else if len(times) != 2 {
			t.Errorf("%s: %d batches, want 2", j.name, len(times))
		}
	}
}

// A pace that fills batches ends on the live fabric, and on the simulator, where only the program
// takes time.
func TestPaceFills(t *testing.T) {
	m := preset(t, "demo")
	m.Emulated = false
	j := job{name: "flood", ranks: 2, ops: 1, body: flood(16, 8)}
	p := pace{fill: 50 * cluster.Microsecond, warmup: 100 * cluster.Microsecond, batches: 2}
	for _, f := range []cluster.Fabric{sim.New(), live.New()} {
		times, err := j.play(context.Background(), f, m, p)
		if err != nil || len(times) != 2 || times[0] <= 0 {
			t.Errorf("%s: %v, %v", f.Name(), times, err)
		}
	}
}

// TestLiveEmulatedAndSimulated tests that a program on a fitted machine runs on the host's clock, on the dilated clock of an emulation, and
// in virtual time. The times of the last two are the machine's.
func TestLiveEmulatedAndSimulated(t *testing.T) {
	host := preset(t, "this-host")
	model, err := Fit(plain.times(0, 1, host.EagerLimit), host, "calibrated", 2)
	if err != nil {
		t.Fatal(err)
	}
	ps, err := programs(2)
	if err != nil {
		t.Fatal(err)
	}
	heat := ps[slices.IndexFunc(ps, func(p program) bool { return p.kind == ProgramHeat })]
	inner, outer := 12.*10*10*4, 16.*(12*12*6-10*10*4) // operations of a rank's cells, 10³ of 12³ inside
	least := (inner + outer) * plain.stencil
	for _, c := range []struct {
		fabric  cluster.Fabric
		machine cluster.Machine
		clock   cluster.Clock
	}{
		{live.New(), host, cluster.WallClock},
		{live.New(), model.Machine, cluster.DilatedClock},
		{sim.New(), model.Machine, cluster.VirtualClock},
	} {
		if got := c.fabric.Clock(&c.machine); got != c.clock {
			t.Errorf("machine %s on %s: clock %v, want %v", c.machine.Name, c.fabric.Name(), got, c.clock)
		}
		times, err := heat.play(context.Background(), c.fabric, c.machine, pace{n: 1, batches: 1})
		if err != nil {
			t.Fatal(err)
		}
		if c.clock != cluster.WallClock && times[0] < least {
			t.Errorf("machine %s on %s: a step takes %g s, and its stencil alone %g s", c.machine.Name, c.fabric.Name(),
				times[0], least)
		}
	}
}

// TestRoofline tests that loops with few operations per byte set the memory rate, and the others the flops, wherever the
// machine balances them.
func TestRoofline(t *testing.T) {
	host := preset(t, "this-host")
	for _, moved := range []float64{.02e-9, .04e-9, .1e-9} {
		h := plain
		h.moved = moved
		m, err := Fit(h.times(0, 1, host.EagerLimit), host, "calibrated", 2)
		if err != nil {
			t.Fatal(err)
		}
		near(t, m, .001, map[string]float64{"flops_per_core": 1 / h.flop, "memory_rate_per_core_bytes_per_s": 1 / moved})
	}
}

// inlineLimit equals the size of the live fabric's cells.
func TestInlineLimit(t *testing.T) {
	if inlineLimit != live.InlineBytes {
		t.Errorf("the fit has %d B, the live fabric %d", inlineLimit, live.InlineBytes)
	}
}

func TestOptionsRefused(t *testing.T) {
	host, demo := preset(t, "this-host"), preset(t, "demo")
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"emulated", Options{Host: demo, Cores: 2, Rounds: 1}, "machine demo is emulated"},
		{"one core", Options{Host: host, Cores: 1, Rounds: 1}, "want at least two"},
		{"no rounds", Options{Host: host, Cores: 2}, "want at least 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Calibrate(context.Background(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	if _, err := Calibrate(ctx,
		Options{Live: live.New(), Sim: sim.New(), Host: host, Name: "calibrated", Cores: 2, Rounds: 1}); !errors.Is(err,
		why) {
		t.Errorf("cancelled: %v, want %v", err, why)
	}
}
