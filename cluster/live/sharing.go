package live

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// Processes on one host share the segments of their ranks. Then a put, a get or an atomic on a rank of another
// process is a copy or an instruction, as inside one process. Each process makes one memory for its ranks, and offers
// it to the others when the run begins. A process that cannot map it sends frames.

// sleepers is the number of sleeping threads of a rank. It has a separate cache line.
type sleepers struct {
	atomic.Int32
	alerted atomic.Int32 // 1: another process has sent an Alert that has not arrived
	_       [56]byte
}

// sleepersBytes is the size of sleepers.
const sleepersBytes = int64(unsafe.Sizeof(sleepers{}))

// shared has the memories that a run shares with other processes. A memory has the sleepers of each rank of its
// process, and then their segments.
type shared struct {
	local  *host.Shared // nil: not shared
	mapped []*host.Shared
}

// offer returns the name of this process's memory, or "".
func (m *shared) offer() string {
	if m.local == nil {
		return ""
	}
	return m.local.Name()
}

// segmentStride returns the distance between the segments of consecutive ranks of a process, in bytes.
func (w *world) segmentStride() int64 {
	return (w.spec.Segment + sleepersBytes - 1) &^ (sleepersBytes - 1)
}

// sharedBytes returns the size of the memory of a process.
func (x *remote) sharedBytes(process int32) int64 {
	return int64(x.ranks[process]) * (sleepersBytes + x.w.segmentStride())
}

// share makes the memory of this process. If it fails, other processes send frames to its ranks.
func (x *remote) share() {
	if x.apart || x.w.spec.Segment == 0 || x.local == 0 || x.local == int32(len(x.process)) {
		return
	}
	var err error
	x.memory.local, err = host.Share(x.sharedBytes(x.me))
	x.doubt(err)
}

// doubt adds an error of shared memory to the warnings.
func (x *remote) doubt(err error) {
	if err == nil || errors.Is(err, errors.ErrUnsupported) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.doubts = append(x.doubts,
		fmt.Sprintf("process %d: %v (its puts and gets to other processes on its host may be messages)", x.me, err))
}

// warnings implements transport. If the run was aborted, another process may have closed its memory early.
func (x *remote) warnings() []string {
	if x.w.aborted.Load() {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.doubts)
}

// mapSegments maps the segments of the other processes on this host.
func (x *remote) mapSegments() {
	hosts, mapped := x.run.Hosts(), map[int32]*host.Shared{}
	for p, offer := range x.run.Offers() {
		if int32(p) == x.me || offer == "" || x.apart || hosts[p] != hosts[x.me] {
			continue
		}
		m, err := host.MapShared(offer, x.sharedBytes(int32(p)))
		if err != nil {
			x.doubt(err)
			continue
		}
		x.memory.mapped = append(x.memory.mapped, m)
		mapped[int32(p)] = m
	}
	for i, e := range x.w.engines {
		if m := mapped[x.process[i]]; m != nil {
			e.useMemory(m)
		}
	}
}

// release closes the memories after the run.
func (x *remote) release() {
	for _, m := range append(x.memory.mapped, x.memory.local) {
		if m != nil {
			x.doubt(m.Close())
		}
	}
	x.memory = shared{}
}

// placeSegment places the segment of a rank of this process.
func (e *engine) placeSegment() {
	if x := e.w.remote; x != nil && x.memory.local != nil {
		e.useMemory(x.memory.local)
		return
	}
	e.seg = alignedBytes(e.w.spec.Segment)
	e.words = cluster.Words(e.seg)
}

// useMemory places the segment and the sleepers of a rank in the memory of its process.
func (e *engine) useMemory(m *host.Shared) {
	x, b := e.w.remote, m.Bytes()
	k := int64(x.number[e.id])
	at := int64(x.ranks[x.process[e.id]])*sleepersBytes + k*e.w.segmentStride()
	e.sleeping = (*sleepers)(unsafe.Pointer(&b[k*sleepersBytes]))
	e.seg = b[at : at+e.w.spec.Segment : at+e.w.spec.Segment]
	e.words = cluster.Words(e.seg)
}

// reachesSegment reports whether loads and stores of this process reach a rank's segment.
func (x *remote) reachesSegment(rank int32) bool { return x.w.engines[rank].seg != nil }

// sendAlert wakes a rank of another process, after a change of a word of its segment. Until the Alert has arrived, no
// process sends another one.
func (x *remote) sendAlert(to int32) {
	if x.w.engines[to].sleeping.alerted.CompareAndSwap(0, 1) {
		x.send(&far.Frame{Kind: far.Alert, Src: x.first, Dst: to, Sized: true})
	}
}
