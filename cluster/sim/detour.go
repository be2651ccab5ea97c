package sim

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// detours are interruptions of threads by the operating system (OS noise). They have a mean rate, random
// times and equal lengths. The times of a thread depend only on the seed, so that two programs are
// interrupted at the same times. Detours delay threads only while they compute.
type detours struct {
	mean   float64      // time between two detours, in ps; 0: none
	length cluster.Time // of a detour
	seed   uint64
	of     []detour // by thread
}

// detour is the next interruption of a thread.
type detour struct {
	noise noise
	at    cluster.Time // begin of the detour; 0: not drawn yet
}

// mostDetoured is the maximum share of a thread's time that detours may take.
const mostDetoured = 0.5

func newDetours(m *cluster.Machine, seed uint64) (detours, error) {
	if m.DetourRate == 0 {
		return detours{}, nil
	}
	if m.DetourLength == 0 {
		return detours{}, fmt.Errorf("machine %s: detours have a rate of %g per second and no length (set the length, or a rate of 0)",
			m.Name, m.DetourRate)
	}
	if share := m.DetourRate * m.DetourLength.Seconds(); !(m.DetourRate > 0 && m.DetourLength > 0 && share <= mostDetoured) {
		return detours{}, fmt.Errorf("machine %s: detours take %g of the time: want at most %g (use a lower rate or length)", m.Name, share,
			mostDetoured)
	}
	return detours{mean: float64(cluster.Second) / m.DetourRate, length: m.DetourLength, seed: seed}, nil
}

// count returns the number of detours that begin during a computation of a thread. The computation begins at
// from. Its time without detours is computing, which includes noise and waits for memory. Each detour extends
// the computation.
func (d *detours) count(thread int32, from, computing cluster.Time) cluster.Time {
	for int(thread) >= len(d.of) {
		d.of = append(d.of, detour{noise: newNoise(d.seed, uint64(len(d.of))|1<<40)})
	}
	x := &d.of[thread]
	if x.at == 0 {
		x.at = d.gap(&x.noise)
	}
	for x.at < from {
		x.at += d.gap(&x.noise)
	}
	n := cluster.Time(0)
	for until := from + computing; x.at < until && until < end; until += d.length {
		n++
		x.at += d.gap(&x.noise)
	}
	return n
}

// gap draws the time from one detour to the next.
func (d *detours) gap(x *noise) cluster.Time {
	u := (float64(x.next()>>11) + 1) / (1 << 53) // above 0, at most 1
	return cluster.Time(min(max(-math.Log(u)*d.mean, 1), float64(end)))
}
