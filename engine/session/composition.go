package session

import (
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/presets"
)

// composed returns the scenario with the parts of its composition, if the knob names a file.
func composed(sc engine.Scenario) (engine.Scenario, error) {
	text, err := Composition(&sc)
	if err != nil || text == "" || text == sc.Text("composition") {
		return sc, err
	}
	sc = sc.Clone()
	return sc, sc.Set("composition", text)
}

// Composition returns the value of the knob composition with the name or file and the parts that
// the file has now: "mine: reduce-scatter ring + allgather ring". It returns "" if the scenario
// names no file. Errors include the line of the file.
func Composition(sc *engine.Scenario) (string, error) {
	if _, err := sc.Knob("composition"); err != nil {
		return "", nil
	}
	name, parts := algorithm.SplitComposition(sc.Text("composition"))
	if name == "" {
		return "", nil
	}
	c, err := presets.FindComposition(name)
	if err != nil {
		if parts != "" && c.Name == "" { // a recording or a command from another host
			return sc.Text("composition"), nil
		}
		return "", err
	}
	what, err := coll.CollectiveOf(c.Collective)
	if err != nil {
		return "", c.Wrong("collective", err)
	}
	var all []coll.Part
	for i, p := range c.Parts {
		part, err := coll.ParsePart(p.String())
		if err != nil {
			return "", c.Wrong(c.Key(i), err)
		}
		all = append(all, part)
	}
	if _, err := coll.Compose(what, all); err != nil {
		return "", c.Wrong("collective", err)
	}
	return name + ": " + c.Text(), nil
}
