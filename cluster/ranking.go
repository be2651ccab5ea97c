package cluster

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// Ranking is the assignment of ranks to positions: one of Rankings, or a list of the positions of
// ranks 0, 1, ... such as "0 4-7 1-3". Positions number the places of node 0, then of node 1, and so
// on.
type Ranking string

// The rankings. Sequential fills one node after the other; round-robin assigns consecutive ranks to
// consecutive nodes (paper 2, section 2).
const (
	Sequential Ranking = "sequential"
	RoundRobin Ranking = "round-robin"
	PerSocket  Ranking = "per-socket" // one node after the other, consecutive ranks on its sockets in turn
	Cubes      Ranking = "cubes"      // ranks are a grid of three dimensions, a node has a box of it (paper 2, section 5)
)

// MaxRankingText is the maximum length of a ranking, in bytes.
const MaxRankingText = 64 << 10

// A placing has the positions of the ranks of a ranking that is a list or cubes.
type placing struct {
	ranking      Ranking
	nodes, ranks int // ranks: per node
	at           []int32
}

// lastPlacing is the placing that was computed last: almost always, all layouts in use are the same.
var lastPlacing atomic.Pointer[placing]

// IsList reports whether the ranking is a list of positions.
func (r Ranking) IsList() bool { return r != "" && '0' <= r[0] && r[0] <= '9' }

// ListOf returns the ranking with the given positions of ranks.
func ListOf(positions []int32) Ranking {
	var b strings.Builder
	for i := 0; i < len(positions); {
		end := i + 1
		for end < len(positions) && positions[end] == positions[end-1]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(int(positions[i])))
		if end > i+1 {
			b.WriteString("-" + strconv.Itoa(int(positions[end-1])))
		}
		i = end
	}
	return Ranking(b.String())
}

// Positions returns the positions of a list. They are a permutation of 0, 1, ...
func (r Ranking) Positions() ([]int32, error) {
	if len(r) > MaxRankingText {
		return nil, fmt.Errorf("ranking: a list of %d bytes: want at most %d", len(r), MaxRankingText)
	}
	var all []int32
	for _, word := range strings.Fields(string(r)) {
		first, last, isRun := strings.Cut(word, "-")
		a, err := strconv.ParseUint(first, 10, 32)
		b := a
		if err == nil && isRun {
			b, err = strconv.ParseUint(last, 10, 32)
		}
		if err != nil || a > b || b >= MaxRanks {
			return nil, fmt.Errorf("ranking: %q: want a position from 0 to %d, or a run such as 4-7", word, MaxRanks-1)
		}
		if b-a >= uint64(MaxRanks-len(all)) {
			return nil, fmt.Errorf("ranking: more than %d positions", MaxRanks)
		}
		for ; a <= b; a++ {
			all = append(all, int32(a))
		}
	}
	return all, CheckPositions(all)
}

// CheckPositions returns an error if positions are not a permutation of 0, 1, ...
func CheckPositions(positions []int32) error {
	rankAt := make([]int32, len(positions))
	for rank, at := range positions {
		if int(at) >= len(positions) {
			return fmt.Errorf("ranking: rank %d at position %d: want positions 0 to %d, one per rank", rank, at,
				len(positions)-1)
		}
		if other := rankAt[at]; other != 0 {
			return fmt.Errorf("ranking: position %d: has ranks %d and %d, want one", at, other-1, rank)
		}
		rankAt[at] = int32(rank) + 1
	}
	return nil
}

// placing returns the positions of a ranking that is a list or cubes, and nil for other rankings.
func (l *Layout) placing() (*placing, error) {
	if l.Ranking == Sequential || l.Ranking == RoundRobin || l.Ranking == PerSocket {
		return nil, nil
	}
	p := lastPlacing.Load()
	if p != nil && p.nodes == l.Nodes && p.ranks == l.RanksPerNode && p.ranking == l.Ranking {
		return p, nil
	}
	p = &placing{ranking: l.Ranking, nodes: l.Nodes, ranks: l.RanksPerNode}
	switch {
	case l.Ranking == Cubes:
		p.at = l.boxes()
	case l.Ranking.IsList():
		var err error
		if p.at, err = l.Ranking.Positions(); err != nil {
			return nil, err
		}
		if len(p.at) != l.Ranks() {
			return nil, fmt.Errorf("ranking: a list of %d positions: want one for each of %d ranks (use another list, or "+
				"a ranking such as sequential)", len(p.at), l.Ranks())
		}
	default:
		return nil, fmt.Errorf("ranking %q: want sequential, round-robin, per-socket, cubes, or a list of positions",
			l.Ranking)
	}
	lastPlacing.Store(p)
	return p, nil
}

// PositionOf returns the position of a rank: its place in its node, plus the ranks of the nodes
// before. Nodes have the given number of sockets.
func (l *Layout) PositionOf(rank, sockets int) int {
	switch l.Ranking {
	case Sequential:
		return rank
	case RoundRobin:
		return rank%l.Nodes*l.RanksPerNode + rank/l.Nodes
	case PerSocket:
		k := rank % l.RanksPerNode
		return rank - k + l.dealt(k, sockets)
	}
	if p, _ := l.placing(); p != nil { // Validate returns the error
		return int(p.at[rank])
	}
	return rank
}

// perSocket returns the number of ranks on a socket. The last socket may have fewer.
func (l *Layout) perSocket(sockets int) int {
	sockets = max(sockets, 1)
	return (l.RanksPerNode + sockets - 1) / sockets
}

// dealt returns the place in the node of the k-th rank if the sockets get ranks in turn.
func (l *Layout) dealt(k, sockets int) int {
	per := l.perSocket(sockets)
	full, rest := l.RanksPerNode/per, l.RanksPerNode%per
	if k < rest*(full+1) {
		return k%(full+1)*per + k/(full+1)
	}
	k -= rest * (full + 1)
	return k%full*per + rest + k/full
}

// ProcessOf returns the process of a rank. Nodes are distributed over the processes in order. If there are
// more processes than nodes, the last processes have no rank.
func (l *Layout) ProcessOf(rank, processes int) int {
	node := l.NodeOf(rank)
	if l.Nodes <= processes {
		return node
	}
	return node * processes / l.Nodes
}

// maxListed is the maximum number of ranks in a list for errors.
const maxListed = 8

// ListProcess lists the ranks of a process, for errors: "rank 2, rank 3".
func (l *Layout) ListProcess(process, processes int) string {
	var all []string
	more := 0
	for rank := range l.Ranks() {
		switch {
		case l.ProcessOf(rank, processes) != process:
		case len(all) == maxListed:
			more++
		default:
			all = append(all, fmt.Sprintf("rank %d", rank))
		}
	}
	switch {
	case len(all) == 0:
		return "no rank"
	case more > 0:
		all = append(all, fmt.Sprintf("%d ranks more", more))
	}
	return strings.Join(all, ", ")
}

// NodeOf returns the node of a rank.
func (l *Layout) NodeOf(rank int) int {
	switch l.Ranking {
	case Sequential, PerSocket:
		return rank / l.RanksPerNode
	case RoundRobin:
		return rank % l.Nodes
	}
	return l.PositionOf(rank, 1) / l.RanksPerNode
}

// SocketOf returns the socket of a rank in its node, for nodes with the given number of sockets.
// A socket has consecutive positions.
func (l *Layout) SocketOf(rank, sockets int) int {
	return l.PositionOf(rank, sockets) % l.RanksPerNode / l.perSocket(sockets)
}

// boxes returns the positions of ranks in a grid of boxes, one box per node. Ranks number the grid
// with the last coordinate varying fastest.
func (l *Layout) boxes() []int32 {
	grid, box := Balanced(l.Nodes), Balanced(l.RanksPerNode)
	all := make([]int32, 0, l.Ranks())
	for a := range grid[0] * box[0] {
		for b := range grid[1] * box[1] {
			for c := range grid[2] * box[2] {
				node := (a/box[0]*grid[1]+b/box[1])*grid[2] + c/box[2]
				place := (a%box[0]*box[1]+b%box[1])*box[2] + c%box[2]
				all = append(all, int32(node*l.RanksPerNode+place))
			}
		}
	}
	return all
}

// Balanced returns the dimensions, in descending order, of MPI_Dims_create for n processes in three
// dimensions: as close to each other as the divisors of n allow.
func Balanced(n int) [3]int {
	best := [3]int{n, 1, 1}
	for c := 1; c*c*c <= n; c++ {
		if n%c != 0 {
			continue
		}
		for b := c; b*b <= n/c; b++ {
			if a := n / c / b; n/c%b == 0 && (a < best[0] || a == best[0] && b < best[1]) {
				best = [3]int{a, b, c}
			}
		}
	}
	return best
}
