package goal

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A Program is a whole GOAL file.
type Program struct {
	ranks    []rankOps
	Messages int // sends
	Receives int
	Bytes    int64 // of all sends
	Ops      int
}

// rankOps is one rank's part of a program.
type rankOps struct {
	ops   []Op
	edges []edge
	any   bool // some receive has no peer or no tag
}

// edge is a requirement.
type edge struct {
	op, before int32
	started    bool
}

// Load reads GOAL text. Operations and requirements together are at most limit.
func Load(r io.Reader, limit int) (*Program, error) {
	p := &Program{}
	if err := Read(r, &loader{Program: p, left: limit}); err != nil {
		return nil, err
	}
	return p, nil
}

// loader is the visitor that fills a program.
type loader struct {
	*Program
	rank *rankOps
	left int // operations and requirements that the program may still have
}

// Ranks implements Visitor.
func (l *loader) Ranks(n int32) error {
	l.ranks = make([]rankOps, n)
	return nil
}

// Rank implements Visitor.
func (l *loader) Rank(rank int32) error {
	l.rank = &l.ranks[rank]
	return nil
}

// Op implements Visitor.
func (l *loader) Op(o Op) error {
	if l.left--; l.left < 0 {
		return errors.New("more operations than are kept at once")
	}
	l.rank.ops = append(l.rank.ops, o)
	l.Ops++
	switch o.Kind {
	case Send:
		l.Messages++
		l.Bytes += o.Size
	case Recv:
		l.Receives++
		l.rank.any = l.rank.any || o.Peer == cluster.AnySource || o.Tag == cluster.AnyTag
	}
	return nil
}

// Requires implements Visitor.
func (l *loader) Requires(op, before int32, started bool) error {
	if l.left--; l.left < 0 {
		return errors.New("more requirements than are kept at once")
	}
	l.rank.edges = append(l.rank.edges, edge{op: op, before: before, started: started})
	return nil
}

// Size returns the number of ranks.
func (p *Program) Size() int { return len(p.ranks) }

// Price runs the program on LogGP's model alone, as [coll.Price] does with schedules. A
// calculation takes its nanoseconds of the processor. A program that cannot end returns a
// *[coll.Deadlock].
func (p *Program) Price(c coll.Cost) (*coll.Trace, error) {
	graphs := make([]coll.Graph, len(p.ranks))
	for r := range p.ranks {
		of := &p.ranks[r]
		deps, err := of.deps(r)
		if err != nil {
			return nil, err
		}
		graphs[r] = coll.Graph{Deps: deps, Next: of.next(), Any: of.any, Task: func(i int32) coll.Task {
			o := &of.ops[i]
			switch o.Kind {
			case Send:
				return coll.Task{Kind: coll.Send, Peer: o.Peer, Tag: o.Tag, Size: o.Size}
			case Recv:
				return coll.Task{Kind: coll.Recv, Peer: o.Peer, Tag: o.Tag}
			}
			return coll.Task{Kind: coll.Copy, Takes: cluster.Time(min(o.Size, MaxSize)) * cluster.Nanosecond}
		}}
	}
	return coll.PriceGraphs(graphs, c)
}

// deps counts the requirements of each operation.
func (o *rankOps) deps(rank int) ([]uint16, error) {
	deps := make([]uint16, len(o.ops))
	for _, e := range o.edges {
		if deps[e.op] == math.MaxUint16 {
			return nil, fmt.Errorf("rank %d: an operation requires more than %d others", rank, math.MaxUint16)
		}
		deps[e.op]++
	}
	return deps, nil
}

// next returns a function that lists the operations that wait for one: until it has started,
// or else until it is complete.
func (o *rankOps) next() func(op int32, started bool) []int32 {
	begun := group(o.edges, len(o.ops), func(e edge) (key, value int32, ok bool) { return e.before, e.op, e.started })
	done := group(o.edges, len(o.ops), func(e edge) (key, value int32, ok bool) { return e.before, e.op, !e.started })
	return func(op int32, started bool) []int32 {
		if started {
			return begun(op)
		}
		return done(op)
	}
}

// group returns a function that lists the values of the edges with a key, from 0 to n − 1.
func group(edges []edge, n int, of func(edge) (key, value int32, ok bool)) func(key int32) []int32 {
	first := make([]int32, n+1)
	for _, e := range edges {
		if key, _, ok := of(e); ok {
			first[key+1]++
		}
	}
	for i := range n {
		first[i+1] += first[i]
	}
	values := make([]int32, first[n])
	at := slices.Clone(first[:n])
	for _, e := range edges {
		if key, value, ok := of(e); ok {
			values[at[key]] = value
			at[key]++
		}
	}
	return func(key int32) []int32 { return values[first[key]:first[key+1]] }
}
