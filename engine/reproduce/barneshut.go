package reproduce

// barnesHut is the force computation of paper 1 (section 4.3.2) over processors. It has no model,
// because the tree determines the target of each read.
var _ = register(&Experiment{
	Name:     "barneshut",
	Workload: "barneshut",
	SetX:     byProcessors,
	Quantities: []Quantity{
		{
			Name: "force_time", Unit: "s", Doc: "time of the forces per step, slowest rank",
			Simulated: func(p, _ *Point) float64 { return p.metric("force_time_slowest") }, Modelled: unknown,
		},
		{
			Name: "efficiency", Unit: "1", Doc: "mean time of the ranks over the slowest rank's; without remote reads, the " +
				"efficiency against one rank",
			Simulated: func(p, _ *Point) float64 { return p.metric("force_time") / p.metric("force_time_slowest") },
			Modelled:  unknown,
		},
		{
			Name: "rank_local_share", Unit: "1", Doc: "share of reads in the local rank's memory, mean over ranks",
			Simulated: func(p, _ *Point) float64 { return p.metric("rank_local_share") }, Modelled: unknown,
		},
		{
			Name: "share_over", Unit: "1", Doc: "share of reads in the local rank's memory, relative to another series",
			Against: Another,
			Simulated: func(p, other *Point) float64 {
				return p.metric("rank_local_share") / other.metric("rank_local_share")
			}, Modelled: unknown,
		},
		{
			Name: "gain", Unit: "1", Doc: "speedup over another series, by the slowest ranks", Against: Another,
			Simulated: func(p, base *Point) float64 {
				return base.metric("force_time_slowest") / p.metric("force_time_slowest")
			}, Modelled: unknown,
		},
		{
			Name: "hybrid_lines_share", Unit: "1", Doc: "source lines needed only for groups, over the other lines",
			Simulated: func(p, _ *Point) float64 { return p.metric("hybrid_lines_share") }, Modelled: unknown,
		},
	},
})
