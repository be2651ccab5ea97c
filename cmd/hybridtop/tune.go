package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui/pane"
)

func newTune() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune COLLECTIVE...",
		Short: "find the fastest algorithms of collectives, and write a table",
		Long: "Time the algorithms of collectives for several teams and sizes, and write a table of the fastest for " +
			"runs with algorithm = tuned. " +
			"Algorithms that are much slower by the cost model are skipped. Between sizes with different winners, more " +
			"sizes are timed. " +
			"An interrupted tuning continues from its journal, a file next to the table until the table is complete.",
		Example: "hybridtop tune bcast allreduce --machine ranger --ranks 2..64 --out ranger.table.toml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("tune: want collectives, or one of show, check, regret, export, import")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return collectiveNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	var file, journal string
	var held int
	var exhaustive bool
	where := addSiteFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&file, "out", "", "table file to write")
	f.StringVar(&journal, "journal", "", "journal from which an interrupted tuning continues; default: the table's "+
		"name with .journal")
	f.IntVar(&held, "held-out", 0, "configurations (collective, ranks, size) not used for tuning, to measure regret "+
		"(slowdown versus the best choice)")
	f.BoolVar(&exhaustive, "exhaustive", false, "time every candidate, even if the cost model predicts it slow")
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o, err := where.options(args)
		if err != nil {
			return err
		}
		if file == "" {
			return errors.New("tune: want a table file: --out FILE")
		}
		if err := atomicfile.Check(file); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if held < 0 || held > 10000 {
			return fmt.Errorf("--held-out %d: want 0 to 10000", held)
		}
		o.Exhaustive = exhaustive
		o.Journal = journal
		if journal == "" {
			o.Journal = file + ".journal"
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		err = tune(ctx, cmd, &o, file, held, out)
		if code := interruption(ctx); code != 0 && err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: to continue from %s, repeat the command\n", o.Journal)
			code.say(cmd.ErrOrStderr())
			return code
		}
		return err
	}
	cmd.AddCommand(newTuneShow(), newTuneCheck(), newTuneExport(), newTuneImport(), newTuneRegret())
	return cmd
}

// collectiveNames returns the names by which run starts a collective.
func collectiveNames() []string {
	var names []string
	for _, w := range workload.All() {
		for _, a := range w.Aliases {
			if a.Knob == "collective" {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// collectiveOf returns the collective that run starts by a name.
func collectiveOf(name string) (coll.Collective, error) {
	if slices.Contains(collectiveNames(), name) {
		sc, err := session.Scenario(name)
		if err != nil {
			return 0, err
		}
		return coll.CollectiveOf(sc.Text("collective"))
	}
	names := collectiveNames()
	return 0, suggest(fmt.Errorf("collective %q: want one of %s", name, strings.Join(names, ", ")), name, names)
}

// siteFlags holds the flags for the site and range of the timings.
type siteFlags struct {
	fabric, machine, ranks, sizes         string
	transfers, addresses, syncIn, syncOut string
	perNode                               int
	seed                                  uint64
}

func addSiteFlags(cmd *cobra.Command) *siteFlags {
	p := &siteFlags{}
	f := cmd.Flags()
	f.StringVar(&p.fabric, "fabric", "sim", "fabric: sim or live")
	f.StringVar(&p.machine, "machine", "", "machine name or file; default: demo on sim, this-host on live")
	f.StringVar(&p.ranks, "ranks", "2,3,4,6,8,12,16", "team sizes: a list; 2..64 doubles, 2..16..2 has steps of 2")
	f.IntVar(&p.perNode, "ranks-per-node", 0, "ranks of a team on each node; default: 1 on sim, all on live")
	f.StringVar(&p.sizes, "size", "8,64,512,4096,32768,262144",
		"bytes of each member's block, or of all data if members have no blocks: a list or ranges")
	f.StringVar(&p.transfers, "transfer", coll.TwoSided.String(),
		"transfers to try, a list of: "+strings.Join(coll.Transfers(), ", "))
	f.StringVar(&p.addresses, "addresses", coll.Single.String(),
		"buffer addresses that a rank knows: "+strings.Join(coll.Addresses(), ", "))
	f.StringVar(&p.syncIn, "sync-in", coll.MySync.String(),
		"synchronization at the start: "+strings.Join(coll.Syncs(), ", "))
	f.StringVar(&p.syncOut, "sync-out", coll.MySync.String(), "synchronization at the end: same values")
	f.Uint64Var(&p.seed, "seed", 1, "seed of machine noise and of --held-out")
	return p
}

// site returns the fabric and the machine.
func (p *siteFlags) site() (tuner.Site, error) {
	to := tuner.Site{Seed: p.seed}
	name := "demo"
	switch p.fabric {
	case "sim":
		to.Fabric = sim.New()
	case "live":
		to.Fabric, name = live.New(), "this-host"
	default:
		return to, fmt.Errorf("--fabric %s: want one of sim, live", p.fabric)
	}
	if p.machine != "" {
		name = p.machine
	}
	var err error
	to.Machine, err = machineOf(name)
	return to, err
}

func (p *siteFlags) options(collectives []string) (tuner.Options, error) {
	site, err := p.site()
	if err != nil {
		return tuner.Options{}, err
	}
	o := tuner.Options{Site: site}
	for _, name := range collectives {
		c, err := collectiveOf(name)
		if err != nil {
			return o, err
		}
		o.Collectives = append(o.Collectives, c)
	}
	ranks, err := wholeList(p.ranks, 1, coll.MaxRanks)
	if err != nil {
		return o, fmt.Errorf("--ranks: %w", err)
	}
	largest := 1
	for _, n := range ranks {
		o.Ranks = append(o.Ranks, int(n))
		largest = max(largest, int(n))
	}
	o.Sizes, err = wholeList(p.sizes, 0, 1<<40)
	if err != nil {
		return o, fmt.Errorf("--size: %w", err)
	}
	for _, name := range strings.Split(p.transfers, ",") {
		way, err := coll.TransferOf(strings.TrimSpace(name))
		if err != nil {
			return o, fmt.Errorf("--transfer: %w", err)
		}
		o.Transfers = append(o.Transfers, way)
	}
	var errs [3]error
	o.Modes.Address, errs[0] = coll.AddressOf(p.addresses)
	o.Modes.In, errs[1] = coll.SyncOf(p.syncIn)
	o.Modes.Out, errs[2] = coll.SyncOf(p.syncOut)
	if err := errors.Join(errs[:]...); err != nil {
		return o, err
	}
	switch o.PerNode = p.perNode; {
	case p.perNode < 0:
		return o, fmt.Errorf("--ranks-per-node %d: want at least 1", p.perNode)
	case p.perNode == 0 && p.fabric == "live":
		o.PerNode = largest
	case p.perNode == 0:
		o.PerNode = 1
	}
	return o, nil
}

// wholeList reads a list of whole numbers and ranges.
func wholeList(text string, lo, hi int64) ([]int64, error) {
	words, err := valueList(text)
	if err != nil {
		return nil, err
	}
	var all []int64
	for _, w := range words {
		n, err := strconv.ParseInt(strings.TrimSpace(w), 10, 64)
		if err != nil || n < lo || n > hi {
			return nil, fmt.Errorf("%q: want a whole number from %d to %d", w, lo, hi)
		}
		all = append(all, n)
	}
	return all, nil
}

// tune tunes, writes the table, and prints a summary.
func tune(ctx context.Context, cmd *cobra.Command, o *tuner.Options, file string, held int, out *format) error {
	line := newLine(cmd.ErrOrStderr())
	if line != nil {
		o.Progress = func(p tuner.Progress) {
			left := ""
			if p.Left > 0 {
				left = "about " + pane.Roughly(p.Left) + " left  "
			}
			line.show(fmt.Sprintf("[%d/%d]  %s%s", p.Done, p.Total, left, p.At))
		}
		defer line.show("")
	}
	began := time.Now()
	result, err := tuner.Tune(ctx, *o)
	if err != nil {
		return err
	}
	took := time.Since(began)
	f := &tuner.File{Fabric: o.Fabric.Name(), Machine: o.Machine.Name, Table: result.Table}
	if err := f.Save(ctx, file); err != nil {
		return err
	}
	if err := tuner.RemoveJournal(o.Journal); err != nil {
		return err
	}
	var misses []tuner.Miss
	if held > 0 {
		tuples := o.HeldOut(held, o.Seed)
		misses, err = tuner.Regret(ctx, *o, result.Table.Find, tuples, func(done int) {
			if line != nil {
				line.show(fmt.Sprintf("[%d/%d]  held out", done, len(tuples)))
			}
		})
		if err != nil {
			return err
		}
	}
	if line != nil {
		line.show("")
	}
	w := cmd.OutOrStdout()
	switch {
	case out.json:
		return writeJSON(w, tuningJSON(o, f, result, misses))
	case out.csv:
		return rulesListing(f).write(w, out)
	}
	t := newTable(w)
	t.row("table", file)
	t.row("configurations",
		fmt.Sprintf("%d (%d from the journal), in %s", result.Tuples, result.FromJournal, pane.Roughly(took)))
	t.row("candidates", fmt.Sprintf("%d, of which %d were timed", result.Choices, result.Measured))
	for _, s := range result.Skipped {
		t.row("skipped", s.String())
	}
	if len(misses) > 0 {
		t.row("mean regret",
			fmt.Sprintf("%.2f %% on %d held-out configurations, compared with the best candidate", 100*tuner.Mean(misses),
				len(misses)))
		worst := misses[0]
		for _, m := range misses {
			if m.Regret() > worst.Regret() {
				worst = m
			}
		}
		t.row("worst",
			fmt.Sprintf("%.2f %%: %s: %s took %s, %s %s", 100*worst.Regret(), worst.At, worst.Chosen, worst.Took, worst.Best,
				worst.Least))
	}
	t.row()
	if err := t.close(); err != nil {
		return err
	}
	return tuner.WriteMaps(w, f.Table)
}

func newTuneShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show FILE",
		Short:   "draw a table as decision maps",
		Example: "hybridtop tune show ranger.table.toml",
	}
	tableArgument(cmd)
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := tuner.Load(args[0])
		if err != nil {
			return err
		}
		if out.json {
			return writeJSON(cmd.OutOrStdout(), tableJSON(f))
		}
		if out.csv {
			return rulesListing(f).write(cmd.OutOrStdout(), out)
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "tuned on %s, machine %s\n\n", f.Fabric, f.Machine); err != nil {
			return err
		}
		return tuner.WriteMaps(cmd.OutOrStdout(), f.Table)
	}
	return cmd
}

// tableArgument makes a command require one table file.
func tableArgument(cmd *cobra.Command) {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("tune %s: want one file", cmd.Name())
		}
		return nil
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
}

func rulesListing(f *tuner.File) *listing {
	l := &listing{what: "rules", columns: []string{"collective", "ranks", "ranks_per_node", "size", "time", "choices"}}
	for _, r := range f.Table.Rules() {
		var all []string
		for _, c := range r.Choices {
			all = append(all, c.String())
		}
		l.entries = append(l.entries,
			entry{{"collective", r.Collective.String()}, {"ranks", int(r.Ranks)}, {"ranks_per_node", int(r.PerNode)},
				{"size", r.Bytes}, {"time", orNil(r.Time.Seconds())}, {"choices", strings.Join(all, "; ")}})
	}
	return l
}

// tableJSON returns a table for JSON.
func tableJSON(f *tuner.File) map[string]any {
	rules := []map[string]any{}
	for _, r := range f.Table.Rules() {
		choices := []map[string]any{}
		for _, c := range r.Choices {
			choices = append(choices, choiceJSON(c))
		}
		rules = append(rules,
			map[string]any{"collective": r.Collective.String(), "ranks": r.Ranks, "ranks_per_node": r.PerNode, "size": r.Bytes,
				"addresses": r.Modes.Address.String(), "sync_in": r.Modes.In.String(), "sync_out": r.Modes.Out.String(),
				"time": orNil(r.Time.Seconds()), "choices": choices})
	}
	return map[string]any{"schema": "hybridtop.table.v1", "fabric": f.Fabric, "machine": f.Machine, "rules": rules}
}

func choiceJSON(c coll.Choice) map[string]any {
	return map[string]any{"algorithm": c.Algorithm.Name, "radix": orNil(float64(c.Radix)),
		"segments": max(c.Segments, 1), "transfer": c.Transfer.String()}
}

func missesJSON(misses []tuner.Miss) []map[string]any {
	all := []map[string]any{}
	for i := range misses {
		m := &misses[i]
		all = append(all,
			map[string]any{"collective": m.At.Collective.String(), "ranks": m.At.Ranks, "ranks_per_node": m.At.PerNode,
				"size":   m.At.Bytes,
				"chosen": choiceJSON(m.Chosen), "best": choiceJSON(m.Best), "chosen_time": m.Took.Seconds(),
				"best_time": m.Least.Seconds(), "regret": m.Regret()})
	}
	return all
}

func tuningJSON(o *tuner.Options, f *tuner.File, r *tuner.Result, misses []tuner.Miss) map[string]any {
	all := tableJSON(f)
	all["schema"], all["kind"] = "hybridtop.tune.v1", o.Kind()
	all["tuples"] = r.Tuples
	all["known"] = r.FromJournal
	all["candidates"] = r.Choices
	all["measured"] = r.Measured
	skipped := []map[string]any{}
	for _, s := range r.Skipped {
		e := map[string]any{"collective": s.At.Collective.String(), "ranks": s.At.Ranks, "ranks_per_node": s.At.PerNode,
			"size": s.At.Bytes, "choice": nil, "memory": s.Memory, "limit": s.Limit}
		if s.Choice.Algorithm != nil {
			e["choice"] = choiceJSON(s.Choice)
		}
		skipped = append(skipped, e)
	}
	all["skipped"] = skipped
	mean := math.NaN()
	if len(misses) > 0 {
		mean = tuner.Mean(misses)
	}
	all["held_out"], all["mean_regret"] = missesJSON(misses), engine.Finite(mean)
	return all
}
