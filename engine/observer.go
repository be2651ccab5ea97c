package engine

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// An Observer receives the events of a session. The session calls it directly, so its methods
// must not block. Commanded may run concurrently with the other methods; those never run
// concurrently.
type Observer interface {
	Launched(*Launch)
	Published(*Snapshot)
	Timed(*Latencies)
	Ended(*Outcome)
	Commanded(c Command, at time.Duration, err error) // err: reason of a refusal
	Over()                                            // the last call
}

// A Launch is the start of a scenario on a cluster.
type Launch struct {
	At       time.Duration // since the session began
	Scenario Scenario
	Kind     Kind
	Machine  string
	File     string // the machine in its file format; "": it cannot be written to a file
}

// An Outcome is the end of a launch.
type Outcome struct {
	Last *Snapshot
	Cut  bool // stopped in the middle of an iteration
}

// Latencies holds the access times in one interval of a launch, by class. All intervals together
// cover the launch.
type Latencies struct {
	From, To time.Duration // since the session began; To is the time of a snapshot, or of the launch's end
	Class    [cluster.Classes]Spread
}

// Spread is a distribution of times. It is empty if Count is 0.
type Spread struct {
	Quantiles        // the mean is exact; no buckets
	HDR       []byte // ps: HdrHistogram's V2 encoding, compressed
}
