package msgrate

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// A Model predicts the time of a thread's messages in an iteration from the machine's constants.
// Times are in seconds. All threads send at the same time.
type Model struct {
	Sharing   float64 // number of threads that share a VCI
	Overheads float64 // of the messages of these threads
	Locks     float64 // transfers of the VCI's lock
	Latency   float64 // a round trip for each window
	Tasks     float64 // of the busiest worker
	Adapter   float64 // of a node's messages
	Messages  float64 // number of messages of all threads
}

// ModelOf returns the model of a scenario for runs of a kind. Only simulations have the machine's
// lock: in an emulation, threads use the host's locks.
func ModelOf(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) Model {
	l := s.Layout()
	pairs, threads := float64(len(l.World())/2), float64(l.ThreadsPerRank)
	window, rounds := float64(s.Int("window")), float64(s.Int("rounds"))
	each := window * rounds
	class := cluster.Remote
	if l.Nodes == 1 {
		class = cluster.InNode
	}
	k := &m.Classes[class]
	sharing, lock := 1.0, 0.0
	if kind == engine.Simulated && m.LockTime > 0 {
		sharing, lock = math.Ceil(threads/vcisOf(s, m, threads)), m.LockTime.Seconds()
	}
	x := Model{
		Sharing:   sharing,
		Overheads: each * sharing * k.Overhead.Seconds(),
		Locks:     each * sharing * (sharing - 1) * lock,
		Messages:  each * pairs * threads,
	}
	if class == cluster.Remote {
		senders := min(float64(len(l.World()))/float64(l.Nodes), pairs) // of the busiest node
		x.Adapter = each * threads * senders / float64(max(k.Adapters, 1)) * (k.Gap.Seconds() + bytesTime(k, s.Int("size")))
	}
	if s.Text("receive") == posted {
		x.Latency = rounds * (2*m.TransferTime(class, s.Int("size")) + 3*k.Overhead).Seconds()
		return x
	}
	x.Locks *= 2 // a worker probes and receives
	x.Tasks = s.Float("task") * 1e-6 * tasksOfBusiest(s, each, threads, pairs)
	return x
}

// vcisOf returns the number of VCIs that the channels use.
func vcisOf(s *engine.Scenario, m *cluster.Machine, threads float64) float64 {
	if s.Text("channels") == shared {
		return 1
	}
	n := m.VCIs
	if v := s.Int("vcis"); v != noMachine {
		n = int(v)
	}
	return min(float64(max(n, 1)), threads)
}

// bytesTime returns the time of a message's bytes.
func bytesTime(k *cluster.Link, size int64) float64 {
	if k.Bandwidth <= 0 {
		return 0
	}
	return float64(size) / k.Bandwidth
}

// tasksOfBusiest returns the work of the busiest worker, in mean task times. Each rank has a number of
// workers with n tasks each, and the times are exponentially distributed. The maximum of k sums of n
// tasks is about n + √(2·n·ln k). If an idle worker can take any task of its rank, only the last tasks
// differ. Their maximum is the harmonic number of the workers. The sums of the ranks differ, too.
func tasksOfBusiest(s *engine.Scenario, n, workers, ranks float64) float64 {
	if s.Text("channels") != shared && s.Text("receive") == ownTasks {
		return n + math.Sqrt(2*n*math.Log(workers*ranks))
	}
	last := 0.0
	for k := 1.0; k <= workers; k++ {
		last += 1 / k
	}
	return n - 1 + last + math.Sqrt(2*n*math.Log(ranks)/workers)
}

// Time returns the time of all messages. While a thread waits for a reply, the other threads of its
// VCI send.
func (x *Model) Time() float64 {
	calls := x.Overheads + x.Locks
	return max(x.Adapter, x.Tasks, calls, calls/x.Sharing+x.Latency)
}

// Rate returns the messages per second, or 0 if no constant limits them.
func (x *Model) Rate() float64 {
	if t := x.Time(); t > 0 {
		return x.Messages / t
	}
	return 0
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured {
		return nil
	}
	x := ModelOf(&snap.Scenario, m, snap.Kind)
	if rate := x.Rate(); rate > 0 {
		return []engine.Metric{{Name: "message_rate_model", Value: rate, Unit: "1/s", Kind: engine.Modelled}}
	}
	return nil
}
