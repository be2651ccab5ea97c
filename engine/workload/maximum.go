package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Maxima replaces values by their maxima over the ranks of a team, and returns them.
func Maxima[T cluster.Number](r *cluster.Rank, t *cluster.Team, values ...T) ([]T, error) {
	return values, coll.Allreduce(r, t, cluster.Max, values, values)
}
