package session

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/race"
)

// limited returns options with a memory limit.
func limited(memory int64) Options { return Options{Fabrics: Fabrics(), Memory: memory} }

// A scenario that does not fit is refused before a fabric sees it. The error contains the need and
// its items, the available memory, and the nearest round value of the knob that fits.
func TestMemoryRefusal(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		settings string
		memory   int64
		want     string
	}{
		{"pingpong fabric sim nodes 2 ranks-per-node 1 size 1073741824", 3174 * mib,
			`^size = 1073741824: needs 4\.0\d* GiB of memory \(message buffers 4 GiB\), only 3\.1 GiB available \(805306368 fits\)$`},
		{"randomaccess machine this-host elements 16000000", 64 * mib,
			`^elements = 16000000: needs [45]\d\d\.?\d? MiB of memory \(segments 488\.3 MiB(, .*)?\), only 64 MiB available \(\d+0000 fits\)$`},
		// The error can name a knob that is at its default.
		{"cartesian machine this-host nodes 64 ranks-per-node 64", 1024 * mib, `^nodes = 64: needs .* fits\)$`},
		// No single changed knob is enough.
		{"beff fabric sim nodes 64 ranks-per-node 64 randoms 1000", 64 * mib,
			`^needs .*, only 64 MiB available \(use a smaller problem, larger groups or fewer ranks\)$`},
		// A larger value can need less memory: larger groups have fewer replicas.
		{"randomaccess machine this-host elements 4000000 group 1", 256 * mib, `^elements = 4000000: .* fits\)$`},
	} {
		o := limited(c.memory)
		_, err := New(scenarioOf(t, strings.Fields(c.settings)), o)
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: %v, want %q", c.settings, err, c.want)
			continue
		}
		// The suggested value fits.
		if head, rest, ok := strings.Cut(err.Error(), " = "); ok {
			if _, fits, ok := strings.Cut(rest, "available ("); ok {
				sc := scenarioOf(t, strings.Fields(c.settings))
				if err := sc.Set(head, strings.TrimSuffix(fits, " fits)")); err != nil {
					t.Fatal(err)
				}
				if _, err := New(sc, o); err != nil {
					t.Errorf("%s: suggested value %s does not fit: %v", c.settings, fits, err)
				}
			}
		}
	}
}

// The error names the knob that was changed, and the scenario remains unchanged.
func TestMemoryRefusalOfKnob(t *testing.T) {
	s, err := New(scenarioOf(t, strings.Fields("randomaccess machine this-host elements 1000000")), limited(100<<20))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"elements", "16000000",
			`^elements = 16000000: needs .* MiB of memory \(segments 488\.3 MiB(, .*)?\), only 100 MiB available \([12]\d00000 fits\)$`},
		{"group", "1",
			`^group = 1: needs 1\d\d.* MiB of memory \(segments 122\.1 MiB(, .*)?\), only 100 MiB available \([24] fits\)$`},
	} {
		if err := s.setKnob(c[0], c[1]); err == nil || !regexp.MustCompile(c[2]).MatchString(err.Error()) {
			t.Errorf("%s at %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
	if got := s.wanted.scenario.Text("elements"); got != "1000000" {
		t.Errorf("elements = %s after a refused change", got)
	}
}

// Simultaneous points of a sweep share the available memory.
func TestPointsShareMemory(t *testing.T) {
	sc := scenarioOf(t, strings.Fields("pingpong fabric sim nodes 2 ranks-per-node 1 size 16777216"))
	f := &sweepRun{options: limited(100 << 20), cores: 2}
	for range 2 {
		set, err := f.options.resolve(sc, "")
		if err != nil {
			t.Fatal(err)
		}
		f.setups = append(f.setups, set)
	}
	f.running = []Running{{index: 0}}
	if f.canStart(1) {
		t.Error("two runs of 72 MiB fit into 100")
	}
	f.options.Memory = 200 << 20
	if !f.canStart(1) && f.runsInParallel(1) {
		t.Error("two runs of 72 MiB do not fit into 200")
	}
}

// Size-only data need only the memory of their real part.
func TestSizeOnlyMemory(t *testing.T) {
	o := limited(0)
	need := func(settings string) float64 {
		set, err := o.plan(scenarioOf(t, strings.Fields(settings)))
		if err != nil {
			t.Fatal(err)
		}
		return set.memory()
	}
	const sizeOnly = "cartesian fabric sim nodes 4 ranks-per-node 4 size 1073741824 real-limit "
	if got := need(sizeOnly + "4096"); got > 10<<20 {
		t.Errorf("size-only messages need %s", cluster.SizeText(got))
	}
	if got := need(sizeOnly + "8388608"); got < 128<<20 || got > 144<<20 {
		t.Errorf("size-only messages with 1 MiB real need %s", cluster.SizeText(got))
	}
	if got := need("cartesian fabric live machine this-host nodes 4 ranks-per-node 4 size 1048576"); got < 128<<20 {
		t.Errorf("messages of 1 MiB need %s", cluster.SizeText(got))
	}
}

// TestDefaultRealLimit tests that at its default, real-limit keeps bytes in runs of default size. An allreduce of 32 KiB has bytes
// on 4096 ranks, and is size-only on 65,536 ranks with a small instance that fits.
func TestDefaultRealLimit(t *testing.T) {
	o := limited(0)
	for _, c := range []struct {
		settings string
		want     *engine.SizeOnly
	}{
		{"bcast fabric sim", nil},
		{"allreduce fabric sim", nil},
		{"cartesian fabric sim", nil},
		{"heat fabric sim", nil},
		{"allreduce fabric sim size 32768", nil},
		{"allreduce fabric sim machine frontier nodes 64 ranks-per-node 64 size 32768", nil},
		{"allreduce fabric sim machine frontier nodes 1024 ranks-per-node 64", nil},
		{"allreduce fabric sim machine frontier nodes 1024 ranks-per-node 64 size 32768",
			&engine.SizeOnly{Bytes: 65536, Limit: 4096}},
		{"allreduce fabric sim machine frontier nodes 1024 ranks-per-node 64 size 32768 real-limit 1048576", nil},
		{"allreduce fabric sim size 32768 real-limit 64", &engine.SizeOnly{Bytes: 65536, Limit: 64}},
		{"allreduce fabric live machine this-host size 32768 real-limit 64", nil},
	} {
		set, err := o.plan(scenarioOf(t, strings.Fields(c.settings)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(set.sizeOnly, c.want) {
			t.Errorf("%s: size-only data are %+v, want %+v", c.settings, set.sizeOnly, c.want)
		}
		if got := set.memory(); c.want != nil && got > 6<<30 {
			t.Errorf("%s: size-only data need %s", c.settings, cluster.SizeText(got))
		}
	}
}

func TestRoundValues(t *testing.T) {
	for _, c := range []struct {
		n    int64
		size bool
		want int64
	}{{0, true, 0}, {3, true, 3}, {1023, true, 768}, {1024, true, 1024}, {99, false, 99}, {123456, false, 120000}} {
		if got := roundDown(c.n, c.size); got != c.want {
			t.Errorf("rounded(%d, %v) = %d, want %d", c.n, c.size, got, c.want)
		}
	}
}

// scenarioOf returns a scenario: the name of a workload, followed by knobs and values.
func scenarioOf(t testing.TB, settings []string) engine.Scenario {
	t.Helper()
	sc, err := Scenario(settings[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(settings); i += 2 {
		if err := sc.Set(settings[i], settings[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// TestNeedOfAMillionRanks tests that a rank of a large simulation needs at most 12 KiB, stack and counters
// included.
func TestNeedOfAMillionRanks(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine plans a million ranks: minutes with the race detector")
	}
	for _, workload := range []string{"pingpong", "bcast"} {
		o := Options{Fabrics: Fabrics()}
		set, err := o.plan(scenarioOf(t, strings.Fields(workload+" fabric sim machine frontier nodes 8192 ranks-per-node 128")))
		if err != nil {
			t.Fatal(err)
		}
		if each := set.memory() / float64(set.spec.Layout.Ranks()); each > 12<<10 {
			t.Errorf("%s: a rank needs %.0f B, want at most 12 KiB", workload, each)
		}
	}
}
