package cluster

import "sync/atomic"

// The sizes of a board.
const (
	BoardPlaces = 24
	BoardWords  = 16
	BoardNotes  = 8
)

// Board is the shared control block of a context, if all of its members can load and store each
// other's memory. It has the addresses of exposed buffers, and flags that members increment and
// wait for (KindFlagAdd, KindFlagWait). Writes of a member before it increments a flag are visible to
// members that have waited for the flag.
type Board struct {
	shown [BoardPlaces][][]byte
	notes [BoardNotes][]atomic.Uint64
	Words [BoardWords]Word

	// The fields below are for fabrics with a wall clock (Port.Direct).
	SpinLimit int // number of polls of a flag before a member sleeps, if each member has a core
	// smallest value that a sleeping member waits for; at most the flag's value: no member sleeps
	WakeAt [BoardWords]atomic.Uint64
}

// Raise adds to a flag, on a fabric with a wall clock. It reports whether a member may sleep until
// the flag has its new value. The caller then posts KindFlagAdd with 0, and the fabric wakes the
// member.
func (b *Board) Raise(word int32, by uint64) (wake bool) {
	n := b.Words[word].N.Add(by)
	want := b.WakeAt[word].Load()
	return n-by < want && want <= n
}

// Word is a counter that never decreases. On a fabric with a wall clock (Port.Direct), a load sees
// its value; on other fabrics only KindFlagWait does. Its cache line also holds the sum of words that
// describe the calls of the increments, and some words of data.
type Word struct {
	N     atomic.Uint64
	Calls atomic.Uint64
	Room  [6]uint64
}

// NewBoard returns the board of a context with the given number of members, for a fabric.
func NewBoard(members int) *Board {
	b := &Board{}
	all := make([][]byte, BoardPlaces*members)
	for i := range b.shown {
		b.shown[i] = all[i*members : (i+1)*members : (i+1)*members]
	}
	words := make([]atomic.Uint64, BoardNotes*members)
	for i := range b.notes {
		b.notes[i] = words[i*members : (i+1)*members : (i+1)*members]
	}
	return b
}

// Note stores a word of a member. Members that wait for a later increment of the member see it.
// Members whose calls differ may read it before.
func (b *Board) Note(at, member int, what uint64) {
	if w := &b.notes[at][member]; w.Load() != what { // do not invalidate a cache line that others read
		w.Store(what)
	}
}

// Notes returns the words that all members have stored, by member; for loads only.
func (b *Board) Notes(at int) []atomic.Uint64 { return b.notes[at] }

// Expose publishes a buffer of a member at a place.
func (b *Board) Expose(place, member int, buf []byte) { b.shown[place][member] = buf }

// Peer returns the buffer that a member has last exposed at a place.
func (b *Board) Peer(place, member int) []byte { return b.shown[place][member] }

// Peers returns the buffers of all members at a place, by member; read only.
func (b *Board) Peers(place int) [][]byte { return b.shown[place] }
