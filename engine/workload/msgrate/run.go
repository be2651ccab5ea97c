package msgrate

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// side is one rank of a pair.
type side struct {
	r        *cluster.Rank
	p        engine.Probe
	pair     pair
	channels []*channel // by thread
	rounds   int
	tasks    *tasks // nil: receives are posted
	every    bool   // workers watch all channels
	trips    []cluster.Time
	message  uint64 // of each channel before this iteration
}

func run(r *cluster.Rank, p engine.Probe) error {
	if r.World().Rank() < 0 { // no MPI rank
		for p.Next() {
		}
		return nil
	}
	if err := workload.RequestThreads(r, p); err != nil {
		return err
	}
	s, err := newSide(r, p)
	if err != nil {
		return err
	}
	for p.Next() {
		if err := s.iterate(); err != nil {
			return err
		}
	}
	return nil
}

func newSide(r *cluster.Rank, p engine.Probe) (*side, error) {
	threads := r.Spec().Layout.ThreadsPerRank
	s := &side{r: r, p: p, pair: pairOf(r), rounds: int(p.Int("rounds")), trips: make([]cluster.Time, threads)}
	teams, err := channelsOf(r, p.Text("channels"), threads)
	if err != nil || s.pair.partner < 0 {
		return s, err
	}
	for i, team := range teams {
		s.channels = append(s.channels, newChannel(team, s.pair.partner, i, p))
	}
	if how := p.Text("receive"); how != posted {
		s.tasks, s.every = newTasks(r, p, threads), how == anyTasks
	}
	return s, nil
}

// iterate measures the message rate and then the latency.
func (s *side) iterate() error {
	world := s.r.World()
	start, err := workload.Begin(s.r, world)
	if err != nil {
		return err
	}
	if err := s.stream(); err != nil {
		return err
	}
	took := max(workload.End(s.r)-start-s.p.Clock(), 0)
	if err := s.r.Barrier(world); err != nil {
		return err
	}
	if err := s.forEachChannel(s.goAndReturn); err != nil {
		return err
	}
	var slowest cluster.Time
	for _, t := range s.trips {
		slowest = max(slowest, t)
	}
	if !s.pair.sends {
		took, slowest = 0, 0
	}
	all, err := workload.Maxima(s.r, world, took.Seconds(), slowest.Seconds())
	if err != nil {
		return err
	}
	s.verify()
	if world.Rank() == 0 {
		messages := float64(s.pair.all*len(s.trips)*s.rounds) * float64(s.p.Int("window"))
		s.p.Report("message_time", all[0]/messages)
		if all[0] > 0 {
			s.p.Report("message_rate", messages/all[0])
		}
		s.p.Report("latency", all[1])
	}
	return nil
}

// stream sends or receives the messages of all threads.
func (s *side) stream() error {
	switch {
	case s.pair.partner < 0:
		return nil
	case s.pair.sends && s.tasks == nil:
		return s.forEachChannel(func(r *cluster.Rank, i int) error {
			for k := range s.rounds {
				s.step(i, k)
				if err := s.channels[i].sendWindow(r); err != nil {
					return err
				}
				if err := s.channels[i].awaitSignal(r); err != nil {
					return err
				}
			}
			return nil
		})
	case s.tasks == nil:
		return s.forEachChannel(func(r *cluster.Rank, i int) error {
			for k := range s.rounds {
				s.step(i, k)
				if err := s.channels[i].receiveWindow(r); err != nil {
					return err
				}
				if err := s.channels[i].signal(r); err != nil {
					return err
				}
			}
			return nil
		})
	case s.pair.sends:
		return s.sendTasks()
	}
	err := s.forEachChannel(func(r *cluster.Rank, i int) error {
		return s.tasks.work(r, s.channels, i, s.every, s.message)
	})
	if err != nil {
		return err
	}
	for _, c := range s.channels {
		c.got += uint64(s.rounds * len(c.slots))
	}
	return s.channels[0].signal(s.r)
}

// sendTasks sends the messages of all threads, then an end for each worker, and waits until all
// tasks are done.
func (s *side) sendTasks() error {
	err := s.forEachChannel(func(r *cluster.Rank, i int) error {
		for k := range s.rounds {
			s.step(i, k)
			if err := s.channels[i].sendWindow(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range s.channels {
		if err := c.signal(s.r); err != nil {
			return err
		}
	}
	return s.channels[0].awaitSignal(s.r)
}

// step reports progress, on the first thread only.
func (s *side) step(thread, round int) {
	if thread == 0 {
		s.p.Step(round, 2*s.rounds)
	}
}

// goAndReturn measures the round trips of a thread.
func (s *side) goAndReturn(r *cluster.Rank, i int) error {
	start := r.Now()
	for k := range s.rounds {
		s.step(i, s.rounds+k)
		if err := s.channels[i].trip(r, s.pair.sends); err != nil {
			return err
		}
	}
	s.trips[i] = max(r.Now()-start-s.p.Clock(), 0) / cluster.Time(2*s.rounds)
	return nil
}

// forEachChannel calls do on the thread of each channel. A rank with one thread has no parallel regions.
func (s *side) forEachChannel(do func(r *cluster.Rank, i int) error) error {
	switch len(s.channels) {
	case 0:
		return nil
	case 1:
		return do(s.r, 0)
	}
	return s.r.Fork(len(s.channels), func(t *cluster.Thread) error { return do(&t.Rank, t.Number()) })
}

// verify reports the checks of an iteration, and its accesses.
func (s *side) verify() {
	if s.pair.partner < 0 {
		return
	}
	if s.pair.sends { // the partner measures no whole round trips
		for i, c := range s.channels {
			s.p.Access(s.pair.partner, int64(len(c.slots[0])), s.trips[i])
		}
	}
	wrong := ""
	if s.tasks != nil && !s.pair.sends {
		wrong = s.tasks.verify(s.r, s.message)
	}
	s.message += uint64(s.rounds * (len(s.channels[0].slots) + 1))
	for _, c := range s.channels {
		if s.tasks == nil {
			c.checkRest(s.r)
		}
		if wrong == "" {
			wrong = c.wrong
		}
	}
	if wrong != "" {
		s.p.Verify(false, wrong)
		return
	}
	s.p.Verify(true, "each message arrives once, in order and unchanged")
}
