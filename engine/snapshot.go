package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// Phase is the state of a session.
type Phase string

// The phases of a session.
const (
	Starting Phase = "starting" // launching or rebuilding the cluster
	Running  Phase = "running"
	Paused   Phase = "paused"
	Ended    Phase = "ended"  // the last iteration is done
	Failed   Phase = "failed" // Snapshot.Failure has the reason; a knob change restarts
)

// Keeping is the timing accuracy of an emulated machine on this host.
type Keeping string

// The accuracies.
const (
	Kept     Keeping = ""         // accurate, or nothing is emulated
	Unproven Keeping = "unproven" // too little has run to tell
	Behind   Keeping = "late"     // the host fell behind: times are invalid
	Beyond   Keeping = "beyond"   // likewise, and every sufficient dilation would be too slow
)

// A Sample holds the rates of the cluster over one interval of the series.
type Sample struct {
	At     time.Duration            // since the session began, end of the interval
	Fabric cluster.Time             // the same on the fabric's clock, which each launch restarts
	Rate   [cluster.Classes]float64 // bytes per second of the fabric's time
	Ops    [cluster.Classes]float64 // operations per second
	Local  float64                  // share of accesses in the local rank's memory, 0..1; NaN: none
	Access float64                  // mean access time, s; NaN: none
}

// A Mark is an event on the charts: the moment of a change.
type Mark struct {
	At          time.Duration
	Label       string // "group 2→4"
	NewWorkload bool   // another workload: earlier data do not compare
}

// dilationMark begins the label of a mark of a changed dilation.
const dilationMark = "dilation "

// DilationMark returns the label of a mark of a changed dilation.
func DilationMark(from, to float64) string { return fmt.Sprintf("%s%g→%g", dilationMark, from, to) }

// IsMinor reports whether only the dilation changed. The emulated times then stay the same.
func (m *Mark) IsMinor() bool {
	return strings.HasPrefix(m.Label, dilationMark) && !strings.Contains(m.Label, ",")
}

// A RankView is one rank in the topology.
type RankView struct {
	Node, Group int
	State       cluster.State
	Share       [cluster.States]float64 // of the last second, by state; sums to 1 or is 0
}

// Accesses holds the number of recorded accesses and their total time.
type Accesses struct {
	Count int64
	Time  cluster.Time
}

// Recent is the traffic of the last second with counted traffic.
type Recent struct {
	Span  cluster.Time           // fabric time of these bytes, mean over ranks; 0: nothing counted yet
	Class [cluster.Classes]int64 // bytes
	Nodes int                    // per block, perhaps fewer in the last one; 0: bytes are not counted by node
	Pairs []int64                // bytes from block to block, row after row
}

// Blocks returns the number of blocks of nodes.
func (r *Recent) Blocks(nodes int) int {
	if r.Nodes == 0 {
		return 0
	}
	return (nodes + r.Nodes - 1) / r.Nodes
}

// Progress describes how much of the current iteration is done.
type Progress struct {
	Spent  time.Duration // wall time in it, without pauses
	Share  float64       // of its steps, done by every rank; NaN: the program does not report steps
	Left   time.Duration // estimate from the steps done or the previous iteration; 0: unknown
	Clock  cluster.Time  // of a simulation, since its launch; likewise Events
	Events uint64
}

// A Snapshot is the state of a session at one moment. It is immutable after it is published;
// its slices are shared and read-only.
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
	Fabric   cluster.Time  // fabric time of the counts: since the launch, without pauses

	Iteration      int       // number done in this launch
	Progress       Progress  // of the next one, while the run goes on
	IterationTimes []float64 // s of fabric time, the latest ones
	Ranks          []RankView
	Series         []Sample
	Marks          []Mark
	Latency        [cluster.Classes]Quantiles
	Samples        []Distribution            // those declared that have values
	Tallies        []Table                   // those declared, of Counted iterations
	Counted        int                       // iterations that every rank has counted completely
	Profiles       []Profile                 // those declared that have values
	Ranked         []Ranked                  // declared metrics by rank; nil beyond MostRanked ranks
	Accesses       [cluster.Classes]Accesses // in this launch
	Traffic        cluster.Traffic           // summed over ranks
	NodePairs      [][]int64                 // bytes from node to node; nil if there are too many nodes
	Recent         Recent                    // traffic of the last second
	SizeOnly       *SizeOnly                 // data of the timed program; nil: it has bytes
	Job            *Job                      // processes that run the ranks; nil: only this one
	MemoryPerNode  int64                     // bytes of the segments of a node's ranks
	Replicas       int                       // of the shared data
	Metrics        []Metric                  // of the workload, declared ones first, then model values
	Verification   Verification
	Checksum       uint64         `json:"-"` // of the results of all ranks and iterations, if the run wants it; recordings do not have it
	Studies        []StudyView    // of the workload
	Timeline       *timeline.View // recent activity of every thread; nil: not recorded
	LaunchLine     string         // paper 1's launch command for this layout
	Failure        string         // why the run failed; may have several lines
	Deadlock       *Deadlock      // that stopped the run; nil: none
	Warnings       []string       // inaccurate timings, and implausible results
	Virtual        *Virtual       // outcome of a simulation that has ended; nil: not ended, or not a simulation
	Why            string         // one to three sentences: result, cause, what to try
	Change         string         // effect of the last knob changes on the iteration time; "": nothing to compare
}

// Late reports whether the times of this launch are invalid because the host fell behind.
func (s *Snapshot) Late() bool { return s.Keeping == Behind || s.Keeping == Beyond }

// Unverified returns the reason why a run is not verified, and a hint, or "". A run is verified if it has made a check and
// completed an iteration, all checks have passed, and nothing has failed.
func (s *Snapshot) Unverified() (reason, hint string) {
	switch v := s.Verification; {
	case s.Phase == Failed:
		return "the run failed", ""
	case v.Done && !v.OK:
		return v.Detail, ""
	case s.Iteration == 0:
		return "no iteration ended", "use --iterations 1, a longer --for, or a smaller problem"
	case !v.Done:
		return "no check was made", ""
	}
	return "", ""
}

// SizeOnly describes data above the limit of real bytes: messages have sizes and no bytes, and a
// small instance with bytes is verified.
type SizeOnly struct {
	Bytes int64 `json:"bytes"` // of the rank with the most data
	Limit int64 `json:"limit"` // bytes per rank; from the knob real-limit and the number of ranks
}

// Job describes the processes of a run.
type Job struct {
	Library   string `json:"library"` // that carries messages between them, with its version
	Processes int    `json:"processes"`
	Shared    bool   `json:"shared_segments"` // process 0 reaches segments of another process by loads and stores
}

// Number returns the number of processes, such as "2 processes".
func (j *Job) Number() string {
	if j.Processes == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", j.Processes)
}

// String returns the description in a result.
func (j *Job) String() string {
	text := j.Number() + " on " + j.Library
	if j.Shared {
		text += ", segments shared within a host"
	}
	return text
}

// Virtual is the outcome of a simulation. If it is whole, it is reproducible: the same program,
// machine, layout, seed and number of iterations have the same outcome.
type Virtual struct {
	Hash   uint64       // over all events
	Time   cluster.Time // end of the last rank
	Events uint64
	Whole  bool // no rank failed or was stopped in the middle of an iteration
	Timed  bool // the wall clock or the user ended it: another run may have another number of iterations
}

// A Command is a user's request to a session.
type Command struct {
	Verb  Verb
	Knob  string // for Set and Default; "workload" stands for the program itself
	Value string // for Set

	Scenario *Scenario // for Take
}

// Verb is the action of a command.
type Verb string

// The verbs.
const (
	Set     Verb = "set"     // set Knob to Value
	Take    Verb = "take"    // run Scenario: its workload, and all its knobs at once
	Default Verb = "default" // set Knob to its default; "": all knobs
	Undo    Verb = "undo"    // return to the previous request: knobs, workload, model and machine
	Redo    Verb = "redo"    // repeat the last undone request
	Pause   Verb = "pause"   // before the next iteration
	Resume  Verb = "resume"  //
	Step    Verb = "step"    // one iteration, then pause
	Reset   Verb = "reset"   // clear series, points and marks
	Stop    Verb = "stop"    // end the session
	Seek    Verb = "seek"    // of a recording: show the moment Value
	Speed   Verb = "speed"   // of a recording: set the playing speed to Value
)
