package reproduce

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/msgrate"
)

// threads is the message rate over the number of cores of a node that send. They are threads of one
// process. At level single, each is a process.
var _ = register(&Experiment{
	Name:     "threads",
	Workload: "msgrate",
	SetX: func(s *engine.Scenario, x float64) error {
		if s.Text("threading") == cluster.ThreadSingle.String() {
			return s.Set("ranks-per-node", fmt.Sprint(x))
		}
		return s.Set("threads-per-rank", fmt.Sprint(x))
	},
	Quantities: messageQuantities,
	Terms:      messageTerms,
})

// tasks is the message rate of workers over the mean time of a task in µs.
var _ = register(&Experiment{
	Name:       "tasks",
	Workload:   "msgrate",
	SetX:       onKnob("task"),
	Quantities: messageQuantities,
	Terms:      messageTerms,
})

var messageQuantities = []Quantity{
	{
		Name: "message_rate", Unit: "1/s", Doc: "messages of all threads per second",
		Simulated: func(p, _ *Point) float64 { return p.metric("message_rate") },
		Modelled:  func(p, _ *Point) float64 { return modelledRate(p) },
	},
	{
		Name: "slowdown", Unit: "1", Doc: "rate of another series over this rate", Against: Another,
		Simulated: func(p, other *Point) float64 { return other.metric("message_rate") / p.metric("message_rate") },
		Modelled:  func(p, other *Point) float64 { return modelledRate(other) / modelledRate(p) },
	},
}

func modelledRate(p *Point) float64 {
	m := msgrate.ModelOf(&p.Scenario, p.Machine, engine.Simulated)
	return m.Rate()
}

// messageTerms returns the parts of the time per message of all threads.
func messageTerms(p *Point) []Term {
	m := msgrate.ModelOf(&p.Scenario, p.Machine, engine.Simulated)
	overheads, locks, tasks := m.Overheads/m.Messages, m.Locks/m.Messages, 0.0
	if m.Tasks > m.Overheads+m.Locks { // workers are the limit
		overheads, locks, tasks = 0, 0, m.Tasks/m.Messages
	}
	rest := overheads + locks + tasks
	return []Term{
		{"overheads", overheads, overheads},
		{"transfers of the lock", locks, locks},
		{"tasks of the busiest worker", tasks, tasks},
		{"latency and adapter", p.metric("message_time") - rest, m.Time()/m.Messages - rest},
	}
}
