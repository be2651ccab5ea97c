package all_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

func TestRegistry(t *testing.T) {
	names := map[string]bool{}
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			if names[w.Name] {
				t.Error("registered twice")
			}
			names[w.Name] = true
			if w.Iterations < 1 {
				t.Error("no number of iterations for simulated runs")
			}
			if w.Title == "" || w.Doc == "" || w.Paper == "" || w.Plan == nil || w.Run == nil {
				t.Error("title, doc, paper, plan or body is missing")
			}
			s := w.Scenario(presets.Machines()) // panics on an invalid default
			if q := workload.Question(&s, engine.Emulated); !strings.HasSuffix(q, "?") || len(q) > 78 {
				t.Errorf("question %q: want one that a screen of 80 columns has room for", q)
			}
			knobs := map[string]bool{}
			for _, k := range s.Table {
				if knobs[k.Name] {
					t.Errorf("knob %s is declared twice", k.Name)
				}
				knobs[k.Name] = true
				if !slices.Contains(engine.Roles, k.Role) {
					t.Errorf("knob %s: role %q, want one of %v", k.Name, k.Role, engine.Roles)
				}
				for _, c := range append(k.Choices, k.Default) {
					if got, err := k.Parse(c); err != nil || got != c {
						t.Errorf("knob %s: choice %q reads as %q, %v", k.Name, c, got, err)
					}
				}
				if k.Doc == "" || strings.HasSuffix(k.Doc, ".") || k.Label == "" {
					t.Errorf("knob %s: doc %q, label %q", k.Name, k.Doc, k.Label)
				}
			}
			metrics := map[string]bool{}
			for _, m := range slices.Concat(w.Metrics, w.Derived, w.Samples) {
				if metrics[m.Name] || m.Unit == "" || m.Doc == "" {
					t.Errorf("metric %q is declared twice, or has no unit or doc", m.Name)
				}
				metrics[m.Name] = true
			}
			for _, m := range slices.Concat(w.Metrics, w.Derived) {
				if m.Phrase == "" || len(m.Phrase) > 40 || strings.Contains(m.Phrase, "_") {
					t.Errorf("metric %q is called %q on the screen: want a phrase", m.Name, m.Phrase)
				}
			}
			for _, y := range w.Tallies {
				if metrics[y.Name] || y.Unit == "" || y.Doc == "" || y.Row == "" || y.Column == "" || y.Labels == nil {
					t.Errorf("table %q is declared twice, or has no unit, doc, or titles of rows and columns", y.Name)
				}
				metrics[y.Name] = true
			}
		})
	}
	_, err := workload.Find("nonesuch")
	if all := strings.Join(slices.Sorted(maps.Keys(names)), ", "); err == nil || !strings.Contains(err.Error(), all) {
		t.Errorf("the error of an unknown workload is %v, want a list of %s", err, all)
	}
}

// A folder that registers a workload has the workload's name and is in the import list. Only the
// example of CONTRIBUTING is not in the list.
func TestTheImportListIsComplete(t *testing.T) {
	const example = "ring"
	list, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && bytes.Contains(text, []byte("workload.Register(")) {
			found[filepath.Base(filepath.Dir(file))] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		if listed := bytes.Contains(list, []byte("/engine/workload/"+folder+"\"\n")); !listed && folder != example {
			t.Errorf("engine/workload/%s is missing in the import list", folder)
		} else if _, err := workload.Find(folder); err != nil {
			t.Errorf("engine/workload/%s registers a workload with another name: %v", folder, err)
		}
	}
	if !found[example] {
		t.Error("the example registers no workload")
	}
}

// Every study has a title and existing columns and knobs, and returns its frame for the default
// scenario.
func TestStudies(t *testing.T) {
	for _, w := range workload.All() {
		for _, st := range w.Studies {
			name := w.Name + ", " + st.Name
			if st.Name == "" || st.Title == "" || st.Of == "" || st.Item == "" || st.Absent == "" || len(st.Columns) == 0 ||
				len(st.Charts) == 0 || st.Observe == nil {
				t.Errorf("%s: want a name, title, Of, Item, Absent, columns, charts and Observe", name)
			}
			s := w.Scenario(presets.Machines())
			for _, knob := range slices.Concat(st.Varying, st.Chooses) {
				if _, err := s.Knob(knob); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, c := range st.Charts {
				for _, column := range slices.Concat(c.Y, c.Same, []int{c.X, st.Brief.Column}) {
					if column < 0 || column >= len(st.Columns) || st.Columns[column].Name == "" {
						t.Errorf("%s: a chart uses column %d of %d", name, column, len(st.Columns))
					}
				}
			}
			if st.Metric != "" && !slices.ContainsFunc(slices.Concat(w.Metrics, w.Derived), func(m engine.MetricSpec) bool {
				return m.Name == st.Metric
			}) {
				t.Errorf("%s: %s reports no metric %s", name, w.Name, st.Metric)
			}
			if st.Frame == nil {
				continue
			}
			m, err := presets.Machine(s.Text("machine"))
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range engine.Kinds[:3] {
				v := st.Frame(&s, &m, kind)
				if v.Now < -1 || v.Now >= len(v.Rows) {
					t.Errorf("%s: present row %d of %d", name, v.Now, len(v.Rows))
				}
			}
		}
	}
}

// quickly adds the settings of a short run to knobs.
func quickly(w *workload.Workload, knobs map[string]string) map[string]string {
	maps.Copy(knobs, w.Quick)
	return knobs
}

// Every workload verifies in every model, ranking, group size and order of MPI's ranks, or its plan
// refuses with a hint.
func TestEveryWorkloadInEveryModel(t *testing.T) {
	sizes, rankings := [][2]int{{1, 2}, {3, 2}, {2, 1}, {2, 4}}, []string{"round-robin", "sequential"}
	if testing.Short() {
		sizes, rankings = sizes[:2], rankings[:1]
	}
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			ran := 0
			for _, size := range sizes {
				nodes, perNode := size[0], size[1]
				for _, model := range []string{"flat", "nested-funneled", "nested-multiple"} {
					for _, ranking := range rankings {
						for g := 1; g <= nodes*perNode; g++ {
							if nodes*perNode%g != 0 || model == "flat" && g > 1 {
								continue
							}
							tr := trial{workload: w.Name, knobs: quickly(w, map[string]string{
								"nodes": strconv.Itoa(nodes), "ranks-per-node": strconv.Itoa(perNode), "group": strconv.Itoa(g),
								"model": model, "ranking": ranking, "world-seed": strconv.Itoa(g % 3),
							}), iterations: 3}
							if _, _, _, _, err := tr.plan(t); err != nil {
								if s := err.Error(); !strings.Contains(s, "use ") {
									t.Errorf("%v: refused without a hint: %v", tr.knobs, err)
								}
								continue
							}
							tr.sound(t)
							ran++
						}
					}
				}
			}
			if ran < 3*len(rankings)*len(sizes)/2 {
				t.Errorf("ran in only %d layouts", ran)
			}
		})
	}
}

// The same on an emulated machine, with a link between nodes, a progress thread and a dilation.
func TestEveryWorkloadEmulated(t *testing.T) {
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			tr := trial{workload: w.Name,
				knobs: quickly(w, map[string]string{"machine": "demo", "nodes": "2", "ranks-per-node": "2"}), iterations: 2}
			tr.sound(t)
		})
	}
}

// Finish returns only declared metrics, in the declared unit.
func TestFinishGivesDerivedMetrics(t *testing.T) {
	for _, w := range workload.All() {
		for _, machine := range []string{"demo", "this-host"} {
			if w.Finish == nil {
				continue
			}
			tr := trial{workload: w.Name, knobs: map[string]string{"machine": machine}, iterations: 1}
			_, s, m, plan, err := tr.plan(t)
			if err != nil {
				t.Fatal(err)
			}
			snap := &engine.Snapshot{Scenario: s, Layout: s.Layout(), Kind: engine.Measured, MemoryPerNode: 4 * plan.Segment,
				Replicas: plan.Replicas}
			units := map[string]string{}
			for _, d := range w.Derived {
				units[d.Name] = d.Unit
			}
			for _, got := range w.Finish(snap, &m) {
				if units[got.Name] != got.Unit {
					t.Errorf("%s: metric %s in %q, declared in %q", w.Name, got.Name, got.Unit, units[got.Name])
				}
				if got.Kind == engine.Modelled && machine == "this-host" && strings.Contains(got.Name, "time") {
					t.Errorf("%s: %s is modelled for a machine without costs", w.Name, got.Name)
				}
			}
		}
	}
}

func metric(t *testing.T, metrics []engine.Metric, name string) engine.Metric {
	t.Helper()
	for _, m := range metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %s in %v", name, metrics)
	return engine.Metric{}
}

func wantRefusal(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no refusal, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("refused with %q, want %q in it", fmt.Sprint(err), p)
		}
	}
}
