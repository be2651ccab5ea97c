package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/models"
)

func newModelEpsilon() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "epsilon",
		Short: "gain from computing while m of n threads communicate",
		Long: "ε = T_masteronly / T_multiple, by equations (1) to (9) of paper 2. If ε is above 1, it is faster to " +
			"reserve m of a process's n threads " +
			"for communication while the others compute. Fractions are of the masteronly run's time.",
		Example: "hybridtop model epsilon --m 1 --n 8 --non-overlap 0.2 --comm 0.3",
		Args:    cobra.NoArgs,
	}
	var r models.Reserved
	var nonOverlap, comm float64
	f := cmd.Flags()
	f.Float64Var(&r.M, "m", 1, "threads reserved for communication, may be fractional")
	f.IntVar(&r.N, "n", 8, "threads per process")
	f.Float64Var(&nonOverlap, "non-overlap", 0.2, "f_comp,non: fraction of computation that must wait for communication")
	f.Float64Var(&comm, "comm", 0, "f_comm: fraction of communication; default: f_comm,best")
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		result, err := epsilonOf(r, nonOverlap, comm, cmd.Flags().Changed("comm"))
		if err != nil {
			return err
		}
		return result.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

// chartSteps is the number of intervals of the f_comm axis.
const chartSteps = 20

// epsilonOf evaluates the model, by default at f_comm,best.
func epsilonOf(r models.Reserved, nonOverlap, comm float64, given bool) (*modelled, error) {
	l, err := models.LimitsOf(r, nonOverlap)
	if err != nil {
		return nil, err
	}
	if !given {
		comm = l.CommBest
	}
	here, err := models.Split(comm, nonOverlap)
	if err != nil {
		return nil, err
	}
	p, err := models.Epsilon(r, here)
	if err != nil {
		return nil, err
	}
	least, err := here.MinimumThreads()
	if err != nil {
		return nil, err
	}
	rules := ruling(p) + " is the largest term"
	if p.Balanced() {
		rules = "communication and computation are balanced (4)"
	}

	res := newModelled("epsilon", "paper 2, section 7.2.1")
	res.input("m", r.M, "1")
	res.input("n", float64(r.N), "1")
	res.input("f_comp_non", nonOverlap, "1")
	res.add("epsilon_max", l.Max, "1", "ε_max", "maximum over f_comm (5)")
	res.add("f_comm_best", l.CommBest, "1", "f_comm,best", "f_comm at ε_max (6)")
	res.add("f_comm_equiv", l.CommEquiv, "1", "f_comm,equiv", "f_comm at ε = 1; below it masteronly is faster")
	res.add("epsilon_min", l.Min, "1", "ε_min", "ε without communication (9)")
	res.add("epsilon_upper_bound", l.Upper, "1", "1 + m(1 − 1/n)", "upper bound of ε for all fractions (7)")
	res.add("epsilon_lower_bound", l.Lower, "1", "1 − m/n", "lower bound of ε for all fractions, if m ≥ m_min (9)")
	res.add("f_comm", comm, "1", "f_comm", "fraction of communication")
	res.add("epsilon", p.Value, "1", "ε", fmt.Sprintf("at that f_comm (3); %s", rules))
	res.add("m_min", least, "1", "m_min", "minimum m at that f_comm to communicate in time")
	res.chart = "ε over f_comm; ╌ at 1, where both schemes take the same time"
	res.marker = 1
	return res, res.curve(r, nonOverlap, l, comm, given)
}

// curve adds the points of figure 5's curve: equal steps of f_comm from 0 to 1 − f_comp,non, and
// the named points.
func (res *modelled) curve(r models.Reserved, nonOverlap float64, l models.Limits, comm float64, given bool) error {
	type point struct {
		comm float64
		name string
	}
	points := []point{{l.CommEquiv, "f_comm,equiv"}, {l.CommBest, "f_comm,best"}}
	if given {
		points = append(points, point{comm, "f_comm"})
	}
	named := len(points)
	for i := range chartSteps + 1 {
		at := (1 - nonOverlap) * float64(i) / chartSteps
		if !slices.ContainsFunc(points[:named], func(p point) bool { return percent(p.comm) == percent(at) }) {
			points = append(points, point{at, ""})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.comm, b.comm) })
	for _, at := range points {
		f, err := models.Split(at.comm, nonOverlap)
		if err != nil {
			return err
		}
		p, err := models.Epsilon(r, f)
		if err != nil {
			return err
		}
		res.row(map[string]any{"f_comm": at.comm}, "epsilon", p, []string{percent(at.comm)}, at.name)
	}
	return nil
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
