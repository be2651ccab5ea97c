package network

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// One message of 100 B from node 0 to node 6 of a torus of 4 × 2 × 2 takes two steps in +x and one
// in +y (dimension order). The mean of a plane includes each of its links.
func TestLinks(t *testing.T) {
	w := workload.Workload{Name: "w", Knobs: []engine.Knob{workload.Partition}}
	s := w.Scenario([]string{"m"})
	for name, v := range map[string]string{"nodes": "16", "ranks-per-node": "1", "model": "flat",
		"partition": workload.OfMachine} {
		if err := s.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	m := cluster.Machine{Topology: cluster.Topology{Shape: cluster.Torus, Dims: []int{4, 2, 2}, LinkBandwidth: 1e9}}
	study := Links("a call",
		func(_ *engine.Scenario, _ *cluster.Layout, _ *cluster.Machine, send func(from, to int, bytes float64)) bool {
			send(0, 6, 100)
			return true
		})
	v := study.Frame(&s, &m, engine.Simulated)
	got := map[string][]float64{}
	for _, r := range v.Rows {
		if r.Kind != engine.Modelled {
			t.Errorf("%s is %s", r.Label, r.Kind)
		}
		got[r.Label] = r.Cells[columnMost:]
	}
	want := map[string][2]float64{"+x from 0": {100, 25}, "+x from 1": {100, 25}, "+x from 2": {}, "+x from 3": {},
		"+y from 0": {100, 12.5}, "+y from 1": {}, "+z from 0": {}, "+z from 1": {}}
	for label, w := range want {
		if c := got[label]; len(c) != 2 || c[0] != w[0] || c[1] != w[1] {
			t.Errorf("%s: maximum and mean are %v, want %v", label, c, w)
		}
	}
	if len(v.Rows) != 12 { // four more for −x; rings of two have only plus links
		t.Errorf("%d rows: %v", len(v.Rows), got)
	}
	study.Complete(&v, nil)
	if !strings.Contains(v.Why, "(+x from 0) carries 100 B of a call") {
		t.Errorf("%q", v.Why)
	}
	m.Topology = cluster.Topology{}
	if v := study.Frame(&s, &m, engine.Simulated); len(v.Rows) != 0 || len(v.Missing) != 1 {
		t.Errorf("without a torus: %+v", v)
	}
}
