package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/glossary"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// A listing is a list with a name. The fields of its entries are columns.
type listing struct {
	what    string
	columns []string // shown to people; JSON and CSV have all fields
	entries []entry
	lines   bool // people get two lines per entry instead of a table row

	conclusion *conclusion // nil: none
}

// An entry has the fields of one item, in order.
type entry []field

type field struct {
	name  string
	value any // nil: unknown
}

var lists = map[string]func() (listing, error){
	"workloads":    listWorkloads,
	"models":       listModels,
	"levels":       listLevels,
	"knobs":        listKnobs,
	"machines":     listMachines,
	"scenarios":    listScenarios,
	"algorithms":   listAlgorithms,
	"compositions": listCompositions,
	"terms":        func() (listing, error) { return listTerms("") },
}

func newList() *cobra.Command {
	names := []string{"workloads", "models", "levels", "knobs", "machines", "scenarios", "algorithms", "compositions", "terms"}
	cmd := &cobra.Command{
		Use:   "list WHAT [WORKLOAD|WORD]",
		Short: "list workloads, models, knobs, machines and more",
		Long: "List " + strings.Join(names, ", ") +
			". With a workload, list knobs shows only its knobs. With a word, list terms shows only the terms with it.",
		Example:   "hybridtop list machines --json\nhybridtop list knobs dot",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			want := "want one of " + strings.Join(names, ", ")
			switch {
			case len(args) == 0:
				return errors.New("list: " + want)
			case !slices.Contains(names, args[0]):
				return suggest(fmt.Errorf("list %q: %s", args[0], want), args[0], names)
			case len(args) == 2 && args[0] == "knobs":
				_, err := session.Scenario(args[1])
				return suggest(err, args[1], workloadNames())
			case len(args) > 1 && args[0] != "terms":
				return fmt.Errorf("list %s: unexpected argument %q", args[0], args[1])
			}
			return nil
		},
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if args[0] == "machines" || args[0] == "knobs" {
			warnSkipped(cmd.ErrOrStderr())
		}
		if args[0] == "scenarios" {
			warnScenarios(cmd.ErrOrStderr())
		}
		l, err := lists[args[0]]()
		if args[0] == "terms" {
			l, err = listTerms(strings.Join(args[1:], " "))
		}
		if err != nil {
			return err
		}
		if len(args) == 2 && args[0] == "knobs" {
			return writeKnobsOf(cmd.OutOrStdout(), args[1], &l, out)
		}
		return l.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

// object returns an entry for JSON.
func (e entry) object() map[string]any {
	m := make(map[string]any, len(e))
	for _, x := range e {
		m[x.name] = x.value
	}
	return m
}

func (l *listing) write(w io.Writer, f *format) error {
	if f.json {
		all := make([]map[string]any, 0, len(l.entries))
		for _, e := range l.entries {
			all = append(all, e.object())
		}
		document := map[string]any{"schema": "hybridtop.list.v1", l.what: all}
		if l.conclusion != nil {
			document["conclusion"] = l.conclusion
		}
		return writeJSON(w, document)
	}
	var head []string
	var rows [][]string
	for i, e := range l.entries {
		var cells []string
		for _, x := range e {
			if !f.csv && !slices.Contains(l.columns, x.name) {
				continue
			}
			if i == 0 {
				head = append(head, x.name)
			}
			cells = append(cells, cellText(x.value))
		}
		rows = append(rows, cells)
	}
	if f.csv {
		return writeCSV(w, head, rows)
	}
	t := newTable(w)
	if l.lines {
		for _, r := range rows {
			t.row(r[0])
			t.row("  " + r[1])
		}
		return t.close()
	}
	t.head(head...)
	for _, r := range rows {
		t.row(r...)
	}
	err := t.close()
	if err == nil && l.conclusion != nil {
		_, err = fmt.Fprintf(w, "\nconclusion: %s\n", l.conclusion.Text)
	}
	return err
}

func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(v)
}

func listWorkloads() (listing, error) {
	l := listing{what: "workloads", columns: []string{"name", "title", "paper"}}
	for _, w := range workload.All() {
		var knobs []string
		for _, k := range w.Knobs {
			knobs = append(knobs, k.Name)
		}
		var metrics []string
		for _, m := range slices.Concat(w.Metrics, w.Derived) {
			metrics = append(metrics, m.Name)
		}
		samples, tallies := []string{}, []string{}
		aliases := []string{}
		for _, a := range w.Aliases {
			aliases = append(aliases, a.Name)
		}
		for _, m := range w.Samples {
			samples = append(samples, m.Name)
		}
		for _, t := range w.Tallies {
			tallies = append(tallies, t.Name)
		}
		l.entries = append(l.entries, entry{
			{"name", w.Name}, {"title", w.Title}, {"doc", w.Doc}, {"paper", w.Paper}, {"knobs", knobs}, {"metrics", metrics},
			{"samples", samples}, {"tallies", tallies}, {"iterations", w.Iterations}, {"aliases", aliases},
		})
	}
	return l, nil
}

// modelDocs describes the execution models.
var modelDocs = map[cluster.Model]string{
	cluster.Flat: "one UPC execution over all ranks; every process may call MPI (paper 1, section 3.1)",
	cluster.NestedFunneled: "one UPC execution per group; only UPC thread 0 of a group may call MPI (paper 1, " +
		"section 3.2.1)",
	cluster.NestedMultiple: "one UPC execution per group; every process may call MPI (paper 1, section 3.2.2)",
}

func listModels() (listing, error) {
	l := listing{what: "models", columns: []string{"name", "doc"}}
	for _, m := range cluster.Models {
		l.entries = append(l.entries, entry{{"name", m}, {"doc", modelDocs[m]}})
	}
	return l, nil
}

// levelDocs describes the thread levels.
var levelDocs = map[cluster.ThreadLevel]string{
	cluster.ThreadSingle: "ranks without threads",
	cluster.ThreadMasteronly: "MPI calls only outside parallel regions (paper 2, section 3: T1; such a library " +
		"reports single)",
	cluster.ThreadFunneled: "MPI calls only by the master thread, while others compute (paper 2, section 3)",
	cluster.ThreadSerialized: "MPI calls by any thread, one at a time; a blocking call lasts until it returns (paper " +
		"2, section 3)",
	cluster.ThreadMultiple: "MPI calls by any thread at any time (paper 2, section 3)",
}

func listLevels() (listing, error) {
	l := listing{what: "levels", columns: []string{"name", "doc"}}
	for _, level := range cluster.ThreadLevels {
		l.entries = append(l.entries, entry{{"name", level.String()}, {"doc", levelDocs[level]}})
	}
	return l, nil
}

func listKnobs() (listing, error) {
	l := listing{what: "knobs",
		columns: []string{"name", "workload", "type", "unit", "default", "choices", "doc", "no_effect"}}
	add := func(owner string, table []engine.Knob) {
		for _, k := range table {
			if k.Name == "machine" {
				k.Choices = presets.Machines()
			}
			e := entry{
				{"name", k.Name}, {"workload", owner}, {"type", k.Type}, {"unit", k.Unit}, {"default", k.Default},
				{"min", nil}, {"max", nil}, {"choices", append([]string{}, k.Choices...)}, {"doc", k.Doc},
				{"no_effect", idleIn(owner, k.Name)},
			}
			if k.IsNumber() {
				e[5].value, e[6].value = k.Min, k.Max
			}
			l.entries = append(l.entries, e)
		}
	}
	add("all", engine.Base)
	for _, w := range workload.All() {
		add(w.Name, w.Knobs)
	}
	return l, nil
}

// writeKnobsOf writes the knobs of one workload. In text a knob has only its default and the first
// part of its description, so that the list fits on a screen.
func writeKnobsOf(w io.Writer, name string, l *listing, f *format) error {
	sc, err := session.Scenario(name)
	if err != nil {
		return err
	}
	if f.json || f.csv {
		l.entries = slices.DeleteFunc(l.entries, func(e entry) bool {
			return e[1].value != "all" && e[1].value != sc.Workload
		})
		return l.write(w, f)
	}
	t := newTable(w)
	names, defaults := 0, len("default")
	for _, k := range sc.Table {
		names, defaults = max(names, len(k.Name)), max(defaults, len(sc.Text(k.Name)))
	}
	width := helpWidth - names - defaults - 2*columnGap
	t.head("knob", "default", "description")
	for _, k := range sc.Table {
		doc, _, _ := strings.Cut(k.Doc, ";")
		cells := []string{k.Name, sc.Text(k.Name)}
		for line := range strings.SplitSeq(wrapWords(doc, width), "\n") {
			t.row(append(cells, line)...)
			cells = []string{"", ""}
		}
	}
	t.row()
	t.row("values of each knob: hybridtop run " + name + " --help")
	return t.close()
}

// idleIn lists the workloads in which a knob has no effect while the others are at their defaults,
// with the reasons. Reasons that only differ in the workload's name are listed once.
func idleIn(owner, knob string) []string {
	all, reasons := []string{}, []string{}
	for _, w := range workload.All() {
		sc := w.Scenario(presets.Machines())
		if _, err := sc.Knob(knob); err != nil || owner != "all" && owner != w.Name {
			continue
		}
		why := workload.Idle(&sc, engine.Emulated, knob)
		if why == "" {
			continue
		}
		why = strings.ReplaceAll(why, w.Name, "it")
		if i := slices.Index(reasons, why); i >= 0 {
			all[i] += ", " + w.Name
			continue
		}
		all, reasons = append(all, w.Name), append(reasons, why)
	}
	for i := range all {
		if strings.Count(all[i], ", ")+1 == len(workload.All()) {
			all[i] = "all"
		}
		all[i] += ": " + reasons[i] + ";"
	}
	if n := len(all); n > 0 {
		all[n-1] = strings.TrimSuffix(all[n-1], ";")
	}
	return all
}

func listAlgorithms() (listing, error) {
	l := listing{what: "algorithms", columns: []string{"collective", "name", "radix", "segmented", "needs", "paper"}}
	for _, a := range coll.All() {
		l.entries = append(l.entries, entry{
			{"collective", a.Collective.String()}, {"name", a.Name}, {"radix", orNil(float64(a.Radix))},
			{"segmented", a.Segmented},
			{"needs", strings.Join(a.Needs.Words(), ", ")}, {"paper", a.Paper}, {"doc", a.Doc},
		})
	}
	return l, nil
}

// listTerms lists the terms of the glossary that contain every word of a query.
func listTerms(query string) (listing, error) {
	l := listing{what: "terms", columns: []string{"names", "definition"}, lines: true}
	for _, t := range glossary.Find(query) {
		l.entries = append(l.entries, entry{
			{"name", t.Name}, {"names", t.Names()}, {"definition", t.Definition()}, {"text", t.Text}, {"formula", t.Formula},
			{"source", t.Source},
		})
	}
	if len(l.entries) == 0 {
		return l, fmt.Errorf("list terms: no term contains %q; hybridtop list terms shows all", query)
	}
	return l, nil
}

func listMachines() (listing, error) {
	l := listing{what: "machines", columns: []string{"name", "sourced", "derived", "fitted", "assumed", "mark", "title"}}
	for _, name := range presets.Machines() {
		m, err := presets.Machine(name)
		if err != nil {
			return listing{}, err
		}
		e := append(append(entry{{"name", m.Name}}, tallyFields(presets.Count(&m))...), entry{
			{"title", m.Title}, {"emulated", m.Emulated}, {"progress", m.Progress},
			{"nodes", orNil(float64(m.Nodes))}, {"cores_per_node", orNil(float64(m.CoresPerNode))},
			{"memory_per_node", orNil(float64(m.MemoryPerNode))}, {"flops_per_core", orNil(m.Flops)},
			{"memory_rate_per_core", orNil(m.MemoryRate)}, {"eager_limit", m.EagerLimit},
		}...)
		for c, key := range classKeys {
			e = append(e, field{key + "_latency", m.Classes[c].Latency.Seconds()},
				field{key + "_bandwidth", orNil(m.Classes[c].Bandwidth)})
		}
		l.entries = append(l.entries,
			append(e, field{"remote_adapters", orNil(float64(m.Classes[cluster.Remote].Adapters))}, field{"sources", m.Source}))
	}
	return l, nil
}

// orNil returns a machine's number, or nil for 0, which means unknown or unlimited.
func orNil(x float64) any {
	if x == 0 {
		return nil
	}
	return x
}
