package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/models"
)

func newModelLocality() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "locality",
		Short: "share of local random accesses, and mean access time",
		Long: "The locality law of paper 1: l_avg = (l_l − l_r)·P + l_r. P is the share of random accesses that stay " +
			"in the node " +
			"if every group of ranks has a replica of the data. Ranks and groups are placed sequentially.",
		Example: "hybridtop model locality --group 8 --ranks 256 --ranks-per-node 4",
		Args:    cobra.NoArgs,
	}
	var l locality
	var local, remote time.Duration
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&l.group, "group", 8, "ranks per group")
	f.IntVar(&l.ranks, "ranks", 256, "total number of ranks")
	f.IntVar(&l.perNode, "ranks-per-node", 4, "ranks per node")
	f.DurationVar(&local, "local", 400*time.Nanosecond, "l_l: access time inside the node")
	f.DurationVar(&remote, "remote", 3*time.Microsecond, "l_r: access time to another node")
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		l.local, l.remote = local.Seconds(), remote.Seconds()
		result, err := l.result()
		if err != nil {
			return err
		}
		return result.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

type locality struct {
	group, ranks, perNode int
	local, remote         float64 // s
}

// maxRanks is the maximum number of ranks, which are counted one by one.
const maxRanks = 1 << 18

func (l *locality) check() error {
	switch {
	case l.ranks < 1 || l.ranks > maxRanks:
		return fmt.Errorf("--ranks %d: want 1 to %d", l.ranks, maxRanks)
	case l.perNode < 1:
		return fmt.Errorf("--ranks-per-node %d: want at least 1", l.perNode)
	case l.group < 1 || l.ranks%l.group != 0:
		return fmt.Errorf("--group %d: does not divide %d ranks", l.group, l.ranks)
	case min(l.local, l.remote) < 0 || max(l.local, l.remote) == 0:
		return errors.New("--local, --remote: want times from 0, at least one above 0")
	}
	return nil
}

// at returns the shares for one group size, and the law with its terms.
func (l *locality) at(group int) (models.Shares, models.Prediction) {
	s := models.PlacedShares(l.ranks, func(r int) int { return r / l.perNode }, func(r int) int { return r / group })
	return s, models.Prediction{
		Value: models.AverageLatency(l.local, l.remote, s.Node), Unit: "s",
		Sum: []models.Term{
			{Name: "in the node", Value: l.local * s.Node, Unit: "s"},
			{Name: "remote", Value: l.remote * (1 - s.Node), Unit: "s"},
		},
	}
}

func (l *locality) result() (*modelled, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	res := newModelled("locality", "paper 1, section 4.3.1")
	res.input("group", float64(l.group), "1")
	res.input("ranks", float64(l.ranks), "1")
	res.input("ranks_per_node", float64(l.perNode), "1")
	res.input("l_l", l.local, "s")
	res.input("l_r", l.remote, "s")
	s, p := l.at(l.group)
	res.add("rank_local_share", s.Rank, "1", "in the rank", "1/G")
	res.add("node_local_share", s.Node, "1", "P, in the node", "|group ∩ node|/G")
	res.add("access_time_mean", p.Value, "s", "l_avg", p.Dominant().Name+" is the largest term")
	res.add("replicas", float64(l.ranks/l.group), "1", "replicas", "copies of the data")
	sizes := []int{l.group, l.ranks}
	for g := 1; g < l.ranks; g *= 2 {
		sizes = append(sizes, g)
	}
	slices.Sort(sizes)
	for _, g := range slices.Compact(sizes) {
		if l.ranks%g == 0 {
			_, p := l.at(g)
			res.row(map[string]any{"group": g}, "access_time_mean", p, []string{"group " + strconv.Itoa(g)})
		}
	}
	res.chart = "l_avg over group size, and the largest term"
	return res, nil
}
