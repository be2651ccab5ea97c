package clustertest

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A Program is a random program: a list of calls for each rank, which Draw makes from a
// seed and a [Play] executes on a fabric. It cannot deadlock.
//
// A program consists of phases. An exchange (a message, a put, a collective) has a
// position in its phase, and the calls of both sides are made in the order of positions.
// A nonblocking call may start before its exchange's position and complete after it. At
// one position, calls that only start something come first, and waits at the end of the
// phase come last. A call therefore waits only for calls
// that others make before they wait for anything at a later position. By induction no
// program deadlocks, with eager messages or without.
//
// Messages match in streams; see stream. In an open stream a message may take the
// receive of a later one. Its send therefore starts at its own position, and completes
// at the end of the phase unless it is eager. All receives are posted then.
type Program struct {
	Seed           uint64
	Ranks, Threads int
	Limit          int64 // eager limit
	Calls          int   // the number of calls of all ranks

	teams     []teamPlan
	phases    []phase
	msgs      []message
	moves     []move
	rpcs      []remoteCall
	events    []eventPlan
	atomics   []atomicCall
	joints    []jointCall
	served    []int      // RPCs, by target
	words     [][]uint64 // the words of each segment at the end
	image     [][]byte   // the bytes behind them; each byte is written once
	written   [][]int64  // the length of the image after each phase, by phase and rank
	firstTeam bool       // only the first ranks of a launch take part
}

// phase is a part of a program. Threads of a parallel region play it, or the ranks
// alone (1 thread).
type phase struct {
	threads       int
	before, after [][]call   // outside the region, by rank
	calls         [][][]call // by rank and thread
}

// actor is a thread of a rank. Thread 0 also makes the calls outside regions.
type actor struct{ rank, thread int }

// stream is the rule by which messages and receives match.
type stream int

const (
	exact stream = iota // receives name source and tag: the k-th takes the k-th message of source, target and tag
	// receives name the source, and the tag or any: the k-th takes the k-th message of source and
	// target
	fifo
	anySource     // open: any source, one tag
	anything      // open: any source, any tag; each message has its own tag
	sharedAny     // open, received by all threads of a rank: any source, any tag
	sharedTag     // the same with a named tag
	sharedSource  // the same with a named source
	sharedInOrder // as sharedAny; locks order the sends of a rank, and its receives
	streams
)

func (s stream) open() bool   { return s >= anySource }
func (s stream) shared() bool { return s >= sharedAny }

// Tags of teams whose receives name them.
const (
	openTag   = 1 << 10 // of anySource, by receiving thread
	cancelTag = 1 << 11 // that nothing is sent to
)

// teamPlan is a team: the call that makes it, its members, and how its messages match.
type teamPlan struct {
	stream  stream
	members []int // ranks of the cluster, by number in the team
	how     teamHow
	first   int // the first team of the call that makes it
	freed   bool
	colors  []int
	keys    []int
}

// teamHow is the call that makes a team.
type teamHow int

const (
	atLaunch teamHow = iota
	byDup
	bySplit
	bySubteam
	byEndpoints
)

// The teams of a launch.
const (
	teamWorld = iota
	teamAll
	teamGroup
	teamsOfLaunch
)

// message is a message of a program.
type message struct {
	stream       stream
	team         int
	src, dst     actor
	tag, recvTag int
	size         int
	sync         bool
	how          receiveHow
	from, into   cluster.Memory
}

// receiveHow is the way to make a blocking receive.
type receiveHow int

const (
	plainly receiveHow = iota
	afterProbe
	matched
	matchedLater // an Imrecv
	afterIprobe  // the ones that poll come last
	afterImprobe
	hows
)

// move is a put or a get.
type move struct {
	get      bool
	from, to int
	shape    shape
	blocks   cluster.Strided // of a strided move
	spans    []cluster.Span  // of an indexed one; a contiguous move has one
	size     int             // of the buffer
	how      moveHow
	flag     int // word of the target that a put sets; -1: none
	value    uint64
	add      bool // add the value to the flag instead
	rpc      int  // RPC that runs at the target; -1: none
	means    cluster.Means
}

// shape is the layout of a move's bytes in the segment.
type shape int

const (
	contiguous shape = iota
	strided
	indexed
	shapes
)

// moveHow is the way to complete a move.
type moveHow int

const (
	blocking moveHow = iota
	implicit         // by Quiet
	nonblocking
	train // nonblocking, each block a message
	moveHows
)

// piece is a contiguous part of a move.
type piece struct{ far, near, n int64 }

// pieces lists the places of a move's bytes on both sides.
func (x *move) pieces() []piece {
	var ps []piece
	if x.shape != strided {
		near := int64(0)
		for _, v := range x.spans {
			ps = append(ps, piece{far: v.Off, near: near, n: v.Len})
			near += v.Len
		}
		return ps
	}
	b := &x.blocks
	for j := range int64(b.Count[1]) {
		for i := range int64(b.Count[0]) {
			ps = append(ps, piece{
				far:  b.Far.Off + i*b.Far.Stride[0] + j*b.Far.Stride[1],
				near: b.Near.Off + i*b.Near.Stride[0] + j*b.Near.Stride[1],
				n:    b.Block,
			})
		}
	}
	return ps
}

// remoteCall is an RPC. It may fire an event of its target, or follow a put; -1: it does
// not.
type remoteCall struct{ to, size, event, move int }

// eventPlan is an event of a rank.
type eventPlan struct{ owner, fires int }

// atomicCall is an access to a word of a segment that only one actor uses, or an
// addition to one that all use.
type atomicCall struct {
	op     atomicOp
	to     int
	word   int
	value  uint64
	old    uint64 // that CompareSwap expects
	want   uint64 // the result
	shared bool
}

type atomicOp int

const (
	addWord atomicOp = iota
	fetchAdd
	storeWord
	loadWord
	swapWord
	compareSwap
	putWord
	getWord
	atomicOps
)

// jointCall is a call of all members of a team: a collective, or an epoch of a window.
type jointCall struct {
	team, style int
	what        coll.Collective
	which       int // of its algorithms
	size, root  int
	by          int // a window's target, relative to the origin
}

// The ways to call a collective.
const (
	ofProgram = iota // by coll's functions
	ofComm
	started // on a Comm, and completed later
)

// The epochs of windows.
const (
	fenceEpoch = iota
	postEpoch  // post, start, complete, wait
	lockEpoch
	epochs
)

// verb is the operation of a call.
type verb int

const (
	vSend verb = iota
	vIsend
	vRecv
	vIrecv
	vImprobe // receives a message that has come, or posts a receive
	vSendrecv
	vHand // leaves a receive to another thread
	vAdopt
	vWait
	vMove
	vHolds
	vAwait
	vAwaitSum
	vAtomic
	vRPC
	vFire
	vWaitEvent
	vCompute
	vCancel
	vBarrier
	vNotify
	vSync
	vCollective
	vFinish
	vWindow
	vTeam
	vFree
	verbs
)

// The turns of calls at one position.
const (
	starting = iota
	waiting
	ending
)

// call is a call of an actor.
type call struct {
	at, stage int
	verb      verb
	index     int // of a message, move or other thing that the verb is about
	n         int // requests, or another number of the verb
	req, src  int // requests: of the call, and of the source of a put; 0, and -1 once they are numbered: none
	style     int // which of several calls for the same
}

// order sorts an actor's calls, and renumbers their requests: requests that one call
// waits for are adjacent.
func order(cs []call) []call {
	slices.SortStableFunc(cs, func(a, b call) int { return cmp.Or(a.at-b.at, a.stage-b.stage) })
	reqs, next := map[int]int{0: -1}, 0
	for _, c := range cs {
		if c.verb == vWait || c.verb == vHand {
			reqs[c.req] = next
			next++
		}
	}
	var out []call
	for _, c := range cs {
		c.req, c.src = reqs[c.req], reqs[c.src]
		if k := len(out) - 1; k >= 0 && c.verb == vWait && c.stage == ending && out[k].verb == vWait && out[k].stage ==
			ending {
			out[k].n++
			continue
		}
		out = append(out, c)
	}
	return out
}

// Numbers of payloads that are not messages.
const (
	moveNumbers = 1 << 20 * (iota + 1)
	rpcNumbers
	rankNumbers
)

// payload returns the bytes of a message, a put or a call. A payload of 8 bytes or
// more begins with the number.
func payload(number, size int) []byte {
	b := data(size, number)
	if size >= 8 {
		binary.NativeEndian.PutUint64(b, uint64(number))
	}
	return b
}
