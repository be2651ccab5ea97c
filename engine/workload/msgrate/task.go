package msgrate

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// tasks are the tasks that a rank runs in each iteration, one for each message.
type tasks struct {
	times [][]cluster.Time // by sending thread and message
	taken [][]task         // by worker, in this iteration
}

// task names a message.
type task struct {
	thread int // that sent it
	number uint64
}

// newTasks draws the times of the tasks. They are the same for all ways to find the messages.
func newTasks(r *cluster.Rank, p engine.Probe, threads int) *tasks {
	messages := int(p.Int("rounds") * p.Int("window"))
	mean, rng := p.Float("task")*1e-6, r.Rand()
	t := &tasks{times: make([][]cluster.Time, threads), taken: make([][]task, threads)}
	for i := range t.times {
		t.times[i] = make([]cluster.Time, messages)
		for k := range t.times[i] {
			t.times[i][k] = cluster.FromSeconds(mean * rng.ExpFloat64())
		}
		t.taken[i] = make([]task, 0, messages)
	}
	return t
}

// work takes messages until the end, and runs their tasks. A worker watches its own channel, or all
// channels, beginning with its own. before is the number of messages that each channel got in earlier
// iterations.
func (t *tasks) work(r *cluster.Rank, channels []*channel, worker int, every bool, before uint64) error {
	own := channels[worker]
	next := func() (cluster.Message, bool, error) {
		m, err := r.Mprobe(own.team, own.peer, cluster.AnyTag)
		return m, m.Bytes > 0, err
	}
	if every && own.team != channels[(worker+1)%len(channels)].team {
		watched := slices.Concat(channels[worker:], channels[:worker])
		next = func() (cluster.Message, bool, error) { return poll(r, watched) }
	}
	for {
		m, isTask, err := next()
		if err != nil {
			return err
		}
		if !isTask {
			_, err := r.Mrecv(m, cluster.Data{})
			return err
		}
		if _, err := r.Mrecv(m, cluster.Of(own.slots[0])); err != nil {
			return err
		}
		own.checkBytes(r, own.slots[0], m.Tag, 0)
		n := numberOf(own.slots[0])
		t.taken[worker] = append(t.taken[worker], task{m.Tag, n})
		if k := n - before - 1; m.Tag < len(t.times) && k < uint64(len(t.times[m.Tag])) {
			if took := t.times[m.Tag][k]; took > 0 {
				r.Compute(cluster.Work{Until: r.Now() + took}, nil)
			}
		}
	}
}

// poll takes a message from the first channel that has one, and reports whether it has a task. The
// first channel is the worker's. After the end of this channel has arrived, poll takes it if no channel
// has a message. All messages of the channel have arrived before its end.
func poll(r *cluster.Rank, watched []*channel) (m cluster.Message, isTask bool, err error) {
	own := watched[0]
	for ended := false; ; {
		for _, c := range watched {
			if m, found, err := r.Improbe(c.team, c.peer, c.tag); found || err != nil {
				return m, true, err
			}
		}
		if ended {
			m, err := r.Mprobe(own.team, own.peer, endTag+own.tag)
			return m, false, err
		}
		if _, ended, err = r.Iprobe(own.team, own.peer, endTag+own.tag); err != nil {
			return m, false, err
		}
	}
}

// verify checks that the workers took each message of an iteration once.
func (t *tasks) verify(r *cluster.Rank, before uint64) string {
	seen := make([][]bool, len(t.times))
	for i := range seen {
		seen[i] = make([]bool, len(t.times[i]))
	}
	all := 0
	for worker, taken := range t.taken {
		for _, m := range taken {
			k := m.number - before - 1
			if m.thread >= len(seen) || k >= uint64(len(seen[m.thread])) || seen[m.thread][k] {
				return fmt.Sprintf("rank %d, thread %d: took message %d of thread %d twice, or it is not a message of this iteration", r.ID(), worker,
					m.number, m.thread)
			}
			seen[m.thread][k] = true
			all++
		}
		t.taken[worker] = taken[:0]
	}
	if want := len(t.times) * len(t.times[0]); all != want {
		return fmt.Sprintf("rank %d: took %d messages, want %d", r.ID(), all, want)
	}
	return ""
}
