package algorithm

import (
	"errors"
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// Words that are accepted instead of an algorithm's name or of a radix.
const (
	ByModel  = "model" // the fastest algorithm by the cost model
	ByTable  = "tuned" // the table's algorithm for the team and the size
	OwnRadix = "own"   // the algorithm's default radix
)

// Values of the knob process. Hierarchical algorithms treat a process as a node (paper 5,
// section 3.1).
const (
	ProcessNode = "node" // all ranks of a node are threads of one process
	ProcessRank = "rank" // each rank is a process
)

// Names returns the choices of the knob algorithm for a collective. Choices that need no table come first.
func Names(what coll.Collective) []string {
	all := []string{ByModel}
	for _, a := range coll.Of(what) {
		all = append(all, a.Name)
	}
	all = append(all, libraryNames...)
	all = append(all, ByTable, Online)
	if len(examples[what]) > 0 {
		all = append(all, Composed)
	}
	return all
}

// Knobs returns the knobs of a program whose teams call only one collective: algorithm,
// parameters, transfer, addresses and synchronization.
func Knobs(what coll.Collective) []engine.Knob {
	knobs := []engine.Knob{
		{Name: "algorithm", Label: "algorithm",
			Doc: "algorithm of the " + what.String() + "; model: fastest by the cost model (close ones are simulated); " +
				"tuned: from a table (--table); online: the fastest of those near the best, tried in the run. The name of an " +
				"MPI library selects by its rules",
			Type: engine.Choice, Default: ByModel,
			Choices: Names(what), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the share of communication: long data needs few bytes per rank, short data few steps",
			Paper: "paper 5, sections 3.2 to 3.5"},
	}
	if len(examples[what]) > 0 {
		knobs = append(knobs, Composition(what))
	}
	return append(knobs, Parameters()...)
}

// Parameters returns the knobs that every collective has.
func Parameters() []engine.Knob {
	return []engine.Knob{
		{Name: "radix", Label: "radix", Doc: "children per tree node, or 1 + messages per round; own: the " +
			"algorithm's default", Type: engine.Integer, Default: OwnRadix, Min: 1, Max: coll.MaxRadix,
			Choices: []string{OwnRadix, "2", "3", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the number of steps: a higher radix has fewer steps with more messages each. It wins if overhead is small",
			Paper: "paper 5, section 3.4"},
		{Name: "segments", Label: "segments", Doc: "number of pieces in which long data is sent, one after the other",
			Type: engine.Integer, Default: "1", Min: 1, Max: coll.MaxSegments,
			Choices: []string{"1", "2", "4", "8", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the pipeline: long data down a chain takes little longer than one transfer", Paper: "paper 5, section 3.2"},
		{Name: "transfer", Label: "transfer", Doc: "how data reaches another rank: messages, puts with flags, gets from " +
			"an announced address, or puts without flags", Type: engine.Choice, Default: coll.TwoSided.String(),
			Choices: coll.Transfers(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time: a put needs no receive and no handshake, so at every size it beats the rendezvous",
			Paper: "paper 5, section 3.3"},
		{Name: "addresses", Label: "addresses", Doc: "known buffer addresses: of all ranks, own, or none (library buffers)",
			Type: engine.Choice, Default: coll.Single.String(),
			Choices: coll.Addresses(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the cost of finding the addresses of other ranks", Paper: "paper 5, section 2.4"},
		{Name: "sync-in", Label: "sync in", Doc: "when a call may access data: its peers have started (mysync), all " +
			"ranks have (allsync), any time (nosync)", Type: engine.Choice, Default: coll.MySync.String(),
			Choices: coll.Syncs(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "one more or one fewer barrier: strict synchronization costs most for short calls",
			Paper: "paper 5, section 2.2"},
		{Name: "sync-out", Label: "sync out", Doc: "when a call may return: local data ready (mysync), all ranks' data " +
			"ready (allsync), local work done (nosync)", Type: engine.Choice, Default: coll.MySync.String(),
			Choices: coll.Syncs(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "one more or one fewer barrier, as for sync-in", Paper: "paper 5, section 2.2"},
		{Name: "process", Label: "process", Doc: "unit of hierarchical algorithms: all ranks of a node, or each rank",
			Type: engine.Choice, Default: ProcessNode,
			Choices: []string{ProcessNode, ProcessRank}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "messages between nodes: many short ones become few long ones, and one rank per node does the work for all",
			Paper: "paper 5, section 3.1"},
		{Name: "tries", Label: "tries", Doc: "iterations with each algorithm before algorithm = online chooses",
			Type: engine.Integer, Default: "2", Min: 1, Max: 1000,
			Choices: []string{"1", "2", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the cost of tuning, which grows with the tries; on a noisy host more tries find the best algorithm more often",
			Paper: "paper 5, section 3.6"},
	}
}

// A Reader has the values of these knobs: a scenario, or a rank's probe.
type Reader interface {
	Text(knob string) string
	Int(knob string) int64
}

// Modes returns the transfer, synchronization and addresses that the knobs request.
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
		panic(err) // the choices of the knobs are valid
	}
	return m
}

// Idle returns why one of these knobs has no effect with the current values of the others.
// It returns "" if the knob has an effect, or is not one of these.
func Idle(s Reader, what coll.Collective, knob string) string {
	if a, err := coll.Find(what, Name(s, what)); err == nil {
		switch {
		case knob == "radix" && a.Radix == 0:
			return a.Name + " has no radix"
		case knob == "process" && !a.UsesPlaces:
			return what.String() + " by " + a.Name + " treats each rank separately"
		case knob == "segments" && !a.Segmented:
			return what.String() + " by " + a.Name + " sends data in one piece"
		}
	}
	switch {
	case knob == "composition" && s.Text("algorithm") != Composed:
		return "only algorithm = composed has parts"
	case knob == "tries" && s.Text("algorithm") != Online:
		return "only algorithm = online tries algorithms"
	case knob == "addresses" && s.Text("transfer") == coll.TwoSided.String():
		return "messages need no addresses"
	case what == coll.OpBarrier && slices.Contains([]string{"transfer", "sync-in", "sync-out"}, knob):
		return "a barrier moves no data"
	}
	return ""
}
