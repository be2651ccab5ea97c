package algorithm

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// Composed is the value of the knob algorithm for the composition that the knob composition
// describes (paper 5, section 3.5).
const Composed = "composed"

// OwnComposition is the value of the knob composition for the first example of the collective.
const OwnComposition = "own"

// examples are compositions by collective: of the whole team, and by levels.
var examples = [coll.Collectives][]string{
	coll.OpBcast:         {"scatter knomial + allgather ring", "leaders bcast knomial + node bcast flat"},
	coll.OpReduce:        {"reduce-scatter ring + gather knomial", "node reduce flat + leaders reduce knomial"},
	coll.OpAllgather:     {"gather knomial + bcast scatter-allgather"},
	coll.OpReduceScatter: {"reduce knomial + scatter knomial"},
	coll.OpAllreduce: {"node reduce flat + leaders allreduce recursive-doubling + node bcast flat",
		"reduce-scatter ring + allgather ring", "reduce knomial + bcast scatter-allgather"},
	coll.OpBarrier: {"node barrier tree + leaders barrier dissemination + node barrier tree"},
}

// Composition returns the knob composition for some collectives. If there are several, the knob
// collective selects one.
func Composition(of ...coll.Collective) engine.Knob {
	k := engine.Knob{Name: "composition", Label: "composition",
		Doc:  "parts of algorithm = composed (A + B), or a name or file; own: an example",
		Type: engine.Words, Default: OwnComposition, Scope: engine.ScopeBody, Role: engine.Scheme,
		Watch: "the drawing of messages: each part begins when a rank has ended the part before",
		Paper: "paper 5, section 3.5"}
	for _, what := range of {
		choices := append([]string{OwnComposition}, examples[what]...)
		k.Choices = append(k.Choices, choices...)
		k.Offers = append(k.Offers, engine.Offer{Value: what.String(), Choices: choices})
	}
	if len(of) == 1 {
		k.Offers = nil
	} else {
		k.By = "collective"
	}
	return k
}

// SplitComposition returns the name or file of a composition and its parts. A value of the knob has
// one of them or both: "mine: reduce-scatter ring + allgather ring".
func SplitComposition(value string) (name, parts string) {
	if before, after, named := strings.Cut(value, ": "); named {
		return before, after
	}
	if strings.Contains(value, "+") || value == OwnComposition {
		return "", value
	}
	return value, ""
}

// Name returns the algorithm's name that the knobs request: the value of the knob algorithm, or the
// parts of a composition.
func Name(s Reader, what coll.Collective) string {
	if name := s.Text("algorithm"); name != Composed {
		return name
	}
	_, parts := SplitComposition(s.Text("composition"))
	if parts == OwnComposition && len(examples[what]) > 0 {
		return examples[what][0]
	}
	return parts
}

// FromComposition returns the key of the composition that the knobs describe.
func (w Team) FromComposition(s Reader, what coll.Collective, ranks int) (coll.Key, error) {
	a, err := coll.ParseComposition(what, Name(As(s, Composed), what))
	if err != nil {
		return coll.Key{}, err
	}
	k, err := w.Key(s, a, ranks)
	if err != nil {
		return k, fmt.Errorf("%w (use other parts or other ranks)", err)
	}
	return k, nil
}
