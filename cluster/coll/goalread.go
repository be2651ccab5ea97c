package coll

import (
	"fmt"
	"io"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// GoalKind says what an operation of a GOAL file does.
type GoalKind uint8

// The operations.
const (
	GoalSend GoalKind = iota
	GoalRecv
	GoalCalc
)

// GoalOp is one operation of a rank.
type GoalOp struct {
	Kind GoalKind
	CPU  uint8
	NIC  uint8
	Peer int32 // cluster.AnySource: any, of a receive
	Tag  int32 // cluster.AnyTag: any, of a receive
	Size int64 // bytes; of a calculation ns
}

// GoalReader takes what ReadGoal reads, in the order of the file: the ranks, and then
// of each rank in turn its operations, numbered from 0, and what they require. Each
// may refuse with an error.
type GoalReader interface {
	Ranks(n int32) error
	Rank(rank int32) error
	Op(o GoalOp) error
	Requires(op, before int32, started bool) error // started: not before that one is posted; else: is complete
}

// Bounds of a GOAL file.
const (
	MostGoalOps   = 1 << 22 // of a rank
	MostGoalLabel = 64      // bytes of a label
	MostGoalSize  = 1 << 40 // bytes of a message, or ns of a calculation
)

// ReadGoal reads GOAL text as it comes: what is kept is the labels of one rank. A file
// that is not well formed, or beyond the bounds, is refused with line and column.
func ReadGoal(r io.Reader, to GoalReader) error {
	g := &goal{r: r, to: to, line: 1, buf: make([]byte, 0, 1<<16)}
	err := g.read()
	switch {
	case g.failed != nil: // of the reader underneath
		return g.failed
	case err != nil:
		return fmt.Errorf("line %d, column %d: %w", g.line, g.column(), err)
	}
	return nil
}

// goal is a file under way.
type goal struct {
	r      io.Reader
	to     GoalReader
	failed error // of r; nil at the end of the file

	buf       []byte
	at        int
	ended     bool
	line      int64
	lineStart int64 // in bytes of the file
	gone      int64 // bytes before buf
	word      int64 // where the last word began

	ranks  int32 // 0: not told yet
	seen   []bool
	ops    int32
	plain  []int32 // by number n of label ln: its operation + 1
	others labels
}

// read reads a whole file.
func (g *goal) read() error {
	if err := g.blanks(true); err != nil {
		return err
	}
	if w, err := g.name("num_ranks"); err != nil || string(w) != "num_ranks" {
		return g.or(err, "want num_ranks first")
	}
	n, err := g.number("a number of ranks", MostRanks, false)
	if err == nil && n == 0 {
		err = fmt.Errorf("no ranks")
	}
	if err != nil {
		return err
	}
	g.ranks, g.seen = int32(n), make([]bool, n)
	if err := g.to.Ranks(g.ranks); err != nil {
		return err
	}
	for {
		if err := g.blanks(true); err != nil {
			return err
		}
		if g.peek() == 0 && g.end() {
			return nil
		}
		if w, err := g.name("rank"); err != nil || string(w) != "rank" {
			return g.or(err, "want rank")
		}
		rank, err := g.number("a rank", int64(g.ranks-1), false)
		if err == nil && g.seen[rank] {
			err = fmt.Errorf("rank %d a second time", rank)
		}
		if err != nil {
			return err
		}
		g.seen[rank] = true
		if err := g.blanks(true); err != nil {
			return err
		}
		if g.peek() != '{' {
			return g.wants("{")
		}
		g.at++
		if err := g.to.Rank(int32(rank)); err != nil {
			return err
		}
		if err := g.rank(); err != nil {
			return err
		}
	}
}

func (g *goal) or(err error, otherwise string) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%s", otherwise)
}

// rank reads the lines of one rank and its closing brace.
func (g *goal) rank() error {
	g.ops = 0
	clear(g.plain)
	g.plain = g.plain[:0]
	g.others.forget()
	for {
		if whole, err := g.plainLine(); err != nil {
			return err
		} else if whole {
			continue
		}
		if err := g.blanks(true); err != nil {
			return err
		}
		if g.peek() == '}' {
			g.at++
			return nil
		}
		w, err := g.name("an operation, a label or }")
		if err != nil {
			return err
		}
		kind, is := kindOfGoal(w)
		if !is {
			if g.peek() == ':' { // right after the label, as a rule
				var label [MostGoalLabel]byte
				n := copy(label[:], w)
				g.at++
				if err := g.define(label[:n]); err != nil {
					return err
				}
				if kind, err = g.operation(); err != nil {
					return err
				}
			} else if kind, is, err = g.labelled(w); err != nil {
				return err
			} else if !is {
				continue
			}
		}
		if err := g.finish(kind); err != nil {
			return err
		}
	}
}

// labelled reads what follows a label and a blank: a colon and an operation, or what
// it requires.
func (g *goal) labelled(w []byte) (kind GoalKind, isOp bool, err error) {
	var label [MostGoalLabel]byte
	n := copy(label[:], w)
	if err := g.blanks(false); err != nil {
		return 0, false, err
	}
	if g.peek() == ':' {
		g.at++
		if err := g.define(label[:n]); err != nil {
			return 0, false, err
		}
		kind, err := g.operation()
		return kind, true, err
	}
	op, err := g.resolve(label[:n])
	if err != nil {
		return 0, false, err
	}
	w, err = g.name("a colon, requires or irequires")
	started := string(w) == "irequires"
	if err != nil || !started && string(w) != "requires" {
		return 0, false, g.or(err, "want a colon, requires or irequires")
	}
	if w, err = g.name("a label"); err != nil {
		return 0, false, err
	}
	before, err := g.resolve(w)
	if err == nil && before == op {
		err = fmt.Errorf("%s requires itself", string(w))
	}
	if err == nil {
		err = g.to.Requires(op, before, started)
	}
	if err != nil {
		return 0, false, err
	}
	return 0, false, g.lineEnd()
}

func kindOfGoal(w []byte) (GoalKind, bool) {
	switch string(w) {
	case "send":
		return GoalSend, true
	case "recv":
		return GoalRecv, true
	case "calc":
		return GoalCalc, true
	}
	return 0, false
}

func (g *goal) operation() (GoalKind, error) {
	w, err := g.name("send, recv or calc")
	if err != nil {
		return 0, err
	}
	kind, is := kindOfGoal(w)
	if !is {
		return 0, fmt.Errorf("want send, recv or calc")
	}
	return kind, nil
}

// finish reads an operation behind its name.
func (g *goal) finish(kind GoalKind) error {
	o := GoalOp{Kind: kind}
	var err error
	if o.Size, err = g.number("a size", MostGoalSize, false); err != nil {
		return err
	}
	way, any := "to", false
	switch kind {
	case GoalRecv:
		way, any = "from", true
		fallthrough
	case GoalSend:
		if g.peek() != 'b' {
			return g.wants("b for bytes")
		}
		g.at++
		w, err := g.name(way)
		if err != nil || string(w) != way {
			return g.or(err, "want "+way)
		}
		peer, err := g.number("a rank", int64(g.ranks-1), any)
		if err != nil {
			return err
		}
		o.Peer = int32(peer)
	}
	for last := ""; ; {
		if err := g.blanks(false); err != nil {
			return err
		}
		if c := g.peek(); !letter(c) {
			break
		}
		w, err := g.name("tag, cpu or nic")
		if err != nil {
			return err
		}
		var n int64
		switch {
		case string(w) == "tag" && kind != GoalCalc && last == "":
			last = "tag"
			n, err = g.number("a tag", cluster.MaxTag, any)
			o.Tag = int32(n)
		case string(w) == "cpu" && (last == "" || last == "tag"):
			last = "cpu"
			n, err = g.number("a cpu", math.MaxUint8, false)
			o.CPU = uint8(n)
		case string(w) == "nic" && kind != GoalCalc && last != "nic":
			last = "nic"
			n, err = g.number("a nic", math.MaxUint8, false)
			o.NIC = uint8(n)
		default:
			err = fmt.Errorf("want tag, cpu and nic at most once and in this order, of a calculation cpu alone")
		}
		if err != nil {
			return err
		}
	}
	if g.ops == MostGoalOps {
		return fmt.Errorf("more than %d operations of one rank", MostGoalOps)
	}
	g.ops++
	if err := g.to.Op(o); err != nil {
		return err
	}
	return g.lineEnd()
}

// lineEnd wants nothing more on the line; a brace may close the rank there.
func (g *goal) lineEnd() error {
	if err := g.blanks(false); err != nil {
		return err
	}
	if c := g.peek(); c != '\n' && c != '}' && (c != 0 || !g.end()) {
		return g.wants("the end of the line")
	}
	return nil
}
