package cartesian

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// A Prediction is the time of a round, in s, from a machine's constants. Between nodes, a direction
// takes the longest of Thread, Adapters and Server, plus Copy, Pack and Start.
type Prediction struct {
	Thread     float64 // injection by one thread, all directions
	Adapters   float64 // the node's adapters that its messages can use at the same time
	Server     float64 // the node's message server, without one message that finds it idle
	Copy       float64 // copies before sending
	Pack       float64 // packing of strided data, and the fork of the threads that do it
	Start      float64 // overheads and latencies, between nodes
	IntraNode  float64 // the exchange inside the node
	Overlapped bool    // IntraNode overlaps with the exchange between nodes
}

// InterNode returns the time of the exchange between nodes.
func (p Prediction) InterNode() float64 {
	return p.Start + p.Copy + p.Pack + max(p.Thread, p.Adapters, p.Server)
}

// Time returns the time of a round.
func (p Prediction) Time() float64 {
	if p.Overlapped {
		return max(p.InterNode(), p.IntraNode)
	}
	return p.InterNode() + p.IntraNode
}

// Model predicts a round. A class without a bandwidth has no cost per byte.
func Model(s *engine.Scenario, m *cluster.Machine) Prediction {
	l := s.Layout()
	members := byNode(l.World(), &l)
	processes := float64(len(members[0]))
	senders := float64(s.Int("senders"))
	part := float64(s.Int("size")) * float64(l.ThreadsPerRank) / senders
	eager := s.Int("eager-limit")
	if eager < 0 {
		eager = m.EagerLimit
	}
	inTurn := s.Text("method") == "sendrecv" && s.Text("directions") == directionsApart
	var p Prediction
	p.Overlapped = s.Text("directions") == directionsTogether
	if len(members) > 1 {
		far := &m.Classes[cluster.Remote]
		byte := secondsFor(1, far.Bandwidth)
		p.Thread = 2 * part * max(secondsFor(1, far.ThreadRate), byte)
		p.Adapters = 2 * math.Ceil(processes*senders/float64(max(far.Adapters, 1))) * (far.Gap.Seconds() + part*byte)
		if s.Text("copies") == staged {
			copyLink := &m.Classes[cluster.InRank]
			p.Copy = 2 * (copyLink.Latency.Seconds() + secondsFor(part, copyLink.Bandwidth))
		}
		p.Pack = packTime(s, m, &l, processes, senders)
		rounds := 1.0 // rounds in which a message finds the server idle
		if inTurn {
			rounds = 2
		}
		server, alone := m.Server.Takes(2*processes*senders, int64(part) > eager)
		p.Start, p.Server = start(far, inTurn, int64(part) > eager, m.Progress)+rounds*alone, server-rounds*alone
	}
	if processes > 1 {
		near := &m.Classes[cluster.InNode]
		size := s.Int("size")
		p.IntraNode = start(near, inTurn, size > eager, m.Progress) + 2*
			(near.Gap.Seconds()+secondsFor(float64(size), near.Bandwidth))
	}
	return p
}

// packTime returns the time in which a process packs the data of both directions: by its senders, or
// by all of its threads.
func packTime(s *engine.Scenario, m *cluster.Machine, l *cluster.Layout, processes, senders float64) float64 {
	threads, fork := senders, 0.0
	switch s.Text("packing") {
	case contiguous:
		return 0
	case scratch:
		threads, fork = float64(l.ThreadsPerRank), 2*m.ThreadBarrierTime.Seconds()
		if senders == 1 {
			fork = m.ForkTime.Seconds()
		}
	}
	bytes := 2 * 2 * float64(s.Int("size")) * float64(l.ThreadsPerRank)
	seconds := m.ComputeTime(cluster.Work{Bytes: bytes / threads}).Seconds()
	if m.NodeRate > 0 {
		seconds = max(seconds, processes*bytes/m.NodeRate)
	}
	return fork + seconds
}

// start returns the costs of two directions that do not depend on the number of bytes.
func start(l *cluster.Link, inTurn, handshake bool, progress cluster.Progress) float64 {
	hands, times := 2.0, 1.0 // o at both ends; L
	if handshake {
		hands, times = 4, 3
		if progress == cluster.ProgressOffload {
			hands = 2
		}
	}
	if inTurn {
		times *= 2
	}
	return 2*hands*l.Overhead.Seconds() + times*l.Latency.Seconds()
}

func secondsFor(n, rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	return n / rate
}
