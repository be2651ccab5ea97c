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

// Figure is what a paper publishes in one figure, table or passage, as plain data:
// what was run, and what is checked of it.
type Figure struct {
	Name       string // "paper1-fig6": the file's
	Title      string
	Paper      int
	Place      string // "section 4.3.1, figure 6"
	Lost       string // what the text at hand lacks; "": nothing
	Experiment string // how it is run (engine/reproduce)
	Machine    string
	X, Y       string // what the axes show: words, and a quantity of the experiment
	Knobs      []Knob // of every run
	Series     []Series
	Checks     []Check
}

// Knob is a knob of a workload and the value that a figure gives it.
type Knob struct{ Name, Value string }

// Series is one line of a figure, at places on its x axis.
type Series struct {
	Name, Label string
	Knobs       []Knob // beyond the figure's, or instead of them
	X           []float64
	Long        []float64 // places that are run only when asked for; what they came to is recorded
}

// Use says what a claim may be used for. More is checked than fitted.
type Use string

// The uses.
const (
	UseFit   Use = "fit"   // it sets constants
	UseCheck Use = "check" // it has to come out of constants that were set elsewhere, and can fail
	UseExact Use = "exact" // arithmetic
	// UseVerify holds by construction, of this program or of its machine: it shows
	// that the program does what it says, and nothing of the claim.
	UseVerify Use = "verify"
)

// Fails says that a check of this use rests on constants that may be wrong.
func (u Use) Fails() bool { return u == UseFit || u == UseCheck }

// Rule says when a check is passed.
type Rule string

// The rules. The first four hold at each point: of a published number, else of the
// model's, but for Range, which publishes its bounds. The others hold for a series
// as a whole, and words publish them.
const (
	Within    Rule = "within"    // relative error up to Tolerance
	Sampling  Rule = "sampling"  // up to Tolerance standard errors of sampling
	Direction Rule = "direction" // a ratio on the same side of 1
	Range     Rule = "range"     // from Least to Most
	Rises     Rule = "rises"     // each point above the one before it
	Flat      Rule = "flat"      // each point within Tolerance, relatively, of their mean
	Peaks     Rule = "peaks"     // the largest of them is from Least to Most
	Crosses   Rule = "crosses"   // it passes 1 on its way up, at Crossing or up to Tolerance times before or behind
)

// Whole says that a rule holds for a series as a whole.
func (r Rule) Whole() bool { return r == Rises || r == Flat || r == Peaks || r == Crosses }

// Tolerant says that a rule asks for a tolerance.
func (r Rule) Tolerant() bool { return r == Within || r == Sampling || r == Flat || r == Crosses }

// Check is one thing that a figure shows.
type Check struct {
	Name      string
	Claim     int    // its number among all claims of the papers
	Says      string // in words
	Place     string
	Quantity  string // of the experiment
	Series    []string
	X         []float64 // where; nil: wherever its series are
	Use       Use
	Reason    string // of UseVerify: why it cannot fail
	Rule      Rule
	Tolerance float64
	Published map[string][]Point // numbers, by series; nil: words alone
	Null      *float64           // what a reader would guess without any model, to be beaten
	Against   string             // the series whose runs the quantity is against; "": as the quantity says
	Least     float64            // of Range and Peaks; −Inf: no bound
	Most      float64            // of Range and Peaks; +Inf: no bound
	Crossing  float64            // of Crosses: the published place
	Decides   string             // the term that has to decide; "": any
	Leans     []string           // facts of the machine that it rests on
	Fits      []string           // those of them that it sets
	Reach     string             // the nearest physically reasonable constants under which it would hold, found in view of the outcome, and what they cost elsewhere; "": none is told
	Measure   string             // the one measurement that would decide; "": none is told
	Record    Record             // what it came to
}

// FitsX among Fits says that the check sets the place on the x axis, which the paper has
// lost.
const FitsX = "x"

// Point is a published number at a place on the x axis.
type Point struct{ X, Value float64 }

// At is the published number of a series at x.
func (c *Check) At(series string, x float64) (float64, bool) {
	for _, p := range c.Published[series] {
		if p.X == x {
			return p.Value, true
		}
	}
	return 0, false
}

// Find gives the series of a name; nil: there is none.
func (f *Figure) Find(series string) *Series {
	for i := range f.Series {
		if f.Series[i].Name == series {
			return &f.Series[i]
		}
	}
	return nil
}

// Claims are the numbers of the claims that the figure serves, rising.
func (f *Figure) Claims() []int {
	var all []int
	for i := range f.Checks {
		all = append(all, f.Checks[i].Claim)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Figures gives every figure, by name.
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

// FindFigures gives the figures of some names, each once, in the order of Figures.
// A name may leave out the paper ("fig6": that of every paper that has one) or the
// figure ("paper1"); "all" is all.
func FindFigures(names ...string) ([]Figure, error) {
	all, err := Figures()
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, len(all))
	var known []string
	for _, f := range all {
		known = append(known, f.Name)
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
			return nil, fmt.Errorf("unknown figure %q: there are %s, and all", shorten(name), strings.Join(known, ", "))
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

// decodeFigure reads a figure out of a file's bytes.
func decodeFigure(file string, data []byte) (Figure, error) {
	fail := func(err error) (Figure, error) { return Figure{}, err }
	f := Figure{Name: fileName(file)}
	if paper, short, _ := strings.Cut(f.Name, "-"); paper == "" || short == "" {
		return fail(&mistake{file: file, text: "is no name for a figure; use paper1-fig6.toml, in lower-case letters, digits and dashes, at most 40"})
	}
	d, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), figureKey, mendFigureKey)
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
