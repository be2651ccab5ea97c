package far

import (
	"encoding/binary"
	"fmt"
)

// MaxPacked is the maximum size of a message in a Pack, in bytes.
const MaxPacked = 256

// The layout of a Pack: its kind and run, and for each message its entry and its data.
const (
	packHead   = 8
	entryBytes = 20
	entrySized = 1 << 31 // in the length: the message has only a size
	packBytes  = 2 << 10 // maximum size of a Pack
)

// A Pack collects short messages to one process, which travel in one frame. Only one goroutine uses it at a time.
type Pack struct {
	run *Run
	to  int
	b   []byte // the frame; empty: no message
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
	if len(p.b)+entryBytes+len(m.Data) > packBytes {
		p.Send()
	}
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
	length := uint32(m.Size)
	if m.Data == nil {
		length |= entrySized
	}
	o := binary.LittleEndian
	b = o.AppendUint32(b, uint32(m.Src))
	b = o.AppendUint32(b, uint32(m.Dst))
	b = o.AppendUint32(b, uint32(m.Ctx))
	b = o.AppendUint32(b, uint32(m.Tag))
	b = o.AppendUint32(b, length)
	return append(b, m.Data...)
}

// Send sends the messages.
func (p *Pack) Send() {
	if len(p.b) == 0 {
		return
	}
	if err := p.run.job.transmit(p.to, p.b, nil); err != nil {
		p.run.job.lose(err)
	}
	p.b = p.b[:0]
}

// Unpack calls each with the messages of a frame. A message is valid during the call.
func (f *Frame) Unpack(each func(*Message) error) error {
	m, o := &f.message, binary.LittleEndian
	for b := f.Data; len(b) > 0; {
		if len(b) < entryBytes {
			return fmt.Errorf("%w: %d B after the last message of a pack", errFrame, len(b))
		}
		length := o.Uint32(b[16:])
		n := int(length &^ entrySized)
		m.Src, m.Dst = int32(o.Uint32(b)), int32(o.Uint32(b[4:]))
		m.Ctx, m.Tag = int32(o.Uint32(b[8:])), int32(o.Uint32(b[12:]))
		m.Size, m.Data = int64(n), nil
		b = b[entryBytes:]
		isSized := length&entrySized != 0
		if n > MaxPacked || !isSized && n > len(b) {
			return fmt.Errorf("%w: a message of %d B in a pack with %d B left: want at most %d B", errFrame, n, len(b), MaxPacked)
		}
		if !isSized {
			m.Data, b = b[:n:n], b[n:]
		}
		if err := each(m); err != nil {
			return err
		}
	}
	return nil
}
