package presets

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
			t.Errorf("machine %s is called %s", name, m.Name)
		}
		checkSound(t, m)
	}
}

// checkSound holds for every machine that the loader gives.
func checkSound(t *testing.T, m cluster.Machine) {
	t.Helper()
	for _, f := range facts {
		if f.cost && !m.Emulated {
			if s, ok := m.Source[f.key]; ok {
				t.Errorf("%s is not emulated and has %s: %s", m.Name, f.key, s)
			}
			continue
		}
		if m.Source[f.key] == "" {
			t.Errorf("%s: %s has no source", m.Name, f.key)
		}
	}
	for key, s := range m.Source {
		if strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
			t.Errorf("%s: %s: source %q is not printable", m.Name, key, s)
		}
	}
	if m.Title == "" || strings.ContainsFunc(m.Title, unicode.IsControl) {
		t.Errorf("%s: title %q", m.Name, m.Title)
	}
	finite := []float64{m.Flops, m.MemoryRate, float64(m.Nodes), float64(m.CoresPerNode), float64(m.MemoryPerNode), float64(m.EagerLimit)}
	for c, l := range m.Classes {
		finite = append(finite, l.Bandwidth, float64(l.Latency), float64(l.Adapters))
		if m.Emulated && l.Latency <= 0 {
			t.Errorf("%s: emulated, and %v costs no latency", m.Name, cluster.Class(c))
		}
		if !m.Emulated && l != (cluster.Link{}) {
			t.Errorf("%s: not emulated, and %v costs %+v", m.Name, cluster.Class(c), l)
		}
	}
	for _, v := range finite {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			t.Errorf("%s: a number is %v", m.Name, v)
		}
	}
	if m.Progress != cluster.ProgressCall && m.Progress != cluster.ProgressThread {
		t.Errorf("%s: progress %q", m.Name, m.Progress)
	}
}

// Every unit in a key means what it says.
func TestUnits(t *testing.T) {
	m, err := decodeMachine("demo.toml", demo(t))
	if err != nil {
		t.Fatal(err)
	}
	m.Source, m.Title = nil, ""
	want := cluster.Machine{
		Name: "demo", Emulated: true, Nodes: 64, CoresPerNode: 16, MemoryPerNode: 12 << 20,
		Flops: 5e9, MemoryRate: 8e9, Progress: cluster.ProgressThread, EagerLimit: 8192,
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

// A fine-grained access costs nearly the same in the rank as in the node, so that
// the two-level law by node holds within its tolerance: with l_l fitted on groups
// of one, a group of one node is predicted within 10 % (paper 1, section 4.3.1).
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

func TestSourceTellsItsKind(t *testing.T) {
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

// edit replaces each old text by the one after it; each must be there once.
func edit(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if n := strings.Count(text, pairs[i]); n != 1 {
			t.Fatalf("%q stands in the file %d times", pairs[i], n)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// dropLine leaves out the one line that begins so.
func dropLine(t testing.TB, text, prefix string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.HasPrefix(l, prefix) })
	if len(kept) != len(lines)-1 {
		t.Fatalf("%d lines begin with %q", len(lines)-len(kept), prefix)
	}
	return strings.Join(kept, "\n")
}

// Each error names file, line, key and the mend.
func TestMistakesInMachineFiles(t *testing.T) {
	demo, host := string(demo(t)), string(thisHost(t))
	latency := "[remote.latency_s]\nvalue = 2e-6"
	for _, c := range []struct{ what, text, want string }{
		{"unknown key", edit(t, demo, "emulated = true\n", "emulated = true\ncolour = 3\n"),
			"x.toml:5: colour: unknown key; there are title, emulated, progress, nodes"},
		{"unknown table", demo + "\n[remote.jitter_s]\nvalue = 1\n",
			"remote.jitter_s: unknown key; there are"},
		{"key in another unit", edit(t, demo, "[remote.latency_s]", "[remote.latency_us]"),
			"remote.latency_us: unknown key; want remote.latency_s, in seconds"},
		{"memory in another unit", edit(t, demo, "[memory_per_node_bytes]", "[memory_per_node_gib]"),
			"memory_per_node_gib: unknown key; want memory_per_node_bytes, in whole bytes"},
		{"upper case", edit(t, demo, latency, "[remote.latency_s]\nValue = 4e-6"),
			"remote.latency_s.Value: unknown key; a number has value, and source or fitted"},
		{"quoted dot", "\"remote.latency_s\" = 1\n" + demo, `x.toml:1: "remote.latency_s": unknown key`},
		{"unknown key in an inline table", host[:strings.Index(host, "[nodes]")] + "nodes = { value = 2, src = \"x\" }\n", "nodes.src: unknown key; a number has value"},
		{"unit in the value", edit(t, demo, latency, "[remote.latency_s]\nvalue = \"4 us\""),
			"remote.latency_s.value: want a number without a unit, in seconds"},
		{"number without table", edit(t, host, "[cores_per_node]\n", "[cores_per_node.value]\n"),
			"cores_per_node.value.unknown: unknown key"},
		{"bare number", "nodes = 64\n" + dropTable(t, demo, "nodes"),
			"x.toml:1: nodes: want a table: [nodes] with value (a whole number) and source, or fitted, or with unknown"},
		{"no source", dropLine(t, demo, `source = "chosen for teaching: one small message`),
			`remote.latency_s: has no source; add source = "where the number comes from", or fitted = "to what"`},
		{"both source and fitted", edit(t, demo, latency, latency+"\nfitted = \"a figure\""),
			"remote.latency_s: has both source and fitted"},
		{"empty source", edit(t, demo, latency, "[remote.latency_s]\nvalue = 2e-6\nfitted = \" \"\n#"),
			"remote.latency_s"},
		{"source is a number", edit(t, host, `source = "chosen: a`, "source = 3 #"),
			"eager_limit_bytes.source: want a text in quotes"},
		{"missing key, at what is there of its class", dropTable(t, demo, "remote.latency_s"),
			"x.toml:47: remote.latency_s: missing; add [remote.latency_s] with value (seconds) and source, or fitted"},
		{"missing class", dropTable(t, dropTable(t, demo, "in_node.latency_s"), "in_node.bandwidth_bytes_per_s"),
			"in_node.latency_s: missing"},
		{"missing value", dropLine(t, demo, "value = 2e-6"),
			"remote.latency_s: has no value; add value = a number in seconds"},
		{"missing title", dropLine(t, demo, "title ="), "title: missing"},
		{"missing emulated", dropLine(t, demo, "emulated ="), "emulated: want true"},
		{"missing progress", dropLine(t, demo, "progress ="), `progress: want "call"`},
		{"wrong progress", edit(t, demo, `"thread"`, `"magic"`), `x.toml:5: progress: want "call"`},
		{"emulated as text", edit(t, demo, "emulated = true", `emulated = "yes"`), "x.toml:4: emulated: want true"},
		{"unknown latency", edit(t, demo, latency, "[remote.latency_s]\nunknown = \"?\"\n#"), "remote.latency_s.unknown: this number is needed"},
		{"unknown and value", edit(t, demo, "value = 64\n", "value = 64\nunknown = \"?\"\n"), "nodes.unknown: stands alone"},
		{"link of a host", host + "\n[remote.latency_s]\nvalue = 1e-6\nsource = \"x\"\n", "remote.latency_s: would not be used: the machine is not emulated"},
		{"negative", edit(t, demo, latency, "[remote.latency_s]\nvalue = -2e-6"), "remote.latency_s.value: is -2e-06; want seconds, from 1e-12 to 1"},
		{"zero latency", edit(t, demo, latency, "[remote.latency_s]\nvalue = 0"), "remote.latency_s.value: is 0"},
		{"microseconds in a key for seconds", edit(t, demo, latency, "[remote.latency_s]\nvalue = 4.0"), "remote.latency_s.value: is 4; want seconds"},
		{"NaN", edit(t, demo, latency, "[remote.latency_s]\nvalue = nan"), "remote.latency_s.value: is NaN"},
		{"infinite", edit(t, demo, "value = 10e9", "value = inf"), "remote.bandwidth_bytes_per_s.value: is +Inf"},
		{"huge", edit(t, demo, "value = 64\n", "value = 9_000_000_000_000_000_000\n"), "nodes.value: is 9e+18; want a whole number, from 1 to 1e+07"},
		{"larger than any number", edit(t, demo, "value = 64\n", "value = 99999999999999999999999\n"), "x.toml:8: "},
		{"half a core", edit(t, demo, "value = 16\n", "value = 16.5\n"), "cores_per_node.value: is 16.5; want a whole number"},
		{"escape in a title", edit(t, demo, "title = \"Demo", `title = "\u001b[31mDemo`), "x.toml:3: title: holds U+001B, which is not printable"},
		{"newline in a source", edit(t, demo, "teaching: one small", `teaching: \none small`), "remote.latency_s.source: holds U+000A"},
		{"text turned round", edit(t, demo, "teaching: one small", `teaching: \u202eone small`), "remote.latency_s.source: holds U+202E"},
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
			t.Errorf("%s: the error is not fit for a screen: %q", c.what, err)
		}
	}
}

// dropTable leaves out a table, from its head to the next.
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
	write("Not a name.toml", demo(t))
	write("notes.txt", nil)
	if got := Machines(); !slices.Equal(got, []string{"demo", "ours", "this-host"}) {
		t.Errorf("machines %v", got)
	}
	m, err := Machine("ours")
	if err != nil || m.Name != "ours" || m.Nodes != 64 {
		t.Errorf("ours: %+v, %v", m, err)
	}

	_, err = Machine("../ours")
	wantError(t, err, `unknown machine "../ours": there are demo, ours, this-host; your own go into `+folder)

	shadow := write("demo.toml", thisHost(t))
	_, err = Machine("demo")
	wantError(t, err, shadow+": a built-in machine is called demo; rename the file")
	if got := Machines(); !slices.Equal(got, []string{"demo", "ours", "this-host"}) {
		t.Errorf("machines %v", got)
	}

	broken := write("broken.toml", []byte("title = 3\n"))
	_, err = Machine("broken")
	wantError(t, err, broken+":1: title: want a text in quotes")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long.toml")
	if err := os.WriteFile(long, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(long, 1<<40); err != nil { // would not fit in memory, were it read
		t.Fatal(err)
	}
	_, err := LoadMachine(long)
	wantError(t, err, long+": has more than 1048576 bytes")

	pipe := filepath.Join(dir, "pipe.toml")
	if err := syscall.Mkfifo(pipe, 0o644); err == nil { // opening it would block
		_, err = LoadMachine(pipe)
		wantError(t, err, pipe+": is not a plain file")
	}
	_, err = LoadMachine(dir)
	wantError(t, err, "is not a plain file")
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
		wantError(t, err, file+": is no name for a machine")
	}
}

func FuzzMachine(f *testing.F) {
	f.Add(demo(f))
	f.Add(thisHost(f))
	f.Add([]byte("title = \"x\"\nemulated = false\nprogress = \"call\"\nnodes = { value = 2, source = \"x\" }\ncores_per_node.unknown = \"?\"\n"))
	f.Add([]byte("[[nodes]]\n[nodes.value]\n\"remote.latency_s\" = nan\n"))
	f.Add([]byte("\xef\xbb\xbfemulated = +inf # \x00\r\n'' = '''\n'''"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMachine("fuzz.toml", data)
		if err == nil {
			checkSound(t, m)
			return
		}
		if s := err.Error(); !strings.HasPrefix(s, "fuzz.toml:") || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("error %q: want the file first and nothing that a terminal obeys", s)
		}
	})
}
