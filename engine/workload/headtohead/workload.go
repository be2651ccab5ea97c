package headtohead

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&headtohead) }

var headtohead = workload.Workload{
	Name:  "headtohead",
	Title: "Head to head",
	Doc: "MPI ranks 0 and 1 send to each other before they receive. This works up to the eager limit. Raise the size " +
		"above the limit, or lower the limit: both ranks wait forever, and hybridtop reports the deadlock with its " +
		"wait-for graph. " +
		"The program is wrong for every size. Sendrecv, or a receive posted first, removes the deadlock.",
	Paper: "paper 1, section 2.1",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes of each message", Type: engine.Size, Unit: "B", Default: "1024", Min: 0,
			Max:     1 << 30,
			Choices: []string{"8", "64", "1024", "8192", "8193", "65536", "1048576"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "the deadlock above the eager limit: both sends wait for receives that are posted later",
			Paper: "paper 1, section 2.1"},
	},
	Question: "how long may messages be until two senders deadlock?",
	First:    "size", Panes: []string{"waits"}, Serial: true, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "exchange_time", Phrase: "time of an exchange", Unit: "s", Always: true,
			Doc: "time of the send and the receive, from a common start, mean over both ranks"},
	},
	Studies:    []*engine.Study{overSizes},
	Iterations: 3,
	Plan:       plan,
	Run:        run,
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	if n := l.N().MPI; n < 2 {
		return workload.Plan{}, fmt.Errorf("%d rank may call MPI under model = %s: want at least two (use more ranks, "+
			"or smaller groups under nested-funneled)", n, l.Model)
	}
	size := s.Int("size")
	return workload.Plan{Items: []workload.Item{
		{Name: "message buffers", Per: workload.InAll, Bytes: 4 * size},
		{Name: "messages in flight", Per: workload.InAll, Bytes: 2 * on.Eager(s, size)},
	}}, nil
}

const tag = 1

func run(r *cluster.Rank, p engine.Probe) error {
	world := r.World()
	me, size := world.Rank(), int(p.Int("size"))
	if me != 0 && me != 1 {
		for p.Next() {
		}
		return nil
	}
	pair, err := r.Subteam(world, []int{0, 1})
	if err != nil {
		return err
	}
	both := workload.NewStart(r, pair)
	other := 1 - me
	out, in := make([]byte, size), make([]byte, size)
	for p.Next() {
		fill(out, me, p.Iteration())
		start, err := both.Together()
		if err != nil {
			return err
		}
		if err := r.Send(world, other, tag, cluster.Of(out)); err != nil {
			return err
		}
		st, err := r.Recv(world, other, tag, cluster.Of(in))
		if err != nil {
			return err
		}
		p.Report("exchange_time", max(workload.End(r)-start-p.Clock(), 0).Seconds())
		fill(out, other, p.Iteration())
		if st.Bytes == int64(size) && string(in) == string(out) {
			p.Verify(true, "each rank received the other's message")
		} else {
			p.Verify(false, fmt.Sprintf("MPI rank %d, iteration %d: received %d B that differ from the message "+
				"of rank %d", me, p.Iteration(), st.Bytes, other))
		}
	}
	return r.FreeTeam(pair)
}

// fill writes the bytes that a rank sends in an iteration.
func fill(b []byte, rank, iteration int) {
	for i := range b {
		b[i] = byte(i + i>>8*31 + rank*101 + iteration*7)
	}
}

func idle(s *engine.Scenario, _ engine.Kind, knob string) string { return workload.GroupIdle(s, knob) }
