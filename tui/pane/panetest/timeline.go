package panetest

import (
	"math/rand/v2"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
)

const us = cluster.Microsecond

// Hybrid records iterations of 100 µs as in figure 1 of paper 2. The first iteration of each pair
// is masteronly: the workers sleep while the master communicates. The second one is funneled: the
// workers compute meanwhile.
func Hybrid(rec *timeline.Recorder, l cluster.Layout, from, to int) {
	for rank := range l.Ranks() {
		lanes := rec.Team(rank, l.ThreadsPerRank)
		peer := int32((rank + 1) % l.Ranks())
		rng := rand.New(rand.NewPCG(uint64(rank), uint64(from)))
		for i := from; i < to; i++ {
			t := cluster.Time(i) * 100 * us
			late := cluster.Time(rng.IntN(8000)) * cluster.Nanosecond
			m := lanes[0]
			if i%2 == 0 {
				m.Until(t+50*us, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
			}
			m.Until(t+60*us, timeline.ActivityCommunicate, cluster.KindSend, peer)
			m.Until(t+65*us, timeline.ActivityCopy, cluster.KindSend, peer)
			m.Until(t+85*us+late, timeline.ActivityWait, cluster.KindRecv, peer)
			m.Until(t+95*us, timeline.ActivityCommunicate, cluster.KindBarrier, timeline.NoPeer)
			m.Until(t+100*us, timeline.ActivitySleep, cluster.KindThreadBarrier, timeline.NoPeer)
			for k, w := range lanes[1:] {
				if i%2 == 0 {
					w.Until(t+50*us-late, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
					w.Until(t+100*us, timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
					continue
				}
				w.Until(t+40*us, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
				w.Until(t+cluster.Time(45+k)*us, timeline.ActivityLock, cluster.KindSend, peer)
				w.Until(t+99*us-late, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
				w.Until(t+100*us, timeline.ActivitySleep, cluster.KindThreadBarrier, timeline.NoPeer)
			}
			if rec.Arrows() {
				rec.Message(timeline.Arrow{From: int32(rank), To: peer, Sent: t + 62*us, Received: t + 80*us + late, Bytes: 4096,
					Tag: 7})
			}
		}
	}
}

// Recorded returns the demo with a timeline of this many iterations.
func Recorded(nodes, ranksPerNode, threads, iterations int, arrows bool) *engine.Snapshot {
	s := Demo(nodes, ranksPerNode, 1)
	s.Scenario.Values["threads-per-rank"], s.Scenario.Values["timeline"] = itoa(threads), "on"
	s.Scenario.Values["fabric"] = "sim"
	s.Kind = engine.Simulated
	s.Dilation = 1
	if arrows {
		s.Scenario.Values["timeline"] = "arrows"
	}
	s.Layout = s.Scenario.Layout()
	rec := timeline.NewRecorder(s.Layout, arrows)
	Hybrid(rec, s.Layout, 0, iterations)
	s.Timeline = rec.View()
	s.IterationTimes = []float64{100e-6, 100e-6, 100e-6}
	return s
}
