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
	Timed(*Latencies)
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
	Last *Snapshot
	Cut  bool // in the middle of an iteration
}

// Latencies are how long the accesses of an interval of a launch took, by class. Those of
// all intervals together are those of the launch.
type Latencies struct {
	From, To time.Duration // since the session began; To is that of a snapshot, or of the launch's end
	Class    [cluster.Classes]Spread
}

// Spread is a distribution of times; without a count there was none.
type Spread struct {
	Quantiles        // the mean is exact; no buckets
	HDR       []byte // ps: HdrHistogram's V2 encoding, compressed
}
