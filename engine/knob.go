package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hybridtop/hybridtop/cluster"
)

// KnobType is the type of a knob's value.
type KnobType string

// The types of knob.
const (
	Integer KnobType = "integer"
	Real    KnobType = "real"
	Size    KnobType = "size" // bytes: 4096, 4KiB, 1MB
	Choice  KnobType = "choice"
	Words   KnobType = "words"  // words with single blanks; the choices are examples
	Places  KnobType = "places" // a choice, or a list of the positions of ranks
)

// Scope is the part of a run that restarts when a knob changes.
type Scope string

// The scopes.
const (
	ScopeCluster Scope = "cluster" // the cluster is rebuilt, between iterations
	ScopeBody    Scope = "body"    // the workload starts again on a rebuilt cluster
	ScopeNow     Scope = "now"     // nothing: the run continues
)

// Role is the part of an experiment that a knob belongs to. It decides which runs compare.
type Role string

// The roles.
const (
	Machine Role = "machine" // what the program runs on
	Problem Role = "problem" // what an iteration computes
	Scheme  Role = "scheme"  // how the program does it: layout, thread level, method
	View    Role = "view"    // choice among equivalent runs, and their display
)

// Roles lists all roles.
var Roles = []Role{Machine, Problem, Scheme, View}

// A Knob is one setting of an experiment that a user can change. Flags, keys, the command
// palette, help and documentation all come from the table of knobs.
type Knob struct {
	Name    string // flag and key: "ranks-per-node"
	Alias   string // accepted second name; "": none
	Label   string // short name for a panel: "ranks/node"
	Doc     string // noun phrase in one line, without a full stop
	Type    KnobType
	Unit    string // shown after the value; "": pure number
	Default string
	Min     float64  // of numbers
	Max     float64  // of numbers
	Choices []string // of a Choice: all values; of Words: examples; of a number: the values for ← and →, ascending
	Scope   Scope
	Role    Role

	// By names the knob whose value selects the choices from Offers. Parse accepts the
	// choices of all its values.
	By     string
	Offers []Offer
	// Blocked maps a choice that cannot run with the current other knobs to the reason.
	Blocked map[string]string

	Watch string // what to look at after a change
	Paper string // source: "paper 2, section 3"; "": none
}

// An Offer is the list of choices for one value of the knob By.
type Offer struct {
	Value   string
	Choices []string
}

// The choices of the fabric knob.
const (
	Live = "live" // this host
	Sim  = "sim"  // virtual time
	MPI  = "mpi"  // the processes of a job; only if a launcher is given
)

// Processes is the name of the knob with the number of processes of a job.
const Processes = "processes"

// ProcessesKnob returns the knob processes. Only scenarios of a program with a launcher have it. n is the number that
// the launcher has.
func ProcessesKnob(n int) Knob {
	k := Knob{Name: Processes, Label: "processes", Doc: "number of processes of a job, on fabric mpi", Type: Integer,
		Default: strconv.Itoa(n), Min: 1, Max: 65536, Scope: ScopeCluster, Role: Machine,
		Watch: "the traffic between processes: ranks of one node are always in one process, and nodes are distributed"}
	counts := []int{1, 2, 4, 8, 16, 32, 64, n}
	slices.Sort(counts)
	for _, c := range slices.Compact(counts) {
		k.Choices = append(k.Choices, strconv.Itoa(c))
	}
	return k
}

// Base is the table of knobs that every workload has. Each workload adds its own.
var Base = []Knob{
	{Name: "machine", Label: "machine", Doc: "machine to run on or emulate", Type: Choice, Default: "demo",
		Scope: ScopeCluster, Role: Machine,
		Watch: "the kind of number, and the constants of the locality law: with other latencies, another group size may " +
			"be fastest"},
	{Name: "fabric", Label: "fabric", Doc: "run on this host, or in virtual time", Type: Choice, Default: Live,
		Choices: []string{Live, Sim}, Scope: ScopeCluster, Role: Machine,
		Watch: "the kind of number in the header: live moves real bytes, sim computes the machine's time exactly"},
	{Name: "nodes", Label: "nodes", Doc: "number of nodes", Type: Integer, Default: "4", Min: 1, Max: 65536,
		Choices: []string{"1", "2", "4", "8", "16", "32", "64"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the lines between nodes, and the share of inter-node accesses: 1 - 1/nodes if one group has all ranks",
		Paper: "paper 1, section 4.3.1"},
	{Name: "ranks-per-node", Label: "ranks/node", Doc: "ranks on each node", Type: Integer, Default: "4", Min: 1,
		Max: 4096, Choices: []string{"1", "2", "4", "8", "16"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "bandwidth per node: one process per CPU keeps the adapters busy, one process per node leaves them to " +
			"one thread", Paper: "paper 2, section 6"},
	{Name: "threads-per-rank", Alias: "threads", Label: "threads/rank", Doc: "threads in each rank's parallel regions",
		Type: Integer, Default: "1", Min: 1, Max: 1024, Choices: []string{"1", "2", "4", "8"}, Scope: ScopeCluster,
		Role: Scheme,
		Watch: "ε = T_masteronly / T_overlapped, above 1 if overlap is faster: with more threads, one communicating " +
			"thread leaves more of them to compute", Paper: "paper 2, section 7.2.1"},
	{Name: "threading", Label: "threading", Doc: "requested MPI thread level", Type: Choice, Default: "multiple",
		Choices: []string{"single", "masteronly", "funneled", "serialized", "multiple"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the timeline: while one thread communicates, the others sleep (masteronly) or compute (funneled, multiple)",
		Paper: "paper 2, section 3"},
	{Name: "thread-support", Label: "thread support", Doc: "highest thread level that the MPI library provides",
		Type: Choice, Default: "machine",
		Choices: []string{"machine", "single", "masteronly", "funneled", "serialized", "multiple"}, Scope: ScopeCluster,
		Role:  Machine,
		Watch: "refused thread levels: a program that requests more than the library provides must use a lower level",
		Paper: "paper 2, section 3"},
	{Name: "ranking", Alias: "placing", Label: "ranking", Doc: "placement of ranks, or positions",
		Type: Places, Default: "sequential",
		Choices: []string{"sequential", "round-robin", "per-socket", "cubes", Unplaced}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the lines between nodes: consecutive ranks share a node with sequential, and never with round-robin; " +
			"cheapest reports the bytes between nodes",
		Paper: "paper 2, section 5"},
	{Name: "model", Label: "model", Doc: "execution model for MPI with UPC", Type: Choice, Default: "nested-multiple",
		Choices: []string{"flat", "nested-funneled", "nested-multiple"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the number of processes that may call MPI (in N), and the reach of UPC accesses: all ranks with flat, " +
			"otherwise only the local group", Paper: "paper 1, section 3"},
	{Name: "group", Label: "group", Doc: "ranks per UPC group (not in the flat model)", Type: Integer, Default: "4",
		Min: 1, Max: 1 << 22, Choices: []string{"1", "2", "4", "8", "16", "32", "64"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "locality and memory: in groups of G ranks, 1/G of the accesses stay in the rank. All stay in the node " +
			"while the group fits in it. Each group has a replica", Paper: "paper 1, section 4.3.1"},
	{Name: "world-seed", Label: "MPI order", Doc: "seed of MPI's rank order before renumbering; 0: launch order",
		Type: Integer, Default: "0", Min: 0, Max: 1 << 52, Choices: []string{"0", "1", "2", "3"}, Scope: ScopeCluster,
		Role:  Scheme,
		Watch: "the ID triples (key i): MPI's rank order differs from the layout's until the ranks are renumbered",
		Paper: "paper 1, section 3"},
	{Name: "eager-limit", Label: "eager limit", Doc: "size of the longest eager message; 0: every send is synchronous",
		Type: Size, Unit: "B", Default: "machine", Min: 0, Max: 1 << 40,
		Choices: []string{"machine", "0", "64", "1024", "8192", "65536"}, Scope: ScopeCluster, Role: Machine,
		Watch: "latency over size: above the limit a message first requests its buffer (rendezvous). At 0, two ranks " +
			"that send to each other deadlock", Paper: "paper 1, section 2.1"},
	{Name: "progress", Label: "progress", Doc: "progress engine while ranks compute; call: only their own calls; thread: " +
		"a progress thread per rank; offload: the network adapter, on sim; machine: as in the machine file",
		Type: Choice, Default: "machine",
		Choices: []string{"machine", string(cluster.ProgressCall), string(cluster.ProgressThread),
			string(cluster.ProgressOffload)}, Scope: ScopeCluster, Role: Machine,
		Watch: "waits after computing: with call, handshakes, RPCs and collectives stop while their rank computes",
		Paper: "paper 5, section 4"},
	{Name: "seed", Label: "seed", Doc: "seed of the run's random numbers", Type: Integer, Default: "1", Min: 0,
		Max: 1 << 52, Choices: []string{"1", "2", "3"}, Scope: ScopeBody, Role: View,
		Watch: "whether the result is luck: other random accesses should have the same shares"},
	{Name: "dilation", Label: "dilation", Doc: "time dilation factor of an emulated machine; auto: large enough for " +
		"this host", Type: Real, Default: "auto", Min: 1, Max: 1e9, Choices: []string{"auto", "10", "100", "1000", "10000"},
		Scope: ScopeCluster, Role: Machine,
		Watch: "the timing warning: with too small a factor, this host falls behind the emulated machine"},
	{Name: "pace", Label: "pace", Doc: "virtual seconds per wall-clock second on sim; max: full speed; auto: slow " +
		"enough to watch on the screen, elsewhere max", Type: Real, Default: "auto", Min: 1e-12, Max: 1e6,
		Choices: []string{"auto", "max", "1e-06", "1e-05", "0.0001", "0.001", "0.01", "0.1", "1"}, Scope: ScopeNow,
		Role:  View,
		Watch: "the speed of the virtual clock; no result depends on it"},
	{Name: "timeline", Label: "timeline", Doc: "record what every thread does; arrows: record messages, too",
		Type: Choice, Default: "off", Choices: []string{"off", "on", "arrows"}, Scope: ScopeCluster, Role: View,
		Watch: "the pane Timeline; recording costs memory, and some time on live"},
}

// word reports whether a text is one of the choices. Numeric knobs may have words among
// theirs.
func (k *Knob) word(text string) bool {
	if text == k.Default || slices.Contains(k.Choices, text) {
		return true
	}
	for _, all := range k.Offers {
		if slices.Contains(all.Choices, text) {
			return true
		}
	}
	return false
}

// Parse reads a value and returns its canonical spelling.
func (k *Knob) Parse(text string) (string, error) {
	text = strings.TrimSpace(text)
	if k.word(text) {
		return text, nil
	}
	fail := func(want string) (string, error) {
		return "", fmt.Errorf("%s = %q: want %s", k.Name, text, want)
	}
	switch k.Type {
	case Choice, Places:
		if k.Type == Places {
			if value, isList, err := parseRanking(text); isList {
				return value, err
			}
		}
		return fail("one of " + strings.Join(k.Choices, ", ") + DidYouMean(text, k.Choices))
	case Words:
		text = strings.Join(strings.Fields(text), " ")
		if text == "" || len(text) > maxWords || !printable(text) {
			return fail(fmt.Sprintf("printable words, at most %d bytes", maxWords))
		}
		return text, nil
	case Integer, Size:
		n, err := parseWhole(text, k.Type == Size)
		if err != nil {
			return fail(k.rangeText("a whole number"))
		}
		if float64(n) < k.Min || float64(n) > k.Max {
			return fail(k.rangeText("a whole number"))
		}
		return strconv.FormatInt(n, 10), nil
	case Real:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || x < k.Min || x > k.Max {
			return fail(k.rangeText("a number"))
		}
		return strconv.FormatFloat(x, 'g', -1, 64), nil
	}
	panic("engine: knob " + k.Name + " has no type")
}

// printable reports whether a text has only printable characters.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) })
}

// maxWords is the maximum length of words, in bytes.
const maxWords = 400

// IsNumber reports whether the values are numbers.
func (k *Knob) IsNumber() bool { return k.Type != Choice && k.Type != Words && k.Type != Places }

// Text returns a value, with the knob's unit if it is a number.
func (k *Knob) Text(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil || k.Unit == "" {
		return value
	}
	return value + " " + k.Unit
}

// Range describes the accepted numbers, and the words that are accepted instead of one.
func (k *Knob) Range() string { return k.rangeText("") }

func (k *Knob) rangeText(what string) string {
	s := strings.TrimSpace(fmt.Sprintf("%s from %s to %s %s", what, plain(k.Min), plain(k.Max), k.Unit))
	words := slices.DeleteFunc(append([]string{k.Default}, k.Choices...), func(w string) bool {
		_, err := strconv.ParseFloat(w, 64)
		return err == nil || w == ""
	})
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		s += ", or " + w
	}
	return s
}

func plain(x float64) string {
	if x > 0 && x < 1e-3 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

func parseWhole(text string, size bool) (int64, error) {
	scale := int64(1)
	if size {
		for _, u := range sizeUnits {
			if head, ok := strings.CutSuffix(text, u.name); ok {
				text, scale = strings.TrimSpace(head), u.bytes
				break
			}
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, err
	}
	if n > math.MaxInt64/scale || n < math.MinInt64/scale {
		return 0, strconv.ErrRange
	}
	return n * scale, nil
}

// Next returns the next choice (by = +1) or the previous one (by = −1). It wraps around for
// a Choice, but not for numbers. It skips barred choices.
func (k *Knob) Next(value string, by int) string {
	at := value
	for range k.Choices {
		next := k.neighbour(at, by)
		if k.Blocked[next] == "" {
			return next
		}
		at = next
		if at == value {
			break
		}
	}
	return value
}

// SkipReason returns why Turn skips the neighbouring choice of a value, or "" if it does not.
func (k *Knob) SkipReason(value string, by int) string { return k.Blocked[k.neighbour(value, by)] }

func (k *Knob) neighbour(value string, by int) string {
	if i := slices.Index(k.Choices, value); i >= 0 {
		n := len(k.Choices)
		if !k.IsNumber() {
			return k.Choices[((i+by)%n+n)%n]
		}
		return k.Choices[min(max(i+by, 0), n-1)]
	}
	// A typed value between two choices moves to the next one in that direction.
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return k.Choices[0]
	}
	best := value
	for _, c := range k.Choices {
		y, err := strconv.ParseFloat(c, 64)
		if err != nil {
			continue
		}
		if by > 0 && y > x {
			return c
		}
		if by < 0 && y < x {
			best = c
		}
	}
	return best
}
