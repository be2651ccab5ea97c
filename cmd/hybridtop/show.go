package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/goal"
)

func newShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show",
		Short:   "show the schedule of a collective, or a GOAL file",
		Long:    "Show the schedule of a collective, or a GOAL file, without a run.",
		Example: "hybridtop show schedule bcast --algorithm knomial --radix 4 --ranks 8",
		Args:    suggestCommand,
		RunE:    func(*cobra.Command, []string) error { return pflag.ErrHelp },
	}
	cmd.AddCommand(newShowSchedule(), newShowGoal())
	return cmd
}

// schedule is an algorithm with its parameters and a number of bytes.
type schedule struct {
	key     coll.Key
	root    int32
	bytes   int64
	blocks  coll.Blocks
	machine *cluster.Machine // nil: no costs
	cost    coll.Cost
}

func newShowSchedule() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule COLLECTIVE",
		Short: "draw the messages of a collective, step by step",
		Long: "Draw the messages of a collective as a tree or step by step. In one step a rank sends and receives one " +
			"message. " +
			"With --machine, messages take the machine's times between nodes, with one rank per node and no contention. " +
			"For algorithms see hybridtop list algorithms.",
		Example: "hybridtop show schedule bcast --algorithm knomial --radix 4 --ranks 8\nhybridtop show schedule " +
			"exchange --algorithm bruck --ranks 16 --to goal",
	}
	names := collectiveNames()
	cmd.ValidArgs = names
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("show schedule: want one of %s", strings.Join(names, ", "))
		}
		return nil
	}
	var algorithm, machine, to string
	var p coll.Parameters
	var root int
	var bytes int64
	f := cmd.Flags()
	f.StringVar(&algorithm, "algorithm", "", "algorithm; default: the first in the list")
	f.IntVar(&p.Ranks, "ranks", 8, "ranks of the team")
	f.IntVar(&p.Radix, "radix", 0, "radix of a tree or dissemination; default: the algorithm's")
	f.IntVar(&p.Segments, "segments", 0, "number of pieces of the data; default: 1")
	f.IntVar(&root, "root", 0, "root of a rooted collective")
	f.Int64Var(&bytes, "size", 8, "bytes of each member's block, if members have blocks; otherwise bytes of all data")
	f.StringVar(&machine, "machine", "", "machine for the times of messages between nodes: a name or a file")
	f.StringVar(&to, "to", "text", "format: text, or goal (GOAL text, for LogGOPS simulators)")
	must(cmd.RegisterFlagCompletionFunc("to",
		cobra.FixedCompletions([]string{"text", "goal"}, cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("algorithm",
		func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, a := range coll.All() {
				if c, err := collectiveOf(first(args)); len(args) == 0 || err == nil && a.Collective == c {
					names = append(names, a.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}))
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := collectiveOf(args[0])
		if err != nil {
			return err
		}
		if algorithm == "" {
			algorithm = coll.Of(c)[0].Name
		}
		a, err := coll.Find(c, algorithm)
		if err != nil {
			return suggest(err, algorithm, algorithmNames(c))
		}
		s := schedule{root: int32(root), bytes: bytes}
		s.key, err = a.Key(p)
		if err != nil {
			return err
		}
		if bytes < 0 || bytes > 1<<40/int64(p.Ranks) {
			return fmt.Errorf("--size %d: want 0 to 1 TiB for all ranks", bytes)
		}
		s.blocks = s.key.Blocks(bytes, 1)
		if machine != "" {
			m, err := machineOf(machine)
			if err != nil {
				return err
			}
			s.machine = &m
			s.cost, err = coll.CostOf(&m)
			if err != nil {
				return err
			}
		}
		switch {
		case to == "goal" && (out.json || out.csv):
			return errors.New("--to goal: excludes --json and --csv")
		case to == "goal":
			return goal.Write(cmd.OutOrStdout(), s.key, s.root, s.blocks, s.cost)
		case to != "text":
			return fmt.Errorf("--to %s: want one of text, goal", to)
		}
		return s.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

func (s *schedule) write(w io.Writer, out *format) error {
	steps, err := coll.Steps(s.key, s.root, s.blocks)
	if err != nil {
		return err
	}
	var priced *coll.Trace
	if s.machine != nil {
		priced, err = coll.Price(s.key, s.root, s.blocks, s.cost)
		if err != nil {
			return err
		}
	}
	switch {
	case out.json:
		return s.writeJSON(w, steps, priced)
	case out.csv:
		rows := [][]string{}
		for _, m := range steps.Messages {
			rows = append(rows,
				[]string{fmt.Sprint(int64(m.Arrived)), fmt.Sprint(m.From), fmt.Sprint(m.To), fmt.Sprint(m.Channel),
					fmt.Sprint(m.Bytes)})
		}
		return writeCSV(w, []string{"step", "from", "to", "lane", "bytes"}, rows)
	}
	head := fmt.Sprintf("%s by %s, %d ranks", s.key.Algorithm.Collective, s.key.Algorithm.Name, s.key.Ranks)
	if s.key.Radix != 0 {
		head += fmt.Sprintf(", radix %d", s.key.Radix)
	}
	if s.key.Segments > 1 {
		head += fmt.Sprintf(", %d segments", s.key.Segments)
	}
	if s.key.Algorithm.Collective.Rooted() {
		head += fmt.Sprintf(", root %d", s.root)
	}
	fmt.Fprintf(w, "%s: %s\n", head, s.key.Algorithm.Doc)
	fmt.Fprintf(w, "%s in %s, %s in all, %s\n\n", count(int64(len(steps.Messages)), "message"),
		count(int64(steps.Last()), "step"),
		inUnits.Text(cluster.SizeText(float64(steps.Bytes()))), count(int64(s.schedules()), "schedule"))
	if tree := treeOf(s.key.Ranks, s.root, steps); tree != nil {
		err = tree.draw(w)
	} else {
		err = drawSteps(w, s.key.Ranks, steps)
	}
	if err == nil && priced != nil {
		_, err = fmt.Fprintf(w, "\non %s: %s modelled by LogGP message by message, %s by the algorithm's formula\n",
			s.machine.Name, priced.Last(), s.key.Predict(&s.cost, s.bytes))
	}
	return err
}

// schedules returns the number of different schedules in the team.
func (s *schedule) schedules() int {
	var c coll.Cache
	for rel := range s.key.Ranks {
		c.Schedule(s.key, rel)
	}
	return c.Size()
}

func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// algorithmNames returns the names of a collective's algorithms.
func algorithmNames(c coll.Collective) []string {
	var names []string
	for _, a := range coll.Of(c) {
		names = append(names, a.Name)
	}
	return names
}

// tree has the children of each rank. Each edge has the step of its first message.
type tree struct {
	root int32
	kids [][]kid
}

type kid struct {
	rank  int32
	step  int64
	bytes int64
	more  int // messages after the first
}

// treeOf returns the tree of the messages if they all go down or all go up one tree, else nil.
func treeOf(ranks, root int32, t *coll.Trace) *tree {
	for _, down := range []bool{true, false} {
		x := &tree{root: root, kids: make([][]kid, ranks)}
		parent := make([]int32, ranks)
		for i := range parent {
			parent[i] = -1
		}
		for _, m := range t.Messages {
			up, low := m.From, m.To
			if !down {
				up, low = low, up
			}
			switch parent[low] {
			case -1:
				parent[low] = up
				x.kids[up] = append(x.kids[up], kid{rank: low, step: int64(m.Arrived), bytes: m.Bytes})
			case up:
				k := &x.kids[up][slices.IndexFunc(x.kids[up], func(k kid) bool { return k.rank == low })]
				k.more, k.bytes = k.more+1, k.bytes+m.Bytes
			default:
				parent[root] = root // a rank with two parents
			}
		}
		edges := 0
		for r, p := range parent {
			if p != -1 && int32(r) != root {
				edges++
			}
		}
		if parent[root] == -1 && edges == int(ranks)-1 && x.reaches(root) == int(ranks) {
			return x
		}
	}
	return nil
}

func (t *tree) reaches(r int32) int {
	n := 1
	for _, k := range t.kids[r] {
		n += t.reaches(k.rank)
	}
	return n
}

func (t *tree) draw(w io.Writer) error {
	if _, err := fmt.Fprintln(w, t.root); err != nil {
		return err
	}
	return t.drawKids(w, t.root, "")
}

func (t *tree) drawKids(w io.Writer, r int32, indent string) error {
	for i, k := range t.kids[r] {
		branch, below := "├── ", "│   "
		if i == len(t.kids[r])-1 {
			branch, below = "└── ", "    "
		}
		more := ""
		if k.more > 0 {
			more = fmt.Sprintf(" and %d more", k.more)
		}
		if _, err := fmt.Fprintf(w, "%s%s%d  step %d%s, %s\n", indent, branch, k.rank, k.step, more,
			inUnits.Text(cluster.SizeText(float64(k.bytes)))); err != nil {
			return err
		}
		if err := t.drawKids(w, k.rank, indent+below); err != nil {
			return err
		}
	}
	return nil
}

// maxColumns is the maximum number of ranks in a drawing of steps.
const maxColumns = 64

// drawSteps writes one line per step, with the target of each rank's message.
func drawSteps(w io.Writer, ranks int32, t *coll.Trace) error {
	if ranks > maxColumns {
		_, err := fmt.Fprintf(w, "too many ranks to draw: want at most %d (--json or --csv lists the messages)\n", maxColumns)
		return err
	}
	tab := newTable(w)
	head := []string{"step"}
	for r := range ranks {
		head = append(head, fmt.Sprint(r))
	}
	tab.head(append(head, "bytes")...)
	for i := 0; i < len(t.Messages); {
		step := t.Messages[i].Arrived
		cells := make([]string, ranks+2)
		cells[0] = fmt.Sprint(int64(step))
		smallest, largest := t.Messages[i].Bytes, t.Messages[i].Bytes
		for ; i < len(t.Messages) && t.Messages[i].Arrived == step; i++ {
			m := t.Messages[i]
			if cells[m.From+1] != "" {
				cells[m.From+1] += " "
			}
			cells[m.From+1] += fmt.Sprintf("→%d", m.To)
			smallest, largest = min(smallest, m.Bytes), max(largest, m.Bytes)
		}
		cells[ranks+1] = fmt.Sprint(smallest)
		if largest != smallest {
			cells[ranks+1] = fmt.Sprintf("%d-%d", smallest, largest)
		}
		tab.row(cells...)
	}
	return tab.close()
}

func (s *schedule) writeJSON(w io.Writer, steps, priced *coll.Trace) error {
	messages := make([]map[string]any, 0, len(steps.Messages))
	for _, m := range steps.Messages {
		messages = append(messages,
			map[string]any{"step": int64(m.Arrived), "from": m.From, "to": m.To, "lane": m.Channel, "bytes": m.Bytes})
	}
	all := map[string]any{
		"schema": "hybridtop.schedule.v1", "collective": s.key.Algorithm.Collective.String(),
		"algorithm": s.key.Algorithm.Name,
		"ranks":     s.key.Ranks, "radix": orNil(float64(s.key.Radix)), "segments": s.key.Segments, "root": s.root,
		"size":      s.bytes,
		"schedules": s.schedules(), "steps": int64(steps.Last()), "messages": messages, "total_bytes": steps.Bytes(),
		"machine": nil, "time": nil, "predicted_time": nil,
	}
	if priced != nil {
		all["machine"] = s.machine.Name
		all["time"] = priced.Last().Seconds()
		all["predicted_time"] = s.key.Predict(&s.cost, s.bytes).Seconds()
	}
	return writeJSON(w, all)
}
