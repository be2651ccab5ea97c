package live

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// Process 0 finds deadlocks across processes. Its monitor acts if a rank of any process has slept for a whole
// period. Then it asks each process for a report of its waiting ranks. It reduces the wait-for graph of all ranks,
// which is an AND-OR graph. If it finds dead ranks, it asks again. These ranks are deadlocked if two conditions hold
// (Mattern, "Algorithms for distributed termination detection", 1987):
//   - All of them slept from the first report to the second one.
//   - No frame to them was in transit: the number of frames sent before the second reports equals the
//     number received before the first ones.

// report is the report of one process. Its fields are exported for the encoding.
type report struct {
	from     int32
	Number   uint64
	Sent     []uint64 // frames to each rank; the last element counts frames of barriers
	Received []uint64
	Ranks    []rankReport
}

type rankReport struct {
	Rank     int32
	Live     bool
	Finished bool
	Parks    uint64
	Sleepers []sleeperReport  `json:",omitempty"`
	Entered  map[int32]uint32 `json:",omitempty"` // barriers by context
}

type sleeperReport struct {
	Thread int
	Sleeps uint64
	Needed int
	Needs  []needReport
}

type needReport struct {
	Kind      cluster.Kind
	Peer, Tag int32
	Size, Off int64
	Ranks     []int32
	Any       bool
	Remote    bool
	Ctx       int32
	Gen       uint32
}

// counts returns copies of the counters. It reads the received frames first.
func (x *remote) counts() (sent, received []uint64) {
	for i := range x.sent {
		received = append(received, x.received[i].Load())
	}
	for i := range x.sent {
		sent = append(sent, x.sent[i].Load())
	}
	return sent, received
}

// reportOf returns the report of this process. The counters are read first: a frame that arrives
// afterwards is not counted as received.
func (v *survey) reportOf(number uint64, view func(i int) rankView) *report {
	x := v.w.remote
	r := &report{from: x.me, Number: number}
	r.Sent, r.Received = x.counts()
	for i, e := range v.w.engines {
		if x.process[i] != x.me {
			continue
		}
		s := view(i)
		s.parks = e.parks.Load()
		v.views[i] = s
		rank := rankReport{Rank: int32(i), Live: s.live, Finished: s.finished, Parks: s.parks}
		if !s.live {
			rank.Entered = map[int32]uint32{}
			v.w.membersMu.Lock()
			for _, m := range e.members {
				if m.b != nil && m.b.remote != nil {
					rank.Entered[m.ctx] = m.entered.Load()
				}
			}
			v.w.membersMu.Unlock()
			for k := range s.sleepers {
				rank.Sleepers = append(rank.Sleepers, s.sleepers[k].report())
			}
		}
		r.Ranks = append(r.Ranks, rank)
	}
	return r
}

// check returns an error unless the report has one view of each rank of its process, and names only ranks of the
// run.
func (x *remote) check(r *report) error {
	if len(r.Sent) != len(x.sent) || len(r.Received) != len(x.sent) {
		return fmt.Errorf("report: counts of sent frames: %d, of received frames: %d, want %d of each", len(r.Sent),
			len(r.Received), len(x.sent))
	}
	next := 0
	for rank, p := range x.process {
		if p != r.from {
			continue
		}
		if next == len(r.Ranks) || r.Ranks[next].Rank != int32(rank) {
			return fmt.Errorf("report: rank %d is missing", rank)
		}
		next++
	}
	if next < len(r.Ranks) {
		return fmt.Errorf("report: %d ranks, want %d", len(r.Ranks), next)
	}
	for i := range r.Ranks {
		for _, s := range r.Ranks[i].Sleepers {
			for _, n := range s.Needs {
				if slices.ContainsFunc(n.Ranks, func(rank int32) bool { return uint(rank) >= uint(len(x.process)) }) {
					return fmt.Errorf("report: rank %d waits for an invalid rank, want 0 to %d", r.Ranks[i].Rank, len(x.process)-1)
				}
			}
		}
	}
	return nil
}

// sleeps reports whether a rank in the report waits.
func (r *report) sleeps() bool {
	return slices.ContainsFunc(r.Ranks, func(s rankReport) bool { return !s.Live && !s.Finished })
}

// findSleeper reports whether an unfinished rank of this process has slept since the last check.
func (v *survey) findSleeper() bool {
	clear(v.absent)
	v.parked = false
	found := false
	for i := range v.w.engines {
		if v.w.isLocal(int32(i)) {
			s := v.lookAt(i)
			found = found || !s.live && !s.finished
		}
	}
	return found
}

func (s *sleeper) report() sleeperReport {
	r := sleeperReport{Thread: s.thread, Sleeps: s.sleeps, Needed: s.needed}
	for _, n := range s.needs {
		r.Needs = append(r.Needs, needReport{n.kind, n.peer, n.tag, n.size, n.off, n.ranks, n.any, n.remote, n.ctx, n.gen})
	}
	return r
}

// adopt stores the views of a report of another process.
func (v *survey) adopt(r *report) {
	for _, rank := range r.Ranks {
		s := rankView{live: rank.Live, finished: rank.Finished, parks: rank.Parks}
		for _, p := range rank.Sleepers {
			one := sleeper{thread: p.Thread, sleeps: p.Sleeps, needed: p.Needed}
			for _, n := range p.Needs {
				one.needs = append(one.needs, need{n.Kind, n.Peer, n.Tag, n.Size, n.Off, n.Ranks, n.Any, n.Remote, n.Ctx, n.Gen})
			}
			s.sleepers = append(s.sleepers, one)
		}
		v.views[rank.Rank] = s
		v.entries[rank.Rank] = rank.Entered
	}
}

// resolve limits the ranks of each barrier across processes to the members that have not entered.
func (v *survey) resolve() {
	for i := range v.views {
		for k := range v.views[i].sleepers {
			for j := range v.views[i].sleepers[k].needs {
				n := &v.views[i].sleepers[k].needs[j]
				if !n.remote {
					continue
				}
				var absent []int32
				for _, r := range n.ranks {
					if v.entries[r][n.ctx] != n.gen+1 {
						absent = append(absent, r)
					}
				}
				n.ranks = absent
			}
		}
	}
}

// gather asks every process for a report, and stores all views. It returns the reports, or nil if the run
// has ended.
func (v *survey) gather(view func(i int) rankView) []*report {
	x := v.w.remote
	v.questions++
	clear(v.absent)
	x.run.SendAll(&far.Frame{Kind: far.Ask, A: v.questions, Sized: true})
	own := v.reportOf(v.questions, view)
	all, heard := []*report{own}, make([]bool, x.run.Processes())
	for _, rank := range own.Ranks {
		v.entries[rank.Rank] = rank.Entered
	}
	for len(all) < x.run.Processes() {
		select {
		case r := <-x.reports:
			if r.Number == v.questions && !heard[r.from] {
				heard[r.from] = true
				v.adopt(r)
				if r.sleeps() {
					x.asleep.Store(true)
				}
				all = append(all, r)
			}
		case <-v.w.over:
			return nil
		}
	}
	v.resolve()
	return all
}

// allReceived reports whether every frame to the ranks that was sent before the second reports was
// received before the first ones.
func allReceived(first, second []*report, ranks []int32) bool {
	for _, r := range ranks {
		var sent, received uint64
		for i := range first {
			received += first[i].Received[r]
			sent += second[i].Sent[r]
		}
		if sent != received {
			return false
		}
	}
	return true
}

// findRemoteDeadlock finds ranks of all processes that only other stuck ranks could wake. Process 0 calls it.
func (v *survey) findRemoteDeadlock() []cluster.Wait {
	asleep := v.w.remote.asleep.Swap(false)
	if !v.findSleeper() && !asleep {
		return nil
	}
	first := v.gather(v.lookAt)
	if first == nil || !v.reduce() {
		return nil
	}
	before := slices.Clone(v.views)
	second := v.gather(func(i int) rankView { return v.viewRank(v.w.engines[i]) })
	if second == nil {
		return nil
	}
	dead := []int32{int32(len(v.views))} // frames of barriers
	var stuck []cluster.Wait
	for i := range before {
		s, now := &before[i], &v.views[i]
		if s.live {
			continue
		}
		if now.live || now.parks != s.parks || !slices.EqualFunc(now.sleepers, s.sleepers, sameSleep) {
			return nil
		}
		dead = append(dead, int32(i))
		if !s.finished {
			stuck = append(stuck, waits(i, s.sleepers)...)
		}
	}
	if !allReceived(first, second, dead) {
		return nil
	}
	return stuck
}

// answer sends a report for each request of process 0, until the run ends. It notifies process 0 if a rank has
// slept for a whole period. It notifies again only after a report without waiting ranks.
func (w *world) answer() {
	x := w.remote
	v, period := newSurvey(w), monitorPeriod
	tick := time.NewTicker(period)
	defer tick.Stop()
	notified := false
	for {
		select {
		case n := <-x.asked:
			clear(v.absent)
			r := v.reportOf(n, v.lookAt)
			notified = r.sleeps()
			x.run.Send(0, &far.Frame{Kind: far.Report, Data: r.encode()})
		case <-tick.C:
			if !notified && v.findSleeper() {
				notified = true
				x.run.Send(0, &far.Frame{Kind: far.Asleep, Sized: true})
			}
			period = v.nextPeriod(period)
			tick.Reset(period)
		case <-w.over:
			return
		}
	}
}

// encode encodes a report. If the report is too long, it declares that all ranks can continue, so that process 0
// finds no deadlock.
func (r *report) encode() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data
	}
	if len(b) > far.MaxMessage {
		for i := range r.Ranks {
			r.Ranks[i] = rankReport{Rank: r.Ranks[i].Rank, Live: true}
		}
		return r.encode()
	}
	return b
}
