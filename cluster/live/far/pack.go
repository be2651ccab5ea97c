package far

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MaxPacked is the maximum size of a message in a Pack, in bytes.
const MaxPacked = 256

// The layout of a Pack: its kind and run, and for each message its entry and its data. An entry consists of five
// varints: source, destination, context, tag, and twice the size, plus 1 if the message has only a size.
const (
	packHead   = 8
	entryBytes = 5 * binary.MaxVarintLen32 // maximum size of an entry
	packBytes  = 2 << 10                   // maximum size of a Pack
)

// packMessages is the maximum number of messages of a Pack. The receiver processes them while the sender fills the next
// Pack.
const packMessages = 24

// A Pack collects short messages to one process, which travel in one frame. Only one goroutine uses it at a time.
type Pack struct {
	run *Run
	to  int
	b   []byte // the frame; empty: no message
	n   int    // number of messages
}

// A Message is a message of a Pack.
type Message struct {
	Src, Dst int32
	Ctx, Tag int32
	Size     int64
	Data     []byte // nil: the message has only a size
}

// NewPack returns an empty Pack for messages to a process.
func (r *Run) NewPack(to int) *Pack {
	return &Pack{run: r, to: to, b: make([]byte, 0, packBytes)}
}

// Add adds a message of at most MaxPacked bytes. If the Pack is full, it sends the earlier messages first.
func (p *Pack) Add(m *Message) {
	if p.n == packMessages || len(p.b)+entryBytes+len(m.Data) > packBytes {
		p.Send()
	}
	p.n++
	if len(p.b) == 0 {
		p.b = appendPackHead(p.b, p.run.number)
	}
	p.b = m.encode(p.b)
}

func appendPackHead(b []byte, run uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(b, byte(Messages), 0, 0, 0), run)
}

// encode appends the message to b.
func (m *Message) encode(b []byte) []byte {
	size := uint32(m.Size) << 1
	if m.Data == nil {
		size |= 1
	}
	src, dst, ctx, tag := uint32(m.Src), uint32(m.Dst), uint32(m.Ctx), uint32(m.Tag)
	if src|dst|ctx|tag|size < 0x80 {
		b = append(b, byte(src), byte(dst), byte(ctx), byte(tag), byte(size))
	} else {
		for _, v := range [...]uint32{src, dst, ctx, tag, size} {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	return append(b, m.Data...)
}

// decode decodes the entry of a message at the beginning of b, and returns the bytes after it. They are nil if the
// entry is damaged.
func (m *Message) decode(b []byte) (rest []byte, isSized bool) {
	var fields [5]uint32
	if len(b) >= 5 && b[0]|b[1]|b[2]|b[3]|b[4] < 0x80 {
		fields = [...]uint32{uint32(b[0]), uint32(b[1]), uint32(b[2]), uint32(b[3]), uint32(b[4])}
		b = b[5:]
	} else {
		for i := range fields {
			v, n := binary.Uvarint(b)
			if n <= 0 || v > math.MaxUint32 || n > 1 && b[n-1] == 0 {
				return nil, false
			}
			fields[i], b = uint32(v), b[n:]
		}
	}
	m.Src, m.Dst, m.Ctx, m.Tag = int32(fields[0]), int32(fields[1]), int32(fields[2]), int32(fields[3])
	m.Size = int64(fields[4] >> 1)
	return b, fields[4]&1 != 0
}

// Send sends the messages.
func (p *Pack) Send() {
	if len(p.b) == 0 {
		return
	}
	if err := p.run.job.transmit(p.to, p.b, nil); err != nil {
		p.run.job.lose(err)
	}
	p.b, p.n = p.b[:0], 0
}

// Unpack calls each with the messages of a frame. A message is valid during the call.
func (f *Frame) Unpack(each func(*Message) error) error {
	m := &f.message
	for b := f.Data; len(b) > 0; {
		rest, isSized := m.decode(b)
		switch {
		case rest == nil:
			return fmt.Errorf("%w: an entry of a pack with %d B left", errFrame, len(b))
		case m.Size > MaxPacked || !isSized && m.Size > int64(len(rest)):
			return fmt.Errorf("%w: a message of %d B in a pack with %d B left: want at most %d B", errFrame, m.Size, len(rest),
				MaxPacked)
		case isSized:
			m.Data, b = nil, rest
		default:
			m.Data, b = rest[:m.Size:m.Size], rest[m.Size:]
		}
		if err := each(m); err != nil {
			return err
		}
	}
	return nil
}
