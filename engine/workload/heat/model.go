package heat

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Prediction is the predicted time in s of the parts of a step, from a machine's constants, for the
// process with the most cells.
type Prediction struct {
	Pack    float64 // faces
	Start   float64 // processor time for their messages or puts
	Flight  float64 // until the faces have arrived
	Inner   float64 // cells that need no face
	Rest    float64 // surface and update
	Reduce  float64 // a step's share of a reduction
	overlap bool
}

// Time returns the time of a step.
func (p Prediction) Time() float64 {
	meanwhile := p.Flight + p.Inner
	if p.overlap {
		meanwhile = max(p.Flight, p.Inner)
	}
	return p.Pack + p.Start + meanwhile + p.Rest + p.Reduce
}

// Model predicts a step. The layout determines which neighbours are on the same node. Data that
// leave a node share its adapters evenly.
func Model(s *engine.Scenario, m *cluster.Machine) Prediction {
	l := s.Layout()
	world := l.World()
	n, side := divide(len(world)), int(s.Int("size"))
	onNode, leaving := make([]int, l.Nodes), make([]float64, l.Nodes)
	p := Prediction{overlap: s.Text("overlap") == "on"}
	messages, eager := s.Text("variant") == twoSided, s.Int("eager-limit")
	if eager < 0 {
		eager = m.EagerLimit
	}
	for i, r := range world {
		node := l.NodeOf(int(r))
		onNode[node]++
		b := blockOf(side, n, i)
		for d, peer := range b.peers {
			if peer >= 0 && l.ClassOf(int(r), int(world[peer])) == cluster.Remote {
				leaving[node] += float64(cell * b.face(d))
			}
		}
	}
	out := &m.Classes[cluster.Remote]
	for i, r := range world {
		b := blockOf(side, n, i)
		var start, flight, near float64
		for d, peer := range b.peers {
			if peer < 0 {
				continue
			}
			class := l.ClassOf(int(r), int(world[peer]))
			size := cell * b.face(d)
			before, after := message(s, m, class, size, eager)
			start += before
			flight = max(flight, after)
			if link := &m.Classes[class]; class == cluster.InNode && link.Bandwidth > 0 {
				moved := float64(size) / link.Bandwidth
				if messages { // a core moves one message after another; puts overlap
					moved += near
				}
				near = max(near, moved)
			}
			if messages && size > eager && m.Progress == cluster.ProgressCall {
				p.overlap = false // the handshake waits for the next call
			}
		}
		far := 0.0
		if out.Bandwidth > 0 {
			far = leaving[l.NodeOf(int(r))] / float64(max(out.Adapters, 1)) / out.Bandwidth
		}
		p.Start, p.Flight = max(p.Start, start), max(p.Flight, flight+max(near, far))
	}
	b, node := blockOf(side, n, 0), 1
	for _, k := range onNode {
		node = max(node, k)
	}
	device := s.Text("memory") != memoryHost && m.Device.Count > 0
	kernel := func(w cluster.Work) float64 {
		if device {
			return m.Device.KernelTime(w).Seconds()
		}
		t := m.ComputeTime(w).Seconds() / float64(l.ThreadsPerRank)
		if m.NodeRate > 0 {
			t = max(t, w.Bytes*float64(node)/m.NodeRate)
		}
		if l.ThreadsPerRank > 1 {
			t += m.ForkTime.Seconds()
		}
		return t
	}
	faces := 0
	for d, peer := range b.peers {
		if peer >= 0 {
			p.Pack += kernel(packWork(&b, d))
			faces++
		}
	}
	p.Inner, p.Rest = kernel(innerWork(&b)), kernel(surfaceWork(&b))+kernel(updateWork(&b))
	if device {
		p.addLaunchTimes(m, &b, faces)
	}
	inside := bits.Len(uint(node - 1))
	all := bits.Len(uint(len(world) - 1))
	at := func(class cluster.Class, levels int) float64 {
		link := &m.Classes[class]
		return 2 * float64(levels) * (link.Latency + 2*link.Overhead).Seconds()
	}
	p.Reduce = (at(cluster.InNode, min(inside, all)) + at(cluster.Remote, max(all-inside, 0))) /
		float64(s.Int("reduce-every"))
	return p
}

// message returns the processor's time for one face sent and one received, and the time on the way
// without its bytes.
func message(s *engine.Scenario, m *cluster.Machine, class cluster.Class, size, eager int64) (before, after float64) {
	link := &m.Classes[class]
	hands, ways := 1.0, 1.0
	switch {
	case s.Text("variant") == putRPC:
		before = m.HandlerTime.Seconds()
	case s.Text("variant") == twoSided && size > eager:
		hands, ways = 4, 3
		if m.Progress == cluster.ProgressOffload {
			hands = 2
		}
	case s.Text("variant") == twoSided:
		hands = 2
	}
	before += hands * link.Overhead.Seconds()
	after = ways * link.Latency.Seconds()
	if s.Text("memory") == memoryStaged {
		after += 2 * m.Device.Link.Latency.Seconds()
		if m.Device.Link.Bandwidth > 0 {
			after += 2 * float64(size) / m.Device.Link.Bandwidth
		}
	}
	return before, after
}

// addLaunchTimes adds the time to start kernels and to detect their ends. A step does not wait for
// device computations that overlap with packing and sending.
func (p *Prediction) addLaunchTimes(m *cluster.Machine, b *block, faces int) {
	launch, fence := m.Device.Launch.Seconds(), m.Device.Fence.Seconds()
	started := float64(faces) * launch
	if p.overlap {
		started += launch
		p.Inner = max(p.Inner-fence-p.Start, 0)
	} else {
		p.Inner += launch
	}
	if faces > 0 {
		p.Pack += started + fence
	} else {
		p.Pack += started
	}
	sides := 0.0
	for d := range directions {
		sides += m.Device.KernelTime(sideWork(b, d)).Seconds()
	}
	p.Rest += sides - m.Device.KernelTime(surfaceWork(b)).Seconds() + directions*launch + fence + launch + fence
}

// Parts returns the time of a step for exchanging faces, and for computing that does not hide it.
func (p Prediction) Parts() (exchange, compute float64) {
	if !p.overlap {
		return p.Pack + p.Start + p.Flight, p.Inner + p.Rest
	}
	return p.Pack + p.Start + max(p.Flight-p.Inner, 0), p.Inner + p.Rest
}
