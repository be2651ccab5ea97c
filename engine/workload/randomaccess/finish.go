package randomaccess

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/models"
)

// finish computes shares and times from the recorded accesses, and adds the predictions of the
// locality law.
func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	var metrics []engine.Metric
	add := func(name string, value float64, unit string, kind engine.Kind) {
		metrics = append(metrics, engine.Metric{Name: name, Value: value, Unit: unit, Kind: kind})
	}
	var n, seconds float64
	for _, q := range snap.Latency {
		if q.Count > 0 {
			n += float64(q.Count)
			seconds += float64(q.Count) * q.Mean
		}
	}
	if n > 0 {
		in := func(c cluster.Class) float64 { return float64(snap.Latency[c].Count) }
		add("rank_local_share", in(cluster.InRank)/n, "1", snap.Kind)
		add("node_local_share", (in(cluster.InRank)+in(cluster.InNode))/n, "1", snap.Kind)
		add("access_time_mean", seconds/n, "s", snap.Kind)
		if snap.Fabric > 0 {
			add("accesses_per_second", n/snap.Fabric.Seconds(), "1/s", snap.Kind)
		}
	}
	add("memory_per_node", float64(snap.MemoryPerNode), "B", snap.Kind)
	add("replicas", float64(snap.Replicas), "1", snap.Kind)
	if v := snap.Study(study.LocalityName); v != nil && v.Present() != nil {
		law := v.Present().Cells
		shares := models.Shares{Rank: law[study.LocalityLawRank], Node: law[study.LocalityLawNode]}
		add("rank_local_share_law", shares.Rank, "1", engine.Modelled)
		add("node_local_share_law", shares.Node, "1", engine.Modelled)
		if snap.Kind != engine.Measured {
			add("access_time_law", latencies(m, snap.Kind == engine.Simulated).Average(shares), "s", engine.Modelled)
		}
	}
	return metrics
}

// latencies returns the machine's latencies of one access. They include the processor overhead if
// the machine is simulated. An emulated machine has the host's own overhead instead.
func latencies(m *cluster.Machine, overhead bool) models.Levels {
	at := func(c cluster.Class) float64 {
		t := m.AccessTime(c, element)
		if overhead {
			t += m.Classes[c].Overhead
		}
		return t.Seconds()
	}
	return models.Levels{Rank: at(cluster.InRank), Node: at(cluster.InNode), Remote: at(cluster.Remote)}
}
