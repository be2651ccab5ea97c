package goal

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hybridtop/hybridtop/cluster"
)

// Trace is what the ranks of one launch have posted. Its ranks take turns on one thread,
// as those of a virtual clock do.
type Trace struct {
	sides    []*side
	place    func(rank int32) int32 // in the text
	tags     map[tag]int32
	spill    *os.File
	gone     bool  // its name is removed already
	spilled  int64 // bytes in it
	most     int   // bytes that a rank keeps; 0: as kept says
	failed   error // of the temporary file
	Ops      int64
	Messages int64

	eager   int64 // a message of more bytes asks first
	asked   bool  // one of them has
	stepped bool  // a collective went on in steps
}

// tag is a tag of a team.
type tag struct{ ctx, tag int32 }

// kept is how many bytes all ranks keep together, before they go to the temporary file.
const kept = 32 << 20

// New makes an empty trace, with its temporary file.
func New() (*Trace, error) {
	f, err := os.CreateTemp("", "hybridtop-*.goal")
	if err != nil {
		return nil, err
	}
	t := &Trace{spill: f, tags: map[tag]int32{}}
	t.gone = os.Remove(f.Name()) == nil // then nothing is left behind, however the process ends
	return t, nil
}

// Close removes the temporary file.
func (t *Trace) Close() error {
	err := t.spill.Close()
	if !t.gone {
		err = errors.Join(err, os.Remove(t.spill.Name()))
	}
	return err
}

// On is a fabric whose one launch the trace writes down.
func (t *Trace) On(f cluster.Fabric) cluster.Fabric { return &fabric{f, t} }

type fabric struct {
	cluster.Fabric
	trace *Trace
}

// Start implements cluster.Fabric.
func (f *fabric) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	t := f.trace
	if f.Clock(&spec.Machine) != cluster.VirtualClock {
		return nil, fmt.Errorf("GOAL is written of programs in virtual time: use a fabric that simulates, not %s", f.Name())
	}
	if t.sides != nil {
		return nil, errors.New("GOAL text holds one launch, and this trace has one")
	}
	l := spec.Layout
	n := l.Ranks()
	t.sides, t.eager = make([]*side, n), spec.Eager()
	if t.most == 0 {
		t.most = min(max(kept/n, 256), 64<<10)
	}
	t.place = func(rank int32) int32 { return rank }
	if l.Ranking == cluster.RoundRobin {
		t.place = func(rank int32) int32 { return rank%int32(l.Nodes)*int32(l.RanksPerNode) + rank/int32(l.Nodes) }
	}
	for i := range t.sides {
		t.sides[i] = newSide(t, int32(i))
	}
	return f.Fabric.Start(ctx, spec, func(p cluster.Port) (err error) {
		s := t.sides[p.ID()]
		defer func() {
			if v := recover(); v != nil {
				r, ok := v.(refusal)
				if !ok {
					panic(v)
				}
				err = r.error
			}
			s.end()
		}()
		return body(&port{p, p.(clocked), s, false})
	})
}

// refusal unwinds a rank that does what GOAL cannot say.
type refusal struct{ error }

// tagOf is the number of a team's tag.
func (t *Trace) tagOf(ctx, number int32) int32 {
	n, ok := t.tags[tag{ctx, number}]
	if !ok {
		n = int32(len(t.tags))
		t.tags[tag{ctx, number}] = n
	}
	return n
}

// Note says what a replay of the text does not know; "": nothing.
func (t *Trace) Note() string {
	if !t.asked || !t.stepped {
		return ""
	}
	return "some messages ask first (rendezvous), and collectives go on in steps: GOAL does not tell the calls of a program, between which a rank answers, from such steps; a replay may take another time"
}

// chunk is a piece of a rank's operations in the temporary file.
type chunk struct{ at, size int64 }

// kind says what an operation does.
type kind byte

const (
	send kind = iota
	recv
	calc
)

// record is an operation as it is kept: numbers, each as short as it is.
type record struct {
	kind     kind
	peer     int32 // −1: any
	tag      int32
	size     int64   // bytes, or ns
	after    int32   // that has started before; −1: none
	requires []int32 // that are complete before
}

// add appends an operation of a rank, and gives its number.
func (t *Trace) add(s *side, r record) int32 {
	i := s.ops
	b := append(s.buf, byte(r.kind))
	b = binary.AppendVarint(b, int64(r.peer))
	b = binary.AppendVarint(b, int64(r.tag))
	b = binary.AppendVarint(b, r.size)
	b = binary.AppendUvarint(b, uint64(i-r.after)) // after −1 is one more than there are before
	b = binary.AppendUvarint(b, uint64(len(r.requires)))
	for _, q := range r.requires {
		b = binary.AppendUvarint(b, uint64(i-q))
	}
	if s.buf = b; len(b) >= t.most {
		t.flush(s)
	}
	s.ops++
	t.Ops++
	if r.kind == send {
		t.Messages++
	}
	return i
}

// flush moves what a rank keeps to the temporary file.
func (t *Trace) flush(s *side) {
	if _, err := t.spill.WriteAt(s.buf, t.spilled); err != nil && t.failed == nil {
		t.failed = err
	}
	s.chunks = append(s.chunks, chunk{t.spilled, int64(len(s.buf))})
	t.spilled += int64(len(s.buf))
	s.buf = s.buf[:0]
}

// Write writes the whole program, once the launch has ended.
func (t *Trace) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "num_ranks %d\n", len(t.sides))
	byPlace := make([]*side, len(t.sides))
	for i, s := range t.sides {
		byPlace[t.place(int32(i))] = s
	}
	for i, s := range byPlace {
		if len(s.buf) > 0 {
			t.flush(s)
		}
		if t.failed != nil {
			return t.failed
		}
		fmt.Fprintf(out, "\nrank %d {\n", i)
		if err := t.write(out, s); err != nil {
			return err
		}
		fmt.Fprintln(out, "}")
	}
	return out.Flush()
}

// write writes the operations of a rank.
func (t *Trace) write(out *bufio.Writer, s *side) error {
	parts := make([]io.Reader, len(s.chunks))
	for i, c := range s.chunks {
		parts[i] = io.NewSectionReader(t.spill, c.at, c.size)
	}
	in := bufio.NewReaderSize(io.MultiReader(parts...), 1<<16)
	for i := range s.ops {
		if err := t.line(out, in, i); err != nil {
			return fmt.Errorf("%s: operation %d of %d: %w", t.spill.Name(), i+1, s.ops, err)
		}
	}
	return nil
}

// line writes operation i, and what it requires.
func (t *Trace) line(out *bufio.Writer, in *bufio.Reader, i int32) error {
	k, err := in.ReadByte()
	var signed [3]int64
	for j := range signed {
		if err == nil {
			signed[j], err = binary.ReadVarint(in)
		}
	}
	var back, n uint64
	if err == nil {
		back, err = binary.ReadUvarint(in)
	}
	if err == nil {
		n, err = binary.ReadUvarint(in)
	}
	if err != nil {
		return err
	}
	peer, tag, size := int32(signed[0]), signed[1], signed[2]
	if peer >= 0 {
		peer = t.place(peer)
	}
	switch kind(k) {
	case send:
		fmt.Fprintf(out, "l%d: send %db to %d tag %d\n", i+1, size, peer, tag)
	case recv:
		fmt.Fprintf(out, "l%d: recv %db from %d tag %d\n", i+1, size, peer, tag)
	default:
		fmt.Fprintf(out, "l%d: calc %d\n", i+1, size)
	}
	if after := i - int32(back); after >= 0 {
		fmt.Fprintf(out, "l%d irequires l%d\n", i+1, after+1)
	}
	for range n {
		if back, err = binary.ReadUvarint(in); err != nil {
			return err
		}
		fmt.Fprintf(out, "l%d requires l%d\n", i+1, i-int32(back)+1)
	}
	return nil
}
