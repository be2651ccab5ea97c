package msgrate

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// pair is a rank and its partner.
type pair struct {
	partner int  // rank of the cluster; −1: none
	sends   bool // this rank sends first
	all     int  // number of pairs
}

// pairOf returns the pair of a rank. Each rank of the first half that may call MPI has a partner in
// the second half. The order is the cluster's, not the order of MPI's ranks. With an odd number, the
// last rank has no partner.
func pairOf(r *cluster.Rank) pair {
	members := slices.Sorted(slices.Values(r.World().Members()))
	half := len(members) / 2
	at, _ := slices.BinarySearch(members, int32(r.ID()))
	switch {
	case at < half:
		return pair{partner: int(members[at+half]), sends: true, all: half}
	case at < 2*half:
		return pair{partner: int(members[at-half]), all: half}
	}
	return pair{partner: -1, all: half}
}

// channelsOf returns the team of each thread. All members of r.World() call it.
func channelsOf(r *cluster.Rank, kind string, threads int) ([]*cluster.Team, error) {
	switch kind {
	case endpoints:
		return r.Endpoints(r.World(), threads)
	case communicators:
		teams := make([]*cluster.Team, threads)
		for i := range teams {
			var err error
			teams[i], err = r.Dup(r.World())
			if err != nil {
				return nil, err
			}
		}
		return teams, nil
	}
	return slices.Repeat([]*cluster.Team{r.World()}, threads), nil
}

// lane is a thread's side of its pair of threads. Messages have numbers, which count from 1 in each
// lane and each direction.
type lane struct {
	team     *cluster.Team
	peer     int // in the team
	tag      int // number of the thread
	slots    [][]byte
	requests []cluster.Request
	sent     uint64
	got      uint64
	wrong    string // the first wrong message
}

func newLane(team *cluster.Team, partner, thread int, p engine.Probe) *lane {
	size, window := int(p.Int("size")), int(p.Int("window"))
	l := &lane{team: team, peer: team.Local(partner), tag: thread, slots: make([][]byte, window),
		requests: make([]cluster.Request, window)}
	for i := range l.slots {
		l.slots[i] = make([]byte, size)
		fill(l.slots[i], thread)
	}
	return l
}

// fill fills a message after its number with the bytes of a thread.
func fill(b []byte, thread int) {
	for i := number; i < len(b); i++ {
		b[i] = byte(i + i>>8*31 + thread)
	}
}

// stamp sets the number of a message.
func stamp(b []byte, n uint64) { binary.LittleEndian.PutUint64(b, n) }

// numberOf returns the number of a message.
func numberOf(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// sendWindow sends a window of messages.
func (l *lane) sendWindow(r *cluster.Rank) error {
	for i := range l.requests {
		l.sent++
		stamp(l.slots[i], l.sent)
		if err := r.Isend(&l.requests[i], l.team, l.peer, l.tag, cluster.Of(l.slots[i])); err != nil {
			return err
		}
	}
	return r.Waitall(l.requests, nil)
}

// receiveWindow receives a window of messages and checks their numbers.
func (l *lane) receiveWindow(r *cluster.Rank) error {
	for i := range l.requests {
		if err := r.Irecv(&l.requests[i], l.team, l.peer, l.tag, cluster.Of(l.slots[i])); err != nil {
			return err
		}
	}
	if err := r.Waitall(l.requests, nil); err != nil {
		return err
	}
	for i := range l.slots {
		l.got++
		l.check(r, l.slots[i], l.got)
	}
	return nil
}

// trip sends a message and receives one, or the other way round.
func (l *lane) trip(r *cluster.Rank, first bool) error {
	send := func() error {
		l.sent++
		stamp(l.slots[0], l.sent)
		return r.Send(l.team, l.peer, l.tag, cluster.Of(l.slots[0]))
	}
	receive := func() error {
		if _, err := r.Recv(l.team, l.peer, l.tag, cluster.Of(l.slots[0])); err != nil {
			return err
		}
		l.got++
		l.check(r, l.slots[0], l.got)
		return nil
	}
	if !first {
		send, receive = receive, send
	}
	if err := send(); err != nil {
		return err
	}
	return receive()
}

// endTag is the tag of empty messages.
const endTag = 1 << 14

// signal sends an empty message, and awaitSignal receives it.
func (l *lane) signal(r *cluster.Rank) error {
	return r.Send(l.team, l.peer, endTag+l.tag, cluster.Data{})
}

func (l *lane) awaitSignal(r *cluster.Rank) error {
	_, err := r.Recv(l.team, l.peer, endTag+l.tag, cluster.Data{})
	return err
}

// check records a message that is not the one with a number.
func (l *lane) check(r *cluster.Rank, b []byte, want uint64) {
	if l.wrong != "" {
		return
	}
	if got := numberOf(b); got != want {
		l.wrong = fmt.Sprintf("rank %d, thread %d: got message %d, want %d", r.ID(), l.tag, got, want)
	}
}

// checkRest records a wrong byte after the number, in the messages that the slots have now.
func (l *lane) checkRest(r *cluster.Rank) {
	for i, b := range l.slots {
		l.checkBytes(r, b, l.tag, i)
	}
}

func (l *lane) checkBytes(r *cluster.Rank, b []byte, thread, slot int) {
	for at := number; at < len(b) && l.wrong == ""; at++ {
		if want := byte(at + at>>8*31 + thread); b[at] != want {
			l.wrong = fmt.Sprintf("rank %d, thread %d: byte %d of message %d of a window is %d, want %d", r.ID(), l.tag, at,
				slot, b[at], want)
		}
	}
}
