package far

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MaxPacked is the maximum size of a message in a Pack, in bytes.
const MaxPacked = 256

// The layout of a Pack: its kind and run, and for each message its entry and its data. An entry consists of varints:
// source, destination, context, tag, and four times the size plus one of the numbers below. The key follows if the message
// has a body.
const (
	packHead   = 8
	entryBytes = 6 * binary.MaxVarintLen32 // maximum size of an entry
	packBytes  = 2 << 10                   // maximum size of a Pack
)

// The contents of a message.
const (
	withData = iota
	withSize // only a size
	withBody
)

// packMessages is the maximum number of messages of a Pack. The receiver processes them while the sender fills the next
// Pack.
const packMessages = 24

// maxAnnounced is the size of the bodies of a Pack with which it leaves. The receiver may copy all of them in one poll.
const maxAnnounced = 64 << 20

// A Pack collects messages to one process, which travel in one frame. Only one goroutine uses it at a time.
type Pack struct {
	run *Run
	to  int
	b   []byte // the frame; empty: no message
	n   int    // number of messages

	announced int // bytes of their bodies
}

// A Message is a message of a Pack.
type Message struct {
	Src, Dst int32
	Ctx, Tag int32
	Size     int64
	Data     []byte // nil: the message has only a size, or a body
	Body     uint32 // key of the body; 0: none
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
	with := uint32(withData)
	switch {
	case m.Body != 0:
		with = withBody
	case m.Data == nil:
		with = withSize
	}
	size := uint32(m.Size)<<2 | with
	src, dst, ctx, tag := uint32(m.Src), uint32(m.Dst), uint32(m.Ctx), uint32(m.Tag)
	if src|dst|ctx|tag|size < 0x80 {
		b = append(b, byte(src), byte(dst), byte(ctx), byte(tag), byte(size))
	} else {
		for _, v := range [...]uint32{src, dst, ctx, tag, size} {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	if m.Body != 0 {
		return binary.AppendUvarint(b, uint64(m.Body))
	}
	return append(b, m.Data...)
}

// takeUvarint decodes a varint of at most 32 bits at the beginning of b, and returns the bytes after it. They are nil if
// the varint is damaged, or longer than necessary.
func takeUvarint(b []byte) (uint32, []byte) {
	v, n := binary.Uvarint(b)
	if n <= 0 || v > math.MaxUint32 || n > 1 && b[n-1] == 0 {
		return 0, nil
	}
	return uint32(v), b[n:]
}

// decode decodes the entry of a message at the beginning of b. It returns the bytes after the entry, and withData,
// withSize or withBody. The bytes are nil if the entry is damaged.
func (m *Message) decode(b []byte) (rest []byte, with uint32) {
	var size uint32
	if len(b) >= 5 && b[0]|b[1]|b[2]|b[3]|b[4] < 0x80 {
		m.Src, m.Dst, m.Ctx, m.Tag, size = int32(b[0]), int32(b[1]), int32(b[2]), int32(b[3]), uint32(b[4])
		b = b[5:]
	} else {
		var fields [5]uint32
		for i := range fields {
			if fields[i], b = takeUvarint(b); b == nil {
				return nil, 0
			}
		}
		m.Src, m.Dst, m.Ctx, m.Tag, size = int32(fields[0]), int32(fields[1]), int32(fields[2]), int32(fields[3]), fields[4]
	}
	m.Size, m.Body = int64(size>>2), 0
	if with = size & 3; with == withBody {
		m.Body, b = takeUvarint(b)
	}
	return b, with
}

// SendBody adds a message with the body b. If announces is true, or the Pack's bodies are long, the Pack leaves at once.
// SendBody does not copy b. sent completes after the other process has called ReceiveBody, when b may change.
func (p *Pack) SendBody(m *Message, announces bool, b []byte, sent Completion) {
	r := p.run
	if !r.fits(p.to, len(b)) {
		return
	}
	k := &r.job.keys[p.to]
	key := k.take()
	if key == 0 {
		r.fail(fmt.Errorf("process %d: %d long messages to process %d are not received: want at most %d (receive some first)",
			r.Process(), MaxKey+1, p.to, MaxKey))
		return
	}
	m.Body, m.Size, m.Data = key, int64(len(b)), nil
	p.Add(m)
	if p.announced += len(b); announces || p.announced >= maxAnnounced {
		p.Send()
	}
	d := departures.Get().(*departure)
	d.keys, d.key, d.sent = k, key, sent
	if err := r.job.sendBody(p.to, key, b, d); err != nil {
		r.job.lose(err)
	}
}

// Send sends the messages.
func (p *Pack) Send() {
	if len(p.b) == 0 {
		return
	}
	if err := p.run.job.transmit(p.to, p.b, nil); err != nil {
		p.run.job.lose(err)
	}
	p.b, p.n, p.announced = p.b[:0], 0, 0
}

// Unpack calls each with the messages of a frame, until each returns an error. A message is valid during the call. Unpack
// announces all bodies to the run, so that they can be dropped. If the run has ended, it drops messages with a body.
func (f *Frame) Unpack(each func(*Message) error) error {
	var refusal error
	m := &f.message
	for b := f.Data; len(b) > 0; {
		rest, with := m.decode(b)
		switch {
		case rest == nil:
			return fmt.Errorf("%w: an entry of a pack with %d B left", errFrame, len(b))
		case with > withBody || with == withBody && (m.Body == 0 || m.Body > MaxKey || m.Size > MaxData):
			return fmt.Errorf("%w: body %d of %d B in a pack, want a body from 1 to %d of at most %d B", errFrame, m.Body, m.Size,
				MaxKey, MaxData)
		case with != withBody && m.Size > MaxPacked || with == withData && m.Size > int64(len(rest)):
			return fmt.Errorf("%w: a message of %d B in a pack with %d B left: want at most %d B", errFrame, m.Size, len(rest),
				MaxPacked)
		case with == withData:
			m.Data, b = rest[:m.Size:m.Size], rest[m.Size:]
		default:
			m.Data, b = nil, rest
		}
		if with == withBody && f.run != nil {
			switch announced, err := f.run.announce(f.from, m); {
			case err != nil:
				return err
			case !announced:
				f.run.job.drop(dropped{f.from, m.Body, m.Size})
				continue
			}
		}
		if refusal == nil {
			refusal = each(m)
		}
	}
	return refusal
}
