package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

func newMachine() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "list, show, check and compare machines",
		Long: "A machine is a file in which every number has a source (docs/machines.md). " +
			"All commands also accept a file ending in .toml instead of a name.",
		Example: "hybridtop machine show xc30-edison",
		Args:    suggestCommand,
		RunE:    func(*cobra.Command, []string) error { return pflag.ErrHelp },
	}
	cmd.AddCommand(newMachineList(), newMachineShow(), newMachineCheck(), newMachineDiff())
	return cmd
}

func newMachineList() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "list machines", Example: "hybridtop machine list", Args: cobra.NoArgs}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		warnSkipped(cmd.ErrOrStderr())
		l, err := listMachines()
		if err != nil {
			return err
		}
		return l.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

// machineArguments makes a command require n machines, and completes their names.
func machineArguments(cmd *cobra.Command, n int, want string) {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("machine %s: want %s, got %d: of %s", cmd.Name(), want, len(args),
				strings.Join(presets.Machines(), ", "))
		}
		return nil
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return presets.Machines(), cobra.ShellCompDirectiveDefault // or a file
	}
}

func newMachineShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "show the numbers of a machine with their sources",
		Example: "hybridtop machine show osc-ibm1350",
	}
	machineArguments(cmd, 1, "one machine")
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkSkipped(cmd.ErrOrStderr(), args...); err != nil {
			return err
		}
		m, err := machineOf(args[0])
		if err != nil {
			return err
		}
		return showMachine(cmd.OutOrStdout(), &m, out)
	}
	return cmd
}

func showMachine(w io.Writer, m *cluster.Machine, out *format) error {
	l := listing{what: "facts", columns: []string{"fact", "value", "kind", "source"}}
	var all []map[string]any
	tally := presets.Count(m)
	for _, f := range presets.Facts(m) {
		all = append(all,
			map[string]any{"fact": f.Key, "unit": f.Unit, "value": f.Value, "kind": f.Kind(), "source": f.Source})
		e := entry{{"fact", f.Key}, {"unit", f.Unit}, {"value", f.Value}, {"kind", f.Kind()}, {"source", f.Words()}}
		if !out.csv {
			e[2].value = factText(f)
		}
		l.entries = append(l.entries, e)
	}
	if out.json {
		return writeJSON(w, map[string]any{
			"schema": "hybridtop.machine.v1", "name": m.Name, "title": m.Title,
			"emulated": m.Emulated, "progress": m.Progress, "facts": all,
			"mark": markOf(tally), "sourced": tally.Sourced, "derived": tally.Derived,
			"fitted": tally.Fitted, "assumed": tally.Assumed, "unknown": tally.Unknown,
		})
	}
	if !out.csv {
		live := "wall clock of this host when live"
		if m.Emulated {
			live = "can be emulated live"
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n%s, progress by %s\n%s\n\n", m.Name, m.Title, live, m.Progress,
			tallyWords(tally)); err != nil {
			return err
		}
	}
	return l.write(w, out)
}

// tallyFields returns the columns of a tally.
func tallyFields(t presets.Tally) []field {
	return []field{{"sourced", t.Sourced}, {"derived", t.Derived}, {"fitted", t.Fitted}, {"assumed", t.Assumed},
		{"unknown", t.Unknown}, {"mark", markOf(t)}}
}

// markOf returns the mark of a machine with too many assumed numbers, or "".
func markOf(t presets.Tally) string {
	if t.Sketch() {
		return "sketch"
	}
	return ""
}

// tallyWords describes the sources of a machine's numbers.
func tallyWords(t presets.Tally) string {
	s := fmt.Sprintf("%d numbers sourced, %d derived, %d fitted, %d assumed; %d unknown", t.Sourced, t.Derived, t.Fitted,
		t.Assumed, t.Unknown)
	if t.Sketch() {
		s += ": a sketch (more than a third of its numbers are assumed)"
	}
	return s
}

// factText returns a fact's value with its unit.
func factText(f presets.Fact) string {
	switch v := f.Value.(type) {
	case nil:
		return "unknown"
	case float64:
		return text(engine.Metric{Value: v, Unit: f.Unit})
	case []float64:
		return strings.Trim(fmt.Sprint(v), "[]")
	}
	return fmt.Sprint(f.Value)
}

func newMachineCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check FILE",
		Short:   "check a machine file",
		Example: "hybridtop machine check ./our.toml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("machine check: want one file, got %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := presets.LoadMachine(args[0])
		if err != nil {
			return err
		}
		l := listing{what: "files", columns: []string{"file", "sourced", "derived", "fitted", "assumed", "unknown", "mark"},
			entries: []entry{
				append(entry{{"file", args[0]}, {"name", m.Name}}, tallyFields(presets.Count(&m))...),
			}}
		return l.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

func newMachineDiff() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "diff A B",
		Short:   "show the differences between two machines",
		Example: "hybridtop machine diff lumi-c perlmutter-cpu",
	}
	machineArguments(cmd, 2, "two machines")
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkSkipped(cmd.ErrOrStderr(), args...); err != nil {
			return err
		}
		a, errA := machineOf(args[0])
		b, errB := machineOf(args[1])
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		return diffMachines(cmd.OutOrStdout(), &a, &b, out)
	}
	return cmd
}

func diffMachines(w io.Writer, a, b *cluster.Machine, out *format) error {
	l := listing{what: "facts", columns: []string{"fact", a.Name, b.Name}}
	add := func(fa, fb presets.Fact) {
		e := entry{{"fact", fa.Key}, {"unit", fa.Unit}}
		switch ta, tb := factText(fa), factText(fb); {
		case out.json:
			e = append(e, field{"a", fa.Value}, field{"b", fb.Value}, field{"source_a", fa.Source}, field{"source_b", fb.Source})
		case out.csv || ta == tb: // the text hides the digits in which they differ
			e = append(e, field{a.Name, fa.Value}, field{b.Name, fb.Value})
		default:
			e = append(e, field{a.Name, ta}, field{b.Name, tb})
		}
		l.entries = append(l.entries, e)
	}
	if a.Progress != b.Progress {
		add(presets.Fact{Key: "progress", Value: string(a.Progress)},
			presets.Fact{Key: "progress", Value: string(b.Progress)})
	}
	if a.Emulated != b.Emulated {
		add(presets.Fact{Key: "emulated", Value: a.Emulated}, presets.Fact{Key: "emulated", Value: b.Emulated})
	}
	for _, p := range presets.Pair(a, b) {
		if !reflect.DeepEqual(p[0].Value, p[1].Value) {
			add(p[0], p[1])
		}
	}
	switch {
	case out.json:
		all := make([]map[string]any, 0, len(l.entries))
		for _, e := range l.entries {
			row := make(map[string]any, len(e))
			for _, x := range e {
				row[x.name] = x.value
			}
			all = append(all, row)
		}
		return writeJSON(w, map[string]any{"schema": "hybridtop.machine-diff.v1", "a": a.Name, "b": b.Name, "facts": all})
	case len(l.entries) == 0 && !out.csv:
		_, err := fmt.Fprintf(w, "%s and %s have the same facts\n", a.Name, b.Name)
		return err
	}
	return l.write(w, out)
}

// machineOf returns the machine of a name or a file.
func machineOf(nameOrFile string) (cluster.Machine, error) {
	if isMachineFile(nameOrFile) {
		return presets.LoadMachine(nameOrFile)
	}
	m, err := presets.Machine(nameOrFile)
	return m, suggest(err, nameOrFile, presets.Machines())
}

// warnSkipped reports the user's machine files that a list leaves out.
func warnSkipped(w io.Writer) {
	for _, s := range presets.SkippedMachines() {
		fmt.Fprintln(w, "hybridtop: skipped:", s.Err)
	}
}

// checkSkipped returns the error of a named machine whose file is broken. It warns about a user's
// file that a built-in machine of the same name hides.
func checkSkipped(w io.Writer, names ...string) error {
	for _, s := range presets.SkippedMachines() {
		switch {
		case !slices.Contains(names, s.Name):
		case s.Shadowed:
			fmt.Fprintln(w, "hybridtop: skipped:", s.Err)
		default:
			return s.Err
		}
	}
	return nil
}

// isMachineFile reports whether s is a file. A name has neither dots nor slashes.
func isMachineFile(s string) bool {
	return strings.HasSuffix(s, ".toml") || strings.ContainsAny(s, `/`+string(filepath.Separator))
}
