package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/shapes"
)

func newShapes() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "shapes [WORKLOAD]",
		Short: "compare ranks × threads on the cores of a node",
		Long: "Run one problem with all shapes of a node: ranks × threads, from one rank with all cores to one rank per core. " +
			"The output has the time and the memory per node of each shape, the best shape, and the reason for its lead.\n\n" +
			"Shapes are simulated, unless --fabric is live. Each shape also runs a small problem with bytes, and its results " +
			"must be equal. A size that counts per rank changes with the ranks. docs/shapes.md has the details.\n\n" +
			"Workloads: " + strings.Join(shapes.Workloads(), ", ") + ".",
		Example: "hybridtop shapes heat --machine lumi-c --nodes 8\n" +
			"hybridtop shapes gemm --machine this-host --fabric live --nodes 1 --n 512",
	}
	workloadArgument(cmd)
	out := addFormat(cmd)
	knobs := addKnobs(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range []string{"ranks-per-node", "threads-per-rank"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("shapes: --%s: all shapes run (leave it out)", name)
			}
		}
		sc, _, options, err := knobs.request(cmd, args, &limitFlags{duration: 1})
		if err != nil {
			return err
		}
		if !cmd.Flags().Changed("fabric") {
			if err := sc.Set("fabric", engine.Sim); err != nil {
				return err
			}
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		p, err := knobs.findPreset(cmd, first(args))
		if err != nil {
			return err
		}
		var chosen []string
		if p != nil {
			for _, k := range p.Knobs {
				chosen = append(chosen, k.Name)
			}
		}
		cmd.Flags().Visit(func(f *pflag.Flag) { chosen = append(chosen, f.Name) })
		r, err := shapes.Compare(ctx, shapes.Request{Scenario: sc, Chosen: chosen, Options: options,
			Progress: newSweepLine(cmd.ErrOrStderr())})
		code := interruption(ctx)
		if r == nil {
			if code != 0 {
				code.say(cmd.ErrOrStderr())
				return code
			}
			return err
		}
		x := shapesText{r}
		if failed := x.write(cmd.OutOrStdout(), out); failed != nil {
			return failed
		}
		switch {
		case code != 0:
			code.say(cmd.ErrOrStderr())
			return code
		case err != nil:
			return err
		case r.Best() == nil:
			return fmt.Errorf("shapes: %s: no shape could run (the table has the reasons; change --%s, --nodes or --machine)",
				shapes.Text(r.Problem), r.Problem[0].Knob)
		}
		return nil
	}
	return cmd
}

// shapesText is a comparison of shapes with its output.
type shapesText struct{ *shapes.Report }

// write writes the comparison.
func (x *shapesText) write(w io.Writer, out *format) error {
	switch {
	case out.json:
		return writeJSON(w, x.document())
	case out.csv:
		return x.writeCSV(w)
	}
	t := newTable(w)
	s := &x.Scenario
	t.title(fmt.Sprintf("%s on %s, %s nodes × %d cores: %d shapes (%s)", s.Workload, s.Text("machine"), s.Text("nodes"), x.Cores,
		len(x.Shapes), x.Kind))
	t.row(shapes.Text(x.Problem))
	t.row()
	t.head("ranks × threads", "place", "time", "ratio", "memory per node", "results")
	for _, s := range x.Shapes {
		if s.Time == 0 {
			continue
		}
		t.row(s.Name(), strconv.Itoa(s.Place), timeText(s.Time), strconv.FormatFloat(x.Ratio(s), 'f', 3, 64),
			text(engine.Metric{Value: float64(s.MemoryPerNode), Unit: "B"}), resultsOf(s))
	}
	t.row()
	t.row(x.Conclusion())
	if why := x.Reason(timeText); why != "" {
		t.row(why)
	}
	if x.Best() != nil {
		t.row(x.Results())
	}
	if len(x.Small) > 0 {
		t.row("The small problem: " + shapes.Text(x.Small) + ".")
	}
	first := true
	for _, s := range x.Shapes {
		if s.Time > 0 || s.Missing() == "" {
			continue
		}
		if first {
			t.row()
			t.title("no result")
			first = false
		}
		t.row("  "+s.Name(), s.Missing())
	}
	return t.close()
}

// resultsOf returns the checksum of a shape, or that its results are verified.
func resultsOf(s *shapes.Shape) string {
	switch {
	case s.Checksum != 0:
		return fmt.Sprintf("checksum %016x", s.Checksum)
	case s.Verified != "":
		return "verified"
	}
	return "not checked"
}

// The JSON document of shapes.
type (
	shapesDocument struct {
		Schema     string          `json:"schema"`
		Kind       engine.Kind     `json:"kind"`
		Scenario   engine.Scenario `json:"scenario"`
		Cores      int             `json:"cores_per_node"`
		Shapes     []shapeEntry    `json:"shapes"`
		Conclusion string          `json:"conclusion"`
		Reason     string          `json:"reason"`
		Results    string          `json:"results"`
	}
	shapeEntry struct {
		Ranks         int          `json:"ranks_per_node"`
		Threads       int          `json:"threads_per_rank"`
		Place         int          `json:"place"`
		Seconds       *float64     `json:"time"`
		Ps            cluster.Time `json:"time_ps"`
		Ratio         *float64     `json:"ratio"`
		MemoryPerNode int64        `json:"memory_per_node"`
		Checksum      string       `json:"checksum"`
		Verified      string       `json:"verified"`
		Refusal       string       `json:"refusal"`
	}
)

// document returns the JSON document.
func (x *shapesText) document() *shapesDocument {
	d := &shapesDocument{Schema: "hybridtop.shapes.v1", Kind: x.Kind, Scenario: x.Scenario, Cores: x.Cores,
		Shapes: []shapeEntry{}, Conclusion: x.Conclusion(), Reason: x.Reason(timeText), Results: x.Results()}
	for _, s := range x.Shapes {
		e := shapeEntry{Ranks: s.Ranks, Threads: s.Threads, Place: s.Place, Ps: s.Time, MemoryPerNode: s.MemoryPerNode,
			Verified: s.Verified, Refusal: s.Missing()}
		if s.Time > 0 {
			seconds, ratio := s.Time.Seconds(), x.Ratio(s)
			e.Seconds, e.Ratio = &seconds, &ratio
		}
		if s.Checksum != 0 {
			e.Checksum = fmt.Sprintf("%016x", s.Checksum)
		}
		d.Shapes = append(d.Shapes, e)
	}
	return d
}

// writeCSV writes the shapes, one per row.
func (x *shapesText) writeCSV(w io.Writer) error {
	var rows [][]string
	for _, e := range x.document().Shapes {
		seconds := ""
		if e.Seconds != nil {
			seconds = plain(*e.Seconds)
		}
		rows = append(rows, []string{strconv.Itoa(e.Ranks), strconv.Itoa(e.Threads), strconv.Itoa(e.Place), seconds,
			strconv.FormatInt(int64(e.Ps), 10), strconv.FormatInt(e.MemoryPerNode, 10), e.Checksum, e.Verified, e.Refusal})
	}
	return writeCSV(w, []string{"ranks_per_node", "threads_per_rank", "place", "time", "time_ps", "memory_per_node", "checksum", "verified",
		"refusal"}, rows)
}
