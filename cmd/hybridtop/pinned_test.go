package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The output of simulated runs and sweeps never changes, except for the host and the elapsed time.
func TestWhatIsWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	locality := "sweep randomaccess --fabric sim --machine demo --group 1,2,4,8,16 --iterations 2"
	schemes := "sweep spmv --fabric sim --machine sr8000-f1 --threads-per-rank 8 --threading " +
		"masteronly,funneled,multiple --local-k 2,8,32 --iterations 1"
	for name, line := range map[string]string{
		"locality":      locality,
		"locality.json": locality + " --json",
		"locality.csv":  locality + " --csv",
		"node": "sweep randomaccess --fabric sim --machine demo --nodes 1 --ranks-per-node 8 --elements 65536 " +
			"--group 1,2,8 --seed 1,2 --iterations 1",
		"unfitted": "sweep randomaccess --fabric sim --machine demo --group 1,16 --ranking sequential,round-robin " +
			"--iterations 1",
		"schemes":      schemes,
		"schemes.json": schemes + " --json",
		"schemes.csv":  schemes + " --csv",
		"run":          "run randomaccess --fabric sim --machine demo --iterations 2",
		"run.json":     "run randomaccess --fabric sim --machine demo --iterations 2 --json",
		"scheme":       "run spmv --fabric sim --machine demo --iterations 2",
		"scheme.json":  "run spmv --fabric sim --machine demo --iterations 2 --json",
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			root := newRoot()
			root.SetArgs(strings.Fields(line))
			root.SetOut(&out)
			root.SetErr(&errs)
			if err := root.Execute(); err != nil {
				t.Fatalf("%v\n%s", err, &errs)
			}
			got := out.Bytes()
			if strings.HasSuffix(name, ".json") {
				got = withoutHost(t, got)
			}
			path := filepath.Join("testdata", "pinned", name)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
				t.Errorf("%s (-want +got)\n%s", line, d)
			}
		})
	}
}

// withoutHost removes the fields that depend on the host from a result, and sorts the other keys.
func withoutHost(t *testing.T, b []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	delete(all, "host")
	delete(all, "elapsed")
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}
