package ring

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&ring) }

var ring = workload.Workload{
	Name:  "ring",
	Title: "Ring",
	Doc:   "Each MPI rank passes a token on to the next one until all tokens are back. Change the size of the tokens, and see the time of a hop.",
	Paper: "none",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes of a token", Type: engine.Size, Unit: "B", Default: "1024", Min: 1, Max: 1 << 30,
			Choices: []string{"8", "1024", "8192", "65536"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the handshake above the eager limit"},
	},
	Metrics: []engine.MetricSpec{
		{Name: "hop_time", Phrase: "time of a hop", Unit: "s", Doc: "time until a rank has sent its token and received the next one, mean over hops and ranks"},
	},
	Question: "what does a longer message cost?",
	First:    "size", Panes: []string{"latency"},
	Serial: true, Steady: true, Idle: idle,
	Iterations: 10,
	Plan:       plan,
	Run:        run,
}

// plan lists the memory of a run.
func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	size := s.Int("size")
	return workload.Plan{Items: []workload.Item{
		{Name: "tokens", Per: workload.PerRank, Bytes: 3 * size},
		{Name: "tokens in flight", Per: workload.PerRank, Bytes: on.Eager(s, size)},
	}}, nil
}

const tag = 1

// run passes the tokens around.
func run(r *cluster.Rank, p engine.Probe) error {
	world, size := r.World(), p.Int("size")
	me, n := world.Rank(), world.Size()
	if me < 0 { // nested-funneled: only UPC thread 0 of each group has an MPI rank
		for p.Next() {
		}
		return nil
	}
	token := make([]byte, size)
	next := make([]byte, size)
	want := make([]byte, size)
	right, left := (me+1)%n, (me+n-1)%n // rank 0 itself, if it is the only one
	for p.Next() {
		fill(want, me, p.Iteration())
		copy(token, want)
		begin := r.Now()
		for hop := range n {
			p.Step(hop, n)
			start := r.Now()
			if _, err := r.Sendrecv(world, right, tag, cluster.Of(token), left, tag, cluster.Of(next)); err != nil {
				return err
			}
			p.Access(world.Global(right), size, r.Now()-start)
			token, next = next, token
		}
		p.Report("hop_time", (r.Now()-begin).Seconds()/float64(n))
		if string(token) == string(want) {
			p.Verify(true, "each token came back unchanged")
		} else {
			p.Verify(false, fmt.Sprintf("iteration %d: the token of MPI rank %d came back changed", p.Iteration(), me))
		}
	}
	return nil
}

// fill writes the token of a rank in an iteration.
func fill(token []byte, rank, iteration int) {
	for i := range token {
		token[i] = byte(i + 101*rank + 7*iteration)
	}
}

// idle returns why a change of a knob has no effect.
func idle(s *engine.Scenario, _ engine.Kind, knob string) string { return workload.GroupIdle(s, knob) }
