package clustertest

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/internal/race"
)

// suite is a fabric on a machine, and how hard to test it.
type suite struct {
	fabric     cluster.Fabric
	machine    cluster.Machine
	programs   int
	seed       uint64
	scale      int
	threads    int
	oneAtATime bool
	longest    int      // bytes of a put that is not too slow to test
	only       []string // names of parts; nil: all
	without    []string
	works      func() bool
}

// Option adjusts a suite.
type Option func(*suite)

// Programs sets the number of random programs, 24 unless told.
func Programs(n int) Option { return func(s *suite) { s.programs = n } }

// Seed sets the seed of the first random program, 1 unless told; the others
// follow it.
func Seed(seed uint64) Option { return func(s *suite) { s.seed = seed } }

// Smaller divides the repetitions of each test by n, for a fabric that is slow.
func Smaller(n int) Option { return func(s *suite) { s.scale = n } }

// OneAtATime says that the fabric runs one rank at a time, so that a rank which loops without a
// call keeps all others from running. Cases that need two at once are left out.
func OneAtATime() Option { return func(s *suite) { s.oneAtATime = true } }

// Threads sets the layout's threads per rank (default 1). A fabric may then guard every call, also
// in programs without parallel regions.
func Threads(n int) Option { return func(s *suite) { s.threads = n } }

// Only limits the suite to some of its parts.
func Only(parts ...string) Option { return func(s *suite) { s.only = parts } }

// Without omits parts of the suite.
func Without(parts ...string) Option { return func(s *suite) { s.without = parts } }

// While ends the suite before the next case if works returns false. A fabric that cannot run programs any more then
// fails one case instead of all.
func While(works func() bool) Option { return func(s *suite) { s.works = works } }

// Run tests the fabric on the machine. Every Op reaches it with the fields that its
// kind names and no others.
func Run(t *testing.T, f cluster.Fabric, m cluster.Machine, opts ...Option) {
	s := &suite{fabric: poisoner{f}, machine: m, programs: 24, seed: 1, scale: 1, threads: 1, longest: math.MaxInt,
		works: func() bool { return true }}
	for _, o := range opts {
		o(s)
	}
	switch {
	case testing.Short():
		s.scale *= 8
	case race.Enabled && os.Getenv("CONFORM") == "":
		s.scale *= 3
	}
	for _, p := range parts {
		if s.works() && (s.only == nil || slices.Contains(s.only, p.name)) && !slices.Contains(s.without, p.name) {
			t.Run(p.name, func(t *testing.T) { p.run(t, s) })
		}
	}
	if m, ok := Lagging(s.machine); ok {
		late := *s
		late.machine, late.longest = m, 2000
		for _, p := range parts {
			if p.puts && s.works() {
				t.Run("puts outlast barriers/"+p.name, func(t *testing.T) { p.run(t, &late) })
			}
		}
	}
}

// run runs each case of a part as a subtest.
func (p *part) run(t *testing.T, s *suite) {
	for _, c := range p.cases {
		if s.works() {
			t.Run(c.name, func(t *testing.T) { alone(t, s, c.test) })
		}
	}
}

// alone runs a test and reports the goroutines that it leaves behind.
func alone(t *testing.T, s *suite, test func(*suite, *testing.T)) {
	before := runtime.NumGoroutine()
	test(s, t)
	ctx, stop := context.WithTimeout(t.Context(), guard)
	defer stop()
	for runtime.NumGoroutine() > before && ctx.Err() == nil {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		stacks := make([]byte, 1<<18)
		t.Errorf("%d goroutines are left, %d were before:\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// A testCase is one rule of the contract: its name is the rule.
type testCase struct {
	name string
	test func(*suite, *testing.T)
}

// A part is a chapter of the specification.
type part struct {
	name  string
	cases []testCase
	puts  bool // its puts are also tested on a machine where they complete after a barrier returns
}

var parts = []part{
	{name: "launch", cases: launchCases},
	{name: "two-sided", cases: twosidedCases},
	{name: "order", cases: orderCases},
	{name: "probe", cases: probeCases},
	{name: "requests", cases: requestCases},
	{name: "arguments", cases: argumentCases},
	{name: "one-sided", cases: onesidedCases, puts: true},
	{name: "signals", cases: signalCases, puts: true},
	{name: "payloads", cases: payloadCases, puts: true},
	{name: "means", cases: meansCases},
	{name: "devices", cases: deviceCases},
	{name: "atomics", cases: atomicCases, puts: true},
	{name: "rpc", cases: rpcCases},
	{name: "steps", cases: stepCases},
	{name: "port", cases: portCases},
	{name: "freed teams", cases: freedTeamCases},
	{name: "barrier", cases: barrierCases},
	{name: "board", cases: boardCases},
	{name: "collectives", cases: collectiveCases},
	{name: "schedules", cases: scheduleCases},
	{name: "modes", cases: modeCases},
	{name: "overlap", cases: overlapCases},
	{name: "neighbour sync", cases: neighbourCases, puts: true},
	{name: "split", cases: splitCases},
	{name: "vectors", cases: vectorCases, puts: true},
	{name: "windows", cases: windowCases, puts: true},
	{name: "shared arrays", cases: sharedArrayCases, puts: true},
	{name: "threads", cases: threadCases},
	{name: "endpoints", cases: endpointCases},
	{name: "thread levels", cases: levelCases},
	{name: "regions", cases: regionCases},
	{name: "time", cases: timeCases},
	{name: "timeline", cases: timelineCases},
	{name: "progress", cases: progressCases},
	{name: "deadlock", cases: deadlockCases},
	{name: "abort", cases: abortCases},
	{name: "loops", cases: loopCases},
	{name: "random programs", cases: programCases},
}

// times is n repetitions at full scale.
func (s *suite) times(n int) int { return max(2, n/s.scale) }

// onRanks is a test that runs a body on n ranks.
func onRanks(n int, body func(p *proc)) func(*suite, *testing.T) {
	return on(func(s *suite) cluster.Spec { return s.spec(n) }, body)
}

// onNode is onRanks with all ranks on one node.
func onNode(n int, body func(p *proc)) func(*suite, *testing.T) {
	return on(func(s *suite) cluster.Spec { return s.node(n) }, body)
}

// on is a test that launches a body.
func on(spec func(*suite) cluster.Spec, body func(p *proc)) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) { s.run(t, spec(s), body) }
}

// onEach is a test with a subtest for each of several numbers of ranks.
func onEach(ranks []int, on func(n int, body func(p *proc)) func(*suite, *testing.T),
	body func(p *proc)) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		for _, n := range ranks {
			t.Run(fmt.Sprintf("%d ranks", n), func(t *testing.T) { on(n, body)(s, t) })
		}
	}
}

type namedBody struct {
	name string
	body func(p *proc)
}

// onBodies is a test with a subtest for each of several bodies.
func onBodies(bodies []namedBody, test func(s *suite, t *testing.T, body func(p *proc))) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		for _, x := range bodies {
			t.Run(x.name, func(t *testing.T) { test(s, t, x.body) })
		}
	}
}

// ifCharged skips a test where the clock does not show the machine's costs.
func ifCharged(test func(*suite, *testing.T)) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		if !s.charged() {
			t.Skip("the clock does not show the machine's costs")
		}
		test(s, t)
	}
}

// charged reports whether the clock shows the machine's costs, virtual whether it is
// virtual.
func (s *suite) charged() bool { return s.fabric.Clock(&s.machine) != cluster.WallClock }
func (s *suite) virtual() bool { return s.fabric.Clock(&s.machine) == cluster.VirtualClock }

// spec is ranks on two nodes where that goes evenly, all in one UPC group, with
// segments of 64 KiB and an eager limit of 256 B.
func (s *suite) spec(ranks int) cluster.Spec {
	nodes := 1
	if ranks%2 == 0 && s.machine.Nodes != 1 {
		nodes = 2
	}
	spec := Spec(s.machine, nodes, ranks/nodes)
	spec.Layout.ThreadsPerRank, spec.EagerLimit = s.threads, eager
	return spec
}

// node is spec with all ranks on one node.
func (s *suite) node(ranks int) cluster.Spec {
	spec := s.spec(ranks)
	spec.Layout.Nodes, spec.Layout.RanksPerNode = 1, ranks
	return spec
}

// nested is spec with groups of size ranks in an execution model.
func (s *suite) nested(model cluster.Model, ranks, size int) cluster.Spec {
	spec := s.spec(ranks)
	spec.Layout.Model, spec.Layout.Group = model, size
	return spec
}

// grouped returns spec with ranks in UPC groups, two ranks per node if the number is even.
func (s *suite) grouped(model cluster.Model, groups, size int, worldSeed uint64) cluster.Spec {
	spec := Grouped(s.machine, model, groups, size, worldSeed)
	spec.Layout.ThreadsPerRank, spec.EagerLimit = s.threads, eager
	return spec
}

// The eager limit of the suite. Sizes are on both sides of it, and of the limits of fabrics.
const eager = 256

var sizes = []int{0, 1, 7, 8, 9, 16, 17, 32, 33, 64, eager - 1, eager, eager + 1, 1000, 8192, 65537, 300_000}

// launch runs a program to its end and returns its error. A run that hangs fails the test.
func (s *suite) launch(t *testing.T, spec cluster.Spec, body func(p *proc)) error {
	t.Helper()
	return s.launchIn(t.Context(), t, spec, body)
}

// launchIn is launch in a context that the caller may cancel.
func (s *suite) launchIn(ctx context.Context, t *testing.T, spec cluster.Spec, body func(p *proc)) error {
	t.Helper()
	_, err := guarded(ctx, t, func(ctx context.Context) (cluster.Run, error) { return s.start(ctx, spec, body) })
	return err
}

// start starts a program and returns the run.
func (s *suite) start(ctx context.Context, spec cluster.Spec, body func(p *proc)) (cluster.Run, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	return cluster.Start(ctx, s.fabric, spec, dress(func(p *proc) {
		p.suite = s
		p.ctx = ctx
		p.cancel = cancel
		body(p)
	}))
}

// run runs a program that has to succeed.
func (s *suite) run(t *testing.T, spec cluster.Spec, body func(p *proc)) {
	t.Helper()
	if err := s.launch(t, spec, body); err != nil {
		t.Fatal(err)
	}
}

// test runs a program on some ranks as a subtest.
func (s *suite) test(t *testing.T, name string, ranks int, body func(p *proc)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { s.run(t, s.spec(ranks), body) })
}

// ports runs a program on the ports of a fabric.
func (s *suite) ports(t *testing.T, spec cluster.Spec, body func(p cluster.Port) error) error {
	t.Helper()
	_, err := guarded(t.Context(), t, func(ctx context.Context) (cluster.Run, error) {
		return s.fabric.Start(ctx, spec, body)
	})
	return err
}

// data is n bytes that depend on a number.
func data(n int, number int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + number*31 + 1)
	}
	return b
}

// contains reports whether an error says all of the words.
func contains(err error, words ...string) bool {
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			return false
		}
	}
	return true
}
