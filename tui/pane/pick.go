package pane

import (
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Pick is what the user has selected of a cluster, in all panes.
type Pick struct {
	Level  Level
	Node   int
	Rank   int // of a rank or a thread
	Thread int // of a thread
}

// Level is how much is selected.
type Level uint8

// The levels.
const (
	Nothing Level = iota
	OneNode
	OneRank
	OneThread
)

// Within gives the selection as a layout can have it; Nothing where it cannot.
func (p Pick) Within(l *cluster.Layout) Pick {
	threads := max(l.ThreadsPerRank, 1)
	switch {
	case p.Level == Nothing || p.Node >= l.Nodes:
	case p.Level > OneNode && p.Rank >= l.Ranks():
	case p.Level == OneThread && p.Thread >= threads:
	default:
		if p.Level > OneNode {
			p.Node = l.NodeOf(p.Rank)
		}
		return p
	}
	return Pick{}
}

// Has reports whether a thread of a rank is selected, or all of its node or rank.
func (p Pick) Has(node, rank, thread int) bool {
	switch p.Level {
	case OneNode:
		return node == p.Node
	case OneRank:
		return rank == p.Rank
	case OneThread:
		return rank == p.Rank && thread == p.Thread
	}
	return false
}

// Step moves the selection among its like; from none it is the first node.
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
	case OneThread:
		i := around(p.Rank*threads+p.Thread, l.Ranks()*threads)
		p.Rank, p.Thread = i/threads, i%threads
	}
	return p.Within(l)
}

// Finer selects the first of what the selection is made of; Coarser what it is part of.
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
	}
	return p.Within(l)
}

// Coarser selects what the selection is part of; of a node it is nothing.
func (p Pick) Coarser() Pick {
	if p.Level <= OneNode {
		return Pick{}
	}
	p.Level--
	return p
}

// String names the selection: "rank 5 of node 1".
func (p Pick) String() string {
	node, rank := "node "+strconv.Itoa(p.Node), "rank "+strconv.Itoa(p.Rank)
	switch p.Level {
	case OneNode:
		return node
	case OneRank:
		return rank + " of " + node
	case OneThread:
		return "thread " + strconv.Itoa(p.Thread) + " of " + rank + ", " + node
	}
	return "nothing"
}

// ParsePick reads "node 3", "rank 12", "12" (a rank) or "rank 12 thread 3".
func ParsePick(text string, l *cluster.Layout) (Pick, bool) {
	p := Pick{Level: OneRank}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 1 {
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
