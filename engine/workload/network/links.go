package network

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Columns of the study of links.
const (
	columnPlane = iota
	columnMost
	columnMean
)

var linkColumns = []engine.Column{
	columnPlane: {Name: "plane", Title: "plane", Unit: "1", Wide: 6},
	columnMost:  {Name: "busiest_link", Title: "busiest", Unit: "B", Wide: 9, Legend: "busiest link"},
	columnMean:  {Name: "mean_link", Title: "mean", Unit: "B", Wide: 9, Legend: "mean link"},
}

// Messages calls send for each message between nodes in an iteration. It returns false if there are
// too many messages.
type Messages func(s *engine.Scenario, l *cluster.Layout, m *cluster.Machine,
	send func(from, to int, bytes float64)) bool

// Links returns the study of the bytes that links carry, by the routes of messages. of names the
// part of the program that sends them, for example "a step".
func Links(of string, each Messages) *engine.Study {
	return &engine.Study{
		Form: engine.Form{
			Name: study.LinksName, Title: "Links",
			Caption: "bytes of " + of + " on the links of a torus, computed from the routes only", Of: of,
			Item:    "links leaving a plane",
			Absent:  "WORKLOAD does not report its messages per link",
			Columns: linkColumns,
			Charts:  []engine.Chart{{Shape: engine.Heat, X: columnPlane, Y: []int{columnMost}}},
			Brief:   engine.Brief{Column: columnMost, After: " on a link"},
		},
		Frame: func(s *engine.Scenario, m *cluster.Machine, _ engine.Kind) engine.StudyView {
			return frame(s, m, of, each)
		},
		Observe: func(*engine.Snapshot) []engine.Row { return nil },
		Complete: func(v *engine.StudyView, _ *engine.Snapshot) {
			v.Why = describe(v.Rows, of)
		},
	}
}

// plane identifies the links of one direction that leave the routers with one coordinate along it.
type plane struct {
	dim, at int
	minus   bool
}

func (p plane) direction() string {
	sign := "+"
	if p.minus {
		sign = "−"
	}
	return sign + string("xyz"[p.dim])
}

func frame(s *engine.Scenario, m *cluster.Machine, of string, each Messages) engine.StudyView {
	v := engine.StudyView{Now: -1,
		Plots: []engine.Plot{{Title: "bytes of " + of + " on the busiest link leaving each plane"}}}
	missing := func(text, command string) engine.StudyView {
		v.Missing = []engine.Hint{{Text: text, Command: command}}
		return v
	}
	l, machine := s.Layout(), *m
	workload.FitPartition(s, &machine)
	dims := machine.Topology.Dims
	net, err := topology.New(machine.Topology, l.Nodes)
	if machine.Topology.Shape != cluster.Torus || err != nil || net.Links() == 0 {
		return missing("The machine's network is not a torus of several nodes.", "machine xt4-franklin")
	}
	linkBytes := make([]float64, net.Links())
	var path []int32
	if !each(s, &l, &machine, func(from, to int, bytes float64) {
		path = net.Route(from, to, path[:0])
		for _, link := range path {
			linkBytes[link] += bytes
		}
	}) {
		return missing("There are too many messages to route.", "nodes 16")
	}
	for dim := range dims {
		for _, minus := range []bool{false, true} {
			for at := range dims[dim] {
				addRow(&v, linkBytes, net, dims, plane{dim: dim, at: at, minus: minus})
			}
		}
	}
	return v
}

// addRow adds the row of a plane's links, if it has any.
func addRow(v *engine.StudyView, carries []float64, net *topology.Network, dims []int, of plane) {
	n := 0
	sum := 0.0
	busiest := 0.0
	for link, bytes := range carries {
		if planeOf(net, dims, link) == of {
			n++
			sum += bytes
			busiest = math.Max(busiest, bytes)
		}
	}
	if n == 0 {
		return
	}
	label := fmt.Sprintf("%s from %d", of.direction(), of.at)
	v.Rows = append(v.Rows, engine.Row{Key: label, Label: label, Series: of.direction(), Kind: engine.Modelled,
		Cells: []float64{columnPlane: float64(of.at), columnMost: busiest, columnMean: sum / float64(n)}})
}

// planeOf returns the plane that a link leaves.
func planeOf(net *topology.Network, dims []int, link int) plane {
	from, to := net.Ends(link)
	for dim, side := range dims {
		if a, b := from%side, to%side; a != b {
			return plane{dim: dim, at: a, minus: (a+1)%side != b}
		}
		from, to = from/side, to/side
	}
	return plane{dim: -1}
}

// describe names the link that carries the most bytes, and compares it with the mean link.
func describe(rows []engine.Row, of string) string {
	var busiest *engine.Row
	sum := 0.0
	for i := range rows {
		r := &rows[i]
		sum += r.Cells[columnMean]
		if busiest == nil || r.Cells[columnMost] > busiest.Cells[columnMost] {
			busiest = r
		}
	}
	if busiest == nil || busiest.Cells[columnMost] == 0 {
		return ""
	}
	bytes := busiest.Cells[columnMost]
	return fmt.Sprintf("The busiest link (%s) carries %s of %s, %s× the mean link (modelled, by the routes).",
		busiest.Label, cluster.SizeText(math.Round(bytes)), of, study.Figure(bytes/(sum/float64(len(rows)))))
}
