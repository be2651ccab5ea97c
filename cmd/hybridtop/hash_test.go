package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/workload"
)

// A simulation has the same hash on every host, with 32 and with 64 bits. The file has the hashes
// of workloads, and of sizes above 32 bits. A workload that is not in the file must have the same
// hash in two runs; -update records it.
func TestHashesAreTheSameEverywhere(t *testing.T) {
	if raced {
		t.Skip("seconds under the race detector; make test runs it without")
	}
	const file = "testdata/hashes.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for line := range strings.Lines(string(text)) {
		run, hash, _ := strings.Cut(strings.TrimSpace(line), ": ")
		recorded[run] = hash
	}
	runs := []string{
		"randomaccess --elements 1000003 --world-seed 3 --model flat",
		"spmv --machine earth-simulator --ni 3000 --nj 3000 --local-k 3000 --threading masteronly",
		"pingpong --machine perlmutter-cpu --size 1048576 --timeline arrows",
	}
	for _, w := range workload.All() {
		runs = append(runs, w.Name)
	}
	var got strings.Builder
	for _, run := range runs {
		hash := hashOf(t, run)
		fmt.Fprintf(&got, "%s: %s\n", run, hash)
		want, ok := recorded[run]
		if !ok {
			want = hashOf(t, run)
		}
		if hash != want && !*update {
			t.Errorf("run %s has the hash %s, want %s (go test -update records it)", run, hash, want)
		}
		delete(recorded, run)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, run := range slices.Sorted(maps.Keys(recorded)) {
		t.Errorf("%s has a hash of %q, which is not run (go test -update removes it)", file, run)
	}
}

// hashOf returns the hash of a simulated run of two iterations.
func hashOf(t *testing.T, run string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := command(strings.Fields("run "+run+" --fabric sim --iterations 2 --json"), &stdout, &stderr); code != 0 {
		t.Errorf("run %s: exit status %d\n%s", run, code, &stderr)
		return ""
	}
	var result struct{ Hash string }
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	return result.Hash
}
