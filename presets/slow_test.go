package presets

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func slow(list string) string {
	return "\n[slow]\nvalue = " + list + "\nsource = \"x\"\n"
}

// A file with slow adapters and slow processors is equal after it is written and read again.
func TestSlowParts(t *testing.T) {
	m, err := decodeMachine("x.toml", []byte(string(demo(t))+slow("[\n  { node = 3, adapter = 0, factor = 2.5 },\n  "+
		"{ node = 63, processors = true, factor = 1 },\n]")))
	if err != nil {
		t.Fatal(err)
	}
	want := []cluster.Slow{{Node: 3, Adapter: 0, Factor: 2.5}, {Node: 63, Adapter: -1, Factor: 1}}
	if !slices.Equal(m.Slow, want) {
		t.Errorf("%+v, want %+v", m.Slow, want)
	}
	checkSound(t, m)
	all := Facts(&m)
	f := all[slices.IndexFunc(all, func(f Fact) bool { return f.Key == "slow" })]
	if f.Value != "node 3, adapter 0: 2.5 times; node 63, processors: 1 times" || f.Source != "x" ||
		f.Kind() != "sourced" {
		t.Errorf("in words: %+v", f)
	}
}

// The slow parts can be unknown, or omitted.
func TestSlowPartsUnknown(t *testing.T) {
	m, err := decodeMachine("x.toml", []byte(string(demo(t))+"\n[slow]\nunknown = \"nobody looked\"\n"))
	if err != nil || m.Slow != nil || m.Source["slow"] != "unknown: nobody looked" {
		t.Errorf("%+v, %q, %v", m.Slow, m.Source["slow"], err)
	}
	checkSound(t, m)
}

// A machine is not written if a file cannot represent its slow parts.
func TestSlowPartsNotWritable(t *testing.T) {
	for _, s := range []cluster.Slow{{Node: -1, Adapter: 0, Factor: 2}, {Node: 64, Adapter: 0, Factor: 2},
		{Node: 0, Adapter: -2, Factor: 2}, {Node: 0, Adapter: 0, Factor: 0.5}} {
		m, err := decodeMachine("x.toml", demo(t))
		if err != nil {
			t.Fatal(err)
		}
		m.Slow, m.Source["slow"] = []cluster.Slow{s}, "x"
		if err := WriteMachine(new(strings.Builder), m); err == nil {
			t.Errorf("%+v is written", s)
		}
	}
}

// Each error names file, line, key and a hint. The demo machine has 64 nodes of two adapters.
func TestMistakesInSlowParts(t *testing.T) {
	m, err := decodeMachine("x.toml", demo(t))
	if err != nil {
		t.Fatal(err)
	}
	if m.Nodes != 64 || m.Classes[cluster.Remote].Adapters != 2 {
		t.Fatalf("the demo machine has %d nodes and %d adapters", m.Nodes, m.Classes[cluster.Remote].Adapters)
	}
	for _, c := range []struct{ list, want string }{
		{"3", "slow.value: want a list in brackets, at most 256, of { node = 3, adapter = 0, factor = 2 } or"},
		{"[]", "slow.value: want a list in brackets"},
		{"[3]", "slow.value[0]: want { node"},
		{"[{ node = 0, adapter = 0, factor = 2 }, { node = 0, adapter = 0, factor = 3 }]",
			"slow.value[1]: the list has this part twice; state it once"},
		{"[{ adapter = 0, factor = 2 }]", "slow.value[0].node: want the number of the node, from 0 to"},
		{"[{ node = -1, adapter = 0, factor = 2 }]", "slow.value[0].node: want the number of the node"},
		{"[{ node = 1.5, adapter = 0, factor = 2 }]", "slow.value[0].node: want the number of the node"},
		{"[{ node = 64, adapter = 0, factor = 2 }]", "slow.value[0].node: is 64; the machine has 64, numbered from 0 on"},
		{"[{ node = 0, adapter = 2, factor = 2 }]", "slow.value[0].adapter: is 2; a node has 2, numbered from 0 on"},
		{"[{ node = 0, adapter = \"all\", factor = 2 }]", "slow.value[0].adapter: want the number of the adapter"},
		{"[{ node = 0, factor = 2 }]", "slow.value[0]: want either adapter = its number, or processors = true"},
		{"[{ node = 0, adapter = 0, processors = true, factor = 2 }]",
			"slow.value[0]: want either adapter = its number, or processors = true"},
		{"[{ node = 0, processors = false, factor = 2 }]", "slow.value[0].processors: want true; leave the part out"},
		{"[{ node = 0, adapter = 0 }]", "slow.value[0].factor: want how many times slower, from 1 to 1e+06"},
		{"[{ node = 0, adapter = 0, factor = 0.5 }]", "slow.value[0].factor: want how many times slower"},
		{"[{ node = 0, adapter = 0, factor = nan }]", "slow.value[0].factor: want how many times slower"},
		{"[{ node = 0, adapter = 0, factor = 1e7 }]", "slow.value[0].factor: want how many times slower"},
		{"[{ node = 0, adaptor = 0, factor = 2 }]", "slow.value[0].adaptor: unknown key; want { node = 3, adapter"},
		{"[{ node = 0, \"\\u001b[31m\" = 0, factor = 2 }]", "unknown key"},
	} {
		text := string(demo(t)) + slow(c.list)
		_, err := decodeMachine("x.toml", []byte(text))
		line := strings.Count(strings.SplitAfter(text, "[slow]")[0], "\n") + 1
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.toml:") {
			t.Errorf("%s: error\n\t%v\nwant one with\n\t%s", c.list, err, c.want)
		} else if n := lineOf(err.Error()); n != line && n != line+1 {
			t.Errorf("%s: %v: want line %d", c.list, err, line)
		} else if strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: the error is not printable: %q", c.list, err)
		}
	}
	if _, err := decodeMachine("x.toml",
		[]byte(string(demo(t))+"\n[slow]\nvalue = [{ node = 0, adapter = 0, factor = 2 }]\n")); err == nil ||
		!strings.Contains(err.Error(), "slow: has no source") {
		t.Errorf("without a source: %v", err)
	}
}

// lineOf returns the line in an error about x.toml.
func lineOf(text string) int {
	n := 0
	for _, c := range strings.TrimPrefix(text, "x.toml:") {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}
