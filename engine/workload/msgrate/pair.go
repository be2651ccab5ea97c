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

// pairOf returns the pair of a rank. It sorts the ranks that may call MPI by their number in the
// cluster. Rank i of the first half and rank i of the second half are partners. If the number of
// ranks is odd, the last one has no partner.
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
	switch {
	case threads == 1: // it has no other thread to be independent of
	case kind == endpoints:
		return r.Endpoints(r.World(), threads)
	case kind == communicators:
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

// channel is a thread's side of its pair of threads. Messages have numbers, which count from 1 in each
// channel and each direction.
type channel struct {
	team     *cluster.Team
	peer     int // in the team
	tag      int // number of the thread
	slots    [][]byte
	requests []cluster.Request
	sent     uint64
	got      uint64
	wrong    string // the first wrong message
}

func newChannel(team *cluster.Team, partner, thread int, p engine.Probe) *channel {
	size, window := int(p.Int("size")), int(p.Int("window"))
	c := &channel{team: team, peer: team.Local(partner), tag: thread, slots: make([][]byte, window),
		requests: make([]cluster.Request, window)}
	for i := range c.slots {
		c.slots[i] = make([]byte, size)
		fill(c.slots[i], thread)
	}
	return c
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
func (c *channel) sendWindow(r *cluster.Rank) error {
	for i := range c.requests {
		c.sent++
		stamp(c.slots[i], c.sent)
		if err := r.Isend(&c.requests[i], c.team, c.peer, c.tag, cluster.Of(c.slots[i])); err != nil {
			return err
		}
	}
	return r.Waitall(c.requests, nil)
}

// receiveWindow receives a window of messages and checks their numbers.
func (c *channel) receiveWindow(r *cluster.Rank) error {
	for i := range c.requests {
		if err := r.Irecv(&c.requests[i], c.team, c.peer, c.tag, cluster.Of(c.slots[i])); err != nil {
			return err
		}
	}
	if err := r.Waitall(c.requests, nil); err != nil {
		return err
	}
	for i := range c.slots {
		c.got++
		c.check(r, c.slots[i], c.got)
	}
	return nil
}

// trip sends a message and receives one, or the other way round.
func (c *channel) trip(r *cluster.Rank, first bool) error {
	send := func() error {
		c.sent++
		stamp(c.slots[0], c.sent)
		return r.Send(c.team, c.peer, c.tag, cluster.Of(c.slots[0]))
	}
	receive := func() error {
		if _, err := r.Recv(c.team, c.peer, c.tag, cluster.Of(c.slots[0])); err != nil {
			return err
		}
		c.got++
		c.check(r, c.slots[0], c.got)
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
func (c *channel) signal(r *cluster.Rank) error {
	return r.Send(c.team, c.peer, endTag+c.tag, cluster.Data{})
}

func (c *channel) awaitSignal(r *cluster.Rank) error {
	_, err := r.Recv(c.team, c.peer, endTag+c.tag, cluster.Data{})
	return err
}

// check records an error if a message does not have the number want.
func (c *channel) check(r *cluster.Rank, b []byte, want uint64) {
	if c.wrong != "" {
		return
	}
	if got := numberOf(b); got != want {
		c.wrong = fmt.Sprintf("rank %d, thread %d: got message %d, want %d", r.ID(), c.tag, got, want)
	}
}

// checkRest records a wrong byte after the number, in the messages that the slots have now.
func (c *channel) checkRest(r *cluster.Rank) {
	for i, b := range c.slots {
		c.checkBytes(r, b, c.tag, i)
	}
}

func (c *channel) checkBytes(r *cluster.Rank, b []byte, thread, slot int) {
	for at := number; at < len(b) && c.wrong == ""; at++ {
		if want := byte(at + at>>8*31 + thread); b[at] != want {
			c.wrong = fmt.Sprintf("rank %d, thread %d: byte %d of message %d of a window is %d, want %d", r.ID(), c.tag, at,
				slot, b[at], want)
		}
	}
}
