package presets

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Verdict is what a check, or a row of it, comes to.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Refuted Verdict = "refuted"
)

// Record is what a check came to when its figure was recorded.
type Record struct {
	Verdict Verdict  // "": not recorded
	Refuted []string // the rows that are refuted (RowName)
	Decided []string // the terms that decide those, each once; nil: there are none
}

// Of is the recorded verdict of a row; "": not recorded.
func (r *Record) Of(row string) Verdict {
	if slices.Contains(r.Refuted, row) {
		return Refuted
	}
	if r.Verdict == "" {
		return ""
	}
	return Pass
}

// RowName names a row of a check: a series, or a series at a place. x is NaN for a
// series as a whole.
func RowName(series string, x float64) string {
	if math.IsNaN(x) {
		return series
	}
	return series + " at " + strconv.FormatFloat(x, 'f', -1, 64)
}

// Looks says that a check looks at a place of one of its series.
func (c *Check) Looks(series string, x float64) bool {
	if c.Published != nil {
		_, published := c.At(series, x)
		return published
	}
	return c.X == nil || slices.Contains(c.X, x)
}

// rows are the names of a check's rows.
func (f *Figure) rows(c *Check) []string {
	var all []string
	for _, name := range c.Series {
		s := f.Find(name)
		switch {
		case s == nil: // said elsewhere
		case c.Rule.Whole():
			all = append(all, RowName(name, math.NaN()))
		default:
			for _, x := range s.X {
				if c.Looks(name, x) {
					all = append(all, RowName(name, x))
				}
			}
		}
	}
	return all
}

// record reads what a check came to.
func (r *figureReader) record(f *Figure, at string, c *Check) {
	if !r.has(at + "verdict") {
		for _, key := range []string{"refuted", "decided"} {
			if r.has(at + key) {
				r.wrong(at+key, "is of a recorded verdict, and there is none; leave it out")
			}
		}
		return
	}
	c.Record.Verdict = Verdict(r.choice(at+"verdict", string(Pass), string(Refuted)))
	if c.Record.Verdict != Refuted {
		for _, key := range []string{"refuted", "decided"} {
			if r.has(at + key) {
				r.wrong(at+key, "is of a check that is refuted; leave it out")
			}
		}
		return
	}
	c.Record.Refuted = r.names(at+"refuted", "rows that are refuted")
	rows := f.rows(c)
	for _, row := range c.Record.Refuted {
		if !slices.Contains(rows, row) {
			r.wrong(at+"refuted", "has %q; the check's rows are %s", shorten(row), words(rows))
		}
	}
	if r.has(at + "decided") {
		c.Record.Decided = r.names(at+"decided", "terms that decide")
	}
}

// The lines of a figure file that WriteRecords looks at.
var (
	tableLine  = regexp.MustCompile(`^\[\[?[A-Za-z0-9_.-]+\]\]?\s*(#.*)?$`)
	checkLine  = regexp.MustCompile(`^\[checks\.([a-z0-9_-]+)\]\s*(#.*)?$`)
	recordLine = regexp.MustCompile(`^(verdict|refuted|decided)\s*=`)
)

// WriteRecords gives a figure file's bytes with these records of its checks, by name,
// and nothing else changed: file is refused unless it is f's.
func WriteRecords(f *Figure, file string, data []byte, records map[string]Record) ([]byte, error) {
	if before, err := decodeFigure(file, data); err != nil {
		return nil, err
	} else if !sameButRecords(*f, before) {
		return nil, &mistake{file: file, text: "is not the figure that was run; build the program again"}
	}
	var out, tail []byte // tail: empty lines and comments that may belong to the next table
	var pending *Record  // of the check that is being read, until it is written
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
			// written where the table ends
		case text == "" || text[0] == '#':
			tail = append(tail, line...)
		default:
			out, tail = append(append(out, tail...), line...), nil
		}
	}
	flush()
	if written != len(records) {
		return nil, &mistake{file: file, text: fmt.Sprintf("has %d of %d checks as a table [checks.NAME]", written, len(records))}
	}
	after, err := decodeFigure(file, out)
	if err != nil {
		return nil, err
	}
	if !sameButRecords(*f, after) {
		return nil, &mistake{file: file, text: "would change in more than its records; write each key of a check on a line of its own"}
	}
	return out, nil
}

// lines are the keys of a record.
func (r *Record) lines() string {
	s := fmt.Sprintf("verdict = %q\n", r.Verdict)
	if len(r.Refuted) > 0 {
		s += "refuted = " + list(r.Refuted) + "\n"
	}
	if len(r.Decided) > 0 {
		s += "decided = " + list(r.Decided) + "\n"
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

// sameButRecords compares what two figures publish.
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
