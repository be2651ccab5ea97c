package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Time is the measured time of one trial on the host.
type Time struct {
	Kind    string
	X       float64 // bytes, messages or threads
	Seconds float64 // of one operation
	Noise   float64 // median of all batches / Seconds − 1
	Range           // of Seconds
}

// Range is the 95 % range of a number over the resamples of the rounds (resample.go). It is zero
// for a number that was not resampled.
type Range struct{ Low, High float64 }

// Width returns the width of a range, relative to its middle.
func (r Range) Width() float64 { return 2 * (r.High - r.Low) / (r.High + r.Low) }

// Number is one number of the fitted machine.
type Number struct {
	Key      string // of the machine file
	Unit     string
	Value    float64
	Range            // of Value
	Residual float64 // root mean square of (fit − measured) / measured over the points
	Worst    float64 // largest relative error
	Points   int
	To       string // the measurements that it is fitted to
}

// Model is a machine with the sources of its numbers.
type Model struct {
	Machine cluster.Machine
	Numbers []Number
	// Limits describe behaviour of the host that the machine cannot express.
	Limits []string
}

// fitter collects numbers.
type fitter struct {
	by      map[string][]Time
	machine cluster.Machine
	numbers []Number
	errs    []error
}

// of returns the times of a kind, sorted by x. It records an error if there are fewer than least.
func (f *fitter) of(kind string, least int) []Time {
	ts := slices.Clone(f.by[kind])
	slices.SortFunc(ts, func(a, b Time) int { return cmpFloat(a.X, b.X) })
	if len(ts) < least {
		f.errs = append(f.errs, fmt.Errorf("calibrate: %d times of %s: want at least %d", len(ts), kind, least))
		return make([]Time, 0)
	}
	for _, t := range ts {
		if !(t.Seconds > 0) || math.IsInf(t.Seconds, 0) {
			f.errs = append(f.errs, fmt.Errorf("calibrate: %s at %g: invalid time %v s", kind, t.X, t.Seconds))
		}
	}
	return ts
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// record records a number that was fitted to times. It adds the residuals of at, which returns the
// fitted time.
func (f *fitter) record(n Number, ts []Time, at func(Time) float64) {
	n.Points = len(ts)
	n.Residual, n.Worst = residuals(ts, at)
	f.numbers = append(f.numbers, n)
	f.machine.Source[n.Key] = fmt.Sprintf("fitted to %s: %s", n.To, points(len(ts)))
	if len(ts) > 1 { // one point is always met exactly
		f.machine.Source[n.Key] += fmt.Sprintf("; residual %s (root mean square), %s at worst", percent(n.Residual),
			percent(n.Worst))
	}
}

func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return fmt.Sprintf("%d points", n)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// ErrFit is returned if the times do not fit a machine.
var ErrFit = errors.New("calibrate: the times yield no valid machine")

// Fit computes a machine from the times of the trials. base provides the values that are not times:
// the eager limit and the kind of progress. The fit uses the simulator's own formulas, with ratios
// as errors: half and double count the same.
//
//	k messages, each after c a + k·(c + o)
//	k times only c           a + k·c
//	flood of k messages      a + k·max(o, g)         inline messages
//	window of k, n ≤ eager   a + k·(g + nC)          the gap of messages in buffers
//	ping-pong, n ≤ inline    2o + L                 one way; these four for inline messages
//	ping-pong, n ≤ eager     2o + L + 2nC           copied in and out
//	exchange of k, n ≤ eager a + k·(2o + 2nC)
//	ping-pong, n > eager     2o + L + nD            copied once
//	exchange of k, n > eager a + k·(2o + nD)
//	get in the local segment L + (n − 1)G           of class in rank
//	get of up to a line      access                 in rank, in node
//	longer get               access + (n − 64)A     in node
//	RPC                      2o + L + handler
//	loop over arrays         max(operations / flops, bytes / memory rate)
//	stencil                  operations / (flops · kernel) + loops · loop time
//	chain                    operations / (flops · kernel)
//	parallel region          fork
//	k thread barriers        a + k·barrier
func Fit(times []Time, base cluster.Machine, name string, cores int) (*Model, error) {
	f := &fitter{by: make(map[string][]Time), machine: cluster.Machine{
		Name: name, Title: "This host, calibrated through the live fabric", Progress: base.Progress,
		EagerLimit:   base.EagerLimit,
		CoresPerNode: cores, Source: make(map[string]string),
	}}
	for _, t := range times {
		f.by[t.Kind] = append(f.by[t.Kind], t)
	}
	m := &f.machine
	for _, key := range []string{"nodes", "memory_per_node_bytes", "eager_limit_bytes"} {
		if s := base.Source[key]; s != "" {
			m.Source[key] = s
		}
	}
	m.Source["cores_per_node"] = "read from the host"
	f.compute()
	m.Emulated = true
	local := f.inRank()
	intra := f.inNode()
	f.access(local, trialAnyLocal, "in_rank", "the local segment")
	f.access(intra, trialAnyPeer, "in_node", "a neighbour's segment")
	f.longAccess(intra)
	f.service(intra)
	f.regions()
	if err := errors.Join(f.errs...); err != nil {
		return nil, err
	}
	for _, n := range f.numbers {
		if n.Value < 0 || math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
			return nil, fmt.Errorf("%w: %s = %v %s; measure again on a quieter host", ErrFit, n.Key, n.Value, n.Unit)
		}
	}
	f.remote()
	return &Model{Machine: *m, Numbers: f.numbers, Limits: f.limits()}, nil
}

// compute fits the rates of a core and of the node's memory.
func (f *fitter) compute() {
	f.roofline()
	f.kernels()
	m := &f.machine
	ts := f.of(trialCopy, 1)
	if len(ts) == 0 {
		return
	}
	m.Source["copy_rate_per_thread_bytes_per_s"] = "unknown: all nodes are this host, and " +
		"in_node.eager_copy_rate_bytes_per_s has what a copy takes there"
	best := ts[0]
	for _, t := range ts {
		if t.X/t.Seconds > best.X/best.Seconds {
			best = t
		}
	}
	// The rate of the loops in caches, which all cores ran at the same time, is a part of the node's.
	m.NodeRate = round(max(2*copyBytes*best.X/best.Seconds, float64(m.CoresPerNode)*m.MemoryRate))
	f.record(Number{
		Key: "memory_rate_per_node_bytes_per_s", Unit: "B/s", Value: m.NodeRate,
		To: "bytes read and written by copies of 4 MiB, with the number of threads that moves most bytes. The value is at " +
			"least memory_rate_per_core times the cores, because the loops ran on all cores at once",
	}, ts, func(t Time) float64 {
		return max(ts[0].Seconds, 2*copyBytes*t.X/m.NodeRate)
	})
}

// roofline fits the rate of independent operations and the memory rate of a core to the loops
// without a kernel. The loops with fewer operations per byte than some ratio are bound by memory,
// the others by operations. The ratio is the one with the smallest errors.
func (f *fitter) roofline() {
	var ts []Time
	byKind := make(map[string]*loop)
	for i := range loops {
		if l := &loops[i]; l.kernel == cluster.NoKernel {
			byKind[loopOf(l)] = l
			ts = append(ts, f.of(loopOf(l), 1)...)
		}
	}
	if len(f.errs) > 0 {
		return
	}
	intensity := func(t Time) float64 { return byKind[t.Kind].flops / byKind[t.Kind].bytes }
	slices.SortStableFunc(ts, func(a, b Time) int { return cmpFloat(intensity(a), intensity(b)) })
	scaled := func(ts []Time, amount func(*loop) float64) float64 {
		of := slices.Clone(ts)
		for i := range of {
			of[i].Seconds /= amount(byKind[of[i].Kind])
		}
		return level(of)
	}
	least, flop, moved := math.Inf(1), 0.0, 0.0 // seconds per operation and per byte
	var at func(Time) float64
	for split := 1; split < len(ts); split++ {
		perByte := scaled(ts[:split], func(l *loop) float64 { return l.bytes })
		perFlop := scaled(ts[split:], func(l *loop) float64 { return l.flops })
		roof := func(t Time) float64 { return max(perFlop*byKind[t.Kind].flops, perByte*byKind[t.Kind].bytes) }
		sum := 0.0
		for _, t := range ts {
			e := math.Log(roof(t) / t.Seconds)
			sum += e * e
		}
		if sum < least {
			least, flop, moved, at = sum, perFlop, perByte, roof
		}
	}
	m := &f.machine
	m.Flops, m.MemoryRate = round(1/flop), round(1/moved)
	const to = "loops over cached arrays with independent elements and different numbers of operations per byte, the " +
		"larger of operations / flops_per_core and bytes / memory_rate_per_core"
	f.record(Number{Key: "flops_per_core", Unit: "flop/s", Value: m.Flops, To: to}, ts, at)
	f.record(Number{Key: "memory_rate_per_core_bytes_per_s", Unit: "B/s", Value: m.MemoryRate, To: to}, ts, at)
}

// kernels fits the fractions of the flop rate that stencils and dependent operations reach, and the
// time to start a loop.
func (f *fitter) kernels() {
	chains := f.of(trialChain, 1)
	byKind := make(map[string]*loop)
	var stencils []Time
	var terms []term
	for i := range loops {
		if l := &loops[i]; l.kernel == cluster.Stencil {
			byKind[loopOf(l)] = l
			for _, t := range f.of(loopOf(l), 1) {
				stencils = append(stencils, t)
				terms = append(terms, term{a: []float64{l.flops, l.starts() / l.elements()}, t: t.Seconds})
			}
		}
	}
	if len(f.errs) > 0 {
		return
	}
	m := &f.machine
	x, ok := solve(terms)
	if !ok || x[0] == 0 {
		f.errs = append(f.errs, fmt.Errorf("%w: stencils do not take longer with more cells; measure again on a quieter "+
			"host", ErrFit))
		return
	}
	share := func(k cluster.Kernel, flop float64, to string, ts []Time, at func(Time) float64) {
		m.Kernels[k] = min(round(1/(flop*m.Flops)), 1)
		f.record(Number{Key: "kernel." + k.String(), Unit: "1", Value: m.Kernels[k], To: to}, ts, at)
	}
	m.LoopTime = cluster.FromSeconds(x[1])
	ofStencil := func(t Time) float64 {
		l := byKind[t.Kind]
		return l.flops/(m.Kernels[cluster.Stencil]*m.Flops) + x[1]*l.starts()/l.elements()
	}
	const to = "stencils with 7 points over cached grids with short and long rows, with and without coefficients of " +
		"cells, operations / (flops_per_core · kernel) + rows · loop_time"
	share(cluster.Stencil, x[0], to, stencils, ofStencil)
	f.record(Number{Key: "loop_time_s", Unit: "s", Value: x[1], To: to}, stencils, ofStencil)
	flop := level(chains)
	share(cluster.Chain, flop, "a chain of subtractions each of which needs the one before", chains,
		func(Time) float64 { return flop })
}

// inRank fits accesses to the local segment.
func (f *fitter) inRank() *cluster.Link {
	ts := f.of(trialGetLocal, 2)
	l := &f.machine.Classes[cluster.InRank]
	if len(ts) == 0 {
		return l
	}
	constant, perByte, ok := straight(ts)
	if !ok || perByte == 0 {
		f.errs = append(f.errs, fmt.Errorf("%w: gets from the local segment do not take longer with more bytes", ErrFit))
		return l
	}
	constant = max(constant+perByte, 1e-12) // (n − 1)G
	l.Latency, l.Bandwidth = cluster.FromSeconds(constant), round(1/perByte)
	at := func(t Time) float64 { return constant + (t.X-1)*perByte }
	const to = "gets from the local segment, a straight line over their size"
	f.record(Number{Key: "in_rank.latency_s", Unit: "s", Value: l.Latency.Seconds(), To: to}, ts, at)
	f.record(Number{Key: "in_rank.bandwidth_bytes_per_s", Unit: "B/s", Value: l.Bandwidth, To: to}, ts, at)
	return l
}

// access fits the time of a load whose line is not in the core's own cache, and the extra time per
// byte beyond its line.
func (f *fitter) access(l *cluster.Link, kind, table, whose string) {
	ts := f.of(kind, 1)
	if len(ts) == 0 {
		return
	}
	t := level(ts)
	l.Access = cluster.FromSeconds(t)
	f.record(Number{
		Key: table + ".access_s", Unit: "s", Value: t,
		To: fmt.Sprintf("gets of 8 B from all over %d MiB of %s, each address depends on the previous value",
			scatterBytes>>20, whose),
	}, ts, func(Time) float64 { return t })
}

// longAccess fits the extra time of a load from a neighbour's segment beyond its line.
func (f *fitter) longAccess(l *cluster.Link) {
	ts := slices.DeleteFunc(f.of(trialGetPeer, 2), func(t Time) bool { return t.X <= cluster.AccessLine })
	near := f.cachedGet(trialGetPeer)
	if len(ts) == 0 || len(f.errs) > 0 {
		return
	}
	var terms []term
	for _, t := range ts {
		terms = append(terms, term{a: []float64{t.X - cluster.AccessLine}, constant: near, t: t.Seconds})
	}
	x, ok := solve(terms)
	if !ok || x[0] == 0 {
		f.errs = append(f.errs, fmt.Errorf("%w: gets from a neighbour's segment do not take longer with more bytes", ErrFit))
		return
	}
	l.AccessRate = round(1 / x[0])
	f.record(Number{
		Key: "in_node.access_rate_bytes_per_s", Unit: "B/s", Value: l.AccessRate,
		To: fmt.Sprintf("gets of more than %d B from a neighbour's segment", cluster.AccessLine),
	}, ts,
		func(t Time) float64 { return near + (t.X-cluster.AccessLine)*x[0] })
}

// cachedGet returns the time of a get of up to one line from an address that was just read.
func (f *fitter) cachedGet(kind string) float64 {
	ts := slices.DeleteFunc(f.of(kind, 1), func(t Time) bool { return t.X > cluster.AccessLine })
	if len(ts) == 0 {
		f.errs = append(f.errs, fmt.Errorf("calibrate: no times of %s of up to %d B", kind, cluster.AccessLine))
		return 0
	}
	return level(ts)
}

// slopeOf is a straight line through the times of a flood.
type slopeOf struct {
	times        []Time
	first, slope float64
}

// line fits the extra time of one more message or thread barrier of a trial.
func (f *fitter) line(kind string) slopeOf {
	s := slopeOf{times: f.of(kind, 2)}
	if len(s.times) == 0 {
		return s
	}
	var ok bool
	s.first, s.slope, ok = straight(s.times)
	if !ok || s.slope == 0 {
		f.errs = append(f.errs, fmt.Errorf("%w: %s does not take longer with more operations; measure again on a "+
			"quieter host", ErrFit, kind))
	}
	return s
}

// service fits the operations at a target.
func (f *fitter) service(intra *cluster.Link) {
	m := &f.machine
	if ts := f.of(trialAtomic, 1); len(ts) > 0 {
		there := f.cachedGet(trialGetLocal)
		t := max(level(ts)-there, 0)
		m.AtomicTime = cluster.FromSeconds(t)
		f.record(Number{
			Key: "atomic_time_s", Unit: "s", Value: t,
			To: "fetch-and-adds on the local segment, minus a get from it",
		}, ts, func(Time) float64 { return there + t })
	}
	if ts := f.of(trialRPC, 1); len(ts) > 0 {
		there := (2*intra.Overhead + intra.Latency).Seconds()
		t := max(level(ts)-there, 0)
		m.HandlerTime = cluster.FromSeconds(t)
		f.record(Number{
			Key: "handler_time_s", Unit: "s", Value: t,
			To: "RPC there and back, less 2o + L",
		}, ts, func(Time) float64 { return there + t })
	}
	if ts := append(f.of(trialNow, 1), f.of(trialTest, 1)...); len(ts) > 1 {
		t := level(ts)
		m.PollTime = cluster.FromSeconds(t)
		f.record(Number{
			Key: "poll_time_s", Unit: "s", Value: t,
			To: "readings of the clock, and tests without a message",
		}, ts, func(Time) float64 { return t })
	}
}

// remote copies the link in node, because all nodes of a layout are this host. Each rank moves its
// own bytes, so there are as many adapters as cores.
func (f *fitter) remote() {
	m := &f.machine
	node := &m.Classes[cluster.InNode]
	m.Classes[cluster.Remote] = cluster.Link{Latency: node.Latency, Overhead: node.Overhead, Gap: node.Gap,
		Bandwidth: node.Bandwidth, Adapters: m.CoresPerNode}
	for _, key := range []string{"latency_s", "overhead_s", "gap_s", "bandwidth_bytes_per_s"} {
		m.Source["remote."+key] = "as in_node." + key + ": all nodes are this host"
	}
	m.Source["remote.adapters_per_node"] = "as cores_per_node: each core moves its own rank's bytes"
}

// limits returns the behaviour that the machine does not model.
func (f *fitter) limits() []string {
	return []string{
		fmt.Sprintf("one rank per core: with more than %d ranks, ranks of the live fabric share cores, park and wake; a "+
			"simulation does not model this", f.machine.CoresPerNode),
		"cache contents: a simulation only counts the sender's bytes that wait for a copy to decide whether a message " +
			"is still in cache, not other accesses",
	}
}

// round rounds a rate to six digits.
func round(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return x
	}
	scale := math.Pow(10, math.Floor(math.Log10(x))-5)
	return math.Round(x/scale) * scale
}
