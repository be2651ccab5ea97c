package reproduce

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// Sensitivity: a figure is run again with each assumed constant of its machine halved and doubled.
// Each check that could fail is judged there, too. Run does this if Options.Sense is set:
//
//	p.vary             plans of the same figure on other machines
//	simulate           with all others
//	p.addSensitivity   effects on the rows of a check

// factors lists the factors by which an assumed constant is multiplied.
var factors = []float64{0.5, 2}

// variant is a figure on a machine with one constant changed.
type variant struct {
	key    string
	factor float64
	plan   *plan
}

// minEffect is the smallest relative change that counts.
const minEffect = 1e-3

// vary plans the variants. It only doubles a constant that cannot be halved, such as one adapter.
// It skips lists and words.
func (p *plan) vary() error {
	canFail := false
	for i := range p.figure.Checks {
		canFail = canFail || p.figure.Checks[i].Use.Fails()
	}
	if !canFail {
		return nil
	}
	for _, f := range presets.Facts(&p.machine) {
		if f.Kind() != presets.Assumed || !p.dependsOn(f.Key) {
			continue
		}
		for _, by := range factors {
			m, err := presets.Scaled(&p.machine, f.Key, by)
			if err != nil {
				continue // the constant has no such value
			}
			m.Name = fmt.Sprintf("%s-%d", m.Name, len(p.variants))
			v, err := p.onMachine(m)
			if err != nil {
				return fmt.Errorf("%s × %g: %w", f.Key, by, err)
			}
			p.variants = append(p.variants, variant{key: f.Key, factor: by, plan: v})
		}
	}
	return nil
}

// dependsOn reports whether a fact of the machine can affect the figure. The efficiency of a
// library routine does so only if the workload uses the routine.
func (p *plan) dependsOn(key string) bool {
	name, kernel := strings.CutPrefix(key, "kernel.")
	if !kernel {
		return true
	}
	w, err := workload.Find(p.experiment.Workload)
	return err == nil && slices.ContainsFunc(w.Kernels, func(k cluster.Kernel) bool { return k.String() == name })
}

// isVariant reports whether the plan is a variant of another.
func (p *plan) isVariant() bool { return p.machine.Name != p.figure.Machine }

// mustRun reports whether a point must run: a long one if it is requested, one of a variant if a
// check that could fail uses it.
func (p *plan) mustRun(at *Point) bool {
	if !p.isVariant() {
		return !at.Long || p.options.Long
	}
	if at.Long {
		return false
	}
	for i := range p.figure.Checks {
		c := &p.figure.Checks[i]
		if !c.Use.Fails() {
			continue
		}
		q, _ := p.experiment.Quantity(c.Quantity) // newPlan has found it
		for _, s := range c.Series {
			for _, other := range p.pointsOf(c, s) {
				if other == at || p.pointAt(q.against(c), other) == at {
					return true
				}
			}
		}
	}
	return false
}

// addSensitivity adds the base hash of its sensitivity to a check's rows, and the effect of each
// assumed constant if requested.
func (p *plan) addSensitivity(c *presets.Check, rows []Row) []Row {
	if !c.Use.Fails() {
		return rows
	}
	base := fnv.New64a()
	for i := range rows {
		if r := &rows[i]; !r.Long {
			fmt.Fprintln(base, r.Name, r.Hash, r.Modelled)
		}
	}
	for _, f := range presets.Facts(&p.machine) {
		if f.Kind() == presets.Assumed && p.dependsOn(f.Key) {
			fmt.Fprintln(base, factLine(&f))
		}
	}
	io.WriteString(base, limits(c))
	var moves []presets.Move
	for _, v := range p.variants {
		m := presets.Move{Key: v.key, Factor: v.factor}
		for i, other := range v.plan.judge(c) {
			r := &rows[i]
			if r.Long {
				continue
			}
			by := (other.judgedValue() - r.judgedValue()) / math.Abs(r.judgedValue())
			if other.judgedValue() == r.judgedValue() {
				by = 0
			}
			if other.Failed || math.IsNaN(by) || math.IsInf(by, 0) || math.Abs(by) > math.Abs(m.By) {
				m.By = by
			}
			m.Flips = m.Flips || other.Failed || other.Pass != r.Pass
			if other.Failed || math.IsInf(m.By, 0) {
				m.By = math.NaN()
			}
			if math.IsNaN(m.By) {
				break
			}
		}
		if m.Flips || !(math.Abs(m.By) < minEffect) {
			moves = append(moves, m)
		}
	}
	for i := range rows {
		rows[i].Base = fmt.Sprintf("%016x", base.Sum64())
		rows[i].Sensed, rows[i].Moves = p.options.Sense, moves
	}
	return rows
}

// limits describes what a verdict depends on, apart from the numbers.
func limits(c *presets.Check) string {
	null := math.NaN()
	if c.Null != nil {
		null = *c.Null
	}
	return fmt.Sprintln(c.Rule, c.Tolerance, c.Least, c.Most, c.Crossing, c.Published, null, c.Decides)
}

// Effects returns the effects of assumed constants on the row's check, computed or recorded, and
// whether they belong to the present runs and limits. It returns nil if they are unknown, or if the check
// depends on no assumed constant.
func (r *Row) Effects() (moves []presets.Move, fresh bool) {
	base := r.Recorded.SensitivityHash
	moves = r.Recorded.Moves
	if r.Sensed {
		base, moves = r.Base, r.Moves
	}
	if base == "" || r.Base == "" {
		return nil, false
	}
	if moves == nil {
		moves = []presets.Move{}
	}
	return moves, base == r.Base
}

// Sensitivity describes these effects. It returns "" if they are unknown.
func (r *Row) Sensitivity() string {
	moves, fresh := r.Effects()
	switch {
	case moves == nil:
		return ""
	case r.Sensed:
		return MovesText(moves)
	case fresh:
		return MovesText(moves) + ", as recorded"
	}
	return MovesText(moves) + ", as recorded for other runs (--sensitivity runs it again)"
}

// MovesText describes the effects of assumed constants on a verdict.
func MovesText(moves []presets.Move) string {
	if len(moves) == 0 {
		return "no constant, halved or doubled, changes it by 0.1 %"
	}
	var flips []string
	far := &moves[0]
	for i := range moves {
		m := &moves[i]
		if m.Flips {
			flips = append(flips, moveText(m))
		}
		if math.Abs(m.By) > math.Abs(far.By) {
			far = m
		}
	}
	if len(flips) > 0 {
		return "can change the verdict: " + strings.Join(flips, ", ")
	}
	return "no change of verdict; largest effect: " + moveText(far)
}

func moveText(m *presets.Move) string {
	if math.IsNaN(m.By) {
		return fmt.Sprintf("%s × %g (no number)", m.Key, m.Factor)
	}
	return fmt.Sprintf("%s × %g (%+.3g %%)", m.Key, m.Factor, 100*m.By)
}

// factLine prints a fact as a line of the hashed text.
func factLine(f *presets.Fact) string { return fmt.Sprintf("%s = %v\n", f.Key, f.Value) }

// hash returns the combined hash of the runs of some points, or "" if there are none.
func (e *Experiment) hash(points ...*Point) string {
	sum, hasRuns := fnv.New64a(), false
	for _, at := range points {
		if at != nil && at.Snapshot != nil && at.Snapshot.Virtual != nil {
			fmt.Fprintf(sum, "%x\n", at.Snapshot.Virtual.Hash)
			hasRuns = true
		}
		if at != nil && e.Trials != nil {
			if h := e.Trials(at); h != 0 {
				fmt.Fprintf(sum, "%x\n", h)
				hasRuns = true
			}
		}
	}
	if !hasRuns {
		return ""
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}
