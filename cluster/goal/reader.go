package goal

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Kind is the type of an operation.
type Kind uint8

// The kinds of operation.
const (
	Send Kind = iota
	Recv
	Calc
)

// Op is one operation of a rank.
type Op struct {
	Kind Kind
	CPU  uint8
	NIC  uint8
	Peer int32 // a receive may have cluster.AnySource
	Tag  int32 // a receive may have cluster.AnyTag
	Size int64 // in bytes; of a calculation, in ns
}

// A Visitor receives a file in its order. Ranks is the first call. Rank begins a rank, whose
// operations and requirements follow; operations are numbered from 0. An error of a method
// ends the reading.
type Visitor interface {
	Ranks(n int32) error
	Rank(rank int32) error
	Op(o Op) error
	Requires(op, before int32, started bool) error // op waits until before has started, or else until it is complete
}

// The limits of a GOAL file.
const (
	MaxOps   = 1 << 22 // operations per rank
	MaxLabel = 64      // bytes per label
	MaxSize  = 1 << 40 // bytes per message, or ns per calculation
)

// Read reads GOAL text as a stream. It stores only the labels of one rank. An error about
// a malformed file, or one beyond the limits, has the line and the column.
func Read(r io.Reader, to Visitor) error {
	p := &parser{r: r, to: to, line: 1, buf: make([]byte, 0, 1<<16)}
	err := p.file()
	switch {
	case p.failed != nil: // of the reader underneath
		return p.failed
	case err != nil:
		return fmt.Errorf("line %d, column %d: %w", p.line, p.column(), err)
	}
	return nil
}

// A parser reads one file.
type parser struct {
	r      io.Reader
	to     Visitor
	failed error // of r, except for the end of the file

	buf       []byte
	pos       int // in buf
	eof       bool
	line      int64
	lineStart int64 // in the file
	offset    int64 // of buf in the file
	start     int64 // of the last word, in the file

	ranks    int32
	seen     []bool
	ops      int32
	numbered []int32 // by number n of label ln: its operation + 1
	others   labels
}

// file reads a whole file.
func (p *parser) file() error {
	if err := p.skipBlanks(true); err != nil {
		return err
	}
	if w, err := p.word("num_ranks"); err != nil || string(w) != "num_ranks" {
		return p.orWant(err, "want num_ranks first")
	}
	n, err := p.number("a number of ranks", coll.MaxRanks, false)
	if err == nil && n == 0 {
		err = fmt.Errorf("no ranks")
	}
	if err != nil {
		return err
	}
	p.ranks, p.seen = int32(n), make([]bool, n)
	if err := p.to.Ranks(p.ranks); err != nil {
		return err
	}
	for {
		if err := p.skipBlanks(true); err != nil {
			return err
		}
		if p.peek() == 0 && p.atEnd() {
			return nil
		}
		if w, err := p.word("rank"); err != nil || string(w) != "rank" {
			return p.orWant(err, "want rank")
		}
		rank, err := p.number("a rank", int64(p.ranks-1), false)
		if err == nil && p.seen[rank] {
			err = fmt.Errorf("rank %d a second time", rank)
		}
		if err != nil {
			return err
		}
		p.seen[rank] = true
		if err := p.skipBlanks(true); err != nil {
			return err
		}
		if p.peek() != '{' {
			return p.unexpected("{")
		}
		p.pos++
		if err := p.to.Rank(int32(rank)); err != nil {
			return err
		}
		if err := p.operations(); err != nil {
			return err
		}
	}
}

// orWant returns err, or else an error with these words.
func (p *parser) orWant(err error, otherwise string) error {
	if err != nil {
		return err
	}
	return errors.New(otherwise)
}

// operations reads the lines of one rank and its closing brace.
func (p *parser) operations() error {
	p.ops = 0
	clear(p.numbered)
	p.numbered = p.numbered[:0]
	p.others.reset()
	for {
		if whole, err := p.fastLine(); err != nil {
			return err
		} else if whole {
			continue
		}
		if err := p.skipBlanks(true); err != nil {
			return err
		}
		if p.peek() == '}' {
			p.pos++
			return nil
		}
		w, err := p.word("an operation, a label or }")
		if err != nil {
			return err
		}
		kind, is := kindOf(w)
		if !is {
			if p.peek() == ':' { // usually follows the label directly
				var label [MaxLabel]byte
				n := copy(label[:], w)
				p.pos++
				if err := p.define(label[:n]); err != nil {
					return err
				}
				kind, err = p.operation()
				if err != nil {
					return err
				}
			} else if kind, is, err = p.labelled(w); err != nil {
				return err
			} else if !is {
				continue
			}
		}
		if err := p.finish(kind); err != nil {
			return err
		}
	}
}

// labelled reads the rest of a line after a label and a blank: a colon and an operation, or
// a requirement.
func (p *parser) labelled(w []byte) (kind Kind, isOp bool, err error) {
	var label [MaxLabel]byte
	n := copy(label[:], w)
	if err := p.skipBlanks(false); err != nil {
		return 0, false, err
	}
	if p.peek() == ':' {
		p.pos++
		if err := p.define(label[:n]); err != nil {
			return 0, false, err
		}
		kind, err := p.operation()
		return kind, true, err
	}
	op, err := p.resolve(label[:n])
	if err != nil {
		return 0, false, err
	}
	w, err = p.word("a colon, requires or irequires")
	started := string(w) == "irequires"
	if err != nil || !started && string(w) != "requires" {
		return 0, false, p.orWant(err, "want a colon, requires or irequires")
	}
	w, err = p.word("a label")
	if err != nil {
		return 0, false, err
	}
	before, err := p.resolve(w)
	if err == nil && before == op {
		err = fmt.Errorf("%s requires itself", string(w))
	}
	if err == nil {
		err = p.to.Requires(op, before, started)
	}
	if err != nil {
		return 0, false, err
	}
	return 0, false, p.lineEnd()
}

// kindOf returns the kind of operation that a word names, and whether it names one.
func kindOf(w []byte) (Kind, bool) {
	switch string(w) {
	case "send":
		return Send, true
	case "recv":
		return Recv, true
	case "calc":
		return Calc, true
	}
	return 0, false
}

// operation reads the name of an operation.
func (p *parser) operation() (Kind, error) {
	w, err := p.word("send, recv or calc")
	if err != nil {
		return 0, err
	}
	kind, is := kindOf(w)
	if !is {
		return 0, fmt.Errorf("want send, recv or calc")
	}
	return kind, nil
}

// finish reads the rest of an operation after its name.
func (p *parser) finish(kind Kind) error {
	o := Op{Kind: kind}
	var err error
	o.Size, err = p.number("a size", MaxSize, false)
	if err != nil {
		return err
	}
	way, any := "to", false
	switch kind {
	case Recv:
		way, any = "from", true
		fallthrough
	case Send:
		if p.peek() != 'b' {
			return p.unexpected("b for bytes")
		}
		p.pos++
		w, err := p.word(way)
		if err != nil || string(w) != way {
			return p.orWant(err, "want "+way)
		}
		peer, err := p.number("a rank", int64(p.ranks-1), any)
		if err != nil {
			return err
		}
		o.Peer = int32(peer)
	}
	for last := ""; ; {
		if err := p.skipBlanks(false); err != nil {
			return err
		}
		if c := p.peek(); !isLetter(c) {
			break
		}
		w, err := p.word("tag, cpu or nic")
		if err != nil {
			return err
		}
		var n int64
		switch {
		case string(w) == "tag" && kind != Calc && last == "":
			last = "tag"
			n, err = p.number("a tag", cluster.MaxTag, any)
			o.Tag = int32(n)
		case string(w) == "cpu" && (last == "" || last == "tag"):
			last = "cpu"
			n, err = p.number("a cpu", math.MaxUint8, false)
			o.CPU = uint8(n)
		case string(w) == "nic" && kind != Calc && last != "nic":
			last = "nic"
			n, err = p.number("a nic", math.MaxUint8, false)
			o.NIC = uint8(n)
		default:
			err = fmt.Errorf("want tag, cpu and nic at most once and in this order, of a calculation cpu alone")
		}
		if err != nil {
			return err
		}
	}
	if p.ops == MaxOps {
		return fmt.Errorf("more than %d operations of one rank", MaxOps)
	}
	p.ops++
	if err := p.to.Op(o); err != nil {
		return err
	}
	return p.lineEnd()
}

// lineEnd reads the end of a line. A closing brace may be there instead.
func (p *parser) lineEnd() error {
	if err := p.skipBlanks(false); err != nil {
		return err
	}
	if c := p.peek(); c != '\n' && c != '}' && (c != 0 || !p.atEnd()) {
		return p.unexpected("the end of the line")
	}
	return nil
}
