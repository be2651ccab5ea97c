package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// KnobType is how a knob's value reads.
type KnobType string

// The types of knob.
const (
	Integer KnobType = "integer"
	Real    KnobType = "real"
	Size    KnobType = "size" // bytes: 4096, 4KiB, 1MB
	Choice  KnobType = "choice"
)

// Scope says what turning a knob takes.
type Scope string

// The scopes.
const (
	ScopeCluster Scope = "cluster" // the cluster is rebuilt, between iterations
	ScopeBody    Scope = "body"    // the workload starts anew on a rebuilt cluster
	ScopeNow     Scope = "now"     // nothing: the run goes on
)

// Role says what a knob is about, and so which runs can be compared.
type Role string

// The roles.
const (
	Machine Role = "machine" // what the program runs on
	Problem Role = "problem" // what an iteration computes
	Scheme  Role = "scheme"  // how the program goes about it: its layout, its thread level, its method
	View    Role = "view"    // which of equal runs is made, and how it is looked at
)

// Roles lists them.
var Roles = []Role{Machine, Problem, Scheme, View}

// Knob is one thing that can be turned. The table of knobs feeds flags, keys, the
// command palette, help and documentation.
type Knob struct {
	Name    string // flag and key: "ranks-per-node"
	Alias   string // another name that is understood; "": none
	Label   string // short, for a panel: "ranks/node"
	Doc     string // one line, without a full stop
	Type    KnobType
	Unit    string // shown behind the value; "" for a pure number
	Default string
	Min     float64  // of numbers
	Max     float64  // of numbers
	Choices []string // of a Choice: all; of a number: what ← and → offer, rising
	Scope   Scope
	Role    Role

	// By names the knob whose value says what the choices are; those of all its values are
	// understood.
	By     string
	Offers []Offer
	// Barred are choices that cannot be run as the other knobs stand, and why.
	Barred map[string]string

	Watch string // what to look at when it is turned
	Paper string // where it is from: "paper 2, section 3"; "": from none
}

// Offer is the choices where the knob that they go by has a value.
type Offer struct {
	Value   string
	Choices []string
}

// The choices of the fabric knob.
const (
	Live = "live" // this host
	Sim  = "sim"  // virtual time
)

// Base is the table of knobs that every workload has; a workload adds its own.
var Base = []Knob{
	{Name: "machine", Label: "machine", Doc: "machine to run on or to pretend to be", Type: Choice, Default: "demo", Scope: ScopeCluster, Role: Machine,
		Watch: "the kinds of number and the law's constants: another machine has other latencies, and another group may win"},
	{Name: "fabric", Label: "fabric", Doc: "what runs the ranks: this host, or a simulation in virtual time", Type: Choice, Default: Live, Choices: []string{Live, Sim}, Scope: ScopeCluster, Role: Machine,
		Watch: "the mark of the kind of number in the header: live moves real bytes, sim counts the machine's time exactly"},
	{Name: "nodes", Label: "nodes", Doc: "nodes of the cluster", Type: Integer, Default: "4", Min: 1, Max: 65536, Choices: []string{"1", "2", "4", "8", "16", "32", "64"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the lines between nodes, and the share of remote accesses: with a group over all ranks it is 1 - 1/nodes", Paper: "paper 1, section 4.3.1"},
	{Name: "ranks-per-node", Label: "ranks/node", Doc: "ranks on each node", Type: Integer, Default: "4", Min: 1, Max: 4096, Choices: []string{"1", "2", "4", "8", "16"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "bandwidth a node: a process a CPU keeps the adapters busy, a process a node leaves them to one thread", Paper: "paper 2, section 6"},
	{Name: "threads-per-rank", Alias: "threads", Label: "threads/rank", Doc: "threads in each rank's parallel regions", Type: Integer, Default: "1", Min: 1, Max: 1024, Choices: []string{"1", "2", "4", "8"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "ε = T_masteronly / T_overlapped: the more threads, the more one that communicates leaves to the others", Paper: "paper 2, section 7.2.1"},
	{Name: "threading", Label: "threading", Doc: "thread level that programs ask MPI for: which threads may call it, and when", Type: Choice, Default: "multiple", Choices: []string{"single", "masteronly", "funneled", "serialized", "multiple"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the timeline: masteronly lets all threads but one sleep while it communicates, funneled and multiple let them compute", Paper: "paper 2, section 3"},
	{Name: "thread-support", Label: "thread support", Doc: "highest thread level that the MPI library provides", Type: Choice, Default: "machine", Choices: []string{"machine", "single", "masteronly", "funneled", "serialized", "multiple"}, Scope: ScopeCluster, Role: Machine,
		Watch: "what is refused: a program that asks for more than the library provides has to do with less", Paper: "paper 2, section 3"},
	{Name: "ranking", Label: "ranking", Doc: "how ranks are dealt to nodes", Type: Choice, Default: "sequential", Choices: []string{"sequential", "round-robin"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the lines between nodes: neighbours by number share a node under sequential, and never under round-robin", Paper: "paper 2, section 5"},
	{Name: "model", Label: "model", Doc: "execution model of MPI with UPC", Type: Choice, Default: "nested-multiple", Choices: []string{"flat", "nested-funneled", "nested-multiple"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "how many processes may call MPI (N), and how far UPC's accesses reach: to all ranks under flat, else to the own group", Paper: "paper 1, section 3"},
	{Name: "group", Label: "group", Doc: "ranks in a UPC group (flat: all, whatever stands here)", Type: Integer, Default: "4", Min: 1, Max: 1 << 22, Choices: []string{"1", "2", "4", "8", "16", "32", "64"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "locality and memory: 1/G of the accesses stay in the rank, all stay in the node while the group fits in it, and each group has a replica", Paper: "paper 1, section 4.3.1"},
	{Name: "world-seed", Label: "MPI order", Doc: "order in which MPI numbers its ranks before renumbering; 0: launch order", Type: Integer, Default: "0", Min: 0, Max: 1 << 52, Choices: []string{"0", "1", "2", "3"}, Scope: ScopeCluster, Role: Scheme,
		Watch: "the ID triples (i): MPI's order of ranks and the layout's differ until they are renumbered", Paper: "paper 1, section 3"},
	{Name: "eager-limit", Label: "eager limit", Doc: "longest eager message; 0: every send is synchronous", Type: Size, Unit: "B", Default: "machine", Min: 0, Max: 1 << 40, Choices: []string{"machine", "0", "64", "1024", "8192", "65536"}, Scope: ScopeCluster, Role: Machine,
		Watch: "latency over size: above the limit a message first asks for its buffer; at 0 two sends head to head deadlock", Paper: "paper 1, section 2.1"},
	{Name: "seed", Label: "seed", Doc: "seed of the run's random numbers", Type: Integer, Default: "1", Min: 0, Max: 1 << 52, Choices: []string{"1", "2", "3"}, Scope: ScopeBody, Role: View,
		Watch: "that the result is not luck: other random accesses, the same shares"},
	{Name: "dilation", Label: "dilation", Doc: "stretch of an emulated machine's time; auto: chosen so that the host keeps it", Type: Real, Default: "auto", Min: 1, Max: 1e9, Choices: []string{"auto", "10", "100", "1000", "10000"}, Scope: ScopeCluster, Role: Machine,
		Watch: "the warning of lateness: too small a stretch, and this host cannot keep the machine's times"},
	{Name: "pace", Label: "pace", Doc: "virtual seconds in a second of wall clock, on sim; auto: for the eye on the screen, else max; max: as fast as it goes", Type: Real, Default: "auto", Min: 1e-12, Max: 1e6, Choices: []string{"auto", "max", "1e-06", "1e-05", "0.0001", "0.001", "0.01", "0.1", "1"}, Scope: ScopeNow, Role: View,
		Watch: "how fast the virtual clock runs; no result depends on it"},
	{Name: "timeline", Label: "timeline", Doc: "write down what every thread does, for the timeline; arrows: and which messages travel", Type: Choice, Default: "off", Choices: []string{"off", "on", "arrows"}, Scope: ScopeCluster, Role: View,
		Watch: "the pane Timeline; writing it down costs memory, and some time on live"},
}

// word says that a text is taken as it stands: a choice, among which numeric knobs
// may have words.
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

// Parse reads a value and gives it back in its one canonical spelling.
func (k *Knob) Parse(text string) (string, error) {
	text = strings.TrimSpace(text)
	if k.word(text) {
		return text, nil
	}
	fail := func(want string) (string, error) {
		return "", fmt.Errorf("%s = %q: want %s", k.Name, text, want)
	}
	switch k.Type {
	case Choice:
		return fail("one of " + strings.Join(k.Choices, ", "))
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

// Text is a value with the knob's unit, where it is a number.
func (k *Knob) Text(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil || k.Unit == "" {
		return value
	}
	return value + " " + k.Unit
}

// Range is what a number may be, with the words that stand for one.
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

// Turn gives the neighbouring choice of a value: by = +1 or −1; the ends do not
// wrap for numbers, and do for choices. Those that are barred are passed over.
func (k *Knob) Turn(value string, by int) string {
	at := value
	for range k.Choices {
		next := k.turn(at, by)
		if k.Barred[next] == "" {
			return next
		}
		if at = next; at == value {
			break
		}
	}
	return value
}

// Passed says why the neighbouring choice of a value is passed over; "": it is not.
func (k *Knob) Passed(value string, by int) string { return k.Barred[k.turn(value, by)] }

func (k *Knob) turn(value string, by int) string {
	if i := slices.Index(k.Choices, value); i >= 0 {
		n := len(k.Choices)
		if k.Type == Choice {
			return k.Choices[((i+by)%n+n)%n]
		}
		return k.Choices[min(max(i+by, 0), n-1)]
	}
	// A typed value between the choices moves to the next one in its direction.
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
