package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
)

// A simulation has the same hash on every host, with 32 and with 64 bits. The file has the hashes
// of workloads, and of sizes above 32 bits. A workload that is not in the file must have the same
// hash in two runs; -update records it.
func TestHashesAreTheSameEverywhere(t *testing.T) {
	if race.Enabled {
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
		writeRevision(t, got.String())
		return
	}
	for _, run := range slices.Sorted(maps.Keys(recorded)) {
		t.Errorf("%s has a hash of %q, which is not run (go test -update removes it)", file, run)
	}
}

// Hashes that change are of another revision of the cost rules, which recordings store. The
// revision is a checksum of the hashes.
func TestARevisionHasItsHashes(t *testing.T) {
	text, err := os.ReadFile("testdata/hashes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := revisionOf(string(text)); sim.Revision != want && !*update {
		t.Errorf("sim.Revision is %q, and the hashes are of %q (go test -run Hash -update writes both)", sim.Revision, want)
	}
}

// revisionOf returns the revision of the cost rules that the hashes belong to.
func revisionOf(hashes string) string {
	sum := sha256.Sum256([]byte(hashes))
	return hex.EncodeToString(sum[:4])
}

// writeRevision writes the revision of hashes into the simulator.
func writeRevision(t *testing.T, hashes string) {
	t.Helper()
	const file = "../../cluster/sim/revision.go"
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strconv.Quote(sim.Revision), strconv.Quote(revisionOf(hashes))
	if !bytes.Contains(code, []byte(before)) {
		t.Fatalf("%s does not have the revision %s", file, before)
	}
	if err := os.WriteFile(file, bytes.Replace(code, []byte(before), []byte(after), 1), 0o644); err != nil {
		t.Fatal(err)
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
