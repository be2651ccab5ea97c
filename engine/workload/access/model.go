package access

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// costsOf returns a machine's numbers for table 2. T_lat of a message is its one-way time, and of a
// get or a put its round trip, with the overheads. T_lat of a two-sided write includes its reply. It
// returns false if the machine has no bandwidth for the class.
func costsOf(s *engine.Scenario, m *cluster.Machine) (models.AccessCosts, bool) {
	c := classes[s.Text("pair")]
	l, at := &m.Classes[c], shapeOf(s.Int)
	costs := models.AccessCosts{WordSize: wordSize, PageSize: int(at.page), Stride: int(at.stride),
		Write: s.Text("direction") == write}
	o := l.Overhead
	message := m.TransferTime(c, 0) + 2*o
	if costs.Write {
		message *= 2
	}
	costs.WordLatency = (m.AccessTime(c, wordSize) + o).Seconds()
	costs.TwoSided = models.Link{Bandwidth: l.Bandwidth, Latency: message.Seconds()}
	costs.OneSided = models.Link{Bandwidth: l.Bandwidth, Latency: (m.AccessTime(c, 0) + o).Seconds()}
	if c != cluster.Remote && l.Access > 0 && l.AccessRate > 0 {
		costs.OneSided.Bandwidth = l.AccessRate
	}
	if l.ThreadRate > 0 {
		costs.TwoSided.Bandwidth = min(l.Bandwidth, l.ThreadRate)
	}
	return costs, l.Bandwidth > 0 && costs.WordLatency > 0
}

// Formulas returns the rows of table 2 for a run of a kind, by method. A measured run has none, and
// neither has a machine without bandwidths: the result is then nil.
func Formulas(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) map[string]models.Access {
	if kind == engine.Measured {
		return nil
	}
	costs, ok := costsOf(s, m)
	if !ok {
		return nil
	}
	at := shapeOf(s.Int)
	all, err := costs.Accesses(int(at.bytes()))
	if err != nil {
		return nil
	}
	by := make(map[string]models.Access, len(all))
	for _, a := range all {
		by[a.Name] = a
	}
	return by
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	var all []engine.Metric
	formulas := Formulas(&snap.Scenario, m, snap.Kind)
	at := shapeOf(snap.Scenario.Int)
	for _, way := range methods {
		took, ok := snap.Metric(way.metric("time"))
		if !ok || took.Value <= 0 {
			continue
		}
		all = append(all, engine.Metric{Name: way.metric("bandwidth"), Value: float64(at.bytes()) / took.Value, Unit: "B/s",
			Kind: snap.Kind})
		if a, ok := formulas[way.name]; ok {
			all = append(all, engine.Metric{Name: way.metric("formula"), Value: a.Value, Unit: "B/s", Kind: engine.Modelled})
		}
	}
	return all
}
