package tuner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

const tableText = `schema = "hybridtop.table.v1"
fabric = "sim"
machine = "ranger"

[[rule]]
collective = "bcast"
ranks = 8
ranks_per_node = 2
bytes = 8
time_ps = 5000
choices = [
  { algorithm = "knomial", radix = 4, segments = 2 },
  { algorithm = "flat" },
]
`

// A written table equals the original when it is read.
func TestFile(t *testing.T) {
	f, err := Read([]byte(tableText))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.toml")
	if err := f.Save(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	again, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	r := again.Table.Rules()
	if again.Fabric != "sim" || again.Machine != "ranger" || len(r) != 1 || r[0].Time != 5000 ||
		len(r[0].Choices) != 2 || r[0].Choices[0].String() != "knomial, radix 4, 2 segments" {
		t.Errorf("read again: %+v, %+v", again, r)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, rest, _ := strings.Cut(string(data), "\n"); rest != tableText {
		t.Errorf("written as\n%s", rest)
	}
}

// Unknown contents of a table are errors with their position.
func TestFileErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"v1", "v9", `schema "hybridtop.table.v9"`},
		{"ranks = 8", "Ranks = 8", "rule 1: ranks: want a number"},
		{"bytes = 8", "bytes = -1", "rule 1: bytes: want a whole number from 0"},
		{"bytes = 8", "bytes = 8\nbites = 8", `rule 1: unknown key "bites"`},
		{`"bcast"`, `"bcst"`, `rule 1: collective "bcst"`},
		{"radix = 4", "radix = 1", "radix 1"},
		{"radix = 4", "radix = 4.0", "rule 1: choice 1: radix"},
		{`"flat"`, `"float"`, `rule 1: choice 2: bcast by "float"`},
		{"choices = [", "choices = [[", "line "},
		{"machine", "machine\x00", "line "},
		{`"ranger"`, `"ran\u001bger"`, "machine: want a word"},
		{`"sim"`, strings.Repeat("[", 100), "brackets"},
		{"[[rule]]", "[rule]", "rule: want a list"},
	} {
		if !strings.Contains(tableText, c.old) {
			t.Fatalf("no %q", c.old)
		}
		if _, err := Read([]byte(strings.Replace(tableText, c.old, c.new, 1))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: got %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(tableText))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(data)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := file.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read([]byte(b.String()))
		if err != nil {
			t.Fatalf("cannot read the written table: %v\n%s", err, b.String())
		}
		if again.Table.Len() != file.Table.Len() {
			t.Fatalf("%d rules, %d when read again", file.Table.Len(), again.Table.Len())
		}
	})
}

func TestMaps(t *testing.T) {
	table, err := coll.NewTable([]coll.Rule{
		{Tuple: coll.Tuple{Collective: coll.OpBcast, Ranks: 2, Bytes: 8},
			Choices: []coll.Choice{choice(t, coll.OpBcast, "flat", 0, 1)}},
		{Tuple: coll.Tuple{Collective: coll.OpBcast, Ranks: 8, Bytes: 8},
			Choices: []coll.Choice{choice(t, coll.OpBcast, "knomial", 2, 1)}},
		{Tuple: coll.Tuple{Collective: coll.OpBcast, Ranks: 8, Bytes: 64},
			Choices: []coll.Choice{choice(t, coll.OpBcast, "knomial", 2, 1)}},
		{Tuple: coll.Tuple{Collective: coll.OpBcast, Ranks: 8, Bytes: 4096},
			Choices: []coll.Choice{choice(t, coll.OpBcast, "chain", 0, 8)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteMaps(&b, table); err != nil {
		t.Fatal(err)
	}
	const want = `bcast, ranks per node: 1 (columns: ranks)
  bytes from      2      8
           8      A      B
        4096      A      C
  A  flat
  B  knomial, radix 2
  C  chain, 8 segments
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func choice(t testing.TB, c coll.Collective, name string, radix, segments int) coll.Choice {
	t.Helper()
	a, err := coll.Find(c, name)
	if err != nil {
		t.Fatal(err)
	}
	return coll.Choice{Algorithm: a, Parameters: coll.Parameters{Radix: radix, Segments: segments}}
}

// A table with many unknown keys is refused before it is decoded. Decoding compares each key with
// all earlier keys of the same TOML table.
func TestManyKeys(t *testing.T) {
	for name, line := range map[string]string{"headers": "[a%d]\n", "keys": "a%d=1\n", "parents": "[rule.a%d]\n",
		"known parts": "ranks.bytes.x%d=1\n", "lists": "a%d=[{b=1}]\n"} {
		var b strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&b, line, i)
		}
		if _, err := Read([]byte(b.String())); err == nil || !strings.Contains(err.Error(), "more than 100 unknown keys") {
			t.Errorf("%s: error %v, want a refusal", name, err)
		}
	}
	var b strings.Builder
	b.WriteString("choices = [{")
	for i := range 10_000 {
		fmt.Fprintf(&b, "a%d=1,", i)
	}
	b.WriteString("b=1}]\n")
	if _, err := Read([]byte(b.String())); err == nil || !strings.Contains(err.Error(), "more than 100 unknown keys") {
		t.Errorf("an inline table: error %v, want a refusal", err)
	}
}
