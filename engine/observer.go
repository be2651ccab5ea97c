package engine

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// Observer is told what becomes of a session, by the session itself: it does not keep it
// waiting. Commanded may come beside the others, which come one after another.
type Observer interface {
	Launched(*Launch)
	Published(*Snapshot)
	Ended(*Outcome)
	Commanded(c Command, at time.Duration, err error) // err: why it was refused
	Over()                                            // nothing follows
}

// Launch is a cluster that begins to run a scenario.
type Launch struct {
	At       time.Duration // since the session began
	Scenario Scenario
	Kind     Kind
	Machine  string
	File     string // the machine as a file; "": no file can hold it
}

// Outcome is what a launch came to.
type Outcome struct {
	Last    *Snapshot
	Cut     bool                    // in the middle of an iteration
	Latency [cluster.Classes][]byte // of the accesses, ps: HdrHistogram's V2 encoding, compressed; nil: none
}
