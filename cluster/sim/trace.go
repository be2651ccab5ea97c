package sim

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// Every time of a traced run has a record: the last piece of a chain of dependencies. The spans of
// the chain add up to the time. A resource has the record of the time at which it becomes free. The
// chain of a message that waited continues there, with the message that held the resource.

// noCause is the record of time 0.
const noCause int32 = -1

// A record is a piece of time in a chain of dependencies, or a reason without time.
type record struct {
	before int32
	// the rank, from bit 20 on the constant or the resource, from bit 27 on the note
	what uint32
	span cluster.Time
}

const (
	rankBits     = 20
	constantBits = 7
)

func (r *record) rank() int32        { return int32(r.what & (1<<rankBits - 1)) }
func (r *record) constant() Constant { return Constant(r.what >> rankBits & (1<<constantBits - 1)) }
func (r *record) note() Note         { return Note(r.what >> (rankBits + constantBits)) }

// Note qualifies a piece of a path: why its constant is exceeded, or why the path changes the rank.
type Note uint8

// The notes. The first three belong to time, the others to a change of rank.
const (
	NoNote Note = iota
	NoteNoise
	NoteSlow
	NoteSender   // the message was sent late
	NoteReceive  // the receive was posted late
	NotePoll     // the rank made no call that could answer
	NoteLast     // the rank was the last one at a barrier
	NoteHeld     // another message held the resource
	NoteLocked   // another thread held the lock
	NoteReply    // the target answered
	NoteJoin     // another thread of the rank ended last
	NoteContinue // the rank continued an operation for others
	Notes
)

var noteNames = [Notes]string{"", "noise", "slow part", "late sender", "late receive", "no rank polled",
	"last at the barrier", "held by another message", "lock", "reply", "last thread", "handshake"}

// String returns the note in words.
func (n Note) String() string { return noteNames[n] }

// Resource is something that one message or thread holds at a time.
type Resource uint8

// The resources.
const (
	NoResource Resource = iota
	AdapterOut
	AdapterIn
	NetworkLink
	Mover
	Memory
	MessageServer
	DevicePath
	DeviceQueue
	AtomicWord
	LibraryLock
	Injection
	MessageOrder
	CollectiveTree
	Counter
	Resources
)

var resourceNames = [Resources]string{"", "sending adapter", "receiving adapter", "link", "core that moves bytes", "memory",
	"message server", "path to the device", "device", "atomic word", "lock", "injection of a thread", "order of messages",
	"collective network", "loop counter"}

// String returns the name of the resource.
func (r Resource) String() string { return resourceNames[r] }

// Records are stored in chunks, so that a growing trace is never copied.
const (
	chunkBits  = 14
	maxRecords = 1 << 27 // 2 GiB
	// larger traces allocate blocks of chunks with huge pages
	smallTrace  = 16
	blockChunks = 64
)

// trace records the causes of time: a tree of records whose leaves are the current times, and the
// timeline of threads.
type trace struct {
	on       bool // records are kept
	watched  bool // records or a timeline are kept
	arrows   bool // the timeline has messages
	recorder *timeline.Recorder
	voyages  []voyage   // by message, if recorded
	bySlot   [][]voyage // by rank and slot, if recorded
	chunks   [][]record
	block    []record // memory of the next chunks
	records  int32
	full     bool // no more records are kept, because the limit is reached
	holders
	marks
	snapshots []entries
}

func newTrace(on bool, s *cluster.Spec, n *network) trace {
	t := trace{on: on, recorder: timeline.Of(s)}
	if t.recorder != nil {
		t.bySlot = make([][]voyage, s.Layout.Ranks())
	}
	t.watched, t.arrows = on || t.recorder != nil, t.recorder != nil && t.recorder.Arrows()
	if on {
		t.holders = newHolders(s, n)
		t.marks = newMarks(s.Layout.Ranks())
	}
	return t
}

// checkTrace returns an error if a layout is too large for a trace.
func checkTrace(l *cluster.Layout) error {
	if l.Ranks() > 1<<rankBits {
		return fmt.Errorf("a trace of %d ranks: want at most %d (use fewer ranks)", l.Ranks(), 1<<rankBits)
	}
	return nil
}

func (t *trace) at(i int32) *record { return &t.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }

// charge records a span of time with its constant, and returns the record for the following time.
func (t *trace) charge(before int32, span cluster.Time, why Constant, rank int32) int32 {
	if !t.on || span == 0 {
		return before
	}
	return t.add(before, span, why, NoNote, rank)
}

// add appends a record.
func (t *trace) add(before int32, span cluster.Time, why Constant, note Note, rank int32) int32 {
	at := t.records & (1<<chunkBits - 1)
	if at == 0 {
		if t.records >= maxRecords {
			t.full = true
			return before
		}
		t.chunks = append(t.chunks, t.newChunk())
	}
	t.chunks[len(t.chunks)-1][at] = record{before: before, span: span,
		what: uint32(rank) | uint32(why)<<rankBits | uint32(note)<<(rankBits+constantBits)}
	t.records++
	return t.records - 1
}

// newChunk returns memory for records. A large trace allocates many chunks at once.
func (t *trace) newChunk() []record {
	if len(t.block) == 0 {
		n := 1
		if len(t.chunks) >= smallTrace {
			n = blockChunks
		}
		t.block = make([]record, n<<chunkBits)
		if n > 1 {
			useHugePages(t.block)
		}
	}
	c := t.block[: 1<<chunkBits : 1<<chunkBits]
	t.block = t.block[1<<chunkBits:]
	return c
}

// extra records time in addition to a constant's, such as noise, that is proportional to it.
func (t *trace) extra(before int32, span cluster.Time, why Constant, note Note, rank int32) int32 {
	if !t.on || span == 0 {
		return before
	}
	return t.add(before, span, why, note, rank)
}

// because records a reason without time.
func (t *trace) because(before int32, note Note, of Resource, rank int32) int32 {
	if !t.on {
		return before
	}
	return t.add(before, 0, Constant(of), note, rank)
}

// held returns the chain of a user of a resource that becomes free later than the user arrives.
func (t *trace) held(by int32, of Resource, rank int32) int32 {
	return t.add(by, 0, Constant(of), NoteHeld, rank)
}

// combine adds a choice to the hash of a resource's choices.
func combine(h *uint64, x uint64) { *h = (*h ^ x) * 1099511628211 }

// taker identifies a message for the hash of choices.
func (m *msg) taker() uint64 {
	return uint64(m.src)<<44 ^ uint64(m.dst)<<24 ^ uint64(m.kind)<<20 ^ uint64(m.size)*0x9e3779b97f4a7c15 ^ uint64(m.tag)
}
