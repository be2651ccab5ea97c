package reproduce

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/presets"
)

// perturbation is a line of testdata/perturbations.txt: a small error in a figure, and why no verdict shows it.
type perturbation struct {
	kind, figure, what string
	factor             float64
	reason             string // "": a verdict changes
}

func perturbations(t *testing.T) (all []perturbation) {
	t.Helper()
	text, err := os.ReadFile("testdata/perturbations.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		words, reason, _ := strings.Cut(line, ";")
		f := strings.Fields(words)
		if len(f) != 3 && len(f) != 4 {
			t.Fatalf("%q: want a kind, a figure, what changes, and a factor", line)
		}
		p := perturbation{kind: f[0], figure: f[1], what: f[2], reason: strings.TrimSpace(reason)}
		if len(f) == 4 {
			if p.factor, err = strconv.ParseFloat(f[3], 64); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
		all = append(all, p)
	}
	return all
}

// TestPerturbations tests that each perturbation of the list changes a verdict, or has a reason why it does not: constants × 10, formulas and
// published numbers × 1.02, checks removed. A reason is refused if a verdict changes. CONFORM=1 tests the constants, too.
func TestPerturbations(t *testing.T) {
	list := perturbations(t)
	if len(list) < 30 {
		t.Errorf("%d perturbations, want at least 30", len(list))
	}
	figures, err := presets.Figures()
	if err != nil {
		t.Fatal(err)
	}
	base := map[string]*plan{}
	for _, x := range list {
		if os.Getenv("CONFORM") == "" && x.kind == "constant" {
			continue // runs the figure twice
		}
		t.Run(fmt.Sprintf("%s %s %s", x.kind, x.figure, x.what), func(t *testing.T) {
			i := slices.IndexFunc(figures, func(f presets.Figure) bool { return f.Name == x.figure })
			if i < 0 {
				t.Fatalf("no figure %s", x.figure)
			}
			changed, err := x.changes(t, figures, &figures[i], base)
			switch {
			case err != nil:
				t.Error(err)
			case changed == "" && x.reason == "":
				t.Error("no verdict changes, and the list has no reason")
			case changed != "" && x.reason != "":
				t.Errorf("%s changes: remove the reason %q", changed, x.reason)
			}
			t.Logf("changes %q", changed)
		})
	}
}

// changes returns a verdict that the perturbation changes, or "".
func (x *perturbation) changes(t *testing.T, figures []presets.Figure, f *presets.Figure, base map[string]*plan) (string, error) {
	switch x.kind {
	case "removed":
		return x.withoutCheck(figures, f)
	case "formula":
		return x.withFormula(t, f, base)
	case "published":
		return x.withPublished(t, f, base)
	case "constant":
		return x.withConstant(t, f, base)
	}
	return "", fmt.Errorf("unknown kind %s", x.kind)
}

// withoutCheck removes a check. The claim then has none, or the number of rows changes.
func (x *perturbation) withoutCheck(figures []presets.Figure, f *presets.Figure) (string, error) {
	i := slices.IndexFunc(f.Checks, func(c presets.Check) bool { return c.Name == x.what })
	if i < 0 {
		return "", fmt.Errorf("no check %s", x.what)
	}
	claim := f.Checks[i].Claim
	for k := range figures {
		for j := range figures[k].Checks {
			c := &figures[k].Checks[j]
			if c.Claim == claim && (figures[k].Name != f.Name || c.Name != x.what) {
				return "", nil
			}
		}
	}
	return fmt.Sprintf("claim %d is missing", claim), nil
}

// withFormula multiplies the model of a check's quantity.
func (x *perturbation) withFormula(t *testing.T, f *presets.Figure, base map[string]*plan) (string, error) {
	p, err := simulated(t, f, base)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(f.Checks, func(c presets.Check) bool { return c.Name == x.what })
	if i < 0 {
		return "", fmt.Errorf("no check %s", x.what)
	}
	c := &f.Checks[i]
	other, e := *p, *p.experiment
	e.Quantities = slices.Clone(e.Quantities)
	at := slices.IndexFunc(e.Quantities, func(q Quantity) bool { return q.Name == c.Quantity })
	model := e.Quantities[at].Modelled
	e.Quantities[at].Modelled = func(p, against *Point) float64 { return model(p, against) * x.factor }
	other.experiment = &e
	return differs(p.judge(c), other.judge(c)), nil
}

// withPublished multiplies the published numbers of a check.
func (x *perturbation) withPublished(t *testing.T, f *presets.Figure, base map[string]*plan) (string, error) {
	p, err := simulated(t, f, base)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(f.Checks, func(c presets.Check) bool { return c.Name == x.what })
	if i < 0 || len(f.Checks[i].Published) == 0 {
		return "", fmt.Errorf("no check %s with published numbers", x.what)
	}
	c := f.Checks[i]
	c.Published = map[string][]presets.Point{}
	for name, points := range f.Checks[i].Published {
		for _, at := range points {
			at.Value *= x.factor
			c.Published[name] = append(c.Published[name], at)
		}
	}
	return differs(p.judge(&f.Checks[i]), p.judge(&c)), nil
}

// withConstant multiplies a constant of the machine. It looks at the checks that can fail, and the figure must have
// one.
func (x *perturbation) withConstant(t *testing.T, f *presets.Figure, base map[string]*plan) (string, error) {
	if !slices.ContainsFunc(f.Checks, func(c presets.Check) bool { return c.Use.Fails() }) {
		return "", fmt.Errorf("no check of %s can fail", f.Name)
	}
	p, err := simulated(t, f, base)
	if err != nil {
		return "", err
	}
	m, err := presets.Scaled(&p.machine, x.what, x.factor)
	if err != nil {
		return "", err
	}
	m.Name += "-perturbed"
	v, err := p.onMachine(m)
	if err != nil {
		return "", err
	}
	if err := simulate(t.Context(), []*plan{v}, Options{}, nil); err != nil {
		return "", err
	}
	for i := range f.Checks {
		c := &f.Checks[i]
		if c.Use.Fails() {
			if of := differs(p.judge(c), v.judge(c)); of != "" {
				return c.Name + ": " + of, nil
			}
		}
	}
	return "", nil
}

// simulated returns the plan of a figure with its runs.
func simulated(t *testing.T, f *presets.Figure, base map[string]*plan) (*plan, error) {
	if p := base[f.Name]; p != nil {
		return p, nil
	}
	p, err := newPlan(f)
	if err != nil {
		return nil, err
	}
	base[f.Name] = p
	return p, simulate(t.Context(), []*plan{p}, Options{}, nil)
}

// differs returns the first row with another verdict, or "".
func differs(a, b []Row) string {
	for i := range a {
		if !a[i].Kept && a[i].Verdict() != b[i].Verdict() {
			return a[i].Name
		}
	}
	return ""
}
