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

// A Recorder holds the operations that the ranks of one launch post. The ranks of a virtual
// clock run one at a time, so it needs no lock.
type Recorder struct {
	ranks    []*rankRecorder
	textRank func(rank int32) int32 // the number of a rank in the text
	tags     map[tag]int32
	spill    *os.File
	removed  bool  // the temporary file has no name
	spilled  int64 // bytes in it
	limit    int   // bytes that a rank keeps in memory; 0: its share of keptBytes
	failed   error // of the temporary file
	Ops      int64
	Messages int64

	eager          int64 // larger messages use rendezvous
	usesRendezvous bool  // some message does
	stepped        bool  // some collective ran as continuations
}

// tag is a tag of a team.
type tag struct{ ctx, tag int32 }

// keptBytes is the maximum number of bytes in memory, of all ranks.
const keptBytes = 32 << 20

// NewRecorder returns an empty recorder, with its temporary file.
func NewRecorder() (*Recorder, error) {
	f, err := os.CreateTemp("", "hybridtop-*.goal")
	if err != nil {
		return nil, err
	}
	t := &Recorder{spill: f, tags: map[tag]int32{}}
	t.removed = os.Remove(f.Name()) == nil // so that a killed process leaves no file
	return t, nil
}

// Close removes the temporary file.
func (t *Recorder) Close() error {
	err := t.spill.Close()
	if !t.removed {
		err = errors.Join(err, os.Remove(t.spill.Name()))
	}
	return err
}

// On returns a fabric that runs f, and records its only launch.
func (t *Recorder) On(f cluster.Fabric) cluster.Fabric { return &fabric{Fabric: f, recorder: t} }

type fabric struct {
	cluster.Fabric
	recorder *Recorder
}

// Start implements cluster.Fabric.
func (f *fabric) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	t := f.recorder
	if f.Clock(&spec.Machine) != cluster.VirtualClock {
		return nil, fmt.Errorf("GOAL needs a program in virtual time: want a simulated fabric, got %s", f.Name())
	}
	if t.ranks != nil {
		return nil, errors.New("the recorder already has a launch; GOAL text holds one")
	}
	l := spec.Layout
	n := l.Ranks()
	t.ranks, t.eager = make([]*rankRecorder, n), spec.Eager()
	if t.limit == 0 {
		t.limit = min(max(keptBytes/n, 256), 64<<10)
	}
	t.textRank = func(rank int32) int32 { return rank }
	if l.Ranking != cluster.Sequential {
		t.textRank = func(rank int32) int32 { return int32(l.PositionOf(int(rank), spec.Machine.Sockets)) }
	}
	for i := range t.ranks {
		t.ranks[i] = newRankRecorder(t, int32(i))
	}
	return f.Fabric.Start(ctx, spec, func(p cluster.Port) (err error) {
		s := t.ranks[p.ID()]
		defer func() {
			if v := recover(); v != nil {
				r, ok := v.(refusal)
				if !ok {
					panic(v)
				}
				err = r.error
			}
			s.flushComputation()
		}()
		return body(&port{Port: p, clock: p.(clocked), s: s})
	})
}

// refusal unwinds a rank whose operation GOAL does not have.
type refusal struct{ error }

// tagOf returns the number of a team's tag.
func (t *Recorder) tagOf(ctx, number int32) int32 {
	n, ok := t.tags[tag{ctx: ctx, tag: number}]
	if !ok {
		n = int32(len(t.tags))
		t.tags[tag{ctx: ctx, tag: number}] = n
	}
	return n
}

// Note returns a sentence if a replay of the text may take another time, or "".
func (t *Recorder) Note() string {
	if !t.usesRendezvous || !t.stepped {
		return ""
	}
	return "some messages use rendezvous, and collectives run as continuations: a replay may take another time, " +
		"because GOAL does not mark the calls between which a rank answers"
}

// chunk is a part of a rank's operations in the temporary file.
type chunk struct{ at, size int64 }

// record is an operation with its requirements.
type record struct {
	Op
	after    int32   // the operation that has to start before; −1: none
	requires []int32 // the operations that have to be complete before
}

// add appends an operation of a rank, and returns its number. Numbers are stored in variable
// length, operations as distances.
func (t *Recorder) add(s *rankRecorder, r record) int32 {
	i := s.ops
	b := append(s.buf, byte(r.Kind))
	b = binary.AppendVarint(b, int64(r.Peer))
	b = binary.AppendVarint(b, int64(r.Tag))
	b = binary.AppendVarint(b, r.Size)
	b = binary.AppendUvarint(b, uint64(i-r.after)) // i + 1: none
	b = binary.AppendUvarint(b, uint64(len(r.requires)))
	for _, q := range r.requires {
		b = binary.AppendUvarint(b, uint64(i-q))
	}
	s.buf = b
	if len(b) >= t.limit {
		t.flush(s)
	}
	s.ops++
	t.Ops++
	if r.Kind == Send {
		t.Messages++
	}
	return i
}

// flush moves the operations of a rank that are in memory to the temporary file.
func (t *Recorder) flush(s *rankRecorder) {
	if _, err := t.spill.WriteAt(s.buf, t.spilled); err != nil && t.failed == nil {
		t.failed = err
	}
	s.chunks = append(s.chunks, chunk{at: t.spilled, size: int64(len(s.buf))})
	t.spilled += int64(len(s.buf))
	s.buf = s.buf[:0]
}

// Write writes the recorded operations as GOAL text. The launch must have ended.
func (t *Recorder) Write(w io.Writer) error {
	out := newWriter(w, len(t.ranks))
	byTextRank := make([]*rankRecorder, len(t.ranks))
	for i, s := range t.ranks {
		byTextRank[t.textRank(int32(i))] = s
	}
	for i, s := range byTextRank {
		if len(s.buf) > 0 {
			t.flush(s)
		}
		if t.failed != nil {
			return t.failed
		}
		out.begin(i)
		if err := t.writeRank(out, s); err != nil {
			return err
		}
		out.end()
	}
	return out.Flush()
}

// writeRank writes the operations of a rank.
func (t *Recorder) writeRank(out writer, s *rankRecorder) error {
	parts := make([]io.Reader, len(s.chunks))
	for i, c := range s.chunks {
		parts[i] = io.NewSectionReader(t.spill, c.at, c.size)
	}
	in := bufio.NewReaderSize(io.MultiReader(parts...), 1<<16)
	for i := range s.ops {
		if err := t.writeOp(out, in, i); err != nil {
			return fmt.Errorf("%s: operation %d of %d: %w", t.spill.Name(), i+1, s.ops, err)
		}
	}
	return nil
}

// writeOp writes operation i and its requirements.
func (t *Recorder) writeOp(out writer, in *bufio.Reader, i int32) error {
	kind, err := in.ReadByte()
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
	o := Op{Kind: Kind(kind), Peer: int32(signed[0]), Tag: int32(signed[1]), Size: signed[2]}
	if o.Peer >= 0 {
		o.Peer = t.textRank(o.Peer)
	}
	out.op(i, &o)
	if after := i - int32(back); after >= 0 {
		out.requires(i, after, true)
	}
	for range n {
		back, err = binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		out.requires(i, i-int32(back), false)
	}
	return nil
}
