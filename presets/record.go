package presets

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Verdict is the result of a check, or of a row of it.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Refuted Verdict = "refuted"
)

// A Record holds the result of a check at the time when its figure was recorded.
type Record struct {
	Verdict         Verdict      // of all rows, those in Long included; "": not recorded
	Refuted         []string     // refuted rows (RowName), without those in Long
	Decided         []string     // the terms that dominate the refuted rows, each once; nil: none
	Long            []LongResult // rows at values of x that run only on request
	SensitivityHash string       // hash of the runs and assumed constants before Moves; "": not recorded
	// effects of halving or doubling an assumed constant, except constants that change nothing
	Moves []Move
}

// LongResult is the recorded result of a row of a long run.
type LongResult struct {
	Row     string // RowName
	Verdict Verdict
	Value   float64 // simulated
	Hash    string  // of its runs
}

// Move is the change of a check when one assumed constant is multiplied.
type Move struct {
	Key    string // of the machine file
	Factor float64
	By     float64 // largest relative change of a row's number; NaN: no number any more
	Flips  bool    // the verdict of a row changes
}

// Overall returns the verdict that follows from the rows: refuted if any row is, and pass otherwise.
// It includes the rows in Long.
func (r *Record) Overall() Verdict {
	if len(r.RefutedRows()) > 0 {
		return Refuted
	}
	return Pass
}

// RefutedRows returns the names of all refuted rows, those in Long last.
func (r *Record) RefutedRows() []string {
	all := slices.Clone(r.Refuted)
	for i := range r.Long {
		if r.Long[i].Verdict == Refuted {
			all = append(all, r.Long[i].Row)
		}
	}
	return all
}

// LongResultOf returns the recorded row of a long run, or nil if it is not recorded.
func (r *Record) LongResultOf(row string) *LongResult {
	for i := range r.Long {
		if r.Long[i].Row == row {
			return &r.Long[i]
		}
	}
	return nil
}

// VerdictOf returns the recorded verdict of a row, or "" if it is not recorded.
func (r *Record) VerdictOf(row string) Verdict {
	if k := r.LongResultOf(row); k != nil {
		return k.Verdict
	}
	if slices.Contains(r.Refuted, row) {
		return Refuted
	}
	if r.Verdict == "" {
		return ""
	}
	return Pass
}

// RowName returns the name of a check's row: a series, or a series at x. x is NaN for a whole
// series.
func RowName(series string, x float64) string {
	if math.IsNaN(x) {
		return series
	}
	return series + " at " + strconv.FormatFloat(x, 'f', -1, 64)
}

// Uses reports whether a check uses the value of one of its series at x.
func (c *Check) Uses(series string, x float64) bool {
	if c.Published != nil {
		_, published := c.At(series, x)
		return published
	}
	return c.X == nil || slices.Contains(c.X, x)
}

// rows returns the names of a check's rows.
func (f *Figure) rows(c *Check) []string {
	var all []string
	for _, name := range c.Series {
		s := f.Find(name)
		switch {
		case s == nil: // reported elsewhere
		case c.Rule.Whole():
			all = append(all, RowName(name, math.NaN()))
		default:
			for _, x := range slices.Concat(s.X, s.Long) {
				if c.Uses(name, x) {
					all = append(all, RowName(name, x))
				}
			}
		}
	}
	return all
}

// record reads the recorded result of a check.
func (r *figureReader) record(f *Figure, at string, c *Check) {
	if !r.has(at + "verdict") {
		for _, key := range []string{"refuted", "decided", "long", "sensitivity", "moves"} {
			if r.has(at + key) {
				r.wrong(at+key, "belongs to a recorded verdict, and none is recorded; leave it out")
			}
		}
		return
	}
	c.Record.Verdict = Verdict(r.choice(at+"verdict", string(Pass), string(Refuted)))
	r.longResults(f, at, c)
	r.moves(at, c)
	refutedLong := c.Record.RefutedRows() // refuted short rows are read below
	if c.Record.Verdict != Refuted {
		if len(refutedLong) > 0 {
			r.wrong(at+"verdict", "is %q, but long has %q as refuted; want %q", c.Record.Verdict, shorten(refutedLong[0]),
				Refuted)
		}
		for _, key := range []string{"refuted", "decided"} {
			if r.has(at + key) {
				r.wrong(at+key, "belongs to a refuted check; leave it out")
			}
		}
		return
	}
	if len(refutedLong) > 0 && !r.has(at+"refuted") {
		if r.has(at + "decided") {
			r.wrong(at+"decided", "belongs to the rows in refuted, and there are none; leave it out")
		}
		return
	}
	c.Record.Refuted = r.names(at+"refuted", "rows that are refuted")
	rows := slices.DeleteFunc(f.rows(c), func(row string) bool { return f.isLong(c, row) })
	for _, row := range c.Record.Refuted {
		if !slices.Contains(rows, row) {
			r.wrong(at+"refuted", "has %q; the check's rows are %s", shorten(row), words(rows))
		}
	}
	if r.has(at + "decided") {
		c.Record.Decided = r.names(at+"decided", "terms that decide")
	}
}

// tuples reads a list of lists of n elements.
func (r *figureReader) tuples(key string, n int, what string) [][]any {
	var all [][]any
	for _, v := range r.list(key, maxPoints, "lists "+what) {
		one, _ := v.([]any)
		if len(one) != n {
			r.wrong(key, "want lists %s", what)
			return nil
		}
		all = append(all, one)
	}
	return all
}

// word reads a text in a list.
func (r *figureReader) word(key string, v any, among ...string) string {
	s, err := r.text(key, v)
	if err != nil && r.err == nil {
		r.err = err
	}
	if r.err == nil && len(among) > 0 && !slices.Contains(among, s) {
		r.wrong(key, "has %q; want one of %s", shorten(s), words(among))
	}
	return s
}

// longResults reads the recorded results of long runs.
func (r *figureReader) longResults(f *Figure, at string, c *Check) {
	key := at + "long"
	if !r.has(key) {
		return
	}
	var rows []string
	for _, row := range f.rows(c) {
		if f.isLong(c, row) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		r.wrong(key, "belongs to long runs, and the check has none; leave it out")
	}
	for _, t := range r.tuples(key, 4, "of a row, its verdict, its number and the hash of its runs") {
		k := LongResult{Row: r.word(key, t[0], rows...), Verdict: Verdict(r.word(key, t[1], string(Pass), string(Refuted))),
			Value: r.number(key, t[2], -maxNumber, maxNumber), Hash: r.word(key, t[3])}
		if c.Record.LongResultOf(k.Row) != nil {
			r.wrong(key, "has %q twice", shorten(k.Row))
		}
		c.Record.Long = append(c.Record.Long, k)
	}
}

// isLong reports whether a row belongs to a long run.
func (f *Figure) isLong(c *Check, row string) bool {
	for _, name := range c.Series {
		if s := f.Find(name); s != nil {
			for _, x := range s.Long {
				if row == RowName(name, x) {
					return true
				}
			}
		}
	}
	return false
}

// The words for a verdict that changes with an assumption, and for one that does not.
const (
	flips = "flips"
	holds = "holds"
)

// moves reads the effects of assumed constants.
func (r *figureReader) moves(at string, c *Check) {
	key := at + "moves"
	if !r.has(at + "sensitivity") {
		if r.has(key) {
			r.wrong(key, "has no sensitivity = the hash that it starts from; leave it out")
		}
		return
	}
	c.Record.SensitivityHash = r.words(at+"sensitivity", "")
	if !r.has(key) {
		return
	}
	for _, t := range r.tuples(key, 4, "of a constant, a factor, the change and \"holds\" or \"flips\"") {
		m := Move{Key: r.word(key, t[0]), Factor: r.number(key, t[1], 1e-3, 1e3), By: math.NaN()}
		if s, none := t[2].(string); !none || s != noNumber {
			m.By = r.number(key, t[2], -maxNumber, maxNumber)
		}
		m.Flips = r.word(key, t[3], holds, flips) == flips
		c.Record.Moves = append(c.Record.Moves, m)
	}
}

// noNumber replaces a change if there is no number any more.
const noNumber = "-"

// The lines of a figure file that WriteRecords inspects.
var (
	tableLine  = regexp.MustCompile(`^\[\[?[A-Za-z0-9_.-]+\]\]?\s*(#.*)?$`)
	checkLine  = regexp.MustCompile(`^\[checks\.([a-z0-9_-]+)\]\s*(#.*)?$`)
	recordLine = regexp.MustCompile(`^(verdict|refuted|decided|long|sensitivity|moves)\s*=`)
)

// WriteRecords returns the bytes of a figure file with new records of its checks, by name. It
// changes nothing else, and returns an error if file does not contain f. Long runs and
// sensitivities that are equal in f and in records were not run again. For them it keeps the
// content of the file, which may be from a later program, and sets the verdict of the check to
// match.
func WriteRecords(f *Figure, file string, data []byte, records map[string]Record) ([]byte, error) {
	before, err := decodeFigure(file, data)
	if err != nil {
		return nil, err
	}
	if !sameButRecords(*f, before) {
		return nil, &mistake{file: file, text: "is not the figure that was run; build the program again"}
	}
	records = maps.Clone(records)
	for i := range f.Checks {
		r, recorded := records[f.Checks[i].Name]
		if !recorded {
			continue
		}
		built, inFile := &f.Checks[i].Record, &before.Checks[i].Record
		if reflect.DeepEqual(r.Long, built.Long) {
			r.Long = inFile.Long
			if r.Verdict == Pass || r.Verdict == Refuted {
				r.Verdict = r.Overall()
			}
		}
		if r.SensitivityHash == built.SensitivityHash && reflect.DeepEqual(r.Moves, built.Moves) {
			r.SensitivityHash, r.Moves = inFile.SensitivityHash, inFile.Moves
		}
		records[f.Checks[i].Name] = r
	}
	var out, tail []byte // tail: empty lines and comments that can belong to the next table
	var pending *Record  // record of the current check, until it is written
	flush := func() {
		if pending != nil {
			if n := len(out); n > 0 && out[n-1] != '\n' {
				out = append(out, '\n')
			}
			out = append(out, pending.lines()...)
			pending = nil
		}
		out, tail = append(out, tail...), nil
	}
	written := 0
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		switch head := checkLine.FindStringSubmatch(text); {
		case tableLine.MatchString(text):
			flush()
			if head != nil {
				if r, ok := records[head[1]]; ok {
					pending = &r
					written++
				}
			}
			out = append(out, line...)
		case pending != nil && recordLine.MatchString(text):
			// written at the end of the table
		case text == "" || text[0] == '#':
			tail = append(tail, line...)
		default:
			out, tail = append(append(out, tail...), line...), nil
		}
	}
	flush()
	if written != len(records) {
		return nil,
			&mistake{file: file, text: fmt.Sprintf("has %d of %d checks as a table [checks.NAME]", written, len(records))}
	}
	after, err := decodeFigure(file, out)
	if err != nil {
		return nil, err
	}
	if !sameButRecords(*f, after) {
		return nil, &mistake{file: file, text: "would change in more than its records; write each key of a check on a " +
			"separate line"}
	}
	return out, nil
}

// lines returns the keys of a record in TOML.
func (r *Record) lines() string {
	s := fmt.Sprintf("verdict = %q\n", r.Verdict)
	if len(r.Refuted) > 0 {
		s += "refuted = " + list(r.Refuted) + "\n"
	}
	if len(r.Decided) > 0 {
		s += "decided = " + list(r.Decided) + "\n"
	}
	if len(r.Long) > 0 {
		var all []string
		for _, k := range r.Long {
			all = append(all, fmt.Sprintf("[%q, %q, %s, %q]", k.Row, k.Verdict, decimal(k.Value), k.Hash))
		}
		s += "long = [" + strings.Join(all, ", ") + "]\n"
	}
	if r.SensitivityHash != "" {
		s += fmt.Sprintf("sensitivity = %q\n", r.SensitivityHash)
	}
	if len(r.Moves) > 0 {
		var all []string
		for _, m := range r.Moves {
			by, verdict := strconv.Quote(noNumber), holds
			if !math.IsNaN(m.By) {
				by = decimal(m.By)
			}
			if m.Flips {
				verdict = flips
			}
			all = append(all, fmt.Sprintf("[%q, %s, %s, %q]", m.Key, decimal(m.Factor), by, verdict))
		}
		s += "moves = [" + strings.Join(all, ", ") + "]\n"
	}
	return s
}

// decimal returns a number in TOML, with six digits.
func decimal(x float64) string {
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// sameButRecords reports whether two figures are equal apart from their records.
func sameButRecords(a, b Figure) bool {
	bare := func(f *Figure) {
		f.Checks = slices.Clone(f.Checks)
		for i := range f.Checks {
			f.Checks[i].Record = Record{}
		}
	}
	bare(&a)
	bare(&b)
	return reflect.DeepEqual(a, b)
}
