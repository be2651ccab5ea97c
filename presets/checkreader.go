package presets

import (
	"math"
	"slices"
)

func (r *figureReader) check(f *Figure, name string) Check {
	at := "checks." + name + "."
	c := Check{Name: name, Place: f.Place}
	c.Claim = r.whole(at+"claim", 1, maxClaim)
	c.Says = r.words(at+"says", "what the paper says")
	if r.has(at + "place") {
		c.Place = r.words(at+"place", "")
	}
	c.Quantity = r.name(at+"quantity", "speedup")
	c.Series = r.names(at+"series", "names of series")
	for _, s := range c.Series {
		if f.Find(s) == nil {
			r.wrong(at+"series", "unknown series %q", shorten(s))
		}
	}
	if r.has(at + "x") {
		c.X = r.xValues(at + "x")
		for _, s := range c.Series {
			r.onSeries(f, at+"x", s, c.X)
		}
	}
	c.Use = Use(r.choice(at+"use", string(UseFit), string(UseCheck), string(UseExact), string(UseVerify)))
	switch reason := r.has(at + "reason"); {
	case reason && c.Use != UseVerify:
		r.wrong(at+"reason", "is only for use = \"verify\", and use is %q; leave it out, or change use", c.Use)
	case reason:
		c.Reason = r.words(at+"reason", "")
	case c.Use == UseVerify:
		r.wrong(at+"reason", "missing; add reason = why it cannot fail, or set use = \"check\"")
	}
	c.Rule = Rule(r.choice(at+"rule", string(Within), string(Sampling), string(Direction), string(Range), string(Rises),
		string(Flat), string(Crosses), string(Peaks)))
	r.tolerance(at+"tolerance", &c)
	r.bounds(at, &c)
	if r.has(at + "against") {
		c.Against = r.name(at+"against", "a series")
		if r.err == nil && f.Find(c.Against) == nil {
			r.wrong(at+"against", "unknown series %q", shorten(c.Against))
		}
	}
	if r.has(at + "decides") {
		c.Decides = r.words(at+"decides", "a term of the experiment")
	}
	r.published(f, at, &c)
	if r.has(at + "leans") {
		c.DependsOn = r.names(at+"leans", "keys of the machine file")
	}
	switch fits := r.has(at + "fits"); {
	case fits && c.Use != UseFit:
		r.wrong(at+"fits", "sets constants, but use is %q; leave it out, or set use = \"fit\"", c.Use)
	case fits:
		c.Fits = r.names(at+"fits", "keys of the machine file")
		for _, key := range c.Fits {
			if key != FitsX && !slices.Contains(c.DependsOn, key) {
				r.wrong(at+"fits", "has %q, which is not among leans; \"x\" is the place", shorten(key))
			}
		}
	case c.Use == UseFit:
		r.wrong(at+"fits", "missing; add fits = the constants that this sets, by key of the machine file")
	}
	for _, k := range []struct {
		key  string
		into *string
	}{{"reach", &c.Reach}, {"measure", &c.Measure}} {
		if r.has(at + k.key) {
			*k.into = r.words(at+k.key, "")
		}
	}
	r.record(f, at, &c)
	return c
}

func (r *figureReader) tolerance(key string, c *Check) {
	v, has := r.at(key)
	switch {
	case !c.Rule.Tolerant():
		if has {
			r.wrong(key, "the rule %q has no tolerance; leave it out", c.Rule)
		}
	case c.Rule == Sampling:
		c.Tolerance = r.number(key, v, 1, 10) // standard errors
	case c.Rule == Crosses:
		c.Tolerance = r.number(key, v, 1, 100) // a factor
	default:
		c.Tolerance = r.number(key, v, 1e-9, 1)
	}
}

// bounds reads the published values of a range and of a crossing.
func (r *figureReader) bounds(at string, c *Check) {
	c.Least, c.Most = math.Inf(-1), math.Inf(1)
	for _, k := range []struct {
		key  string
		rule Rule
		into *float64
	}{{"least", Range, &c.Least}, {"most", Range, &c.Most}, {"crossing", Crosses, &c.Crossing}} {
		v, has := r.at(at + k.key)
		switch {
		case has && c.Rule != k.rule && (c.Rule != Peaks || k.rule != Range):
			r.wrong(at+k.key, "only the rule %q%s uses it; leave it out", k.rule,
				map[bool]string{true: " or \"peaks\""}[k.rule == Range])
		case has:
			*k.into = r.number(at+k.key, v, -maxNumber, maxNumber)
		case k.rule == Crosses && c.Rule == Crosses:
			r.wrong(at+k.key, "missing; add crossing = the place on the x axis at which the quantity passes 1")
		}
	}
	if (c.Rule == Range || c.Rule == Peaks) && (math.IsInf(c.Least, -1) && math.IsInf(c.Most, 1) || c.Least > c.Most) {
		r.wrong(at+"least", "want least, most or both, and least <= most")
	}
	if c.Rule == Crosses && r.err == nil && c.Crossing <= 0 {
		r.wrong(at+"crossing", "is %v; want a place above 0", c.Crossing)
	}
}

// published reads the numbers of a check, and the null guess that the simulation must beat.
func (r *figureReader) published(f *Figure, at string, c *Check) {
	key := at + "published"
	byPoint := c.Rule == Within || c.Rule == Sampling || c.Rule == Direction
	if r.has(key) {
		if !byPoint {
			r.wrong(key, "the rule %q uses no published numbers; leave them out", c.Rule)
		}
		if c.X != nil {
			r.wrong(at+"x", "not allowed with published numbers, which state their own x; leave it out")
		}
		c.Published = make(map[string][]Point)
		for _, s := range r.childKeys(key) {
			if !slices.Contains(c.Series, s) {
				r.wrong(key+"."+s, "is not among the check's series")
			}
			c.Published[s] = r.points(f, key+"."+s, s)
		}
		for _, s := range c.Series {
			if len(c.Published[s]) == 0 {
				r.wrong(key, "has no values for %q; add [x, value], or leave the series out", shorten(s))
			}
		}
	}
	if v, has := r.at(at + "null"); has {
		x := r.number(at+"null", v, -maxNumber, maxNumber)
		c.Null = &x
		if c.Rule != Within || c.Published == nil {
			r.wrong(at+"null", "is only used with published numbers and the rule \"within\"; leave it out")
		}
	}
}

func (r *figureReader) points(f *Figure, key, series string) []Point {
	var points []Point
	var xs []float64
	for _, v := range r.list(key, maxPoints, "pairs [x, value]") {
		pair, _ := v.([]any)
		if len(pair) != 2 {
			r.wrong(key, "want pairs: [[x, value], ...]")
			return nil
		}
		p := Point{X: r.number(key, pair[0], -maxNumber, maxNumber), Value: r.number(key, pair[1], -maxNumber, maxNumber)}
		if p.Value == 0 {
			r.wrong(key, "has the value 0 at %v, which has no relative error", p.X)
		}
		xs = r.rising(key, xs, p.X)
		points = append(points, p)
	}
	r.onSeries(f, key, series, xs)
	return points
}
