package heat

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// The relative tolerances.
const (
	averageTolerance = 1e-11 // of an average, against the published one or the energies of all steps
	energyTolerance  = 1e-12 // of the energy balance of a step, as a share of the source's energy
	modeTolerance    = 1e-12 // of a mode
)

// A mode is a closed solution: T = level + height · Π cos(πk(i + ½)/n). Without the source the
// product shrinks by the same factor in every step, and the average remains at the level. The level
// is so low that radiation does not change any digit. The three waves differ, so that a face with
// swapped entries has other temperatures.
const (
	modeLevel  = 1e-6
	modeHeight = 5e-7
	modeSteps  = 10 // at most
)

// modeWaves are the wave numbers in x, y and z.
var modeWaves = [3]float64{1, 2, 3}

// modeOf returns the temperatures of a block's cells after a number of updates.
func modeOf(b *block, updates int) []float64 {
	growth := 1.0
	for _, k := range modeWaves {
		growth += 2 * dt * (math.Cos(math.Pi*k/float64(b.side)) - 1)
	}
	height := modeHeight * math.Pow(growth, float64(updates))
	var wave [3][]float64
	for a, k := range modeWaves {
		for i := range b.size[a] {
			wave[a] = append(wave[a], math.Cos(math.Pi*k*(float64(b.lo[a]+i)+0.5)/float64(b.side)))
		}
	}
	t := make([]float64, 0, b.cells())
	for _, z := range wave[2] {
		for _, y := range wave[1] {
			for _, x := range wave[0] {
				t = append(t, modeLevel+height*x*y*z)
			}
		}
	}
	return t
}

// verifyMode conducts a mode, with random delays of the ranks, and checks it. It runs after the last
// iteration, so that no time includes it.
func (c *process) verifyMode() error {
	last := min(c.steps, modeSteps)
	copy(c.f.t, modeOf(&c.b, 0))
	shown := c.shown
	c.skew, c.shown = workload.NewSkew(c.r, c.r.World().Size()), false
	err := c.runSteps(last, false)
	c.skew, c.shown = nil, shown
	if err != nil {
		return err
	}
	c.judge(c.wrongMode(last+1), "a cosine mode has its closed solution")
	return nil
}

// wrongMode describes the first error of a mode after a number of updates, or returns "".
func (c *process) wrongMode(updates int) string {
	if !(math.Abs(c.mean-modeLevel) <= averageTolerance*modeLevel) {
		return fmt.Sprintf("the average temperature of a cosine mode is %.15g, want %.15g", c.mean, modeLevel)
	}
	for i, want := range modeOf(&c.b, updates) {
		if got := c.f.t[i]; !(math.Abs(got-want) <= modeTolerance*modeLevel) {
			return fmt.Sprintf("the temperature of cell %s is %.15g, want %.15g (cosine mode)", c.cellAt(i), got, want)
		}
	}
	return ""
}

// cellAt returns the position of a cell of the block in the cube.
func (c *process) cellAt(i int) string {
	x, y, z := i%c.b.size[0], i/c.b.size[0]%c.b.size[1], i/c.b.size[0]/c.b.size[1]
	return fmt.Sprintf("{%d, %d, %d}", c.b.lo[0]+x, c.b.lo[1]+y, c.b.lo[2]+z)
}

// verify checks the results of the steps.
func (c *process) verify() error {
	if err := coll.Allreduce(c.r, c.r.World(), cluster.Sum, c.flows, c.flows); err != nil {
		return err
	}
	holds := "the energy of every step balances"
	if c.wanted != 0 {
		holds += ", the average temperature equals the published one"
	}
	if c.want != nil {
		holds += ", and every temperature equals the sequential program's, bit for bit"
	}
	c.judge(c.firstWrong(), holds)
	c.p.Checksum(c.checksum)
	return nil
}

// checksum returns the part of the block in the checksum of the temperatures.
func (c *process) checksum() uint64 {
	var sum workload.Checksum
	side := int64(c.b.side)
	for i, t := range c.f.t {
		x, y, z := i%c.b.size[0], i/c.b.size[0]%c.b.size[1], i/c.b.size[0]/c.b.size[1]
		sum.Add(int64(c.b.lo[0]+x)+side*(int64(c.b.lo[1]+y)+side*int64(c.b.lo[2]+z)), t)
	}
	return uint64(sum)
}

// judge reports the description of an error, or what holds if it is empty.
func (c *process) judge(wrong, holds string) {
	if wrong != "" {
		holds = fmt.Sprintf("rank %d, iteration %d, %s: %s", c.r.ID(), c.p.Iteration(), c.variant, wrong)
	}
	c.p.Verify(wrong == "", holds)
}

// firstWrong describes the first error, or returns "" if there is none.
func (c *process) firstWrong() string {
	for i, want := range c.want {
		if got := c.f.t[i]; math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Sprintf("the temperature of cell %s is %v, want %v", c.cellAt(i), got, want)
		}
	}
	if c.wanted != 0 && !(math.Abs(c.mean-c.wanted) <= averageTolerance*c.wanted) {
		return fmt.Sprintf("the average temperature is %.15g, want %.15g (published)", c.mean, c.wanted)
	}
	side := float64(c.b.side)
	supplied, content := dt*source*side*side, 0.0
	for t := range c.steps + 1 {
		added := supplied
		if t > c.steps/2 {
			added = 0
		}
		gained, lost := c.flows[2*t], dt*c.flows[2*t+1]
		if !(math.Abs(gained-(added-lost)) <= energyTolerance*supplied) {
			return fmt.Sprintf("step %d: the cube gained %v, but the source added %v and radiation removed %v", t, gained,
				added, lost)
		}
		if t < c.steps {
			content += gained
		}
	}
	if mean := content / (side * side * side); !(math.Abs(c.mean-mean) <= averageTolerance*mean) {
		return fmt.Sprintf("the average temperature is %.15g, want %.15g (sum of the energies of all steps)", c.mean, mean)
	}
	return ""
}
