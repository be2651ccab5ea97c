package presets

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed figures/*.toml
var figureFiles embed.FS

// A Figure holds what a paper publishes in one figure, table or passage: the runs and the checks of
// their results. It is plain data.
type Figure struct {
	Name       string // name of the file: "paper1-fig6"
	Title      string
	Paper      int
	Place      string // "section 4.3.1, figure 6"
	Lost       string // parts that the available text lacks; "": none
	Experiment string // name of the experiment (engine/reproduce)
	Machine    string
	X, Y       string // axes: a text, and a quantity of the experiment
	Knobs      []Knob // of every run
	Series     []Series
	Checks     []Check
}

// Knob is a knob of a workload and the value that a figure gives it.
type Knob struct{ Name, Value string }

// Series is one line of a figure, with its values of x.
type Series struct {
	Name, Label string
	Knobs       []Knob // in addition to the figure's knobs; they override them
	X           []float64
	Long        []float64 // x values that run only on request; their results are recorded
}

// Use states the purpose of a check.
type Use string

// The uses.
const (
	UseFit   Use = "fit"   // sets constants
	UseCheck Use = "check" // must follow from constants that were set elsewhere, and can fail
	UseExact Use = "exact" // arithmetic
	// UseVerify marks a check that holds by construction of this program or of its machine. It
	// shows that the program works as described; it does not support the claim.
	UseVerify Use = "verify"
)

// Fails reports whether a check of this use depends on constants that may be wrong.
func (u Use) Fails() bool { return u == UseFit || u == UseCheck }

// Rule is the condition under which a check passes.
type Rule string

// The rules. The first four apply to each point. They compare it with a published number, or else
// with the cost model's number; Range compares it with published bounds. The other rules apply to a
// whole series, and the paper publishes them in words.
const (
	Within    Rule = "within"    // relative error up to Tolerance
	Sampling  Rule = "sampling"  // up to Tolerance standard errors of sampling
	Direction Rule = "direction" // a ratio on the same side of 1
	Range     Rule = "range"     // from Least to Most
	Rises     Rule = "rises"     // each point is above the previous one
	Flat      Rule = "flat"      // each point is within the relative Tolerance of the mean
	Peaks     Rule = "peaks"     // the largest of them is from Least to Most
	Crosses   Rule = "crosses"   // it rises through 1 at Crossing, within a factor of Tolerance
)

// Whole reports whether a rule applies to a whole series.
func (r Rule) Whole() bool { return r == Rises || r == Flat || r == Peaks || r == Crosses }

// Tolerant reports whether a rule has a tolerance.
func (r Rule) Tolerant() bool { return r == Within || r == Sampling || r == Flat || r == Crosses }

// Check is one statement of a figure that a run can check.
type Check struct {
	Name      string
	Claim     int    // number of the claim (claims.toml)
	Says      string // in words
	Place     string
	Quantity  string // of the experiment
	Series    []string
	X         []float64 // values of x; nil: all of its series
	Use       Use
	Reason    string // for UseVerify: why it cannot fail
	Rule      Rule
	Tolerance float64
	Published map[string][]Point // numbers by series; nil: only words
	Null      *float64           // a guess without any model, which the simulation must beat; nil: none
	Against   string             // the series that the quantity compares with; "": defined by the quantity
	Least     float64            // for Range and Peaks; −Inf: no bound
	Most      float64            // for Range and Peaks; +Inf: no bound
	Crossing  float64            // for Crosses: the published value of x
	Decides   string             // the term that must dominate; "": any
	DependsOn []string           // facts of the machine that it depends on
	Fits      []string           // the facts in DependsOn that it sets
	// the nearest physically reasonable constants with which it would hold, found after the outcome
	// was known, and their cost elsewhere; "": none
	Reach   string
	Measure string // the measurement that would decide it; "": none
	Record  Record // the recorded result
}

// FitsX in Fits means that the check sets the value of x, which the paper has lost.
const FitsX = "x"

// Point is a published number at a value of x.
type Point struct{ X, Value float64 }

// At returns the published number of a series at x.
func (c *Check) At(series string, x float64) (float64, bool) {
	for _, p := range c.Published[series] {
		if p.X == x {
			return p.Value, true
		}
	}
	return 0, false
}

// Find returns the series with a name, or nil.
func (f *Figure) Find(series string) *Series {
	for i := range f.Series {
		if f.Series[i].Name == series {
			return &f.Series[i]
		}
	}
	return nil
}

// Claims returns the numbers of the claims that the figure checks, in rising order.
func (f *Figure) Claims() []int {
	var all []int
	for i := range f.Checks {
		all = append(all, f.Checks[i].Claim)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Figures returns all figures, sorted by name.
func Figures() ([]Figure, error) {
	entries, err := figureFiles.ReadDir("figures")
	if err != nil {
		return nil, err
	}
	var all []Figure
	for _, e := range entries {
		file := path.Join("figures", e.Name())
		data, err := figureFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := decodeFigure(file, data)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// FindFigures returns the figures with the given names, each once, in the order of Figures. A name
// can omit the paper ("fig6" of every paper) or the figure ("paper1"); "all" means all figures.
func FindFigures(names ...string) ([]Figure, error) {
	all, err := Figures()
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, len(all))
	var available []string
	for _, f := range all {
		available = append(available, f.Name)
	}
	for _, name := range names {
		found := false
		for i := range all {
			paper, short, _ := strings.Cut(all[i].Name, "-")
			if name == "all" || name == all[i].Name || name == paper || name == short {
				wanted[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("unknown figure %q: want one of %s, or all", shorten(name), strings.Join(available, ", "))
		}
	}
	var some []Figure
	for i := range all {
		if wanted[i] {
			some = append(some, all[i])
		}
	}
	return some, nil
}

// decodeFigure decodes the bytes of a figure file.
func decodeFigure(file string, data []byte) (Figure, error) {
	fail := func(err error) (Figure, error) { return Figure{}, err }
	f := Figure{Name: fileName(file)}
	if paper, short, _ := strings.Cut(f.Name, "-"); paper == "" || short == "" {
		return fail(&mistake{file: file, text: "invalid name for a figure; use paper1-fig6.toml, in lower-case letters, " +
			"digits and dashes, at most 40"})
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), figureKey, suggestFigureKey)
	if err != nil {
		return fail(err)
	}
	r := &figureReader{document: d}
	r.figure(&f)
	if r.err != nil {
		return fail(r.err)
	}
	return f, nil
}
