package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hybridtop/hybridtop/internal/hostile"
	"github.com/hybridtop/hybridtop/internal/race"
)

// decoder is a command that reads a file, with a valid file.
type decoder struct {
	name  string
	valid []byte
	args  []string // before the file
}

// decoders returns the commands that read a file.
func decoders(t *testing.T, dir string) []decoder {
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const rules = "1\n7\n1\n4\n2\n0 1 0 0\n1024 2 0 0\n"
	const goalText = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\nl2: calc 100\nl2 requires l1\n}\n" +
		"rank 1 {\nl1: recv 8b from 0 tag 0\n}\n"
	const tableText = "schema = \"hybridtop.table.v1\"\nfabric = \"sim\"\nmachine = \"demo\"\n[[rule]]\ncollective = \"bcast\"\n" +
		"ranks = 2\nbytes = 0\nchoices = [ { algorithm = \"flat\" } ]\n[[rule]]\ncollective = \"bcast\"\n" +
		"ranks = 2\nbytes = 1024\nchoices = [ { algorithm = \"knomial\", radix = 2 } ]\n"
	quick := func(workload string, flags ...string) []string {
		return append([]string{"run", workload, "--fabric", "sim", "--nodes", "2", "--ranks-per-node", "1", "--group", "1",
			"--iterations", "1"}, flags...)
	}
	return []decoder{
		{"recording", smallRecording(t, dir), []string{"export", "--to", "csv"}},
		{"machine", read("../../presets/machines/demo.toml"), []string{"machine", "show"}},
		{"emulated machine", read("../../presets/machines/demo.toml"), quick("dot", "--machine")},
		{"scenario", []byte("title = \"A sum\"\nworkload = \"dot\"\nwatch = \"It adds.\"\n[knobs]\nelements = 64\n" +
			"fabric = \"sim\"\nmachine = \"demo\"\nnodes = 2\nranks-per-node = 1\ngroup = 1\n"),
			[]string{"run", "--iterations", "1", "--preset"}},
		{"question", []byte("number = 900\nquestion = \"Is it slow?\"\nthreads = [\"https://example.org\"]\nworkload = \"dot\"\n" +
			"turn = [\"elements\"]\nfinding = \"No.\"\n[knobs]\nelements = 64\nfabric = \"sim\"\nnodes = 2\nranks-per-node = 1\ngroup = 1\n" +
			"[[expect]]\nmetric = \"verified\"\nrelation = \"is\"\nrange = [0, 1]\n"),
			[]string{"questions", "--text"}},
		{"composition", read("../../presets/compositions/two-level-allreduce.toml"),
			quick("allreduce", "--size", "64", "--algorithm", "composed", "--composition")},
		{"table", []byte(tableText), []string{"tune", "show"}},
		{"used table", []byte(tableText), quick("bcast", "--size", "64", "--algorithm", "tuned", "--table")},
		{"rules", []byte(rules), []string{"tune", "import", "--out", filepath.Join(dir, "out.toml")}},
		{"goal", []byte(goalText), []string{"show", "goal"}},
		{"replayed goal", []byte(goalText), []string{"run", "goal", "--machine", "demo", "--trace"}},
		{"baseline", []byte(someRun), quick("dot", "--baseline")},
		{"ranking", []byte("1\n0\n"), quick("dot", "--rank-file")},
	}
}

// TestMutatedFiles tests that damaged files of every decoder write no control characters: 2,000 per
// decoder with CONFORM=1. MUTATED_SEED repeats a hundred of them.
func TestMutatedFiles(t *testing.T) {
	if race.Enabled {
		t.Skip("the decoders run on one goroutine")
	}
	if seed, isGiven := hostile.Seed(t); !isGiven && os.Getenv("CONFORM") != "" {
		// Cobra stores the flags of every command for the lifetime of the process.
		for batch := range uint64(20) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMutatedFiles$", "-test.v")
			cmd.Env = append(os.Environ(), fmt.Sprint("MUTATED_SEED=", seed+batch))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("seed %d: %v\n%s", seed+batch, err, out)
			}
			t.Logf("%s", out)
		}
		return
	}
	dir := isolated(t)
	for _, d := range decoders(t, dir) {
		t.Run(d.name, func(t *testing.T) {
			file := filepath.Join(dir, "mutated.toml")
			read := func(data []byte) (int, string) {
				if err := os.WriteFile(file, data, 0o644); err != nil {
					t.Fatal(err)
				}
				return wantPlain(t, append(d.args[:len(d.args):len(d.args)], file)...)
			}
			if code, errs := read(d.valid); code != 0 {
				t.Fatalf("the valid file: %s", errs)
			}
			valid, n := 0, 0
			for data := range hostile.Files(t, d.valid) {
				if code, _ := read(data); code == 0 {
					valid++
				}
				n++
			}
			t.Logf("%d of %d files are valid", valid, n)
			if n >= hostile.Batch && (valid == 0 || valid == n) {
				t.Errorf("%d of %d files are valid: want some of both", valid, n)
			}
		})
	}
}
