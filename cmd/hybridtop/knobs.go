package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/presets"
)

// knobFlags holds the flags of all knobs: the base knobs, then the knobs of every workload, each
// once.
type knobFlags struct {
	knobs    []engine.Knob
	values   map[string]*knobValue
	many     bool   // a flag accepts a list
	preset   string // value of --preset
	table    string // value of --table
	ranks    string // value of --rank-file
	with     changeFlag
	joint    []string // values of --together: KNOB,KNOB=VALUExVALUE,...
	launcher string   // value of --launcher
	front    string   // value of --front
	apart    bool     // --apart is set
}

// knobValue is a flag's text. The scenario parses it when the workload is known.
type knobValue struct {
	text, kind string
	of         *knobFlags
}

func (v *knobValue) String() string     { return v.text }
func (v *knobValue) Set(s string) error { v.text = s; return nil }
func (v *knobValue) Type() string       { return v.kind }

var _ pflag.Value = (*knobValue)(nil)

// addKnobs adds the flags of knobs to a command.
func addKnobs(cmd *cobra.Command, many bool) *knobFlags {
	f := &knobFlags{values: make(map[string]*knobValue), many: many}
	cmd.Flags().SortFlags = false
	workloads := make(map[string][]string) // workloads that have a knob
	for _, w := range workload.All() {
		for _, k := range w.Knobs {
			if i := slices.IndexFunc(f.knobs, func(o engine.Knob) bool { return o.Name == k.Name }); i < 0 {
				f.knobs = append(f.knobs, k)
			} else {
				widen(&f.knobs[i], &k)
			}
			workloads[k.Name] = append(workloads[k.Name], w.Name)
		}
	}
	f.knobs = append(slices.Clone(engine.Base), f.knobs...)
	f.addPreset(cmd)
	cmd.Flags().StringVar(&f.table, "table", "", "table for algorithm = tuned (from hybridtop tune)")
	cmd.Flags().StringVar(&f.ranks, "rank-file", "", "file with the position of each rank, for the knob ranking (docs/placement.md)")
	cmd.Flags().Var(&f.with, "with", "changes of the machine: its number KEY times FACTOR, slow.NODE=FACTOR, "+
		"slow.NODE.ADAPTER=FACTOR, compute_noise=SHARE, link_noise=SHARE, or detours of each thread: detour_rate_per_s=RATE,detour_length_s=TIME")
	if many {
		cmd.Flags().StringArrayVar(&f.joint, "together", nil,
			"knobs that change together: KNOB,KNOB=1x8,2x4; short form: --KNOB,KNOB 1x8,2x4")
	}
	aliases := map[string]string{}
	for i := range f.knobs {
		k := &f.knobs[i]
		complete := cobra.ShellCompDirectiveNoFileComp
		if k.Name == "machine" {
			k.Choices = presets.Machines()
			complete = cobra.ShellCompDirectiveDefault // or a file
		}
		if k.Alias != "" {
			aliases[k.Alias] = k.Name
		}
		usage := usage(k)
		if names := workloads[k.Name]; len(names) > 0 {
			usage += " (" + strings.Join(names, ", ") + ")"
		}
		v := &knobValue{kind: flagType(k, many), text: k.Default, of: f}
		f.values[k.Name] = v
		cmd.Flags().Var(v, k.Name, usage)
		must(cmd.RegisterFlagCompletionFunc(k.Name,
			func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return f.knobs[i].Choices, complete
			}))
	}
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if real, ok := aliases[name]; ok {
			name = real
		}
		return pflag.NormalizedName(name)
	})
	return f
}

// flagType returns the type of a knob's flag, for its help.
func flagType(k *engine.Knob, many bool) string {
	if many {
		return string(k.Type) + ",..."
	}
	return string(k.Type)
}

// widen makes a flag also accept the values of another workload's knob of the same name. Each
// workload has its own default, and the meaning may differ.
func widen(k, other *engine.Knob) {
	if k.Doc != other.Doc {
		k.Doc = "depends on the workload; see hybridtop run WORKLOAD --help"
	}
	if k.Default != other.Default {
		k.Default = ""
	}
	k.Min = min(k.Min, other.Min)
	k.Max = max(k.Max, other.Max)
	k.Choices = slices.Clone(k.Choices)
	for _, c := range other.Choices {
		if !slices.Contains(k.Choices, c) {
			k.Choices = append(k.Choices, c)
		}
	}
}

// usage returns the help text of a knob's flag.
func usage(k *engine.Knob) string {
	s := k.Doc + offered(k)
	if k.Name == "machine" {
		s += ", or a file (docs/machines.md)"
	}
	if k.Alias != "" {
		s += " (also --" + k.Alias + ")"
	}
	return s
}

// offered returns the accepted values of a flag for its help: words, or a range.
func offered(k *engine.Knob) string {
	switch {
	case k.Name == "machine": // too many to list, and a file is accepted, too
		return ""
	case k.Type == engine.Choice, k.Type == engine.Places:
		return "; one of " + strings.Join(k.Choices, ", ")
	case k.Type == engine.Words:
		return "; default: " + k.Default
	}
	return "; " + k.Range()
}

// adaptHelp adapts the help of a command to the workload in its arguments, and reports whether
// there is one. Help then lists only the flags of that workload's knobs, with its texts and
// defaults, and the reason why a knob has no effect.
func adaptHelp(cmd *cobra.Command, args []string) bool {
	machine := cmd.Flags().Lookup("machine")
	if machine == nil {
		return false
	}
	v, ok := machine.Value.(*knobValue)
	if !ok {
		return false
	}
	f := v.of
	_ = cmd.ParseFlags(args) // errors are reported when the command runs
	name := first(cmd.Flags().Args())
	if flag := cmd.Flags().Lookup("workload"); flag != nil && flag.Changed {
		name = flag.Value.String()
	}
	p, err := presets.FindScenario(f.preset)
	if f.preset != "" && err == nil {
		name = p.Workload
	}
	sc, err := session.Scenario(name)
	if err != nil {
		return false
	}
	for _, k := range p.Knobs {
		_ = sc.Set(k.Name, k.Value)
	}
	if cmd.Flags().Lookup("launcher") != nil {
		sc.Offer("fabric", engine.MPI)
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if f.values[flag.Name] == nil || flag.Name == engine.Processes {
			return
		}
		k, err := sc.Knob(flag.Name)
		flag.Hidden = err != nil
		if flag.Hidden {
			return
		}
		flag.Usage = usage(k)
		if why := workload.Idle(&sc, engine.Emulated, k.Name); why != "" {
			flag.Usage += "; no effect with these values: " + why
		}
		flag.DefValue = sc.Text(k.Name)
	})
	return true
}

// must panics on an error. It is for registrations, which only fail because of a bug.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// scenario returns the scenario of a workload or preset, with the knobs from the flags. Knobs with
// several values become axes. The machines are the user's own.
func (f *knobFlags) scenario(cmd *cobra.Command, name string,
	p *presets.Scenario) (engine.Scenario, []session.Axis, []cluster.Machine, error) {
	if p == nil {
		return f.from(cmd, name, func(*engine.Scenario) error { return nil })
	}
	if _, err := session.FromPreset(p); err != nil { // report errors of the preset itself first
		return engine.Scenario{}, nil, nil, err
	}
	return f.from(cmd, p.Workload, func(sc *engine.Scenario) error {
		for _, k := range p.Knobs {
			if err := sc.Set(k.Name, k.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

// stored returns the scenario with the knobs of the last screen, and then the flags. It adds the
// user's machines to the options. Invalid stored values are skipped with a note. differs lists the
// stored values that differ from the defaults.
func (f *knobFlags) stored(cmd *cobra.Command, name string, kept map[string]string,
	o *session.Options) (sc engine.Scenario, differs, notes []string, err error) {
	machines := f.values["machine"].text // still with names of files
	sc, _, o.Machines, err = f.from(cmd, name, func(sc *engine.Scenario) error {
		for _, knob := range sc.Names(kept) {
			if knob == engine.Processes { // the launcher has it
				continue
			}
			before := sc.Values[knob]
			if err := sc.Set(knob, kept[knob]); err != nil {
				if knob == "fabric" && kept[knob] == engine.MPI {
					err = errors.New(`fabric mpi (use --launcher "mpirun -n 2")`)
				}
				notes = append(notes, fmt.Sprintf("stored knob skipped: %v", err)) // short: the status line has it
			} else if v := sc.Text(knob); v != before && !cmd.Flags().Changed(knob) {
				differs = append(differs, knob+" "+v)
			}
		}
		return nil
	})
	if err != nil || len(kept) == 0 {
		return sc, differs, notes, err
	}
	if _, err := session.New(sc, *o); err != nil {
		notes = append(notes, fmt.Sprintf("%s cannot run with the stored knobs: %v: starting with its defaults", name, err))
		f.values["machine"].text = machines
		sc, _, _, err = f.scenario(cmd, name, nil)
		return sc, nil, notes, err
	}
	return sc, differs, notes, nil
}

// from is scenario, except that begin sets knobs before the flags do.
func (f *knobFlags) from(cmd *cobra.Command, name string,
	begin func(*engine.Scenario) error) (engine.Scenario, []session.Axis, []cluster.Machine, error) {
	if f.table != "" {
		if err := tuner.Use(f.table); err != nil {
			return engine.Scenario{}, nil, nil, err
		}
	}
	machine := f.values["machine"]
	names, userMachines, err := machineFiles(machine.text)
	if err != nil {
		return engine.Scenario{}, nil, nil, err
	}
	machine.text = names
	for i, text := range f.joint {
		var loaded []cluster.Machine
		if f.joint[i], loaded, err = jointMachineFiles(text); err != nil {
			return engine.Scenario{}, nil, nil, err
		}
		for _, m := range loaded { // one machine may be in several values
			if !slices.ContainsFunc(userMachines, func(u cluster.Machine) bool { return reflect.DeepEqual(u, m) }) {
				userMachines = append(userMachines, m)
			}
		}
	}
	if err := f.readRanks(cmd); err != nil {
		return engine.Scenario{}, nil, nil, err
	}
	sc, err := session.Scenario(name, userMachines...)
	if err != nil {
		return engine.Scenario{}, nil, nil, suggest(err, name, workloadNames())
	}
	if err := f.offer(&sc); err != nil {
		return engine.Scenario{}, nil, nil, err
	}
	if err := begin(&sc); err != nil {
		return engine.Scenario{}, nil, nil, err
	}
	used := []string{sc.Text("machine")}
	if cmd.Flags().Changed("machine") {
		used = strings.Split(names, ",")
	}
	if err := checkSkipped(cmd.ErrOrStderr(), used...); err != nil {
		return engine.Scenario{}, nil, nil, err
	}
	var axes []session.Axis
	for i := range f.knobs {
		name := f.knobs[i].Name
		if !cmd.Flags().Changed(name) {
			continue
		}
		text := f.values[name].text
		values := []string{text}
		if err := f.checkLauncher(&sc, name, text); err != nil {
			return engine.Scenario{}, nil, nil, err
		}
		if f.many {
			values, err = valueList(text)
			if err != nil {
				return engine.Scenario{}, nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if len(values) > 1 {
			if _, err := sc.Knob(name); err != nil {
				return engine.Scenario{}, nil, nil, err
			}
			axes = append(axes, session.Axis{Knob: name, Values: values})
			continue
		}
		if err := sc.Set(name, text); err != nil {
			return engine.Scenario{}, nil, nil, err
		}
	}
	for _, text := range f.joint {
		names, values, ok := strings.Cut(text, "=")
		if !ok || !strings.Contains(names, ",") || values == "" {
			return engine.Scenario{}, nil, nil, fmt.Errorf("--together %.80q: want KNOB,KNOB=VALUExVALUE,..., such as ranks-per-node,threads=1x8,2x4", text)
		}
		axis := session.Axis{Knob: names, Values: strings.Split(values, ",")}
		if f.launcher == "" && hasMPI(axis) {
			return engine.Scenario{}, nil, nil, errNoLauncher
		}
		axes = append(axes, axis)
	}
	if err := f.measure(cmd, &sc); err != nil {
		return engine.Scenario{}, nil, nil, err
	}
	return f.changed(sc, axes, userMachines)
}

// jointFlag matches a flag that names several knobs.
var jointFlag = regexp.MustCompile(`^--([a-z0-9-]+(?:,[a-z0-9-]+)+)(?:=(.*))?$`)

// expandJoint replaces --KNOB,KNOB VALUES by --together KNOB,KNOB=VALUES.
func expandJoint(args []string) []string {
	var all []string
	for i := 0; i < len(args); i++ {
		m := jointFlag.FindStringSubmatch(args[i])
		switch {
		case args[i] == "--":
			return append(all, args[i:]...)
		case m == nil:
			all = append(all, args[i])
		case strings.Contains(args[i], "="):
			all = append(all, "--together", m[1]+"="+m[2])
		case i+1 < len(args):
			i++
			all = append(all, "--together", m[1]+"="+args[i])
		default:
			all = append(all, "--together", m[1]+"=")
		}
	}
	return all
}

// hasKnob reports whether an axis changes a knob, alone or together with others.
func hasKnob(a session.Axis, knob string) bool {
	return slices.Contains(strings.Split(a.Knob, ","), knob)
}

// hasMPI reports whether a value of an axis is fabric mpi.
func hasMPI(a session.Axis) bool {
	return hasKnob(a, "fabric") && slices.ContainsFunc(a.Values, func(v string) bool {
		return slices.Contains(strings.Split(v, "x"), engine.MPI)
	})
}

// changed applies --with to the machine of a scenario.
func (f *knobFlags) changed(sc engine.Scenario, axes []session.Axis,
	userMachines []cluster.Machine) (engine.Scenario, []session.Axis, []cluster.Machine, error) {
	changes, err := f.with.changes()
	if err != nil || len(changes) == 0 {
		return sc, axes, userMachines, err
	}
	if slices.ContainsFunc(axes, func(a session.Axis) bool { return hasKnob(a, "machine") }) {
		return sc, nil, nil, errors.New("--with: several machines are given: want one")
	}
	if sc.Text("fabric") == engine.MPI || slices.ContainsFunc(axes, hasMPI) {
		return sc, nil, nil, errors.New("--with: fabric mpi only measures, and no job has a changed machine (use --fabric sim)")
	}
	next, machines, err := explain.WithChanges(sc, changes, userMachines)
	if err != nil {
		return sc, nil, nil, fmt.Errorf("--with: %w", err)
	}
	if err := f.offer(&next); err != nil {
		return sc, nil, nil, err
	}
	return next, axes, machines, nil
}

// readRanks sets the flag of the knob ranking to the positions in the file of --rank-file.
func (f *knobFlags) readRanks(cmd *cobra.Command) error {
	if f.ranks == "" {
		return nil
	}
	if cmd.Flags().Changed("ranking") {
		return errors.New("--rank-file: the file is the ranking: want no --ranking")
	}
	file, err := inputfile.Open(f.ranks, inputfile.Unlimited)
	if err != nil {
		return fmt.Errorf("--rank-file: %.200q: %w", f.ranks, errors.Unwrap(err))
	}
	defer file.Close()
	list, err := cluster.ReadRanking(file, f.ranks)
	if err != nil {
		return fmt.Errorf("--rank-file: %w", err)
	}
	f.ranks = ""
	return cmd.Flags().Set("ranking", string(list))
}

// maxRange is the maximum number of values of a range.
const maxRange = 1000

// valueList reads the values of a sweep's flag: a list of values and ranges. The range 1..64
// doubles from 1 to 64, and 1..64..3 has steps of 3. The end is always included.
func valueList(text string) ([]string, error) {
	var all []string
	for _, item := range strings.Split(text, ",") {
		ends := strings.Split(item, "..")
		if len(ends) == 1 {
			all = append(all, item)
			continue
		}
		n := make([]int64, len(ends))
		for i, end := range ends {
			var err error
			n[i], err = strconv.ParseInt(strings.TrimSpace(end), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("range %q: %q is not a whole number; want 1..64 (doubling) or 1..64..3 (steps)", item, end)
			}
		}
		next := func(x int64) int64 { return 2 * x }
		if len(n) == 3 {
			next = func(x int64) int64 { return x + n[2] }
		}
		if len(n) > 3 || n[0] < 1 || n[1] < n[0] || len(n) == 3 && n[2] < 1 || n[1] > math.MaxInt64/2 {
			return nil, fmt.Errorf("range %q: want 1..64 (doubling) or 1..64..3 (steps), at least 1, ascending", item)
		}
		for x := n[0]; x < n[1]; x = next(x) {
			if len(all) > maxRange {
				return nil, fmt.Errorf("range %q: want at most %d values", item, maxRange)
			}
			all = append(all, strconv.FormatInt(x, 10))
		}
		all = append(all, strconv.FormatInt(n[1], 10))
	}
	return all, nil
}

// machineFiles loads the machine files in a list of machines. It returns the list with names
// instead of files.
func machineFiles(list string) (names string, loaded []cluster.Machine, err error) {
	all := strings.Split(list, ",")
	for i, s := range all {
		if !isMachineFile(s) {
			continue
		}
		m, err := presets.LoadMachine(s)
		if err != nil {
			return "", nil, err
		}
		all[i] = m.Name
		loaded = append(loaded, m)
	}
	return strings.Join(all, ","), loaded, nil
}

// jointMachineFiles is machineFiles for the list of --together, if its last knob is the machine.
func jointMachineFiles(text string) (names string, loaded []cluster.Machine, err error) {
	knobs, values, _ := strings.Cut(text, "=")
	n := strings.Count(knobs, ",") + 1
	if !strings.HasSuffix(knobs, ",machine") {
		return text, nil, nil
	}
	all := strings.Split(values, ",")
	for i, value := range all {
		parts := strings.SplitN(value, "x", n)
		last := len(parts) - 1
		name, m, err := machineFiles(parts[last])
		if err != nil {
			return "", nil, err
		}
		parts[last] = name
		all[i], loaded = strings.Join(parts, "x"), append(loaded, m...)
	}
	return knobs + "=" + strings.Join(all, ","), loaded, nil
}

// workloadArgument makes a command require and complete one workload's name, which is optional
// with --preset.
func workloadArgument(cmd *cobra.Command) {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 || len(args) == 0 && cmd.Flags().Changed("preset") {
			return nil
		}
		return fmt.Errorf("%s: want one workload, got %d: one of %s", cmd.Name(), len(args),
			strings.Join(workloadNames(), ", "))
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, w := range workload.All() {
			names = append(names, cobra.CompletionWithDesc(w.Name, w.Title))
			for _, a := range w.Aliases {
				names = append(names, cobra.CompletionWithDesc(a.Name, a.Title))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// workloadNames returns the names of the workloads, then their aliases.
func workloadNames() []string {
	var names, others []string
	for _, w := range workload.All() {
		names = append(names, w.Name)
		for _, a := range w.Aliases {
			others = append(others, a.Name)
		}
	}
	return append(names, others...)
}
