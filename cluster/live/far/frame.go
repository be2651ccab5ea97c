package far

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// Kind is the type of a frame.
type Kind uint8

// The types of frames. A token identifies a pending operation of the process that created it.
const (
	kindStart   Kind = iota // of the job: the process begins the run
	kindAbort               // of the job: the process aborts the run
	Eager                   // a message with its bytes
	Messages                // several messages: Data has the entries of a Pack
	RTS                     // announces a message without a body; Req is the token of the send
	RPC                     // runs Fn with Arg and Data
	Put                     // writes Data; then signals, or runs Fn
	Get                     // reads Size bytes
	Atomic                  // applies AtomicOp Arg
	Reply                   // completes the operation Req, for example a matched send; Data has the bytes of a get
	Barrier                 // a process has entered round Tag of the barrier of context Ctx
	Done                    // all bodies of a process have returned
	Ask                     // asks for a report of the waiting ranks, with the number A
	Report                  // answers an Ask: Data is the report
	Publication             // sends Data to process 0, see cluster.Spread
	Asleep                  // a rank has slept for a whole period; for process 0
	Alert                   // wakes rank Dst: another process has changed a word of its segment
	kindAlive               // of the job: the process is alive; the first one has its identity in Data
	kindBye                 // of the job: the process has ended its last run
	kindLong                // of the job: a frame of Size bytes follows
	kinds
)

// Frame is one operation on a rank of another process, or a part of one.
type Frame struct {
	Kind     Kind
	SigOp    cluster.SigOp
	Err      cluster.Code
	Sized    bool // Data is nil: the operation has only a size
	Src, Dst int32
	Ctx, Tag int32
	Fn, Arg  int32
	Req      uint64 // token of the operation
	A, B     uint64
	Size     int64
	Off, Sig int64
	Vec      []cluster.Span
	Shape    *cluster.Strided
	Data     []byte

	// of Unpack
	message Message
	run     *Run // announces bodies; nil: none does
	from    int
}

// The layout of a frame: its head, the spans or the shape, and the data.
const (
	headBytes  = 84
	spanBytes  = 16
	shapeBytes = 8 * 9
)

const (
	flagSized = 1 << iota
	flagShape
)

// encode appends a frame of a run to b, without its data. The data follow it.
func (f *Frame) encode(b []byte, run uint32) []byte {
	if f.Kind == Messages {
		return appendPackHead(b, run)
	}
	flags := byte(0)
	if f.Sized {
		flags |= flagSized
	}
	if f.Shape != nil {
		flags |= flagShape
	}
	o := binary.LittleEndian
	b = append(b, byte(f.Kind), byte(f.SigOp), byte(f.Err), flags)
	for _, v := range [...]uint32{run, uint32(f.Src), uint32(f.Dst), uint32(f.Ctx), uint32(f.Tag), uint32(f.Fn),
		uint32(f.Arg), uint32(len(f.Vec))} {
		b = o.AppendUint32(b, v)
	}
	for _, v := range [...]uint64{f.Req, f.A, f.B, uint64(f.Size), uint64(f.Off), uint64(f.Sig)} {
		b = o.AppendUint64(b, v)
	}
	for _, s := range f.Vec {
		b = o.AppendUint64(o.AppendUint64(b, uint64(s.Off)), uint64(s.Len))
	}
	if s := f.Shape; s != nil {
		for _, v := range [...]int64{s.Block, int64(s.Count[0]), int64(s.Count[1]), s.Far.Off, s.Far.Stride[0],
			s.Far.Stride[1], s.Near.Off, s.Near.Stride[0], s.Near.Stride[1]} {
			b = o.AppendUint64(b, uint64(v))
		}
	}
	return b
}

// encodedSize returns the size of the frame in bytes, with its data.
func (f *Frame) encodedSize() int {
	n := headBytes + len(f.Vec)*spanBytes + len(f.Data)
	if f.Shape != nil {
		n += shapeBytes
	}
	return n
}

var errFrame = errors.New("damaged frame")

// decode decodes a frame into f and returns the number of its run. Data points into b.
func (f *Frame) decode(b []byte) (run uint32, err error) {
	o := binary.LittleEndian
	if len(b) >= packHead && Kind(b[0]) == Messages {
		*f = Frame{Kind: Messages, Data: b[packHead:]}
		return o.Uint32(b[4:]), nil
	}
	if len(b) < headBytes {
		return 0, fmt.Errorf("%w: %d B, want at least %d B", errFrame, len(b), headBytes)
	}
	word := func(i int) int32 { return int32(o.Uint32(b[4+4*i:])) }
	long := func(i int) uint64 { return o.Uint64(b[36+8*i:]) }
	flags := b[3]
	*f = Frame{Kind: Kind(b[0]), SigOp: cluster.SigOp(b[1]), Err: cluster.Code(b[2]), Sized: flags&flagSized != 0,
		Src: word(1), Dst: word(2), Ctx: word(3), Tag: word(4), Fn: word(5), Arg: word(6),
		Req: long(0), A: long(1), B: long(2), Size: int64(long(3)), Off: int64(long(4)),
		Sig: int64(long(5))}
	run = uint32(word(0))
	spans := int(o.Uint32(b[32:]))
	rest := b[headBytes:]
	switch {
	case f.Kind >= kinds:
		return 0, fmt.Errorf("%w: kind %d, want at most %d", errFrame, f.Kind, kinds-1)
	case flags&^(flagSized|flagShape) != 0 || f.SigOp > cluster.SigAdd || f.Size < 0:
		return 0, fmt.Errorf("%w: flags %#x, signal %d, size %d", errFrame, flags, f.SigOp, f.Size)
	case spans > len(rest)/spanBytes:
		return 0, fmt.Errorf("%w: %d spans in %d B", errFrame, spans, len(rest))
	}
	if spans > 0 {
		f.Vec = make([]cluster.Span, spans)
		for i := range f.Vec {
			f.Vec[i] = cluster.Span{Off: int64(o.Uint64(rest)), Len: int64(o.Uint64(rest[8:]))}
			rest = rest[spanBytes:]
		}
	}
	if flags&flagShape != 0 {
		if len(rest) < shapeBytes {
			return 0, fmt.Errorf("%w: %d B for a shape, want %d B", errFrame, len(rest), shapeBytes)
		}
		at := func(i int) int64 { return int64(o.Uint64(rest[8*i:])) }
		f.Shape = &cluster.Strided{Block: at(0), Count: [2]int{int(at(1)), int(at(2))},
			Far:  cluster.Lattice{Off: at(3), Stride: [2]int64{at(4), at(5)}},
			Near: cluster.Lattice{Off: at(6), Stride: [2]int64{at(7), at(8)}}}
		rest = rest[shapeBytes:]
	}
	switch {
	case !f.Sized:
		f.Data = rest
	case len(rest) > 0:
		return 0, fmt.Errorf("%w: %d B of data in a frame without data", errFrame, len(rest))
	}
	return run, nil
}
