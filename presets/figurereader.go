package presets

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of a figure file, to detect mistakes.
const (
	maxClaim  = 1000
	maxFigure = 64   // series, checks, or names in a list
	maxPoints = 256  // of a series
	maxNumber = 1e30 // a published number, or a value of x
)

// The keys of a figure file, of a series and of a check.
var (
	figureHeads = []string{"title", "paper", "place", "lost", "experiment", "machine", "x", "y", "knobs", "series",
		"checks"}
	seriesParts = []string{"label", "knobs", "x", "long"}
	checkParts  = []string{"claim", "says", "place", "quantity", "series", "x", "use", "reason", "rule", "tolerance",
		"least", "most", "crossing", "against", "decides", "published", "null", "leans", "fits", "reach", "measure",
		"verdict", "refuted", "decided", "long", "sensitivity", "moves"}
)

// figureKey reports whether a figure file has a dotted key.
func figureKey(key string) bool {
	p := strings.Split(key, ".")
	switch {
	case len(p) == 1:
		return slices.Contains(figureHeads, p[0])
	case !isName(p[1]):
		return false
	case p[0] == "knobs":
		return len(p) == 2
	case p[0] == "series":
		return len(p) == 2 ||
			slices.Contains(seriesParts, p[2]) && (len(p) == 3 || len(p) == 4 && p[2] == "knobs" && isName(p[3]))
	case p[0] == "checks":
		return len(p) == 2 ||
			slices.Contains(checkParts, p[2]) && (len(p) == 3 || len(p) == 4 && p[2] == "published" && isName(p[3]))
	}
	return false
}

func suggestFigureKey(key string) string {
	switch p := strings.Split(key, "."); {
	case len(p) > 1 && p[0] == "series" && isName(p[1]):
		return "a series has " + strings.Join(seriesParts, ", ")
	case len(p) > 1 && p[0] == "checks" && isName(p[1]):
		return "a check has " + strings.Join(checkParts, ", ") + "; published has lists of [x, value] by series"
	case len(p) > 1 && slices.Contains([]string{"knobs", "series", "checks"}, p[0]):
		return "a name has lower-case letters, digits and dashes, at most 40"
	}
	return "want one of " + strings.Join(figureHeads, ", ")
}

// isName reports whether s is a valid name of a series, a check, a knob or a quantity.
func isName(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// figureReader reads a figure from a document. err is the first mistake.
type figureReader struct {
	*document
	err error
}

func (r *figureReader) wrong(key, format string, args ...any) {
	if r.err == nil {
		r.err = r.fail(key, format, args...)
	}
}

func (r *figureReader) has(key string) bool { _, ok := r.at(key); return ok }

// words reads a text. If the argument what is not empty, the text is required, and the error prints
// what as an example.
func (r *figureReader) words(key, what string) string {
	v, ok := r.at(key)
	if !ok {
		if what != "" {
			r.wrong(key, "missing; add %s = %q", last(key), what)
		}
		return ""
	}
	s, err := r.text(key, v)
	if err != nil && r.err == nil {
		r.err = err
	}
	return s
}

// name reads a name.
func (r *figureReader) name(key, what string) string {
	s := r.words(key, what)
	if r.err == nil && !isName(s) {
		r.wrong(key, "is %q; want a name such as %q", shorten(s), what)
	}
	return s
}

// choice reads a word that must be one of all.
func (r *figureReader) choice(key string, all ...string) string {
	v, _ := r.at(key)
	s, _ := v.(string)
	if !slices.Contains(all, s) {
		r.wrong(key, "want one of %s", words(all))
	}
	return s
}

// number converts a value and checks its bounds.
func (r *figureReader) number(key string, v any, low, high float64) float64 {
	var x float64
	switch v := v.(type) {
	case int64:
		x = float64(v)
	case float64:
		x = v
	default:
		r.wrong(key, "want a number, from %v to %v", low, high)
		return 0
	}
	if math.IsNaN(x) || x < low || x > high {
		r.wrong(key, "is %v; want a number, from %v to %v", x, low, high)
	}
	return x
}

func (r *figureReader) whole(key string, low, high float64) int {
	v, _ := r.at(key)
	x := r.number(key, v, low, high)
	if x != math.Trunc(x) {
		r.wrong(key, "is %v; want a whole number", x)
	}
	return int(x)
}

// list reads a list and rejects an empty one.
func (r *figureReader) list(key string, limit int, what string) []any {
	v, _ := r.at(key)
	all, ok := v.([]any)
	if !ok || len(all) == 0 || len(all) > limit {
		r.wrong(key, "want %s in brackets, at most %d", what, limit)
		return nil
	}
	return all
}

// names reads a list of distinct texts.
func (r *figureReader) names(key, what string) []string {
	var all []string
	for _, v := range r.list(key, maxFigure, what) {
		s, err := r.text(key, v)
		if err != nil && r.err == nil {
			r.err = err
		}
		if slices.Contains(all, s) {
			r.wrong(key, "has %q twice", shorten(s))
		}
		all = append(all, s)
	}
	return all
}

// xValues reads values of x, which must rise.
func (r *figureReader) xValues(key string) []float64 {
	var all []float64
	for _, v := range r.list(key, maxPoints, "places on the x axis") {
		all = r.rising(key, all, r.number(key, v, -maxNumber, maxNumber))
	}
	return all
}

func (r *figureReader) rising(key string, all []float64, x float64) []float64 {
	if n := len(all); n > 0 && x <= all[n-1] {
		r.wrong(key, "has %v after %v; want rising values", x, all[n-1])
	}
	return append(all, x)
}

// childKeys returns the keys of a table, in the order of the file.
func (r *figureReader) childKeys(key string) []string {
	v, ok := r.at(key)
	table, is := v.(map[string]any)
	if ok && !is {
		r.wrong(key, "want a table: [%s]", key)
	}
	if len(table) > maxFigure {
		r.wrong(key, "has %d keys; at most %d are read", len(table), maxFigure)
		return nil
	}
	names := slices.Sorted(maps.Keys(table))
	slices.SortStableFunc(names, func(a, b string) int { return r.lines[key+"."+a] - r.lines[key+"."+b] })
	return names
}

// knobs reads knobs and their values; numbers need no quotes.
func (r *figureReader) knobs(key string) []Knob {
	var all []Knob
	for _, name := range r.childKeys(key) {
		at := key + "." + name
		v, _ := r.at(at)
		k := Knob{Name: name}
		switch v := v.(type) {
		case int64:
			k.Value = strconv.FormatInt(v, 10)
		case float64:
			k.Value = strconv.FormatFloat(r.number(at, v, -maxNumber, maxNumber), 'g', -1, 64)
		default:
			k.Value = r.words(at, "")
		}
		all = append(all, k)
	}
	return all
}

func (r *figureReader) figure(f *Figure) {
	f.Title = r.words("title", "what the figure shows")
	f.Paper = r.whole("paper", 1, 99)
	if paper, _, _ := strings.Cut(f.Name, "-"); r.err == nil && paper != "paper"+strconv.Itoa(f.Paper) {
		r.wrong("paper", "is %d, and the file is called %s; rename the file", f.Paper, f.Name)
	}
	f.Place = r.words("place", "section 4.3.1, figure 6")
	f.Lost = r.words("lost", "")
	f.Experiment = r.name("experiment", "randomaccess")
	f.Machine = r.name("machine", "demo")
	f.X = r.words("x", "processors")
	f.Y = r.name("y", "time_per_access")
	f.Knobs = r.knobs("knobs")
	for _, name := range r.childKeys("series") {
		at := "series." + name + "."
		s := Series{Name: name, Label: r.words(at+"label", "what the line is called"), Knobs: r.knobs(at + "knobs")}
		if !r.has(at+"long") || r.has(at+"x") {
			s.X = r.xValues(at + "x")
		}
		if r.has(at + "long") {
			s.Long = r.xValues(at + "long")
			for _, x := range s.Long {
				if slices.Contains(s.X, x) {
					r.wrong(at+"long", "has %v, which is also in x; leave it out of one of them", x)
				}
			}
		}
		f.Series = append(f.Series, s)
	}
	for _, name := range r.childKeys("checks") {
		f.Checks = append(f.Checks, r.check(f, name))
	}
	if len(f.Series) == 0 {
		r.wrong("series", "missing; add [series.NAME] with label and x")
	}
	if len(f.Checks) == 0 {
		r.wrong("checks", "missing; add [checks.NAME] with claim, says, quantity, series, use and rule")
	}
	r.machine(f)
}

// onSeries checks that xs are among the values of x of a series.
func (r *figureReader) onSeries(f *Figure, key, series string, xs []float64) {
	s := f.Find(series)
	if s == nil {
		return // reported elsewhere
	}
	for _, x := range xs {
		if !slices.Contains(s.X, x) && !slices.Contains(s.Long, x) {
			r.wrong(key, "has x = %v, and %s is not run there; add it to its x", x, series)
		}
	}
}

// machine checks that the constants in DependsOn exist in the machine, each with a value.
func (r *figureReader) machine(f *Figure) {
	if r.err != nil {
		return
	}
	if !slices.Contains(machineCatalog.builtIn(), f.Machine) {
		r.wrong("machine", "is %q; want a built-in machine: %s", f.Machine, strings.Join(machineCatalog.builtIn(), ", "))
		return
	}
	data, err := builtIn.ReadFile("machines/" + f.Machine + ".toml")
	if err != nil {
		r.err = err
		return
	}
	m, err := decodeMachine("machines/"+f.Machine+".toml", data)
	if err != nil {
		r.err = err
		return
	}
	has := make(map[string]bool)
	for _, fact := range Facts(&m) {
		has[fact.Key] = fact.Value != nil
	}
	for i := range f.Checks {
		for _, key := range f.Checks[i].DependsOn {
			if !has[key] {
				r.wrong("checks."+f.Checks[i].Name+".leans", "has %q, and the machine %s has no such number", shorten(key),
					f.Machine)
			}
		}
	}
}

// last returns the last part of a dotted key.
func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
