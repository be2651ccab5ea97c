package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	mutated "github.com/hybridtop/hybridtop/internal/mutate/mutant"
)

// verdict is the result of a mutation.
type verdict string

const (
	detected    verdict = "detected"
	missed      verdict = "missed"
	performance verdict = "performance"
	equal       verdict = "equal"
)

// A run that exceeds cpuLimit seconds of processor time, or limit seconds, counts as detected. Other programs
// on the host may slow a run down several times.
const (
	cpuLimit = 20
	limit    = 120
)

// limited returns a context that ends after the limit. Seconds in which the host stops this process, and
// its children with it, do not count.
func limited() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for range limit {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	}()
	return ctx, cancel
}

// iterating is the time in which a run on the default fabric starts iterations. All of them are verified.
const iterating = "300ms"

const collectives = "cluster/coll"

// trial builds and runs mutants of the checkout.
type trial struct {
	root, dir string
	program   string                      // with all mutants
	packages  map[string][]string         // the arguments of run that test a folder
	values    map[string]map[string]value // by argument: the values that the unchanged program prints
	verified  map[string]bool             // by argument: the default fabric verifies the unchanged program
	last      atomic.Value                // text of the last failure
}

// value is a value of the output.
type value struct {
	text   string
	isTime bool // another machine changes it
}

// prepare runs the unchanged program: for the values that it prints, and for the lines that it executes. It
// returns the places that can be mutated.
func (t *trial) prepare(only string) ([]site, error) {
	if err := t.findPackages(only); err != nil {
		return nil, err
	}
	sites, err := t.write(only)
	if err != nil {
		return nil, err
	}
	var machines []string
	for _, factor := range []float64{1, 1.5} {
		path, err := t.slower(factor)
		if err != nil {
			return nil, err
		}
		machines = append(machines, path)
	}
	places := filepath.Join(t.dir, "executed")
	t.values, t.verified = map[string]map[string]value{}, map[string]bool{}
	for _, workloads := range t.packages {
		for _, w := range workloads {
			if t.values[w] != nil {
				continue
			}
			base, ok := t.output(places, w, "--fabric", "sim")
			if !ok {
				return nil, fmt.Errorf("run %s --fabric sim: the unchanged program is not verified: %v", w, t.last.Load())
			}
			t.values[w] = map[string]value{}
			for at, text := range base {
				t.values[w][at] = value{text: text}
			}
			for _, machine := range machines {
				other, ok := t.output(places, w, "--fabric", "sim", "--machine", machine)
				if !ok {
					return nil, fmt.Errorf("run %s --machine %s: the unchanged program is not verified: %v", w, machine, t.last.Load())
				}
				for at, v := range t.values[w] {
					t.values[w][at] = value{text: v.text, isTime: v.isTime || other[at] != v.text}
				}
			}
			shareTimes(t.values[w])
			_, t.verified[w] = t.output(places, w, "--for", iterating)
		}
	}
	return executed(places, sites)
}

// listOf returns the path of a value in any element of its list. The last index is kept, because it
// may be a column.
func listOf(path string) string { return rows.ReplaceAllString(path, "[*]$1") }

var rows = regexp.MustCompile(`\[\d+\]([.\[])`)

// shareTimes makes a value a time in all elements of a list if it is one in any of them. Only a mutant
// may have some of the elements, such as a bucket of times.
func shareTimes(values map[string]value) {
	for at, v := range maps.Clone(values) {
		if list := listOf(at); v.isTime && list != at {
			values[list] = value{isTime: true}
		}
	}
}

// slower writes the default machine with times longer by a factor and by different small shares, and
// returns its path. The shares change all times. The factor also changes times that are counted in wide buckets.
func (t *trial) slower(factor float64) (string, error) {
	text, err := os.ReadFile(filepath.Join(t.root, "presets/machines/demo.toml"))
	if err != nil {
		return "", err
	}
	n := 0
	times := regexp.MustCompile(`(?m)^\[(\S+_s|flops_per_core)\]\nvalue = (\S+)$`)
	text = times.ReplaceAllFunc(text, func(found []byte) []byte {
		m := times.FindSubmatch(found)
		x, err := strconv.ParseFloat(string(m[2]), 64)
		if err != nil {
			return found
		}
		n++
		longer := factor * (1 + 0.003*float64(n))
		if key := string(m[1]); strings.HasSuffix(key, "per_s") || key == "flops_per_core" {
			longer = 1 / longer
		}
		return fmt.Appendf(nil, "[%s]\nvalue = %g", m[1], x*longer)
	})
	path := filepath.Join(t.dir, fmt.Sprintf("slower-%.0f.toml", 100*factor))
	return path, os.WriteFile(path, text, 0o644)
}

// findPackages lists the folders that are mutated, with a file whose path contains only, with the runs that test them.
func (t *trial) findPackages(only string) error {
	workloads, err := filepath.Glob(filepath.Join(t.root, "engine/workload/*/workload.go"))
	if err != nil || len(workloads) == 0 {
		return fmt.Errorf("no file engine/workload/*/workload.go in %s (start the command in the checkout)", t.root)
	}
	t.packages = map[string][]string{"engine/workload/dense": {"gemm", "cholesky"}, collectives: {
		"bcast", "scatter", "gather", "reduce", "allgather", "exchange", "reduce-scatter", "allreduce", "scan", "barrier"}}
	for _, path := range workloads {
		name := filepath.Base(filepath.Dir(path))
		t.packages["engine/workload/"+name] = []string{name}
	}
	t.packages["engine/workload/collective"] = t.packages[collectives]
	maps.DeleteFunc(t.packages, func(folder string, _ []string) bool {
		files, _ := filepath.Glob(filepath.Join(t.root, folder, "*.go"))
		return !slices.ContainsFunc(files, func(file string) bool { return strings.Contains(filepath.ToSlash(file), only) })
	})
	if len(t.packages) == 0 {
		return fmt.Errorf("no file contains %q in its path (use a folder of engine/workload, or cluster/coll)", only)
	}
	return nil
}

// executed returns the sites that the unchanged program executes: the numbers in a file.
func executed(path string, sites []site) ([]site, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		found[strings.TrimSpace(line)] = true
	}
	return slices.DeleteFunc(sites, func(s site) bool { return !found[strconv.Itoa(s.id)] }), nil
}

// judge runs the mutant of a site.
func (t *trial) judge(s *site) (v verdict, why string) {
	v, why = equal, "the same values"
	workloads := t.packages[filepath.Dir(s.file)]
	for _, w := range workloads {
		got, ok := t.output(strconv.Itoa(s.id), w, "--fabric", "sim")
		if !ok {
			return detected, "run " + w + " --fabric sim"
		}
		if of, differs := t.compare(w, got); of == missed || of == performance && v == equal {
			v, why = of, w+" "+differs
		}
	}
	if v == equal {
		return v, why
	}
	for _, w := range workloads {
		if t.verified[w] {
			if _, ok := t.output(strconv.Itoa(s.id), w, "--for", iterating); !ok {
				return detected, "run " + w
			}
		}
	}
	return v, why
}

// compare compares the values of a run with the values of the unchanged program.
func (t *trial) compare(w string, got map[string]string) (v verdict, differs string) {
	v = equal
	want := t.values[w]
	for _, at := range slices.Sorted(keys(want, got)) {
		switch {
		case want[at].text == got[at]:
		case !want[at].isTime && !want[listOf(at)].isTime:
			return missed, fmt.Sprintf("%s = %s instead of %s", at, got[at], want[at].text)
		case v == equal:
			v, differs = performance, fmt.Sprintf("%s = %s instead of %s", at, got[at], want[at].text)
		}
	}
	return v, differs
}

// keys returns the keys of both maps.
func keys(want map[string]value, got map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for at := range want {
			if !yield(at) {
				return
			}
		}
		for at := range got {
			if _, both := want[at]; !both && !yield(at) {
				return
			}
		}
	}
}

// command returns a command in the checkout.
func (t *trial) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = t.root
	return c
}

// output runs a workload with a mutation, or for a path, unchanged (package mutant). It returns the printed values, and whether the run is verified.
func (t *trial) output(mutation, w string, knobs ...string) (values map[string]string, ok bool) {
	ctx, cancel := limited()
	defer cancel()
	c := t.command(ctx, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -t %d; exec "$@"`, cpuLimit), "sh", t.program, "run", w,
		"--json"}, knobs...)...)
	c.Env = append(os.Environ(), "GOMEMLIMIT=4GiB", mutated.Variable+"="+mutation)
	var out, errors bytes.Buffer
	c.Stdout, c.Stderr = &out, &errors
	if err := c.Run(); err != nil {
		t.last.Store(fmt.Sprintf("%v: %s", err, strings.TrimSpace(errors.String())))
		return nil, false
	}
	var document map[string]any
	if json.Unmarshal(out.Bytes(), &document) != nil {
		return nil, false
	}
	for _, key := range []string{"elapsed", "host", "scenario"} {
		delete(document, key)
	}
	values = map[string]string{}
	flatten(values, "", document)
	return values, true
}

// flatten adds the values below x by their paths.
func flatten(values map[string]string, path string, x any) {
	switch x := x.(type) {
	case map[string]any:
		for key, below := range x {
			flatten(values, path+"."+key, below)
		}
	case []any:
		for i, below := range x {
			flatten(values, fmt.Sprintf("%s[%d]", path, i), below)
		}
	default:
		values[path] = fmt.Sprint(x)
	}
}
