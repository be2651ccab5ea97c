package pingpong

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// way is a method to carry a message to the partner. Rounds count from 1, the same in both
// directions.
type way interface {
	send(round uint64, message []byte) error
	// receive returns the message of a round, valid until the next receive.
	receive(round uint64) ([]byte, error)
	// finish completes all operations that send has started.
	finish() error
}

func run(r *cluster.Rank, p engine.Probe) error {
	partner, err := partner(&r.Spec().Layout, p.Text("pair"), p.Text("method"))
	if err != nil {
		return err
	}
	other := 0
	switch r.ID() {
	case 0:
		other = partner
	case partner:
	default:
		for p.Next() {
		}
		return nil
	}
	size := int(p.Int("size"))
	w, err := newWay(r, p.Text("method"), partner, other, size)
	if err != nil {
		return err
	}
	g := game{r: r, p: p, way: w, other: other, rounds: int(p.Int("rounds")), message: make([]byte, size)}
	for p.Next() {
		play := g.returnAll
		if _, passive := w.(lock); r.ID() == 0 {
			play = g.serve
		} else if passive {
			play = g.host
		}
		if err := play(); err != nil {
			return err
		}
	}
	return nil
}

// newWay returns the way of a method. Both ranks must call it.
func newWay(r *cluster.Rank, method string, partner, other, size int) (way, error) {
	switch method {
	case "put":
		return newPut(r, other, size)
	case "fence":
		return newFence(r, partner, size)
	case "pscw":
		w, err := newWindow(r, partner, size)
		return pscw{w}, err
	case "lock":
		w, err := newWindow(r, partner, size)
		return lock{w, make([]byte, size)}, err
	}
	return newTwoSided(r, other, size), nil
}

// game is the state of one of the two ranks.
type game struct {
	r       *cluster.Rank
	p       engine.Probe
	way     way
	other   int
	rounds  int
	round   uint64 // played so far, over all iterations
	message []byte
}

// stepRounds is the number of rounds per reported step. A report for each round would show in its
// time.
const stepRounds = 64

// serve plays an iteration as the rank that sends first, and times it.
func (g *game) serve() error {
	pattern(g.message, g.p.Iteration())
	clock, wrong := g.p.Clock(), 0
	var total cluster.Time
	var back []byte
	at := workload.BeginNow(g.r)
	for k := range g.rounds {
		if k%stepRounds == 0 {
			g.p.Step(k, g.rounds)
		}
		g.round++
		stamp(g.message, g.round)
		if err := g.way.send(g.round, g.message); err != nil {
			return err
		}
		var err error
		back, err = g.way.receive(g.round)
		if err != nil {
			return err
		}
		if !stamped(back, g.round) {
			wrong++
		}
		now := g.r.Now()
		oneWay := max(now-at-clock, 0) / 2
		at = now
		total += oneWay
		g.p.Access(g.other, int64(len(g.message)), oneWay)
	}
	workload.MarkEnd(g.r)
	g.verify(back, wrong)
	latency := total.Seconds() / float64(g.rounds)
	g.p.Report("latency", latency)
	if latency > 0 {
		g.p.Report("bandwidth", float64(len(g.message))/latency)
	}
	return g.way.finish()
}

// returnAll sends each message back.
func (g *game) returnAll() error {
	wrong := 0
	var got []byte
	for range g.rounds {
		g.round++
		var err error
		got, err = g.way.receive(g.round)
		if err != nil {
			return err
		}
		if !stamped(got, g.round) {
			wrong++
		}
		if err := g.way.send(g.round, got); err != nil {
			return err
		}
	}
	// No rank writes to got before the next iteration.
	g.verify(got, wrong)
	return g.way.finish()
}

// host lets rank 0 put and get, and checks the last message.
func (g *game) host() error {
	g.round += uint64(g.rounds)
	if err := g.way.finish(); err != nil {
		return err
	}
	got, err := g.way.receive(g.round)
	if err != nil {
		return err
	}
	g.verify(got, 0)
	return nil
}

// verify checks the last message in full. wrong is the number of messages with the stamp of another
// round.
func (g *game) verify(got []byte, wrong int) {
	pattern(g.message, g.p.Iteration())
	stamp(g.message, g.round)
	for i := range g.message {
		if got[i] != g.message[i] {
			g.p.Verify(false,
				fmt.Sprintf("rank %d, iteration %d: byte %d of %d is %d, want %d", g.r.ID(), g.p.Iteration(), i, len(got), got[i],
					g.message[i]))
			return
		}
	}
	if wrong > 0 {
		g.p.Verify(false,
			fmt.Sprintf("rank %d, iteration %d: %d of %d messages belong to another round", g.r.ID(), g.p.Iteration(), wrong,
				g.rounds))
		return
	}
	g.p.Verify(true, "messages return unchanged")
}

// pattern fills a message with bytes that differ between positions and between iterations.
func pattern(b []byte, iteration int) {
	for i := range b {
		b[i] = byte(i + i>>8*31 + iteration*7)
	}
}

// stamp marks a message with its round.
func stamp(b []byte, round uint64) {
	if len(b) > 0 {
		b[0] = byte(round)
	}
}

func stamped(b []byte, round uint64) bool { return len(b) == 0 || b[0] == byte(round) }
