package engine

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// Phase is what a session does.
type Phase string

// The phases of a session.
const (
	Starting Phase = "starting" // launching or rebuilding the cluster
	Running  Phase = "running"
	Paused   Phase = "paused"
	Ended    Phase = "ended"  // the last iteration is done
	Failed   Phase = "failed" // Snapshot.Failure says why; a knob change starts anew
)

// Sample is the cluster over one interval of the series.
type Sample struct {
	At     time.Duration            // since the session began, end of the interval
	Rate   [cluster.Classes]float64 // bytes per second of the fabric's time
	Ops    [cluster.Classes]float64 // operations per second
	Local  float64                  // share of accesses in the own rank's memory, 0..1; NaN: none
	Access float64                  // mean access time, s; NaN: none
}

// Mark is a moment at which something was changed.
type Mark struct {
	At    time.Duration
	Label string // "group 2→4"
}

// RankView is one rank for the topology.
type RankView struct {
	Node, Group int
	State       cluster.State
	Share       [cluster.States]float64 // of the last second, by state; sums to 1 or is 0
}

// LocalityPoint is one group size on the locality chart, kept while knobs turn
// as long as the points compare.
type LocalityPoint struct {
	Group     int
	RankLocal float64 // measured share of accesses in the own rank; NaN: not run yet
	NodeLocal float64 // measured share inside the own node, the own rank's included
	Access    float64 // measured mean access time, s; NaN: not run yet
	Accesses  int64   // that these rest on
	LawRank   float64 // the law's share: 1/G (paper 1, section 4.3.1)
	LawNode   float64 // |group ∩ node|/G
	LawAccess float64 // l_avg from the fitted latencies, s; NaN: too few points
	Memory    int64   // bytes a node that the group size costs
	Replicas  int
	Fits      bool // into the machine's memory
}

// Snapshot is a session at one moment. It is never written after it is
// published; slices in it are shared and read only.
type Snapshot struct {
	Seq      uint64
	Phase    Phase
	Scenario Scenario
	Layout   cluster.Layout
	Machine  string
	Kind     Kind          // of every measured number below
	Dilation float64       // 1: none
	Elapsed  time.Duration // since the session began, pauses included
	Fabric   cluster.Time  // time on the fabric's own clock since its launch, pauses left out: what the counts rest on

	Iteration      int       // done in this launch
	IterationTimes []float64 // s of fabric time, the latest ones
	Ranks          []RankView
	Series         []Sample
	Marks          []Mark
	Latency        [cluster.Classes]Quantiles
	Samples        []Distribution  // those declared that have values
	Tallies        []Table         // those declared, whole
	Traffic        cluster.Traffic // summed over ranks
	NodePairs      [][]int64       // bytes from node to node; nil when there are too many nodes
	MemoryPerNode  int64           // bytes that the scenario takes on a node
	Replicas       int             // of the shared data
	Metrics        []Metric        // of the workload, declared ones first, then model values
	Verification   Verification
	Locality       []LocalityPoint   // rising group size; empty when the workload has none
	SmallestFit    int               // smallest group size that fits the machine's memory; 0: none, or no such question
	Overlap        *Overlap          // of communication with computation; nil: the workload compares no schemes, or no iteration has ended
	Timeline       *cluster.Timeline // what every thread does, lately; nil: it is not written down
	LaunchLine     string            // paper 1's launch command for this layout
	Failure        string            // why the run failed, in words; may have several lines
	Warnings       []string          // what the host could not keep
	Virtual        *Virtual          // what a simulation came to, once it has ended; nil: it has not, or this is none
	Why            string            // one or two sentences: what rules, and what another choice would give
	Change         string            // what the knobs that were turned last have done to the time of an iteration; "": nothing to compare
}

// Virtual is what a simulation came to: all of it is the same for the same program,
// machine, layout, seed and number of iterations, where it is whole.
type Virtual struct {
	Hash   uint64       // over all events
	Time   cluster.Time // at which the last rank ended
	Events uint64
	Whole  bool // no rank failed, and none was cut off in the middle of an iteration
	Timed  bool // the wall clock has ended it, or the user: another run makes another number of iterations
}

// Command is what a person asks of a session.
type Command struct {
	Verb  Verb
	Knob  string // for Set; "workload" stands for the program itself
	Value string // for Set
}

// Verb is what to do.
type Verb string

// The verbs.
const (
	Set    Verb = "set"    // turn Knob to Value
	Pause  Verb = "pause"  // before the next iteration
	Resume Verb = "resume" //
	Step   Verb = "step"   // one iteration, then pause
	Reset  Verb = "reset"  // forget series, points and marks
	Stop   Verb = "stop"   // end the session
)
