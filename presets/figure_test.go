package presets

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The loader accepts every figure, and the machine's file marks each constant that a figure sets as
// fitted.
func TestFigures(t *testing.T) {
	all, err := Figures()
	if err != nil {
		t.Fatal(err)
	}
	claims := make(map[int]bool)
	for i := range all {
		f := &all[i]
		checkFigure(t, f)
		m, err := Machine(f.Machine)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Checks {
			claims[c.Claim] = true
			for _, fact := range Facts(&m) {
				if slices.Contains(c.Fits, fact.Key) && fact.Kind() != "fitted" {
					t.Errorf("%s: %s sets %s, which is %s: %s", f.Name, c.Name, fact.Key, fact.Kind(), fact.Source)
				}
			}
		}
	}
	for _, claim := range []int{1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 48, 49,
		50, 51, 52, 53} {
		if !claims[claim] {
			t.Errorf("no figure has claim %d", claim)
		}
	}
}

// checkFigure checks the conditions that every loaded figure must satisfy.
func checkFigure(t *testing.T, f *Figure) {
	t.Helper()
	if f.Title == "" || f.Place == "" || f.Experiment == "" || len(f.Series) == 0 || len(f.Checks) == 0 {
		t.Errorf("%s: %+v lacks something", f.Name, f)
	}
	for i := range f.Checks {
		c := &f.Checks[i]
		if c.Claim < 1 || c.Says == "" || c.Place == "" || len(c.Series) == 0 || (c.Use == UseFit) != (len(c.Fits) > 0) ||
			(c.Use == UseVerify) != (c.Reason != "") {
			t.Errorf("%s: %s: %+v lacks something", f.Name, c.Name, c)
		}
		if c.Rule.Tolerant() == (c.Tolerance == 0) || c.Tolerance < 0 || math.IsNaN(c.Tolerance) {
			t.Errorf("%s: %s: tolerance %v of the rule %q", f.Name, c.Name, c.Tolerance, c.Rule)
		}
		for _, name := range c.Series {
			s := f.Find(name)
			if s == nil || !slices.IsSorted(s.X) {
				t.Fatalf("%s: %s: series %s: %+v", f.Name, c.Name, name, s)
			}
			for _, p := range c.Published[name] {
				if v, ok := c.At(name, p.X); !ok || v != p.Value || !slices.Contains(slices.Concat(s.X, s.Long), p.X) {
					t.Errorf("%s: %s: %s at %v is %v, %v", f.Name, c.Name, name, p.X, v, ok)
				}
			}
		}
	}
}

func TestFindFigures(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  []string
	}{
		{[]string{"paper1-fig7", "paper1-fig6", "fig6"}, []string{"paper1-fig6", "paper1-fig7"}},
		{[]string{"fig7"}, []string{"paper1-fig7"}},
		{[]string{"paper1"}, []string{"paper1-fig6", "paper1-fig7", "paper1-fig8", "paper1-readings", "paper1-windows"}},
	} {
		some, err := FindFigures(c.names...)
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, f := range some {
			if strings.HasPrefix(f.Name, "paper1-") {
				got = append(got, f.Name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.names, got, c.want)
		}
	}
	all, err := Figures()
	if every, _ := FindFigures("all"); err != nil || len(every) != len(all) {
		t.Errorf("all are %d of %d, %v", len(every), len(all), err)
	}
	_, err = FindFigures("fig6", "fig99")
	wantError(t, err, `unknown figure "fig99": want one of paper1-fig6, paper1-fig7`)
}

// aFigure is a file with every possible key.
const aFigure = `title = "Times"
paper = 9
place = "table 1"
lost = "its points"
experiment = "sorting"
machine = "demo"
x = "nodes"
y = "time"

[knobs]
group = 4

[series.one]
label = "one"
knobs = { model = "flat", share = 0.5 }
x = [1, 2, 4]

[checks.copy]
claim = 10
says = "like row 9"
place = "table 2"
quantity = "time"
series = ["one"]
use = "fit"
rule = "within"
tolerance = 0.1
null = 1.44
leans = ["flops_per_core", "remote.latency_s"]
fits = ["remote.latency_s"]
published.one = [[1, 2.5], [4, 3]]

[checks.flat]
claim = 11
says = "stays"
quantity = "time"
series = ["one"]
x = [2, 4]
use = "check"
rule = "flat"
tolerance = 0.05
`

func TestFigureFile(t *testing.T) {
	f, err := decodeFigure("figures/paper9-table1.toml", []byte(aFigure))
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, &f)
	one := &f.Series[0]
	copied := &f.Checks[0]
	flat := &f.Checks[1]
	if f.Name != "paper9-table1" || f.Lost != "its points" || !slices.Equal(f.Knobs, []Knob{{"group", "4"}}) ||
		!slices.Equal(f.Claims(), []int{10, 11}) {
		t.Errorf("%+v", f)
	}
	if !slices.Equal(one.Knobs, []Knob{{"model", "flat"}, {"share", "0.5"}}) || !slices.Equal(one.X, []float64{1, 2, 4}) {
		t.Errorf("%+v", one)
	}
	if v, ok := copied.At("one", 4); v != 3 || !ok || *copied.Null != 1.44 || copied.Place != "table 2" ||
		copied.Tolerance != .1 || !slices.Equal(copied.Fits, []string{"remote.latency_s"}) {
		t.Errorf("%+v", copied)
	}
	if _, ok := copied.At("one", 2); ok || flat.Place != "table 1" || flat.Null != nil ||
		!slices.Equal(flat.X, []float64{2, 4}) || flat.Use != UseCheck {
		t.Errorf("%+v", flat)
	}
}

// A range has one bound or two, a crossing its value of x. A check can state the series that it
// compares with, and the term that dominates.
func TestFigureRules(t *testing.T) {
	text := edit(t,
		edit(t, aFigure, "\"flat\"\ntolerance = 0.05", "\"range\"\nleast = 0.5\nagainst = \"one\"\ndecides = \"adapter\""),
		"\"within\"\ntolerance = 0.1\nnull = 1.44", `"direction"`)
	f, err := decodeFigure("paper9-x.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, &f)
	if c := f.Checks[1]; c.Least != 0.5 || !math.IsInf(c.Most, 1) || c.Against != "one" || c.Decides != "adapter" ||
		c.Rule.Whole() {
		t.Errorf("%+v", c)
	}
	if v, ok := f.Checks[0].At("one", 4); f.Checks[0].Rule != Direction || !ok || v != 3 {
		t.Errorf("%+v", f.Checks[0])
	}
	f, err = decodeFigure("paper9-x.toml",
		[]byte(edit(t, aFigure, "\"flat\"\ntolerance = 0.05", "\"crosses\"\ncrossing = 3\ntolerance = 2")))
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Checks[1]; c.Crossing != 3 || c.Tolerance != 2 || !c.Rule.Whole() {
		t.Errorf("%+v", c)
	}
}

func TestFigureMistakes(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"unknown head", "colour = 3\n" + aFigure, "paper9-x.toml:1: colour: unknown key; want one of title, paper, place"},
		{"unknown part of a check", edit(t, aFigure, "null = 1.44", "nul = 1.44"),
			"paper9-x.toml:27: checks.copy.nul: unknown key; a check has claim, says"},
		{"unknown part of a series", edit(t, aFigure, `label = "one"`, `lable = "one"`),
			"series.one.lable: unknown key; a series has label, knobs, x"},
		{"key in upper case", edit(t, aFigure, "claim = 10", "Claim = 10"), "checks.copy.Claim: unknown key"},
		{"name in upper case", edit(t, aFigure, "[series.one]", "[series.One]"),
			"series.One: unknown key; a name has lower-case letters"},
		{"quoted dot", edit(t, aFigure, "[series.one]", `[series."o.e"]`), "unknown key"},
		{"no title", dropLine(t, aFigure, "title ="), `title: missing; add title = "what the figure shows"`},
		{"no label", dropLine(t, aFigure, "label ="), "paper9-x.toml:13: series.one.label: missing"},
		{"paper of another name", edit(t, aFigure, "paper = 9", "paper = 8"),
			"paper9-x.toml:2: paper: is 8, and the file is called paper9-x; rename the file"},
		{"half a paper", edit(t, aFigure, "paper = 9", "paper = 9.5"), "paper: is 9.5; want a whole number"},
		{"no claim", dropLine(t, aFigure, "claim = 11"), "checks.flat.claim: want a number, from 1 to 1000"},
		{"machine that is not there", edit(t, aFigure, `"demo"`, `"abacus"`),
			`machine: is "abacus"; want a built-in machine: ac922-summit`},
		{"no use", dropLine(t, aFigure, `use = "check"`), `checks.flat.use: want one of "fit", "check", "exact", "verify"`},
		{"unknown use", edit(t, aFigure, `use = "check"`, `use = "verified"`),
			`checks.flat.use: want one of "fit", "check", "exact", "verify"`},
		{"what cannot fail, without a reason", edit(t, aFigure, `use = "check"`, `use = "verify"`),
			"paper9-x.toml:32: checks.flat.reason: missing; add reason = why it cannot fail"},
		{"a reason of nothing", edit(t, aFigure, `use = "check"`, "use = \"verify\"\nreason = \" \""),
			"checks.flat.reason: is empty"},
		{"why a prediction cannot fail", edit(t, aFigure, `use = "check"`, "use = \"check\"\nreason = \"so\""),
			`checks.flat.reason: is only for use = "verify", and use is "check"`},
		{"wrong rule", edit(t, aFigure, `"flat"
tol`, `"even"
tol`), `checks.flat.rule: want one of "within", "sampling", "direction", "range", "rises", "flat", "crosses"`},
		{"no tolerance", dropLine(t, aFigure, "tolerance = 0.05"), "checks.flat.tolerance: want a number"},
		{"tolerance in percent", edit(t, aFigure, "tolerance = 0.05", "tolerance = 5"),
			"checks.flat.tolerance: is 5; want a number, from 1e-09 to 1"},
		{"tolerance of nothing", edit(t, aFigure, `rule = "flat"`, `rule = "rises"`),
			`checks.flat.tolerance: the rule "rises" has no tolerance`},
		{"few standard errors", edit(t, aFigure, `rule = "flat"`, `rule = "sampling"`),
			"checks.flat.tolerance: is 0.05; want a number, from 1 to 10"},
		{"series that is not there", edit(t, aFigure, `series = ["one"]
use = "fit"`, `series = ["two"]
use = "fit"`), `checks.copy.series: unknown series "two"`},
		{"no series", edit(t, aFigure, `series = ["one"]
x`, `series = []
x`), "checks.flat.series: want names of series in brackets"},
		{"series twice", edit(t, aFigure, `series = ["one"]
x`, `series = ["one", "one"]
x`), `checks.flat.series: has "one" twice`},
		{"x that is not run", edit(t, aFigure, "x = [2, 4]", "x = [2, 3]"),
			"checks.flat.x: has x = 3, and one is not run there"},
		{"x that falls", edit(t, aFigure, "x = [1, 2, 4]", "x = [1, 4, 2]"),
			"series.one.x: has 2 after 4; want rising values"},
		{"x without end", edit(t, aFigure, "x = [1, 2, 4]", "x = ["+strings.Repeat("1,", 300)+"]"),
			"series.one.x: want places on the x axis in brackets, at most 256"},
		{"x of no number", edit(t, aFigure, "x = [1, 2, 4]", "x = [1, nan]"), "series.one.x: is NaN; want a number"},
		{"published elsewhere", edit(t, aFigure, "[4, 3]]", "[3, 3]]"),
			"checks.copy.published.one: has x = 3, and one is not run there"},
		{"published nothing", edit(t, aFigure, "[4, 3]]", "[4, 0]]"), "checks.copy.published.one: has the value 0 at 4"},
		{"published alone", edit(t, aFigure, "[4, 3]]", "4]"), "checks.copy.published.one: want pairs"},
		{"published without end", edit(t, aFigure, "[4, 3]]", "[4, inf]]"),
			"checks.copy.published.one: is +Inf; want a number"},
		{"published of another", edit(t, aFigure, "published.one", "published.two"),
			"checks.copy.published.two: is not among the check's series"},
		{"published values and a rule in words", edit(t, aFigure, "x = [2, 4]", "published.one = [[2, 1]]"),
			`checks.flat.published: the rule "flat" uses no published numbers`},
		{"a range of nothing", edit(t, aFigure, "\"flat\"\ntolerance = 0.05", `"range"`),
			"checks.flat.least: want least, most or both"},
		{"a range upside down", edit(t, aFigure, "\"flat\"\ntolerance = 0.05", "\"range\"\nleast = 2\nmost = 1"),
			"checks.flat.least: want least, most or both, and least <= most"},
		{"a range with a tolerance", edit(t, aFigure, `rule = "flat"`, "rule = \"range\"\nleast = 2"),
			`checks.flat.tolerance: the rule "range" has no tolerance`},
		{"bounds of another rule", edit(t, aFigure, "x = [2, 4]", "most = 2"), `checks.flat.most: only the rule "range"`},
		{"a crossing nowhere", edit(t, aFigure, "\"flat\"\ntolerance = 0.05", "\"crosses\"\ntolerance = 2"),
			"checks.flat.crossing: missing; add crossing ="},
		{"a crossing below 0", edit(t, aFigure, "\"flat\"\ntolerance = 0.05", "\"crosses\"\ncrossing = -3\ntolerance = 2"),
			"checks.flat.crossing: is -3; want a place above 0"},
		{"a crossing in percent", edit(t, aFigure, `rule = "flat"`, "rule = \"crosses\"\ncrossing = 3"),
			"checks.flat.tolerance: is 0.05; want a number, from 1 to 100"},
		{"against an unknown series", edit(t, aFigure, "x = [2, 4]", `against = "two"`),
			`checks.flat.against: unknown series "two"`},
		{"published values and x", edit(t, aFigure, "null = 1.44", "x = [1]"),
			"checks.copy.x: not allowed with published numbers"},
		{"null without numbers", edit(t, aFigure, "x = [2, 4]", "null = 1"),
			`checks.flat.null: is only used with published numbers`},
		{"fits of a check", edit(t, aFigure, "x = [2, 4]", `fits = ["nodes"]`),
			`checks.flat.fits: sets constants, but use is "check"`},
		{"fit of nothing", dropLine(t, aFigure, "fits ="), "checks.copy.fits: missing; add fits ="},
		{"fits of no lean", edit(t, aFigure, `fits = ["remote.latency_s"]`, `fits = ["nodes"]`),
			`checks.copy.fits: has "nodes", which is not among leans`},
		{"leans on nothing", edit(t, aFigure, `"flops_per_core", `, `"flops", `),
			`checks.copy.leans: has "flops", and the machine demo has no such number`},
		{"escape in words", edit(t, aFigure, `says = "stays"`, `says = "\u001b[31m"`), "checks.flat.says: contains U+001B"},
		{"long words", edit(t, aFigure, `says = "stays"`, `says = "`+strings.Repeat("x", maxText+1)+`"`),
			"checks.flat.says: has 1001 bytes"},
		{"quantity with a space", edit(t, aFigure, `quantity = "time"
series = ["one"]
x`, `quantity = "a time"
series = ["one"]
x`), `checks.flat.quantity: is "a time"; want a name such as`},
		{"knob of a list", edit(t, aFigure, "group = 4", "group = [4]"), "knobs.group: want a text in quotes"},
		{"knobs of no table", edit(t, aFigure, "[knobs]\ngroup = 4", ""), ""},
		{"series of no table", "series = 3\n", `title: missing`},
		{"checks of a list", aFigure[:strings.Index(aFigure, "[checks.copy]")] + "[[checks]]\nclaim = 1\n",
			"checks: want a table: [checks]"},
		{"a check of no table", aFigure[:strings.Index(aFigure, "[checks.copy]")] + "[checks]\ncopy = 1\n",
			"checks.copy.claim: want a number"},
		{"no checks", aFigure[:strings.Index(aFigure, "[checks.copy]")], "checks: missing; add [checks.NAME]"},
		{"the same check twice", aFigure + "\n[checks.flat]\nclaim = 1\n", "paper9-x.toml:"},
		{"no TOML", "hello\n", "paper9-x.toml:1: "},
		{"nothing", "", "paper9-x.toml: title: missing"},
		{"brackets without end", "x = " + strings.Repeat("[", 1<<19), "opening brackets"},
		{"many keys", aFigure + "\n[series.two.knobs]\n" + manyKeys("a%d = 1\n"), "more than 4000 keys are not read"},
		{"dots without end", strings.Repeat("a.", 1<<18) + "a = 1", "unknown key"},
	} {
		_, err := decodeFigure("paper9-x.toml", []byte(c.text))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "paper9-x.toml:") {
			t.Errorf("%s: error\n\t%v\nwant one with\n\t%s", c.what, err, c.want)
			continue
		}
		if strings.ContainsFunc(err.Error(), unicode.IsControl) || len(err.Error()) > 3000 {
			t.Errorf("%s: the error is not printable: %q", c.what, err)
		}
	}
	_, err := decodeFigure("fig6.toml", []byte(aFigure))
	wantError(t, err, "fig6.toml: invalid name for a figure; use paper1-fig6.toml")
}

func FuzzFigure(f *testing.F) {
	f.Add([]byte(aFigure))
	f.Add([]byte("title = \"x\"\npaper = 9\n[series.a]\nx = [1, [2], nan]\n[checks.a.published]\na = [[1, 2], 3]\n"))
	f.Add([]byte("series = { a = { knobs = 3, x = [] } }\nchecks.a = 1\nknobs.k = 1979-05-27\n"))
	f.Add([]byte("[[series]]\n[series.a.knobs.b]\n\xef\xbb\xbf'' = '''\n'''"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fig, err := decodeFigure("paper9-fuzz.toml", data)
		if err == nil {
			checkFigure(t, &fig)
			return
		}
		if s := err.Error(); !strings.HasPrefix(s, "paper9-fuzz.toml:") || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("error %q: want the file first and no control characters", s)
		}
	})
}
