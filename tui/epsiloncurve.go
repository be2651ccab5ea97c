package tui

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// curve is a line of the model, as long as what it is of stays the same.
type curve struct{ x, y []float64 }

func (c *curve) clear() { c.x, c.y = c.x[:0], c.y[:0] }

func (c *curve) add(x, y float64) { c.x, c.y = append(c.x, x), append(c.y, y) }

// commSteps is how many parts figure 5's curves have, beside the kink.
const commSteps = 96

// overComm makes the curve of equation (3) over f_comm at a fixed f_comp,non, with
// its kink at f_comm,best.
func (c *curve) overComm(r models.Reserved, nonOverlap float64) {
	c.clear()
	l, err := models.LimitsOf(r, nonOverlap)
	if err != nil {
		return
	}
	at := func(comm float64) {
		if f, err := models.Split(comm, nonOverlap); err == nil {
			if p, err := models.Epsilon(r, f); err == nil {
				c.add(comm, p.Value)
			}
		}
	}
	step := (1 - nonOverlap) / commSteps
	for i := range commSteps + 1 {
		if x := float64(i) * step; l.CommBest > x-step && l.CommBest < x {
			at(l.CommBest)
		}
		at(min(float64(i)*step, 1-nonOverlap))
	}
}

// planeSteps is how many points of figure 6's curve a doubling of n_k has at most.
const planeSteps = 8

// overPlanes makes the curve of equation (14) over the local planes, from 1 to most;
// comm is x_comm/x_MVM,overlap, and nonOverlap x_MVM,non/x_MVM,overlap.
func (c *curve) overPlanes(r models.Reserved, comm, nonOverlap float64, most int) {
	c.clear()
	x := models.SparseCosts{Comm: comm, NonOverlap: nonOverlap, Overlap: 1}
	last := 0
	for i := 0; last < most; i++ {
		nk := min(int(math.Exp2(float64(i)/planeSteps)+0.5), most)
		if nk == last {
			continue
		}
		last = nk
		p, err := x.Epsilon(r, nk)
		if err != nil {
			return
		}
		c.add(float64(nk), p.Value)
	}
}

// familyShares are the f_comp,non of figure 5's curves, and the words beside them.
var familyShares = [...]struct {
	share float64
	text  string
}{{0, "0"}, {0.2, "0.2"}, {0.4, "0.4"}, {0.6, "0.6"}, {0.8, "0.8"}}

// epsilonModel holds every curve of the ε pane.
type epsilonModel struct {
	of     epsilonInputs
	limits models.Limits // at the f_comp,non of here
	family [len(familyShares)]curve
	here   curve   // at the present f_comp,non; empty: not known
	own    curve   // over planes with the present costs; empty: not known
	fitted curve   // over planes as figure 6 was fitted
	cross  float64 // n_k at which own has ε = 1; NaN: not known
	low    float64
	high   float64 // of ε in all charts
	most   int     // planes
}

// epsilonInputs is what the curves depend on.
type epsilonInputs struct {
	r          models.Reserved
	nonOverlap float64 // −1: not known
	comm       float64 // x_comm/x_MVM,overlap; −1: not known
	split      float64 // x_MVM,non/x_MVM,overlap
	most       int
}

// fewestPlanes is how far the axis of figures 6 and 7 goes at least.
const fewestPlanes = 64

// update makes the curves for m of n threads and what the runs have told (may be
// nil).
func (e *epsilonModel) update(r models.Reserved, o *engine.Overlap) {
	in := epsilonInputs{r: r, nonOverlap: -1, comm: -1, split: models.PaperSplit, most: fewestPlanes}
	e.low, e.high = math.Inf(1), math.Inf(-1)
	if o != nil {
		in.nonOverlap = o.Now.NonOverlap
		if o.Now.CommCost >= 0 && !math.IsInf(o.Now.CommCost, 1) {
			in.comm = o.Now.CommCost
		}
		if o.Now.Overlap > 0 {
			in.split = o.Now.NonOverlap / o.Now.Overlap
		}
		in.most = max(in.most, o.Now.Planes)
		for i := range o.Points {
			p := &o.Points[i]
			in.most = max(in.most, p.Planes)
			e.low, e.high = min(e.low, p.Epsilon), max(e.high, p.Epsilon)
		}
	}
	if in != e.of {
		e.make(in)
	}
	pad := 0.06 * (e.limits.Upper - e.limits.Lower)
	e.low, e.high = max(min(e.low, e.limits.Lower)-pad, 0), max(e.high, e.limits.Upper)+pad
}

func (e *epsilonModel) make(in epsilonInputs) {
	if in.r != e.of.r {
		for i := range e.family {
			e.family[i].overComm(in.r, familyShares[i].share)
		}
	}
	e.of, e.most, e.cross = in, in.most, math.NaN()
	e.here.clear()
	e.own.clear()
	e.limits, _ = models.LimitsOf(in.r, max(in.nonOverlap, 0)) // the caller has checked r
	if in.nonOverlap >= 0 {
		e.here.overComm(in.r, in.nonOverlap)
	}
	if in.comm >= 0 {
		e.own.overPlanes(in.r, in.comm, in.split, in.most)
		e.cross, _ = models.PlanesAtCrossover(in.r, in.comm)
	}
	e.fitted.overPlanes(in.r, models.PaperCommFitted, models.PaperSplit, in.most)
}
