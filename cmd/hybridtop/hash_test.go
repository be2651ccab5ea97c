package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine/workload"
)

// A simulation has one hash on every host, whatever the width of its words: those of
// every workload, and of sizes that 32 bits do not hold.
func TestHashesAreTheSameEverywhere(t *testing.T) {
	if raced {
		t.Skip("seconds under the race detector; make test runs it without")
	}
	const file = "testdata/hashes.txt"
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
		var stdout, stderr bytes.Buffer
		if code := command(strings.Fields("run "+run+" --fabric sim --iterations 2 --json"), &stdout, &stderr); code != 0 {
			t.Errorf("run %s: exit status %d\n%s", run, code, &stderr)
			continue
		}
		var result struct{ Hash string }
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s: %s\n", run, result.Hash)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("hashes (-%s +these runs; go test -update writes them anew):\n%s", file, diff)
	}
}
