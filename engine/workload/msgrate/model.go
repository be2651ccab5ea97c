package msgrate

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Rate returns the messages per second of threads that do not wait for each other, or 0 if the
// machine's constants do not limit it. Each thread needs an overhead and the time of a task per
// message, and each adapter of a node a gap and the time of the bytes.
func Rate(s *engine.Scenario, m *cluster.Machine) float64 {
	l := s.Layout()
	pairs := len(l.World()) / 2
	class := cluster.Remote
	if l.Nodes == 1 {
		class = cluster.InNode
	}
	k := &m.Classes[class]
	each := k.Overhead.Seconds()
	if s.Text("receive") != posted {
		each += s.Float("task") * 1e-6
	}
	rate := 0.0
	if each > 0 {
		rate = float64(pairs*l.ThreadsPerRank) / each
	}
	adapter := k.Gap.Seconds()
	if k.Bandwidth > 0 {
		adapter += float64(s.Int("size")) / k.Bandwidth
	}
	if class == cluster.Remote && adapter > 0 {
		limit := float64(max(l.Nodes/2, 1)*max(k.Adapters, 1)) / adapter
		if rate == 0 || limit < rate {
			rate = limit
		}
	}
	return rate
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured {
		return nil
	}
	rate := Rate(&snap.Scenario, m)
	if rate == 0 {
		return nil
	}
	return []engine.Metric{{Name: "message_rate_model", Value: rate, Unit: "1/s", Kind: engine.Modelled}}
}
