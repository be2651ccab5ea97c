package tuner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// sample returns a table of all collectives, whose choices are algorithms of Open MPI 4.1.
func sample(t testing.TB) *coll.Table {
	t.Helper()
	var rules []coll.Rule
	for _, c := range []coll.Choice{
		choice(t, coll.OpBcast, "knomial", 2, 4), choice(t, coll.OpScatter, "knomial", 2, 1),
		choice(t, coll.OpGather, "flat", 0, 1),
		choice(t, coll.OpReduce, "rabenseifner", 0, 1), choice(t, coll.OpAllgather, "bruck", 2, 1),
		choice(t, coll.OpExchange, "pairwise", 0, 1),
		choice(t, coll.OpReduceScatter, "ring", 0, 1), choice(t, coll.OpAllreduce, "recursive-doubling", 0, 1),
		choice(t, coll.OpScan, "recursive-doubling", 0, 1),
		choice(t, coll.OpBarrier, "dissemination", 2, 1),
	} {
		for _, p := range []int32{4, 6, 8, 16} {
			for _, n := range []int64{0, 8, 4096} {
				x := c
				if n < 4096 && c.Segments > 1 {
					x.Segments = 1
				}
				if c.Algorithm.Collective == coll.OpExchange && n == 4096 && p == 16 {
					x = choice(t, coll.OpExchange, "flat", 0, 1)
				}
				if c.Algorithm.Collective != coll.OpBarrier || n == 0 {
					rules = append(rules,
						coll.Rule{Tuple: coll.Tuple{Collective: c.Algorithm.Collective, Ranks: p, Bytes: n}, Choices: []coll.Choice{x}})
				}
			}
		}
	}
	table, err := coll.NewTable(rules)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Rules exported for Open MPI are imported as the same choices.
func TestOpenMPIRoundTrip(t *testing.T) {
	table := sample(t)
	for name, write := range map[string]func(io.Writer, *coll.Table, int32) error{"classic": WriteOpenMPI,
		"JSON": WriteOpenMPIJSON} {
		var b bytes.Buffer
		if err := write(&b, table, 1); err != nil {
			t.Fatal(err)
		}
		again, notes, err := ReadOpenMPI(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, b.String())
		}
		if len(notes) > 2 {
			t.Errorf("%s: %q", name, notes)
		}
		for _, at := range []coll.Tuple{
			{Collective: coll.OpBcast, Ranks: 4, Bytes: 64}, {Collective: coll.OpBcast, Ranks: 8, Bytes: 4096},
			{Collective: coll.OpReduce, Ranks: 6, Bytes: 8}, {Collective: coll.OpAllgather, Ranks: 6, Bytes: 4096},
			{Collective: coll.OpExchange, Ranks: 16, Bytes: 4095}, {Collective: coll.OpExchange, Ranks: 16, Bytes: 4096},
			{Collective: coll.OpReduceScatter, Ranks: 8, Bytes: 64}, {Collective: coll.OpAllreduce, Ranks: 16, Bytes: 8},
			{Collective: coll.OpScan, Ranks: 6, Bytes: 8}, {Collective: coll.OpBarrier, Ranks: 8},
		} {
			want, err := table.Find(at)
			if err != nil {
				t.Fatal(err)
			}
			got, err := again.Find(at)
			if err != nil || got.String() != want.String() {
				t.Errorf("%s, %s: %s (%v), want %s", name, at, got, err, want)
			}
		}
	}
}

// The JSON rules conform to the schema that Open MPI documents
// (docs/tuning-apps/tuned_dynamic_file_schema.json): keys, types and words. They name only
// algorithms that version 6 has.
func TestOpenMPISchema(t *testing.T) {
	var b bytes.Buffer
	if err := WriteOpenMPIJSON(&b, sample(t), 1); err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	whole := func(v any) bool { f, ok := v.(float64); return ok && f == float64(int64(f)) }
	bound := func(v any) bool { return whole(v) || v == "inf" }
	keys := func(where string, object map[string]any, needed []string, types map[string]func(any) bool) {
		for k, v := range object {
			if is := types[k]; is == nil || !is(v) {
				t.Errorf("%s: %s is %v", where, k, v)
			}
		}
		for _, k := range needed {
			if object[k] == nil {
				t.Errorf("%s: no %s", where, k)
			}
		}
	}
	text := func(v any) bool { _, ok := v.(string); return ok }
	list := func(v any) bool { _, ok := v.([]any); return ok }
	keys("file", file, []string{"rule_file_version", "module", "collectives"}, map[string]func(any) bool{
		"rule_file_version": whole, "module": func(v any) bool { return v == "tuned" }, "collectives": func(v any) bool {
			_, ok := v.(map[string]any)
			return ok
		}, "$schema": text})
	names := []string{"allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "reducescatter",
		"reducescatterblock", "scan", "scatter"}
	collectives := file["collectives"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(collectives)) {
		if !slices.Contains(names, name) {
			t.Errorf("collective %s", name)
		}
		last := 0.0
		for _, c := range collectives[name].([]any) {
			comm := c.(map[string]any)
			keys(name, comm, []string{"rules"},
				map[string]func(any) bool{"comm_size_min": bound, "comm_size_max": bound, "comm_rank_distribution": text,
					"rules": list})
			if least := comm["comm_size_min"].(float64); least <= last {
				t.Errorf("%s: teams from %v after %v", name, least, last)
			} else {
				last = least
			}
			for _, r := range comm["rules"].([]any) {
				keys(name, r.(map[string]any), []string{"alg"},
					map[string]func(any) bool{"msg_size_min": bound, "msg_size_max": bound, "alg": text, "reqs": whole,
						"faninout": whole, "seg_size": whole})
			}
		}
	}
	if len(collectives) != len(names)-1 { // reducescatterblock has no ring
		t.Errorf("%d collectives, want %d", len(collectives), len(names)-1)
	}
}

// MPICH's file has an answer for each team and size; the last branch covers the rest.
func TestMPICH(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMPICH(&b, sample(t), 1); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatal("no JSON")
	}
	var walk func(path string, x branch)
	walk = func(path string, x branch) {
		path += "/" + x.key
		if strings.HasPrefix(x.key, "algorithm=") {
			if len(x.kids) > 0 {
				t.Errorf("%s: below an algorithm", path)
			}
			return
		}
		if len(x.kids) == 0 {
			t.Fatalf("%s: no answer", path)
		}
		last := x.kids[len(x.kids)-1].key
		if !strings.HasSuffix(last, "=any") && !strings.HasPrefix(last, "algorithm=") && !strings.HasSuffix(last, "=no") &&
			!strings.HasSuffix(last, "_built_in=no") && last != "comm_type=inter" {
			t.Errorf("%s: no answer for %s", path, last)
		}
		for _, k := range x.kids {
			walk(path, k)
		}
	}
	for i := range mpichs {
		walk("", mpichs[i].tree(sample(t), 1))
	}
	for _, want := range []string{`"comm_size<=4"`, `"avg_msg_size<=4095"`, "MPIR_Alltoall_intra_pairwise",
		"MPIR_Alltoall_intra_scattered"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s", want)
		}
	}
}

// Errors in imported rules have a position.
func TestOpenMPIErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "line 1, column 1: want a number of collectives, got the end of the file",
		"1 7 1 2 1 8 1 0 0":               "line 1, column 12: 8 bytes: want 0 as the first size",
		"1\n7\n1\n2\n2\n0 1 0 0\n0 2 0 0": "0 bytes after 0: want increasing sizes",
		"1\n7\n2\n4\n1\n0 1 0 0\n4\n1\n0 1 0 0\n": "4 ranks after 4: want increasing ranks",
		"1 # one\n7 1 2 1 0 77 0 0":               "line 2, column 11: an algorithm: want 0 to 9",
		"1 7 1 2 1 0 1 0 0 5":                     "'5' after the last rule",
		"1 7 1 2 1 0 -1 0 0":                      "want an algorithm, got '-'",
		"1 7 1 2 1 0 1x 0 0":                      "'x' inside a number",
		"2 7 1 2 1 0 1 0 0 7 1 2 1 0 1 0 0":       "collective 7 is listed twice",
		"1 7 1 99999999999999999999":              "ranks: want 0",
		"rule-file-version-x\n1":                  "line 1: rule-file-version",
		"1 1 1 2 1 0 1 0 0":                       "no rules for collectives that hybridtop has",
		`{"rule_file_version":3,"module":"tuned","collectives":{"bcst":[]}}`:                                                      `collectives: unknown name "bcst"`,
		`{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"rules":[{"alg":"fast"}]}]}}`:                           `bcast: unknown alg "fast"`,
		`{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"rules":[{"alg":1.5}]}]}}`:                              "alg 1.5",
		`{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"rules":[{"alg":1,"size":4}]}]}}`:                       `unknown field "size"`,
		`{"rule_file_version":3,"module":"han","collectives":{}}`:                                                                 `module "han"`,
		`{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"comm_size_max":-4,"rules":[{"alg":1}]}]}}`:             "size: want a whole number",
		`{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"comm_rank_distribution":"odd","rules":[{"alg":1}]}]}}`: "comm_rank_distribution",
	} {
		if _, _, err := ReadOpenMPI([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// Version 2 of the classic rules has an optional number of requests. Notes list the algorithms
// that are replaced by similar ones.
func TestOpenMPIReads(t *testing.T) {
	table, notes, err := ReadOpenMPI([]byte("rule-file-version-2\n2 # collectives\n3 1 8 2\n0 4 0 0 16\n4096 2 0 " +
		"0\n5 1 1 1 0 0 0 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"collective 5: ignored, hybridtop does not have it",
		"alltoall by linear_sync: replaced by flat, the closest algorithm"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q", notes)
	}
	for n, want := range map[int64]string{8: "flat", 511: "flat", 512: "pairwise"} { // 4096 for all 8 ranks
		got, err := table.Find(coll.Tuple{Collective: coll.OpExchange, Ranks: 8, Bytes: n})
		if err != nil || got.Algorithm.Name != want {
			t.Errorf("%d B: %s (%v), want %s", n, got, err, want)
		}
	}
}

func FuzzReadOpenMPI(f *testing.F) {
	var b bytes.Buffer
	if err := WriteOpenMPI(&b, sample(f), 1); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	b.Reset()
	if err := WriteOpenMPIJSON(&b, sample(f), 1); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("rule-file-version-2\n1 7 1 4 2\n0 7 0 512 8\n65536 8 0 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, _, err := ReadOpenMPI(data)
		if err != nil {
			return
		}
		rules := table.Rules()
		for _, r := range rules[:min(len(rules), 50)] {
			c, err := table.Find(r.Tuple)
			if err == nil {
				_, err = c.Key(r.Ranks)
			}
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", r.Tuple, err))
			}
		}
	})
}
