package algorithm

import (
	"errors"
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// What algorithm may be beside the names of algorithms, and radix beside a number.
const (
	ByModel  = "model" // the algorithm that the model finds best
	ByTable  = "tuned" // the one that a table has for the team and the size
	OwnRadix = "own"   // the radix that an algorithm takes unless told
)

// Who is a process, which hierarchical algorithms take for a node (paper 5, section 3.1).
const (
	ProcessNode = "node" // the ranks of a node are threads of one
	ProcessRank = "rank" // each rank is one
)

// Names are the choices of the knob algorithm for a collective.
func Names(what coll.Collective) []string {
	all := []string{ByModel, ByTable}
	for _, a := range coll.Of(what) {
		all = append(all, a.Name)
	}
	return all
}

// Knobs are those of a program whose teams do one collective: algorithm and parameters,
// transfer, addresses and synchronization.
func Knobs(what coll.Collective) []engine.Knob {
	return append([]engine.Knob{
		{Name: "algorithm", Label: "algorithm", Doc: "how the " + what.String() + " is done; model: by the algorithm that the model finds best; tuned: by the one that a table has (--table)", Type: engine.Choice, Default: ByModel,
			Choices: Names(what), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the share of communication: long data wants few bytes a rank, short data few steps", Paper: "paper 5, sections 3.2 to 3.5"},
	}, Parameters()...)
}

// Parameters are the knobs of any algorithm.
func Parameters() []engine.Knob {
	return []engine.Knob{
		{Name: "radix", Label: "radix", Doc: "children of a tree's node, or 1 more than the messages of a round; own: what the algorithm takes unless told", Type: engine.Integer, Default: OwnRadix, Min: 1, Max: coll.MostRadix,
			Choices: []string{OwnRadix, "2", "3", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "fewer steps of more messages each: where overhead is small a high radix wins", Paper: "paper 5, section 3.4"},
		{Name: "segments", Label: "segments", Doc: "pieces that long data is sent in, one behind the other", Type: engine.Integer, Default: "1", Min: 1, Max: coll.MostSegments,
			Choices: []string{"1", "2", "4", "8", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "a pipeline fills: long data down a chain costs little more than once", Paper: "paper 5, section 3.2"},
		{Name: "transfer", Label: "transfer", Doc: "how bytes get to another rank: messages, puts that set a flag, gets after the sender has told where, or puts without a flag", Type: engine.Choice, Default: coll.TwoSided.String(),
			Choices: coll.Transfers(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "a put needs no receive and no handshake: at every size it beats the rendezvous", Paper: "paper 5, section 3.3"},
		{Name: "addresses", Label: "addresses", Doc: "what a rank knows of one-sided transfers: where the buffers of all are, where its own are, or bytes go through buffers of the library", Type: engine.Choice, Default: coll.Single.String(),
			Choices: coll.Addresses(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "what finding the others' addresses costs", Paper: "paper 5, section 2.4"},
		{Name: "sync-in", Label: "sync in", Doc: "when a call may read and write: once its peers have begun (mysync), once all have (allsync), at any time (nosync)", Type: engine.Choice, Default: coll.MySync.String(),
			Choices: coll.Syncs(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "a barrier more or less: strict synchronization costs short calls most", Paper: "paper 5, section 2.2"},
		{Name: "sync-out", Label: "sync out", Doc: "when a call ends: with the rank's own data (mysync), once all data are there (allsync), once its own part is done (nosync)", Type: engine.Choice, Default: coll.MySync.String(),
			Choices: coll.Syncs(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "a barrier more or less, as on the way in", Paper: "paper 5, section 2.2"},
		{Name: "process", Label: "process", Doc: "who is a process, one rank of which speaks for all in hierarchical algorithms: the ranks of a node, as threads of one, or each rank", Type: engine.Choice, Default: ProcessNode,
			Choices: []string{ProcessNode, ProcessRank}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "messages between nodes: many short ones become few long ones, and the node's leader works for all", Paper: "paper 5, section 3.1"},
	}
}

// Reader is what has values of these knobs: a scenario, or a rank's probe.
type Reader interface {
	Text(knob string) string
	Int(knob string) int64
}

// Modes are how the knobs have bytes move, and what they promise of them.
func Modes(s Reader) coll.Modes {
	var m coll.Modes
	var errs [4]error
	m.Transfer, errs[0] = coll.TransferOf(s.Text("transfer"))
	m.In, errs[1] = coll.SyncOf(s.Text("sync-in"))
	m.Out, errs[2] = coll.SyncOf(s.Text("sync-out"))
	if m.Transfer.OneSided() {
		m.Address, errs[3] = coll.AddressOf(s.Text("addresses"))
	}
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // the knobs have them for choices
	}
	return m
}

// Idle says why turning one of the knobs has no effect on a collective as the others
// stand; "": it has, or is none of them.
func Idle(s Reader, what coll.Collective, knob string) string {
	if a, err := coll.Find(what, s.Text("algorithm")); err == nil {
		switch {
		case knob == "radix" && a.Radix == 0:
			return a.Name + " has no radix"
		case knob == "process" && !a.Housed:
			return what.String() + " by " + a.Name + " takes each rank alone"
		case knob == "segments" && !a.Segmented:
			return what.String() + " by " + a.Name + " is in one piece"
		}
	}
	switch {
	case knob == "addresses" && s.Text("transfer") == coll.TwoSided.String():
		return "messages need no addresses"
	case what == coll.OpBarrier && slices.Contains([]string{"transfer", "sync-in", "sync-out"}, knob):
		return "a barrier moves no data"
	}
	return ""
}
