package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
)

// verdict is the result of a mutation.
type verdict string

const (
	detected    verdict = "detected"
	missed      verdict = "missed"
	performance verdict = "performance"
	equal       verdict = "equal"
	uncompiled  verdict = "uncompiled"
)

// limit is the number of seconds after which a run counts as detected.
const limit = 20

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
	packages  map[string][]string         // the arguments of run that test a folder
	values    map[string]map[string]value // by argument: the values that the unchanged program prints
	verified  map[string]bool             // by argument: the default fabric verifies the unchanged program
	blocks    map[string][]block          // by file: the executed lines
	last      atomic.Value                // text of the last failure
}

// value is a value of the output.
type value struct {
	text   string
	isTime bool // another machine changes it
}

// block is a range of lines.
type block struct{ from, to int }

// prepare runs the unchanged program: for the values that it prints, and for the lines that it executes.
func (t *trial) prepare(only string) error {
	program := filepath.Join(t.dir, "covered")
	if out, err := t.command(context.Background(), "go", "build", "-cover",
		"-coverpkg=./cmd/hybridtop,./engine/workload/...,./cluster/coll", "-o", program, "./cmd/hybridtop").CombinedOutput(); err != nil {
		return fmt.Errorf("go build -cover: %w\n%s", err, out)
	}
	var machines []string
	for _, factor := range []float64{1, 1.5} {
		path, err := t.slower(factor)
		if err != nil {
			return err
		}
		machines = append(machines, path)
	}
	if err := t.findPackages(program, only); err != nil {
		return err
	}
	covered := filepath.Join(t.dir, "lines")
	if err := os.Mkdir(covered, 0o755); err != nil {
		return err
	}
	t.values, t.verified = map[string]map[string]value{}, map[string]bool{}
	for _, workloads := range t.packages {
		for _, w := range workloads {
			if t.values[w] != nil {
				continue
			}
			base, ok := t.output(program, covered, w, "--fabric", "sim")
			if !ok {
				return fmt.Errorf("run %s --fabric sim: the unchanged program is not verified: %v", w, t.last.Load())
			}
			t.values[w] = map[string]value{}
			for at, text := range base {
				t.values[w][at] = value{text: text}
			}
			for _, machine := range machines {
				other, ok := t.output(program, covered, w, "--fabric", "sim", "--machine", machine)
				if !ok {
					return fmt.Errorf("run %s --machine %s: the unchanged program is not verified: %v", w, machine, t.last.Load())
				}
				for at, v := range t.values[w] {
					t.values[w][at] = value{text: v.text, isTime: v.isTime || other[at] != v.text}
				}
			}
			shareTimes(t.values[w])
			_, t.verified[w] = t.output(program, covered, w, "--for", iterating)
		}
	}
	return t.readBlocks(covered)
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
func (t *trial) findPackages(program, only string) error {
	out, err := t.command(context.Background(), program, "list", "workloads", "--json").Output()
	if err != nil {
		return fmt.Errorf("list workloads: %w", err)
	}
	var list struct{ Workloads []struct{ Name string } }
	if err := json.Unmarshal(out, &list); err != nil || len(list.Workloads) == 0 {
		return fmt.Errorf("list workloads: got %q, %w", out, err)
	}
	t.packages = map[string][]string{"engine/workload/dense": {"gemm", "cholesky"}, collectives: {
		"bcast", "scatter", "gather", "reduce", "allgather", "exchange", "reduce-scatter", "allreduce", "scan", "barrier"}}
	for _, i := range list.Workloads {
		t.packages["engine/workload/"+i.Name] = []string{i.Name}
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

// readBlocks reads the executed lines.
func (t *trial) readBlocks(covered string) error {
	profile := filepath.Join(t.dir, "profile")
	if out, err := t.command(context.Background(), "go", "tool", "covdata", "textfmt", "-i="+covered,
		"-o="+profile).CombinedOutput(); err != nil {
		return fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return err
	}
	t.blocks = map[string][]block{}
	for line := range strings.Lines(string(text)) {
		path, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		var b block
		var x, statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.from, &x, &b.to, &x, &statements, &count); err != nil || !ok ||
			count == 0 {
			continue
		}
		file := strings.TrimPrefix(path, "github.com/hybridtop/hybridtop/")
		t.blocks[file] = append(t.blocks[file], b)
	}
	return nil
}

// sites returns the executed places of all folders.
func (t *trial) sites(only string) ([]site, error) {
	var all []site
	folders := make([]string, 0, len(t.packages))
	for folder := range t.packages {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		var entry []string
		if folder != collectives && folder != "engine/workload/dense" {
			entry = []string{"run"}
		}
		sites, err := sitesOf(t.root, folder, entry)
		if err != nil {
			return nil, err
		}
		all = append(all, sites...)
	}
	return slices.DeleteFunc(all, func(s site) bool {
		return !strings.Contains(s.file, only) || !slices.ContainsFunc(t.blocks[s.file],
			func(b block) bool { return b.from <= s.line && s.line <= b.to })
	}), nil
}

// judge builds and runs the mutant of a site.
func (t *trial) judge(s *site) (v verdict, why string, err error) {
	dir, err := os.MkdirTemp(t.dir, "mutant")
	if err != nil {
		return uncompiled, "", err
	}
	defer os.RemoveAll(dir)
	program, err := t.build(s, dir)
	if err != nil || program == "" {
		return uncompiled, "", err
	}
	v, why = equal, "the same values"
	workloads := t.packages[filepath.Dir(s.file)]
	for _, w := range workloads {
		got, ok := t.output(program, "", w, "--fabric", "sim")
		if !ok {
			return detected, "run " + w + " --fabric sim", nil
		}
		if of, differs := t.compare(w, got); of == missed || of == performance && v == equal {
			v, why = of, w+" "+differs
		}
	}
	if v == equal {
		return v, why, nil
	}
	for _, w := range workloads {
		if t.verified[w] {
			if _, ok := t.output(program, "", w, "--for", iterating); !ok {
				return detected, "run " + w, nil
			}
		}
	}
	return v, why, nil
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

// build builds the mutant of a site in a folder. It returns "" if the mutant does not compile.
func (t *trial) build(s *site, dir string) (program string, err error) {
	path := filepath.Join(t.root, s.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	mutant, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(mutant, s.apply(source), 0o644); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutant}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "mutant")
	var failed *exec.ExitError
	err = t.command(context.Background(), "go", "build", "-ldflags=-s -w", "-overlay", overlay, "-o", program, "./cmd/hybridtop").Run()
	if errors.As(err, &failed) {
		return "", nil
	}
	return program, err
}

// command returns a command in the checkout.
func (t *trial) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = t.root
	return c
}

// output runs a workload. It returns the printed values, and whether the run is verified.
func (t *trial) output(program, covered, w string, knobs ...string) (values map[string]string, ok bool) {
	ctx, cancel := limited()
	defer cancel()
	c := t.command(ctx, program, append([]string{"run", w, "--json"}, knobs...)...)
	if c.Env = append(os.Environ(), "GOMEMLIMIT=4GiB"); covered != "" {
		c.Env = append(c.Env, "GOCOVERDIR="+covered)
	}
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
