package presets

import (
	"embed"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
)

//go:embed libraries/*.toml
var libraryFiles embed.FS

// Library is the rules by which an MPI library selects the algorithms of collectives. It is plain data
// from a file. Package algorithm finds the algorithms by their names.
type Library struct {
	Name        string // name of the file
	Title       string
	Source      string
	Collectives []LibraryCollective
}

// LibraryCollective has the rules of one collective. The first rule that fits the team applies.
type LibraryCollective struct {
	Name   string // as hybridtop names the collective
	Counts SizeCount
	Ways   []LibraryWay
	Rules  []LibraryRule
}

// SizeCount is the meaning of the sizes of rules.
type SizeCount string

// The meanings of sizes.
const (
	CountCall SizeCount = "call" // bytes of a call: of one block if each rank has its own, else of all data
	CountAll  SizeCount = "all"  // bytes of the blocks of all ranks
)

// LibraryWay is an algorithm of the library, with the algorithms of hybridtop that do the same.
type LibraryWay struct {
	Name    string
	Use     []string // the first one that the team can run
	Radix   int      // of a tree, or 1 + messages per round; 0: the algorithm's default
	Flat    bool     // the radix is the number of ranks
	Similar bool     // no algorithm of hybridtop does the same
	// Needs is the minimum number of elements of a call. With fewer elements, the library runs Otherwise.
	Needs     Elements
	Otherwise string
}

// Elements is a minimum number of elements.
type Elements string

// The minimum numbers of elements.
const (
	AnyElements Elements = ""
	ElementRank Elements = "ranks" // one per rank
	ElementPow2 Elements = "pow2"  // the largest power of two up to the number of ranks
)

// LibraryRule selects an algorithm by size for some teams.
type LibraryRule struct {
	RanksBelow int     // 0: any number
	PerNode    int     // maximum ranks of the team on a node; 0: any number
	PowerOfTwo bool    // only a power of two of ranks
	BytesBelow []int64 // ascending
	Ways       []string
}

// LibraryCall is a call for which a library selects an algorithm.
type LibraryCall struct {
	Collective     string
	Ranks, PerNode int
	Bytes          int64 // of one block if each rank has its own, else of all data
	Elements       int64
}

// Select returns the library's algorithm for a call, or an error if the library has no rules for it.
func (l *Library) Select(c LibraryCall) (LibraryWay, error) {
	i := slices.IndexFunc(l.Collectives, func(x LibraryCollective) bool { return x.Name == c.Collective })
	if i < 0 {
		return LibraryWay{}, fmt.Errorf("%s has no rules for %s", l.Title, c.Collective)
	}
	of := &l.Collectives[i]
	n := c.Bytes
	if of.Counts == CountAll {
		n *= int64(c.Ranks)
	}
	for i := range of.Rules {
		r := &of.Rules[i]
		if r.RanksBelow > 0 && c.Ranks >= r.RanksBelow || r.PerNode > 0 && c.PerNode > r.PerNode ||
			r.PowerOfTwo && c.Ranks&(c.Ranks-1) != 0 {
			continue
		}
		at := slices.IndexFunc(r.BytesBelow, func(limit int64) bool { return n < limit })
		if at < 0 {
			at = len(r.BytesBelow)
		}
		return of.run(r.Ways[at], &c), nil
	}
	return LibraryWay{}, fmt.Errorf("%s has no rule for %s of %d ranks", l.Title, c.Collective, c.Ranks)
}

// run returns the algorithm that runs if a rule selects name.
func (of *LibraryCollective) run(name string, c *LibraryCall) LibraryWay {
	w := of.way(name)
	least := int64(0)
	switch w.Needs {
	case ElementRank:
		least = int64(c.Ranks)
	case ElementPow2:
		least = 1 << (bits.Len(uint(c.Ranks)) - 1)
	}
	if c.Elements < least {
		return *of.way(w.Otherwise)
	}
	return *w
}

// way returns an algorithm by its name, or nil.
func (of *LibraryCollective) way(name string) *LibraryWay {
	for i := range of.Ways {
		if of.Ways[i].Name == name {
			return &of.Ways[i]
		}
	}
	return nil
}

// Libraries returns the names of the libraries.
func Libraries() []string {
	entries, err := libraryFiles.ReadDir("libraries")
	if err != nil {
		panic(err) // the folder is in the program
	}
	var all []string
	for _, e := range entries {
		all = append(all, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return all
}

// FindLibrary returns the library with a name.
func FindLibrary(name string) (*Library, error) {
	file := "libraries/" + name + ".toml"
	data, err := libraryFiles.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("library %q: unknown, want one of %s", shorten(visible(name)), strings.Join(Libraries(), ", "))
	}
	return decodeLibrary(name, file, data)
}

// libraryCollectives are the collectives that rules can have, by hybridtop's names.
var libraryCollectives = []string{"bcast", "scatter", "gather", "reduce", "allgather", "exchange", "reduce-scatter",
	"allreduce", "scan", "barrier"}

var libraryKeys = regexp.MustCompile(`^(title|source|same_as|(` + strings.Join(libraryCollectives, "|") + `)(\.(counts|` +
	`algorithms(\.[a-z0-9_-]+(\.(use|radix|flat|similar|needs|otherwise))?)?|` +
	`rule(\.[0-9]+)?(\.(ranks_below|ranks_per_node|power_of_two|bytes_below|algorithms))?))?)$`)

func suggestLibraryKey(key string) string {
	switch {
	case strings.Contains(key, ".rule"):
		return "a rule has ranks_below, ranks_per_node, power_of_two, bytes_below, algorithms"
	case strings.Contains(key, ".algorithms."):
		return "an algorithm has use, radix, flat, similar, needs, otherwise"
	case strings.Contains(key, "."):
		return "a collective has counts, algorithms and [[rule]]"
	}
	return "want title, source, same_as, or one of " + strings.Join(libraryCollectives, ", ")
}

// Limits of a library's file.
const (
	maxLibraryRules = 100
	maxLibrarySizes = 40
	maxLibraryRadix = 4095
	maxLibraryRanks = 1 << 30
	maxLibraryBytes = 1 << 50
)

// decodeLibrary decodes the bytes of a library's file.
func decodeLibrary(name, file string, data []byte) (*Library, error) {
	l := &Library{Name: name}
	d, err := parse(file, data, libraryKeys.MatchString, suggestLibraryKey)
	if err != nil {
		return nil, err
	}
	r := &figureReader{document: d}
	l.Title = r.words("title", "the library and its version")
	l.Source = r.words("source", "where the rules are published")
	if r.has("same_as") {
		base := r.choice("same_as", slices.DeleteFunc(Libraries(), func(n string) bool { return n == name })...)
		if r.err != nil {
			return nil, r.err
		}
		other, err := FindLibrary(base)
		if err != nil {
			return nil, err
		}
		l.Collectives = other.Collectives
	}
	for _, name := range libraryCollectives {
		if !r.has(name) {
			continue
		}
		i := slices.IndexFunc(l.Collectives, func(c LibraryCollective) bool { return c.Name == name })
		if i < 0 {
			i = len(l.Collectives)
			l.Collectives = append(l.Collectives, LibraryCollective{Name: name, Counts: CountCall})
		}
		l.Collectives[i] = r.libraryCollective(l.Collectives[i])
	}
	if r.err == nil && len(l.Collectives) == 0 {
		r.wrong("", "has no collective; want one of %s", strings.Join(libraryCollectives, ", "))
	}
	if r.err != nil {
		return nil, r.err
	}
	return l, nil
}

// libraryCollective reads a collective of a file. Its algorithms replace algorithms of base with the same
// name, and its rules precede the rules of base.
func (r *figureReader) libraryCollective(base LibraryCollective) LibraryCollective {
	name := base.Name
	c := LibraryCollective{Name: name, Counts: base.Counts}
	if r.has(name + ".counts") {
		c.Counts = SizeCount(r.choice(name+".counts", string(CountCall), string(CountAll)))
	}
	for _, way := range r.childKeys(name + ".algorithms") {
		at := name + ".algorithms." + way + "."
		w := LibraryWay{Name: way, Use: r.names(at+"use", "algorithms of hybridtop")}
		if r.has(at + "radix") {
			w.Radix = r.whole(at+"radix", 2, maxLibraryRadix)
		}
		w.Flat, w.Similar = r.flag(at+"flat"), r.flag(at+"similar")
		if w.Flat && w.Radix > 0 {
			r.wrong(at+"flat", "has a radix, too; use one of them")
		}
		if r.has(at + "needs") {
			w.Needs = Elements(r.choice(at+"needs", string(ElementRank), string(ElementPow2)))
			w.Otherwise = r.name(at+"otherwise", "an algorithm")
		} else if r.has(at + "otherwise") {
			r.wrong(at+"otherwise", "is only used with needs; leave it out, or add needs")
		}
		c.Ways = append(c.Ways, w)
	}
	for _, w := range base.Ways {
		if c.way(w.Name) == nil {
			c.Ways = append(c.Ways, w)
		}
	}
	for i := range c.Ways {
		w := &c.Ways[i]
		if w.Needs == AnyElements || r.err != nil {
			continue
		}
		if to := c.way(w.Otherwise); to == nil || to.Needs != AnyElements {
			r.wrong(name+".algorithms."+w.Name+".otherwise", "%q is not an algorithm of the file that runs with any number of "+
				"elements", w.Otherwise)
		}
	}
	for i := range r.list(name+".rule", maxLibraryRules, "[[rule]] tables") {
		c.Rules = append(c.Rules, r.libraryRule(&c, fmt.Sprintf("%s.rule.%d.", name, i+1)))
	}
	c.Rules = append(c.Rules, base.Rules...)
	if r.err == nil {
		if last := c.Rules[len(c.Rules)-1]; last.RanksBelow > 0 || last.PerNode > 0 || last.PowerOfTwo {
			r.wrong(name+".rule", "the last rule is not for every team; leave out its conditions, or add a rule")
		}
	}
	return c
}

// flag reads a truth value; false if it is missing.
func (r *figureReader) flag(key string) bool {
	v, ok := r.at(key)
	x, is := v.(bool)
	if ok && !is {
		r.wrong(key, "want true or false")
	}
	return x
}

func (r *figureReader) libraryRule(c *LibraryCollective, at string) LibraryRule {
	var rule LibraryRule
	if r.has(at + "ranks_below") {
		rule.RanksBelow = r.whole(at+"ranks_below", 2, maxLibraryRanks)
	}
	if r.has(at + "ranks_per_node") {
		rule.PerNode = r.whole(at+"ranks_per_node", 1, maxLibraryRanks)
	}
	rule.PowerOfTwo = r.flag(at + "power_of_two")
	if r.has(at + "bytes_below") {
		for _, v := range r.list(at+"bytes_below", maxLibrarySizes, "sizes in bytes") {
			n := int64(r.number(at+"bytes_below", v, 1, maxLibraryBytes))
			if k := len(rule.BytesBelow); k > 0 && n <= rule.BytesBelow[k-1] {
				r.wrong(at+"bytes_below", "%d follows %d; want ascending sizes", n, rule.BytesBelow[k-1])
			}
			rule.BytesBelow = append(rule.BytesBelow, n)
		}
	}
	for _, v := range r.list(at+"algorithms", maxLibrarySizes+1, "names of algorithms") {
		name, _ := v.(string)
		if r.err == nil && c.way(name) == nil {
			r.wrong(at+"algorithms", "%q is not among %s.algorithms", shorten(visible(name)), c.Name)
		}
		rule.Ways = append(rule.Ways, name)
	}
	if r.err == nil && len(rule.Ways) != len(rule.BytesBelow)+1 {
		r.wrong(at+"algorithms", "has %d names, want %d: one more than bytes_below has sizes", len(rule.Ways),
			len(rule.BytesBelow)+1)
	}
	return rule
}
