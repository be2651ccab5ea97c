package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hybridtop/hybridtop/internal/race"
)

// launchersOfTests are programs that run jobs.
var launchersOfTests = map[string]func(){}

func TestMain(m *testing.M) {
	programs := map[string]func(){"hybridtop": main, "hybridtop-broken": broken, "hybridtop-mpi": broken}
	maps.Copy(programs, launchersOfTests)
	testscript.Main(m, programs)
}

// The scripts test complete command lines.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json":  checkJSON,
			"field": checkField,
		},
	})
}

// condition reports whether a condition of a script holds. [race] holds if the race detector is in the program.
// Scripts of programs that run one goroutine at a time begin with: [race] skip. [conform] holds if CONFORM is set.
func condition(name string) (bool, error) {
	switch name {
	case "race":
		return race.Enabled, nil
	case "conform":
		return os.Getenv("CONFORM") != "", nil
	}
	return false, fmt.Errorf("unknown condition: %s, want race or conform", name)
}

// checkJSON checks a value in a JSON file: json FILE PATH WANT, where PATH is
// keys and indices with dots, and WANT is compact JSON, or [number], [text],
// [list], [object].
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json file path want")
	}
	got := find(ts, args[0], args[1])
	if ok := matches(got, args[2]); ok == neg {
		b, _ := json.Marshal(got)
		ts.Fatalf("%s of %s is %s, want %s (negated: %v)", args[1], args[0], b, args[2], neg)
	}
}

// checkField compares one value between JSON files: field PATH FILE FILE ...
func checkField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: field path file file ...")
	}
	var texts []string
	for _, file := range args[1:] {
		b, err := json.Marshal(find(ts, file, args[0]))
		ts.Check(err)
		texts = append(texts, string(b))
	}
	for _, s := range texts[1:] {
		if (s == texts[0]) == neg {
			ts.Fatalf("%s is %v (negated: %v)", args[0], texts, neg)
		}
	}
}

func find(ts *testscript.TestScript, file, path string) any {
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(file))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("%s is no JSON: %v", file, err)
	}
	for _, key := range strings.Split(path, ".") {
		var ok bool
		switch x := v.(type) {
		case map[string]any:
			v, ok = x[key]
		case []any:
			if i, err := strconv.Atoi(key); err == nil && i < len(x) {
				v, ok = x[i], true
			}
		}
		if !ok {
			ts.Fatalf("%s has no %s (at %s)", file, path, key)
		}
	}
	return v
}

func matches(v any, want string) bool {
	switch v := v.(type) {
	case json.Number:
		if want == "[number]" {
			return true
		}
		if limit, ok := strings.CutPrefix(want, ">"); ok {
			a, _ := v.Float64()
			b, err := strconv.ParseFloat(limit, 64)
			return err == nil && a > b
		}
	case string:
		if want == "[text]" {
			return v != ""
		}
	case []any:
		if want == "[list]" {
			return true
		}
		if n, ok := strings.CutPrefix(want, "#"); ok {
			return fmt.Sprint(len(v)) == n
		}
	case map[string]any:
		if want == "[object]" {
			return true
		}
	}
	b, err := json.Marshal(v)
	return err == nil && string(b) == want
}
