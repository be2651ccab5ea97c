package presets

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
)

func TestBuiltInMachines(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	names := Machines()
	for _, want := range []string{"demo", "this-host"} {
		if !slices.Contains(names, want) {
			t.Errorf("machines %v: want %s among them", names, want)
		}
	}
	for _, name := range names {
		m, err := Machine(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if m.Name != name {
			t.Errorf("machine %s has the name %s", name, m.Name)
		}
		checkSound(t, m)
		checkPlausible(t, m)
	}
}

// checkSound checks the conditions that every loaded machine must satisfy.
func checkSound(t *testing.T, m cluster.Machine) {
	t.Helper()
	costs := m.Emulated
	for i := range facts {
		f := &facts[i]
		source, there := m.Source[f.key]
		if there && source == "" || strings.ContainsFunc(source, func(c rune) bool { return !unicode.IsPrint(c) }) {
			t.Errorf("%s: %s: source %q", m.Name, f.key, source)
		}
		v, is := f.get(&m)
		if is && !there {
			t.Errorf("%s: %s is %v without a source", m.Name, f.key, v)
		}
		if is && strings.HasPrefix(source, prefixUnknown) {
			t.Errorf("%s: %s is %v, and %s", m.Name, f.key, v, source)
		}
		costs = costs || f.cost && there
		if x, ok := v.(float64); ok && (math.IsNaN(x) || is && (x < f.min*(1-1e-9) || x > f.max)) {
			t.Errorf("%s: %s is %v, not within %v and %v", m.Name, f.key, x, f.min, f.max)
		}
	}
	for _, f := range facts {
		if _, there := m.Source[f.key]; !there && (f.need == needed || f.need == stated) && (costs || !f.cost) {
			t.Errorf("%s: nothing about %s", m.Name, f.key)
		}
	}
	if m.Title == "" || strings.ContainsFunc(m.Title, unicode.IsControl) {
		t.Errorf("%s: title %q", m.Name, m.Title)
	}
	for c, l := range m.Classes {
		if costs != (l.Latency > 0) {
			t.Errorf("%s: costs %v, and %v has latency %v", m.Name, costs, cluster.Class(c), l.Latency)
		}
	}
	if m.Socket != (cluster.Link{}) && m.Socket.Latency <= 0 || m.Device.Count == 0 && m.Device != (cluster.Device{}) {
		t.Errorf("%s: socket %+v, device %+v", m.Name, m.Socket, m.Device)
	}
	if len(m.Topology.Dims) > 0 {
		capacity := 1
		for _, n := range m.Topology.Dims {
			capacity *= n
		}
		if capacity < m.Nodes || m.Topology.Shape == "" {
			t.Errorf("%s: %+v does not hold %d nodes", m.Name, m.Topology, m.Nodes)
		}
	}
	if !slices.Contains([]cluster.Progress{cluster.ProgressCall, cluster.ProgressThread, cluster.ProgressOffload},
		m.Progress) {
		t.Errorf("%s: progress %q", m.Name, m.Progress)
	}
	var file strings.Builder
	if err := WriteMachine(&file, m); err != nil {
		t.Errorf("%s: %v", m.Name, err)
		return
	}
	back, err := decodeMachine(m.Name+".toml", []byte(file.String()))
	if err != nil {
		t.Errorf("%s, written: %v", m.Name, err)
	} else if diff := cmp.Diff(m, back); diff != "" {
		t.Errorf("%s, written and read again (-want +got):\n%s", m.Name, diff)
	}
}

// checkPlausible checks a built-in machine: times and rates are in the range of real computers, and
// every number that a simulation uses is present or unknown.
func checkPlausible(t *testing.T, m cluster.Machine) {
	t.Helper()
	for _, f := range Facts(&m) {
		x, _ := f.Value.(float64)
		switch {
		case x == 0:
		case f.Unit == "s" && (x < 1e-9 || x > 1e-3),
			f.Unit == "B/s" && (x < 1e6 || x > 10e12),
			f.Unit == "flop/s" && (x < 1e6 || x > 1e14),
			strings.HasPrefix(f.Key, "memory_per_node") && (x < 1e7 || x > 1e13):
			t.Errorf("%s: %s is %v %s", m.Name, f.Key, x, f.Unit)
		}
		if len(f.Source) < 10 {
			t.Errorf("%s: %s: the source is too short: %q", m.Name, f.Key, f.Source)
		}
	}
	if !m.Emulated || m.Name == "demo" {
		return
	}
	for _, key := range []string{"sockets_per_node", "memory_rate_per_node_bytes_per_s",
		"copy_rate_per_thread_bytes_per_s",
		"remote.overhead_s", "remote.gap_s", "remote.thread_rate_bytes_per_s", "topology.shape",
		"atomic_time_s", "handler_time_s", "lock_time_s", "poll_time_s"} {
		if m.Source[key] == "" {
			t.Errorf("%s: nothing about %s", m.Name, key)
		}
	}
}

// The machine of paper 1 predicts claim 4 at the point that its flop rate is fitted to. Elsewhere
// it predicts the order of claims 3 and 5: P(node) = |group ∩ node| / G.
func TestPaper1Machine(t *testing.T) {
	m, err := Machine("osc-ibm1350")
	if err != nil {
		t.Fatal(err)
	}
	const bytes, cores = 8, 4
	local, remote := m.AccessTime(cluster.InNode, bytes), m.AccessTime(cluster.Remote, bytes)
	if rank := m.AccessTime(cluster.InRank, bytes); rank != local {
		t.Errorf("%v in the rank, %v in the node: latency goes by node", rank, local)
	}
	access := func(group int) float64 {
		p := float64(min(group, cores)) / float64(group)
		return m.ComputeTime(cluster.Work{Flops: 1000}).Seconds() + p*local.Seconds() + (1-p)*remote.Seconds()
	}
	for _, c := range []struct {
		group int
		times float64 // faster than the baseline on 256 cores
	}{{4, 2.033}, {8, 4. / 3}, {16, 1.138}, {256, 1}} {
		if got := access(256) / access(c.group); math.Abs(got/c.times-1) > 1e-3 {
			t.Errorf("groups of %d: %.4f times, want %.4f", c.group, got, c.times)
		}
	}
}

// Every number is loaded in the unit of its key.
func TestUnits(t *testing.T) {
	m, err := decodeMachine("demo.toml", demo(t))
	if err != nil {
		t.Fatal(err)
	}
	m.Source, m.Title = nil, ""
	want := cluster.Machine{
		Name: "demo", Emulated: true, Nodes: 64, CoresPerNode: 16, MemoryPerNode: 12 << 20,
		Flops: 5e9, MemoryRate: 8e9, NodeRate: 64e9, AtomicTime: 100 * cluster.Nanosecond,
		HandlerTime: 300 * cluster.Nanosecond,
		LockTime:    100 * cluster.Nanosecond, PollTime: 50 * cluster.Nanosecond, Progress: cluster.ProgressThread,
		EagerLimit: 8192,
		Classes: [cluster.Classes]cluster.Link{
			{Latency: 400 * cluster.Nanosecond, Bandwidth: 16e9},
			{Latency: 420 * cluster.Nanosecond, Bandwidth: 12e9},
			{Latency: 2 * cluster.Microsecond, Bandwidth: 10e9, Adapters: 2},
		},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("demo (-want +got):\n%s", diff)
	}
}

// A fine-grained access costs nearly the same in the rank as in the node. The two-level law by node
// therefore holds within its tolerance: with l_l fitted on groups of one, a group of one node is
// predicted within 10 % (paper 1, section 4.3.1).
func TestDemoFollowsTheTwoLevelLaw(t *testing.T) {
	m, err := decodeMachine("demo.toml", demo(t))
	if err != nil {
		t.Fatal(err)
	}
	rank, node := m.AccessTime(cluster.InRank, 8).Seconds(), m.AccessTime(cluster.InNode, 8).Seconds()
	if of4 := (rank + 3*node) / 4; math.Abs(rank-of4)/of4 > 0.05 {
		t.Errorf("in rank %v s, in node %v s: a group of 4 costs %v s, too far from the group of 1", rank, node, of4)
	}
}

func demo(t testing.TB) []byte {
	t.Helper()
	data, err := builtIn.ReadFile("machines/demo.toml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func thisHost(t testing.TB) []byte {
	t.Helper()
	data, err := builtIn.ReadFile("machines/this-host.toml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSourceKinds(t *testing.T) {
	text := edit(t, string(demo(t)),
		"[flops_per_core]\nvalue = 5e9\nsource =", "[flops_per_core]\nvalue = 5e9\nfitted =",
		"[nodes]\nvalue = 64\n", "[nodes]\nunknown = \"nobody counted\"\n#")
	m, err := decodeMachine("x.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Source["flops_per_core"]; !strings.HasPrefix(s, "fitted to chosen for teaching") {
		t.Errorf("fitted flops say %q", s)
	}
	if m.Nodes != 0 || m.Source["nodes"] != "unknown: nobody counted" {
		t.Errorf("unknown nodes: %d, %q", m.Nodes, m.Source["nodes"])
	}
}

// Count returns the number of facts of each kind. A machine is a sketch if more than a third of its
// numbers are assumed.
func TestCount(t *testing.T) {
	text := edit(t, string(demo(t)),
		"[flops_per_core]\nvalue = 5e9\nsource =", "[flops_per_core]\nvalue = 5e9\nfitted =",
		"[cores_per_node]\nvalue = 16\nsource =", "[cores_per_node]\nvalue = 16\nderived =",
		"[nodes]\nvalue = 64\n", "[nodes]\nunknown = \"nobody counted\"\n#")
	want := Tally{Sourced: 15, Derived: 1, Fitted: 1, Unknown: 1}
	for _, key := range []string{"", "atomic_time_s", "handler_time_s", "lock_time_s", "poll_time_s", "remote.latency_s",
		"in_node.latency_s"} {
		if key != "" {
			head, rest, _ := strings.Cut(text, "["+key+"]")
			text = head + "[" + key + "]" + strings.Replace(rest, "source =", "assumed =", 1)
			want.Sourced--
			want.Assumed++
		}
		m, err := decodeMachine("x.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := Count(&m)
		if got != want {
			t.Errorf("%s assumed: %+v, want %+v", key, got, want)
		}
		if got.Sketch() != (want.Assumed > 5) { // of 17
			t.Errorf("%+v: sketch %v", got, got.Sketch())
		}
		for _, f := range Facts(&m) {
			if f.Key == key && (f.Kind() != Assumed || !strings.HasPrefix(f.Words(), "chosen for teaching")) {
				t.Errorf("%s is %s: %q", key, f.Kind(), f.Words())
			}
		}
		machines, wanted := []cluster.Machine{m}, 0
		if got.Sketch() {
			wanted = got.Assumed
		}
		if of, not := AssumedBySketch("x", machines), AssumedBySketch("y", machines); len(of) != wanted || len(not) > 0 {
			t.Errorf("assumed by the sketch: %v, and %v of an unknown machine, want %d and none", of, not, wanted)
		}
		checkSound(t, m)
	}
}

// edit replaces each old text with the next argument. Each old text must occur once.
func edit(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if n := strings.Count(text, pairs[i]); n != 1 {
			t.Fatalf("%q is in the file %d times", pairs[i], n)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// dropLine removes the one line that begins with prefix.
func dropLine(t testing.TB, text, prefix string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.HasPrefix(l, prefix) })
	if len(kept) != len(lines)-1 {
		t.Fatalf("%d lines begin with %q", len(lines)-len(kept), prefix)
	}
	return strings.Join(kept, "\n")
}

// Each error names file, line, key and a hint.
func TestMistakesInMachineFiles(t *testing.T) {
	demo, host := string(demo(t)), string(thisHost(t))
	latency := "[remote.latency_s]\nvalue = 2e-6"
	for _, c := range []struct{ what, text, want string }{
		{"unknown key", edit(t, demo, "emulated = true\n", "emulated = true\ncolour = 3\n"),
			"x.toml:5: colour: unknown key; want one of title, emulated, progress, nodes"},
		{"unknown table", demo + "\n[remote.jitter_s]\nvalue = 1\n",
			"remote.jitter_s: unknown key; want one of"},
		{"key in another unit", edit(t, demo, "[remote.latency_s]", "[remote.latency_us]"),
			"remote.latency_us: unknown key; want remote.latency_s, in seconds"},
		{"memory in another unit", edit(t, demo, "[memory_per_node_bytes]", "[memory_per_node_gib]"),
			"memory_per_node_gib: unknown key; want memory_per_node_bytes, in whole bytes"},
		{"upper case", edit(t, demo, latency, "[remote.latency_s]\nValue = 4e-6"),
			"remote.latency_s.Value: unknown key; a number has value, and source, derived, fitted or assumed"},
		{"quoted dot", "\"remote.latency_s\" = 1\n" + demo, `x.toml:1: "remote.latency_s": unknown key`},
		{"unknown key in an inline table", host[:strings.Index(host, "[nodes]")] + "nodes = { value = 2, src = \"x\" }\n",
			"nodes.src: unknown key; a number has value"},
		{"unit in the value", edit(t, demo, latency, "[remote.latency_s]\nvalue = \"4 us\""),
			"remote.latency_s.value: want a number without a unit, in seconds"},
		{"number without table", edit(t, host, "[cores_per_node]\n", "[cores_per_node.value]\n"),
			"cores_per_node.value.unknown: unknown key"},
		{"bare number", "nodes = 64\n" + dropTable(t, demo, "nodes"),
			"x.toml:1: nodes: want a table: [nodes] with value (a whole number) and source, derived, fitted or assumed, or " +
				"with unknown"},
		{"no source", dropLine(t, demo, `source = "chosen for teaching: one small message`),
			`remote.latency_s: has no source; add source = "where the number comes from", derived = "from what", fitted = "to what", or assumed = "why"`},
		{"both source and fitted", edit(t, demo, latency, latency+"\nfitted = \"a figure\""),
			"remote.latency_s: has both source and fitted"},
		{"both fitted and assumed", edit(t, demo, latency, "[remote.latency_s]\nassumed = \"x\"\nvalue = 2e-6"),
			"remote.latency_s: has both source and assumed"},
		{"a fit to nothing", edit(t, host, `source = "chosen: a`, `fitted = "nothing published; a`),
			"eager_limit_bytes.fitted: is fitted to nothing; use the key assumed"},
		{"an assumption as a source", edit(t, host, `source = "chosen: a`, `source = "assumed: a`),
			"eager_limit_bytes.source: reads as assumed; use that key"},
		{"a derivation as a source", edit(t, host, `source = "chosen: a`, `source = "derived from a`),
			"eager_limit_bytes.source: reads as derived; use that key"},
		{"empty source", edit(t, demo, latency, "[remote.latency_s]\nvalue = 2e-6\nfitted = \" \"\n#"),
			"remote.latency_s"},
		{"source is a number", edit(t, host, `source = "chosen: a`, "source = 3 #"),
			"eager_limit_bytes.source: want a text in quotes"},
		{"missing key, at what is there of its class", dropTable(t, demo, "remote.latency_s"),
			"x.toml:51: remote.latency_s: missing; add [remote.latency_s] with value (seconds) and source, derived, fitted " +
				"or assumed"},
		{"missing class", dropTable(t, dropTable(t, demo, "in_node.latency_s"), "in_node.bandwidth_bytes_per_s"),
			"in_node.latency_s: missing"},
		{"missing value", dropLine(t, demo, "value = 2e-6"),
			"remote.latency_s: has no value; add value = a number in seconds"},
		{"missing title", dropLine(t, demo, "title ="), "title: missing"},
		{"missing emulated", dropLine(t, demo, "emulated ="), "emulated: want true"},
		{"missing progress", dropLine(t, demo, "progress ="), `progress: want "call"`},
		{"wrong progress", edit(t, demo, `"thread"`, `"magic"`), `x.toml:5: progress: want "call"`},
		{"emulated as text", edit(t, demo, "emulated = true", `emulated = "yes"`), "x.toml:4: emulated: want true"},
		{"unknown latency", edit(t, demo, latency, "[remote.latency_s]\nunknown = \"?\"\n#"),
			"remote.latency_s.unknown: this number is needed"},
		{"unknown and value", edit(t, demo, "value = 64\n", "value = 64\nunknown = \"?\"\n"),
			"nodes.unknown: must be the only key"},
		{"one cost of a host", host + "\n[remote.latency_s]\nvalue = 1e-6\nsource = \"x\"\n",
			"flops_per_core: missing; add [flops_per_core] with value (floating-point operations per second) and source, " +
				"derived, fitted or assumed, or with unknown = \"why\" (a machine that is not emulated has all costs, to be " +
				"simulated, or none)"},
		{"hop in another unit", demo + "\n[topology.hop_latency_ns]\nvalue = 1\n",
			"topology.hop_latency_ns: unknown key; want topology.hop_latency_s, in seconds"},
		{"node rate in another unit", demo + "\n[memory_rate_per_node_gb_per_s]\nvalue = 1\n",
			"want memory_rate_per_node_bytes_per_s, in bytes per second"},
		{"no such shape", demo + shape("ring", ""),
			`topology.shape.value: want one of "crossbar", "fat-tree", "torus", "hyper-crossbar", "dragonfly"`},
		{"shape without dims", demo + shape("torus", ""), "topology.dims: has 0 numbers; a torus has 3: its lengths"},
		{"flat torus", demo + shape("torus", "[8, 8]"), "topology.dims: has 2 numbers; a torus has 3"},
		{"hyper-crossbar without dims", demo + shape("hyper-crossbar", ""),
			"topology.dims: has 0 numbers; a hyper-crossbar has at least 1: nodes of a line, by dimension"},
		{"hyper-crossbar too small", demo + shape("hyper-crossbar", "[7, 9]"),
			"topology.dims: hold 63 nodes, and the machine has 64; use larger ones"},
		{"hyper-crossbar with taper", demo + shape("hyper-crossbar", "[8, 8]") + "\n[topology.taper]\nvalue = " +
			"[0.5]\nsource = \"x\"\n", "topology.taper: only a fat tree and a dragonfly have it; leave it out"},
		{"torus too small", demo + shape("torus", "[3, 4, 5]"),
			"topology.dims: hold 60 nodes, and the machine has 64; use larger ones"},
		{"torus too large", demo + shape("torus", "[100000, 100000, 100000]"),
			"topology.dims: make a network of more than 1073741824 nodes"},
		{"length of half a node", demo + shape("torus", "[4, 4, 4.5]"),
			"topology.dims.value: is 4.5; want a list of whole numbers"},
		{"no length", demo + shape("torus", "[]"),
			"topology.dims.value: want a list of whole numbers in brackets, at most 16"},
		{"length as text", demo + shape("torus", `[4, 4, "4"]`), "topology.dims.value: want a number without a unit"},
		{"dims of a crossbar", demo + shape("crossbar", "[8, 8]"), "topology.dims: a crossbar has none"},
		{"detours without a length", demo + "[detour_rate_per_s]\nvalue = 100\nsource = \"x\"\n", "detour_length_s: want more than 0: detours have a rate and a length"},
		{"detours without a rate", demo + "[detour_length_s]\nvalue = 1e-6\nsource = \"x\"\n", "detour_rate_per_s: want more than 0: detours have a rate and a length"},
		{"dims without a shape", demo + "\n[topology.dims]\nvalue = [8, 8]\nsource = \"x\"\n",
			"topology.dims: a crossbar has none; leave it out, or name another shape"},
		{"taper of a torus", demo + shape("torus", "[4, 4, 4]") + taper("[1]"),
			"topology.taper: only a fat tree and a dragonfly have it"},
		{"taper of no level", demo + shape("dragonfly", "[4, 4, 2, 2]") + taper("[1, 1, 0.5, 0.5]"),
			"topology.taper: has 4 numbers; this network has 3 levels that taper"},
		{"taper of the top", demo + shape("fat-tree", "[8, 8]") + taper("[1, 1]"),
			"topology.taper: has 2 numbers; this network has 1 levels that taper"},
		{"taper of nothing", demo + shape("dragonfly", "[4, 4, 2, 2]") + taper("[0]"),
			"topology.taper.value: is 0; want a list of numbers, up-links by down-links, from 0.001 to 100"},
		{"socket without latency", demo + "\n[in_socket.bandwidth_bytes_per_s]\nvalue = 1e9\nsource = \"x\"\n",
			"in_socket.latency_s: missing"},
		{"devices without number", demo + "\n[device.flops]\nvalue = 1e12\nsource = \"x\"\n", "device.per_node: missing"},
		{"device link without latency", demo + "\n[device.per_node]\nvalue = 4\nsource = " +
			"\"x\"\n[device.link.overhead_s]\nvalue = 0\nsource = \"x\"\n", "device.link.latency_s: missing"},
		{"number of devices unknown", demo + "\n[device.per_node]\nunknown = \"x\"\n",
			"device.per_node.unknown: this number is needed"},
		{"flag as text", demo + "\n[device.per_node]\nvalue = 4\nsource = \"x\"\n[device.direct]\nvalue = " +
			"\"yes\"\nsource = \"x\"\n", "device.direct.value: want true (adapters reach device memory) or false"},
		{"noise above measure", demo + "\n[link_noise]\nvalue = 11\nsource = \"x\"\n",
			"link_noise.value: is 11; want a share of 1, from 0 to 10"},
		{"a source that is none", edit(t, host, `source = "chosen: a`, `source = "unknown: a`),
			"eager_limit_bytes.source: reads as unknown"},
		{"negative", edit(t, demo, latency, "[remote.latency_s]\nvalue = -2e-6"),
			"remote.latency_s.value: is -2e-06; want seconds, from 1e-12 to 1"},
		{"zero latency", edit(t, demo, latency, "[remote.latency_s]\nvalue = 0"), "remote.latency_s.value: is 0"},
		{"microseconds in a key for seconds", edit(t, demo, latency, "[remote.latency_s]\nvalue = 4.0"),
			"remote.latency_s.value: is 4; want seconds"},
		{"NaN", edit(t, demo, latency, "[remote.latency_s]\nvalue = nan"), "remote.latency_s.value: is NaN"},
		{"infinite", edit(t, demo, "value = 10e9", "value = inf"), "remote.bandwidth_bytes_per_s.value: is +Inf"},
		{"huge", edit(t, demo, "value = 64\n", "value = 9_000_000_000_000_000_000\n"),
			"nodes.value: is 9e+18; want a whole number, from 1 to 1e+07"},
		{"larger than any number", edit(t, demo, "value = 64\n", "value = 99999999999999999999999\n"), "x.toml:8: "},
		{"half a core", edit(t, demo, "value = 16\n", "value = 16.5\n"),
			"cores_per_node.value: is 16.5; want a whole number"},
		{"escape in a title", edit(t, demo, "title = \"Demo", `title = "\u001b[31mDemo`),
			"x.toml:3: title: contains U+001B, which is not printable"},
		{"newline in a source", edit(t, demo, "teaching: one small", `teaching: \none small`),
			"remote.latency_s.source: contains U+000A"},
		{"text turned round", edit(t, demo, "teaching: one small", `teaching: \u202eone small`),
			"remote.latency_s.source: contains U+202E"},
		{"long title", edit(t, demo, "title = \"Demo", `title = "`+strings.Repeat("x", maxText)), "title: has 10"},
		{"raw control character", edit(t, demo, "title = \"Demo", "title = \"\x1b[31mDemo"), "x.toml:3: "},
		{"not UTF-8", edit(t, demo, "title = \"Demo", "title = \"\xff\xfe"), "x.toml:3: "},
		{"the same table twice", demo + "\n[nodes]\nvalue = 1\n", "x.toml:"},
		{"the same key twice", edit(t, demo, latency, latency+"\nvalue = 1e-6"), "x.toml:"},
		{"no TOML", "hello\n", "x.toml:1: "},
		{"array of tables", dropTable(t, demo, "nodes") + "\n[[nodes]]\nvalue = 3\n", "nodes: want a table: [nodes]"},
		{"nothing", "", "x.toml: title: missing"},
		{"brackets without end", "title = " + strings.Repeat("[", 1<<19), "opening brackets"},
		{"braces without end", "nodes = " + strings.Repeat("{value=", 1<<16), "opening brackets"},
		{"dots without end", strings.Repeat("a.", 1<<18) + "a = 1", "unknown key"},
	} {
		_, err := decodeMachine("x.toml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.toml:") {
			t.Errorf("%s: error\n\t%v\nwant one with\n\t%s", c.what, err, c.want)
			continue
		}
		if strings.ContainsFunc(err.Error(), unicode.IsControl) || len(err.Error()) > 2000 {
			t.Errorf("%s: the error is not printable: %q", c.what, err)
		}
	}
}

// shape and taper are tables of a network.
func shape(name, dims string) string {
	s := "\n[topology.shape]\nvalue = \"" + name + "\"\nsource = \"x\"\n"
	if dims != "" {
		s += "[topology.dims]\nvalue = " + dims + "\nsource = \"x\"\n"
	}
	return s
}

func taper(values string) string { return "[topology.taper]\nvalue = " + values + "\nsource = \"x\"\n" }

// dropTable removes a table, from its head to the next head.
func dropTable(t testing.TB, text, key string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "["+key+"]\n")
	if !ok {
		t.Fatalf("no table %s", key)
	}
	if i := strings.Index(rest, "\n["); i >= 0 {
		return head + rest[i+1:]
	}
	return head
}

func TestUserMachines(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	folder := filepath.Join(home, "hybridtop", "machines")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("ours.toml", demo(t))
	noName := write("Not a name.toml", demo(t))
	write("notes.txt", nil)
	all := slices.Concat(machineCatalog.builtIn(), []string{"ours"})
	slices.Sort(all)
	if got := Machines(); !slices.Equal(got, all) {
		t.Errorf("machines %v, want %v", got, all)
	}
	m, err := Machine("ours")
	if err != nil || m.Name != "ours" || m.Nodes != 64 {
		t.Errorf("ours: %+v, %v", m, err)
	}

	_, err = Machine("../ours")
	wantError(t, err, `unknown machine "../ours": want one of `+strings.Join(all, ", ")+`; put your own into `+folder)

	shadow := write("demo.toml", thisHost(t))
	if m, err := Machine("demo"); err != nil || !m.Emulated {
		t.Errorf("demo is not the built-in one: %+v, %v", m, err)
	}
	broken := write("broken.toml", []byte("title = 3\n"))
	_, err = Machine("broken")
	wantError(t, err, broken+":1: title: want a text in quotes")

	// Lists omit these files; SkippedMachines reports each.
	if got := Machines(); !slices.Equal(got, all) {
		t.Errorf("machines %v, want %v", got, all)
	}
	skipped := SkippedMachines()
	for i, want := range []struct {
		name     string
		shadowed bool
		says     string
	}{
		{"", false, noName + ": invalid name for a machine"},
		{"broken", false, broken + ":1: title: want a text in quotes"},
		{"demo", true, shadow + ": a built-in machine has the name demo and is used instead; rename the file"},
	} {
		if i >= len(skipped) {
			t.Fatalf("skipped %v, want %s", skipped, want.says)
		}
		if s := skipped[i]; s.Name != want.name || s.Shadowed != want.shadowed {
			t.Errorf("skipped %+v, want %+v", s, want)
		}
		wantError(t, skipped[i].Err, want.says)
	}
	if len(skipped) > 3 {
		t.Errorf("skipped %v", skipped)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long.toml")
	if err := os.WriteFile(long, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(long, 1<<40); err != nil { // would not fit in memory, were it read
		t.Fatal(err)
	}
	_, err := LoadMachine(long)
	wantError(t, err, long+": 1099511627776 bytes, want at most 1048576")

	_, err = LoadMachine(dir)
	wantError(t, err, "not a regular file")
	_, err = LoadMachine(filepath.Join(dir, "absent.toml"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	for _, name := range []string{"Demo 2.toml", "demo", ".toml", strings.Repeat("x", 41) + ".toml"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, demo(t), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = LoadMachine(file)
		wantError(t, err, file+": invalid name for a machine")
	}
}

func FuzzMachine(f *testing.F) {
	f.Add(demo(f))
	f.Add(thisHost(f))
	f.Add([]byte(string(demo(f)) + shape("dragonfly", "[4, 4, 2, 2]") + taper("[1, 0.5]") +
		"\n[device.per_node]\nvalue = 4\nsource = \"x\"\n[device.direct]\nvalue = true\nfitted = \"x\"\n"))
	f.Add([]byte("emulated = false\n[remote.overhead_s]\nunknown = \"x\"\n[topology.dims]\nvalue = [1, [2], nan]\n"))
	f.Add([]byte("title = \"x\"\nemulated = false\nprogress = \"call\"\nnodes = { value = 2, source = \"x\" " +
		"}\ncores_per_node.unknown = \"?\"\n"))
	f.Add([]byte("[[nodes]]\n[nodes.value]\n\"remote.latency_s\" = nan\n"))
	f.Add([]byte("\xef\xbb\xbfemulated = +inf # \x00\r\n'' = '''\n'''"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMachine("fuzz.toml", data)
		if err == nil {
			checkSound(t, m)
			return
		}
		if s := err.Error(); !strings.HasPrefix(s, "fuzz.toml:") || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("error %q: want the file first and no control characters", s)
		}
	})
}
