package pane

import (
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Pick is the selected part of the cluster. All panes share it.
type Pick struct {
	Level  Level
	Node   int
	Rank   int // of a rank or a thread; the first of several ranks
	Thread int // of a single thread
	Last   int // the last of several ranks
	State  cluster.State
}

// Level is the granularity of a selection.
type Level uint8

// The levels.
const (
	Nothing Level = iota
	OneNode
	OneRank
	OneThread
	SomeRanks
	OneState
)

// Within returns the selection with its node updated for a layout, or the empty selection if the
// layout does not contain it.
func (p Pick) Within(l *cluster.Layout) Pick {
	threads := max(l.ThreadsPerRank, 1)
	switch {
	case p.Level == Nothing || p.Node >= l.Nodes:
	case l.Nodes <= 0 || p.Level > OneNode && p.Rank >= l.Ranks():
	case p.Level == OneThread && p.Thread >= threads:
	case p.Level == SomeRanks && (p.Last < p.Rank || p.Last >= l.Ranks()):
	default:
		if p.Level > OneNode && p.Level < OneState {
			p.Node = l.NodeOf(p.Rank)
		}
		return p
	}
	return Pick{}
}

// Has reports whether the selection includes a thread of a rank. A selected node or rank includes
// all its threads.
func (p Pick) Has(s *engine.Snapshot, rank, thread int) bool {
	switch p.Level {
	case OneNode:
		return s.Layout.NodeOf(rank) == p.Node
	case SomeRanks:
		return p.Rank <= rank && rank <= p.Last
	case OneState:
		return rank < len(s.Ranks) && s.Ranks[rank].State == p.State
	case OneRank:
		return rank == p.Rank
	case OneThread:
		return rank == p.Rank && thread == p.Thread
	}
	return false
}

// Step moves the selection by a number of items of the same level. An empty selection becomes the
// first node.
func (p Pick) Step(by int, l *cluster.Layout) Pick {
	around := func(i, n int) int { return ((i+by)%n + n) % n }
	threads := max(l.ThreadsPerRank, 1)
	switch p.Level {
	case Nothing:
		return Pick{Level: OneNode}.Within(l)
	case OneNode:
		p.Node = around(p.Node, l.Nodes)
	case OneRank:
		p.Rank = around(p.Rank, l.Ranks())
	case SomeRanks:
		if n := (p.Last - p.Rank + 1) * by; p.Rank+n >= 0 && p.Last+n < l.Ranks() {
			p.Rank, p.Last = p.Rank+n, p.Last+n
		}
	case OneThread:
		i := around(p.Rank*threads+p.Thread, l.Ranks()*threads)
		p.Rank, p.Thread = i/threads, i%threads
	}
	return p.Within(l)
}

// Finer selects the first part of the selection: of a node its first rank, of a rank its first
// thread.
func (p Pick) Finer(l *cluster.Layout) Pick {
	switch p.Level {
	case Nothing:
		p.Level = OneNode
	case OneNode:
		p.Level = OneRank
		for p.Rank = 0; p.Rank < l.Ranks()-1 && l.NodeOf(p.Rank) != p.Node; p.Rank++ {
		}
	case OneRank:
		p.Level, p.Thread = OneThread, 0
	case SomeRanks:
		p.Level, p.Last = OneRank, 0
	}
	return p.Within(l)
}

// Coarser selects the rank of a thread, or the node of a rank. For any other selection it returns
// the empty one.
func (p Pick) Coarser() Pick {
	if p.Level <= OneNode || p.Level >= SomeRanks {
		return Pick{}
	}
	p.Level--
	return p
}

// String returns a description such as "rank 5 of node 1".
func (p Pick) String() string {
	node, rank := "node "+strconv.Itoa(p.Node), "rank "+strconv.Itoa(p.Rank)
	switch p.Level {
	case OneNode:
		return node
	case OneRank:
		return rank + " of " + node
	case OneThread:
		return "thread " + strconv.Itoa(p.Thread) + " of " + rank + ", " + node
	case SomeRanks:
		return "ranks " + strconv.Itoa(p.Rank) + " to " + strconv.Itoa(p.Last)
	case OneState:
		return "ranks that " + p.State.String()
	}
	return "nothing"
}

// ParsePick parses "node 3", "rank 12", "12" (a rank), "3-7" (ranks), "rank 12 thread 3" or the
// name of a state. The result is false if the text is invalid or not in the layout.
func ParsePick(text string, l *cluster.Layout) (Pick, bool) {
	p := Pick{Level: OneRank}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 1 {
		for state := range cluster.State(cluster.States) {
			if words[0] == state.String() {
				p = Pick{Level: OneState, State: state}.Within(l)
				return p, p.Level != Nothing
			}
		}
		if first, last, ok := strings.Cut(words[0], "-"); ok {
			lo, err := strconv.Atoi(first)
			hi, err2 := strconv.Atoi(last)
			p = Pick{Level: SomeRanks, Rank: lo, Last: hi}.Within(l)
			return p, err == nil && err2 == nil && p.Level != Nothing
		}
		words = append([]string{"rank"}, words...)
	}
	if len(words)%2 != 0 || len(words) == 0 || len(words) > 4 {
		return Pick{}, false
	}
	for i := 0; i < len(words); i += 2 {
		n, err := strconv.Atoi(words[i+1])
		if err != nil || n < 0 {
			return Pick{}, false
		}
		switch {
		case i == 0 && (words[i] == "node" || words[i] == "n") && len(words) == 2:
			p.Level, p.Node = OneNode, n
		case i == 0 && (words[i] == "rank" || words[i] == "r"):
			p.Rank = n
		case i == 2 && (words[i] == "thread" || words[i] == "t"):
			p.Level, p.Thread = OneThread, n
		default:
			return Pick{}, false
		}
	}
	p = p.Within(l)
	return p, p.Level != Nothing
}
