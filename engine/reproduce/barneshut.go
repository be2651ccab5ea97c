package reproduce

// barnesHut is the force computation of paper 1 (section 4.3.2) over processors. There is
// no model of it: where reads go follows from the tree.
var _ = register(&Experiment{
	Name:     "barneshut",
	Workload: "barneshut",
	Place:    byProcessors,
	Quantities: []Quantity{
		{
			Name: "force_time", Unit: "s", Doc: "time of a step's forces, slowest rank",
			Simulated: func(p, _ *Point) float64 { return p.metric("force_time_slowest") }, Modelled: unknown,
		},
		{
			Name: "efficiency", Unit: "1", Doc: "mean rank over the slowest: where no read leaves the node, the efficiency against one rank",
			Simulated: func(p, _ *Point) float64 { return p.metric("force_time") / p.metric("force_time_slowest") }, Modelled: unknown,
		},
		{
			Name: "rank_local_share", Unit: "1", Doc: "share of the reads in the own rank's memory, mean over ranks",
			Simulated: func(p, _ *Point) float64 { return p.metric("rank_local_share") }, Modelled: unknown,
		},
		{
			Name: "share_over", Unit: "1", Doc: "share of the reads in the own rank's memory, over that of another series", Against: Another,
			Simulated: func(p, other *Point) float64 { return p.metric("rank_local_share") / other.metric("rank_local_share") }, Modelled: unknown,
		},
		{
			Name: "gain", Unit: "1", Doc: "times faster than another series, slowest rank against slowest", Against: Another,
			Simulated: func(p, base *Point) float64 {
				return base.metric("force_time_slowest") / p.metric("force_time_slowest")
			}, Modelled: unknown,
		},
		{
			Name: "hybrid_lines_share", Unit: "1", Doc: "lines of this program's source that groups need, over its others",
			Simulated: func(p, _ *Point) float64 { return p.metric("hybrid_lines_share") }, Modelled: unknown,
		},
	},
})
