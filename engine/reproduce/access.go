package reproduce

import (
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/access"
	"github.com/hybridtop/hybridtop/models"
)

// accessProgram is a program that reads remote memory in each way of table 2 of paper 2, over the
// requested bytes. The model is the table's formula with the machine's constants.
var _ = register(&Experiment{
	Name: "access-program", Workload: "access",
	SetX: onKnob("size"),
	Quantities: append(programsOf(),
		wayOver("word_over_message", "word", "two-sided"), wayOver("page_over_word", "page", "word")),
})

// programsOf returns the bandwidth of each method.
func programsOf() []Quantity {
	var all []Quantity
	for _, a := range must(models.PaperAccess.Accesses(1)) {
		all = append(all, Quantity{
			Name: "bandwidth_" + a.Name, Unit: "B/s", Doc: a.Title + ": requested bytes over the time",
			Simulated: func(p, _ *Point) float64 { return bandwidthOf(p, a.Name) },
			Modelled:  func(p, _ *Point) float64 { return tableOf(p, a.Name) },
		})
	}
	return all
}

// wayOver returns the bandwidth of one method relative to another one.
func wayOver(name, one, other string) Quantity {
	return Quantity{
		Name: name, Unit: "1", Doc: "bandwidth of " + one + " relative to " + other,
		Simulated: func(p, _ *Point) float64 { return bandwidthOf(p, one) / bandwidthOf(p, other) },
		Modelled:  func(p, _ *Point) float64 { return tableOf(p, one) / tableOf(p, other) },
	}
}

func bandwidthOf(p *Point, method string) float64 {
	return p.metric("bandwidth_" + strings.ReplaceAll(method, "-", "_"))
}

func tableOf(p *Point, method string) float64 {
	return access.Formulas(&p.Scenario, p.Machine, engine.Simulated)[method].Value
}
