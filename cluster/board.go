package cluster

import "sync/atomic"

// What a board has room for.
const (
	BoardPlaces = 24
	BoardWords  = 16
	BoardNotes  = 8
)

// Board is memory that the members of a context share, where loads and stores get from
// each of them to all others: buffers that they show, and words that they raise and
// await (KindRaise, KindReached). What a member has shown or written before it raises a
// word is there for those who have seen the word reached.
type Board struct {
	shown [BoardPlaces][][]byte
	notes [BoardNotes][]uint64
	Words [BoardWords]Word

	// Of a fabric whose time is the host's own (Port.Direct).
	Looks int                       // how often a member may look for a word before it awaits it: it has a core of its own
	Wants [BoardWords]atomic.Uint64 // the least that a sleeping member waits for; up to what the word has: none sleeps
}

// Raise adds to a word, where the fabric's time is the host's own. It reports whether a
// member may sleep for what the word has now: the caller then raises it by 0 (KindRaise),
// and the fabric wakes the member.
func (b *Board) Raise(word int32, by uint64) (wake bool) {
	n := b.Words[word].N.Add(by)
	want := b.Wants[word].Load()
	return n-by < want && want <= n
}

// Word is one that only grows. Where the fabric's time is the host's own (Port.Direct)
// a load of it sees what has been raised; elsewhere only KindReached knows when that is.
// Its cache line has room for some words of data, which come along with it.
type Word struct {
	N    atomic.Uint64
	Room [7]uint64
}

// NewBoard makes the board of so many members, for a fabric.
func NewBoard(members int) *Board {
	b := &Board{}
	all := make([][]byte, BoardPlaces*members)
	for i := range b.shown {
		b.shown[i] = all[i*members : (i+1)*members : (i+1)*members]
	}
	words := make([]uint64, BoardNotes*members)
	for i := range b.notes {
		b.notes[i] = words[i*members : (i+1)*members : (i+1)*members]
	}
	return b
}

// Note leaves a member's word for those who see what it raises after.
func (b *Board) Note(at, member int, what uint64) {
	if b.notes[at][member] != what { // a line that others read is left to them
		b.notes[at][member] = what
	}
}

// Notes is what all have noted, by member; read only.
func (b *Board) Notes(at int) []uint64 { return b.notes[at] }

// Expose lets the others see a buffer of a member at a place.
func (b *Board) Expose(place, member int, buf []byte) { b.shown[place][member] = buf }

// Peer is what a member has last exposed at a place.
func (b *Board) Peer(place, member int) []byte { return b.shown[place][member] }

// Peers is what all have, by member; read only.
func (b *Board) Peers(place int) [][]byte { return b.shown[place] }
