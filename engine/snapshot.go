package engine

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
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

// Keeping is how well the host keeps an emulated machine's time.
type Keeping string

// How it does.
const (
	Kept     Keeping = ""         // well, or there is nothing to keep
	Unproven Keeping = "unproven" // too little has happened to tell
	Behind   Keeping = "late"     // its times are late, and no result
	Beyond   Keeping = "beyond"   // they are, and no dilation would do that is worth a wait
)

// Sample is the cluster over one interval of the series.
type Sample struct {
	At     time.Duration            // since the session began, end of the interval
	Fabric cluster.Time             // then on the fabric's clock, which each launch begins anew
	Rate   [cluster.Classes]float64 // bytes per second of the fabric's time
	Ops    [cluster.Classes]float64 // operations per second
	Local  float64                  // share of accesses in the own rank's memory, 0..1; NaN: none
	Access float64                  // mean access time, s; NaN: none
}

// Mark is a moment at which something was changed.
type Mark struct {
	At    time.Duration
	Label string // "group 2→4"
	Anew  bool   // another workload: what was before tells nothing of it
}

// RankView is one rank for the topology.
type RankView struct {
	Node, Group int
	State       cluster.State
	Share       [cluster.States]float64 // of the last second, by state; sums to 1 or is 0
}

// Accesses are how many were recorded, and how long they took in all.
type Accesses struct {
	Count int64
	Time  cluster.Time
}

// Recent is the traffic of the last second in which anything was counted.
type Recent struct {
	Span  cluster.Time           // of the fabric's own time, by the ranks' mean, that the bytes rest on; 0: nothing was counted yet
	Class [cluster.Classes]int64 // bytes
	Nodes int                    // a block has, the last one perhaps fewer; 0: bytes are not counted by node
	Pairs []int64                // bytes from block to block, row after row
}

// Blocks is how many blocks of nodes there are.
func (r *Recent) Blocks(nodes int) int {
	if r.Nodes == 0 {
		return 0
	}
	return (nodes + r.Nodes - 1) / r.Nodes
}

// Progress is how far the iteration under way has come.
type Progress struct {
	Spent  time.Duration // on it, of the wall clock, pauses left out
	Share  float64       // of its steps that every rank has done; NaN: the program counts none
	Left   time.Duration // by the steps done so far, or by the iteration before; 0: nothing tells
	Clock  cluster.Time  // of a simulation, since its launch; so are the events
	Events uint64
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
	Keeping  Keeping       // of the times in this launch
	Elapsed  time.Duration // since the session began, pauses included
	Fabric   cluster.Time  // time on the fabric's own clock since its launch, pauses left out: what the counts rest on

	Iteration      int       // done in this launch
	Progress       Progress  // of the next one, while the run goes on
	IterationTimes []float64 // s of fabric time, the latest ones
	Ranks          []RankView
	Series         []Sample
	Marks          []Mark
	Latency        [cluster.Classes]Quantiles
	Samples        []Distribution            // those declared that have values
	Tallies        []Table                   // those declared, of Counted iterations
	Counted        int                       // iterations that every rank has counted whole
	Profiles       []Profile                 // those declared that have values
	Ranked         []Ranked                  // declared metrics by rank; nil beyond MostRanked ranks
	Accesses       [cluster.Classes]Accesses // recorded in this launch
	Traffic        cluster.Traffic           // summed over ranks
	NodePairs      [][]int64                 // bytes from node to node; nil when there are too many nodes
	Recent         Recent                    // traffic of the last second
	MemoryPerNode  int64                     // bytes of the segments of a node's ranks
	Replicas       int                       // of the shared data
	Metrics        []Metric                  // of the workload, declared ones first, then model values
	Verification   Verification
	Studies        []StudyView    // of the workload
	Timeline       *timeline.View // what every thread does, lately; nil: it is not written down
	LaunchLine     string         // paper 1's launch command for this layout
	Failure        string         // why the run failed, in words; may have several lines
	Deadlock       *Deadlock      // that the run failed by; nil: it did not
	Warnings       []string       // what the host could not keep, and results that cannot be
	Virtual        *Virtual       // what a simulation came to, once it has ended; nil: it has not, or this is none
	Why            string         // one or two sentences: what rules, and what another choice would give
	Change         string         // what the knobs that were turned last have done to the time of an iteration; "": nothing to compare
}

// Late reports whether the times of this launch are no result.
func (s *Snapshot) Late() bool { return s.Keeping == Behind || s.Keeping == Beyond }

// Virtual is what a simulation came to: all of it is the same for the same program,
// machine, layout, seed and number of iterations, where it is whole.
type Virtual struct {
	Hash   uint64       // over all events
	Time   cluster.Time // at which the last rank ended
	Events uint64
	Whole  bool // no rank failed, and none was cut off in the middle of an iteration
	Timed  bool // the wall clock has ended it, or the user: another run makes another number of iterations
}

// Command is what a user asks of a session.
type Command struct {
	Verb  Verb
	Knob  string // for Set and Default; "workload" stands for the program itself
	Value string // for Set

	Scenario *Scenario // for Take
}

// Verb is what to do.
type Verb string

// The verbs.
const (
	Set     Verb = "set"     // turn Knob to Value
	Take    Verb = "take"    // run Scenario: its workload, and all its knobs at once
	Default Verb = "default" // turn Knob to its default; "": all knobs
	Undo    Verb = "undo"    // run what was wanted before: knobs, workload, model and machine
	Redo    Verb = "redo"    // run what was undone last
	Pause   Verb = "pause"   // before the next iteration
	Resume  Verb = "resume"  //
	Step    Verb = "step"    // one iteration, then pause
	Reset   Verb = "reset"   // forget series, points and marks
	Stop    Verb = "stop"    // end the session
	Seek    Verb = "seek"    // of a recording: show what was at Value
	Speed   Verb = "speed"   // of a recording: play so fast
)
