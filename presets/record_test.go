package presets

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every check with a run has a recorded verdict, other checks have none, and the files are as
// WriteRecords writes them.
func TestEveryVerdictIsRecorded(t *testing.T) {
	all, err := Figures()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		f := &all[i]
		records := make(map[string]Record)
		for _, c := range f.Checks {
			if c.Record.Verdict != "" {
				records[c.Name] = c.Record
			}
			if v := c.Record.Verdict; v != "" && v != c.Record.Overall() {
				t.Errorf("%s: %s is recorded as %s, and its rows are %s", f.Name, c.Name, v, c.Record.Overall())
			}
			switch ran := f.hasShortRows(&c) || len(c.Record.Long) > 0; {
			case ran && c.Record.Verdict == "":
				t.Errorf("%s: %s has no verdict; write it with hybridtop reproduce %s --record presets/figures", f.Name, c.Name,
					f.Name)
			case !ran && c.Record.Verdict != "":
				t.Errorf("%s: %s has a verdict, and its points are long ones that were not recorded; leave it out", f.Name, c.Name)
			}
		}
		file := filepath.Join("figures", f.Name+".toml")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := WriteRecords(f, file, data, records)
		if err != nil {
			t.Error(err)
		} else if string(again) != string(data) {
			t.Errorf("%s: the same records written again change the file", f.Name)
		}
	}
}

// hasShortRows reports whether a check has rows that run without --long.
func (f *Figure) hasShortRows(c *Check) bool {
	if len(c.Series) == 0 || c.Rule.Whole() {
		return true
	}
	return slices.ContainsFunc(c.Series, func(name string) bool {
		s := f.Find(name)
		return len(s.X)+len(s.Long) == 0 || slices.ContainsFunc(s.X, func(x float64) bool { return c.Uses(name, x) })
	})
}

// Records are written at the end of their tables. The rest of the file does not change, including
// comments and empty lines.
func TestWriteRecords(t *testing.T) {
	text := "# A figure.\n" + edit(t, aFigure, "[checks.flat]", "# of the next\n[checks.flat] # and here")
	f, err := decodeFigure("paper9-x.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string, records map[string]Record) string {
		t.Helper()
		out, err := WriteRecords(&f, "paper9-x.toml", []byte(text), records)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	refuted := Record{Verdict: Refuted, Refuted: []string{"one at 4"}, Decided: []string{`"gaps", all`}}
	got := write(text, map[string]Record{"copy": refuted, "flat": {Verdict: Pass}})
	want := edit(t, text, "published.one = [[1, 2.5], [4, 3]]\n", "published.one = [[1, 2.5], [4, 3]]\n"+`verdict = "refuted"
refuted = ["one at 4"]
decided = ["\"gaps\", all"]
`) + "verdict = \"pass\"\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	back, err := decodeFigure("paper9-x.toml", []byte(got))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Checks[0].Record, refuted) || back.Checks[1].Record.Verdict != Pass {
		t.Errorf("read back: %+v", back.Checks)
	}
	if r := &back.Checks[0].Record; r.VerdictOf("one at 4") != Refuted || r.VerdictOf("one at 1") != Pass ||
		(&Record{}).VerdictOf("one at 1") != "" {
		t.Errorf("%+v: rows read back otherwise", r)
	}
	passed := write(got, map[string]Record{"copy": {Verdict: Pass}})
	if want := edit(t, text, "published.one = [[1, 2.5], [4, 3]]\n",
		"published.one = [[1, 2.5], [4, 3]]\nverdict = \"pass\"\n") + "verdict = \"pass\"\n"; passed != want {
		t.Errorf("written over:\n%s\nwant\n%s", passed, want)
	}
	unended := strings.TrimSuffix(text, "\n")
	if got := write(unended, map[string]Record{"flat": {Verdict: Pass}}); got != text+"verdict = \"pass\"\n" {
		t.Errorf("without an end of the last line:\n%s", got)
	}

	inline := edit(t, aFigure, aFigure[strings.Index(aFigure, "[checks.copy]"):],
		"[checks]\nflat = { claim = 11, says = \"stays\", quantity = \"time\", series = [\"one\"], use = \"check\", "+
			"rule = \"rises\" }\n")
	g, err := decodeFigure("paper9-x.toml", []byte(inline))
	if err != nil {
		t.Fatal(err)
	}
	_, err = WriteRecords(&g, "paper9-x.toml", []byte(inline), map[string]Record{"flat": {Verdict: Pass}})
	wantError(t, err, "paper9-x.toml: has 0 of 1 checks as a table [checks.NAME]")
	_, err = WriteRecords(&f, "paper9-x.toml", []byte(edit(t, text, "group = 4", "group = 8")), nil)
	wantError(t, err, "paper9-x.toml: is not the figure that was run; build the program again")
	_, err = WriteRecords(&f, "paper9-x.toml", []byte("hello\n"), nil)
	wantError(t, err, "paper9-x.toml:1: ")
	_, err = WriteRecords(&f, "paper9-x.toml", []byte(text), map[string]Record{"flat": {Verdict: "perhaps"}})
	wantError(t, err, `checks.flat.verdict: want one of "pass", "refuted"`)
}

func TestRecordMistakes(t *testing.T) {
	for _, c := range []struct{ what, add, want string }{
		{"another verdict", `verdict = "failed"`, `paper9-x.toml:41: checks.flat.verdict: want one of "pass", "refuted"`},
		{"refuted nowhere", `verdict = "refuted"`, "checks.flat.refuted: want rows that are refuted in brackets"},
		{"refuted at a place of the series as a whole", "verdict = \"refuted\"\nrefuted = [\"one at 4\"]",
			`checks.flat.refuted: has "one at 4"; the check's rows are "one"`},
		{"rows of a pass", "verdict = \"pass\"\nrefuted = [\"one\"]",
			"checks.flat.refuted: belongs to a refuted check; leave it out"},
		{"a term of a pass", "verdict = \"pass\"\ndecided = [\"gaps\"]",
			"checks.flat.decided: belongs to a refuted check; leave it out"},
		{"a term of nothing", `decided = ["gaps"]`,
			"checks.flat.decided: belongs to a recorded verdict, and none is recorded; leave it out"},
		{"moves from nowhere", "verdict = \"pass\"\nmoves = [[\"nodes\", 2, 0.1, \"holds\"]]",
			"checks.flat.moves: has no sensitivity = the hash that it starts from; leave it out"},
		{"half a move", "verdict = \"pass\"\nsensitivity = \"a\"\nmoves = [[\"nodes\", 2]]",
			"checks.flat.moves: want lists of a constant, a factor, the change and"},
		{"a move in other words", "verdict = \"pass\"\nsensitivity = \"a\"\nmoves = [[\"nodes\", 2, 0.1, \"perhaps\"]]",
			`checks.flat.moves: has "perhaps"; want one of "holds", "flips"`},
		{"a long row of no long point", "verdict = \"pass\"\nlong = [[\"one at 4\", \"pass\", 1, \"a\"]]",
			`checks.flat.long: belongs to long runs, and the check has none; leave it out`},
		{"sensitivity of nothing", `sensitivity = "a"`,
			"checks.flat.sensitivity: belongs to a recorded verdict, and none is recorded; leave it out"},
		{"a term twice", "verdict = \"refuted\"\nrefuted = [\"one\"]\ndecided = [\"gaps\", \"gaps\"]",
			`checks.flat.decided: has "gaps" twice`},
	} {
		_, err := decodeFigure("paper9-x.toml", []byte(aFigure+c.add+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.what, err, c.want)
		}
	}
}

// The recorded verdict of a check covers all its rows. The key refuted lists only the short ones.
func TestRecordMistakesOfLongRows(t *testing.T) {
	text := edit(t, aFigure, "x = [1, 2, 4]", "x = [1, 2, 4]\nlong = [64]")
	text = edit(t, text, "published.one = [[1, 2.5], [4, 3]]\n", "published.one = [[1, 2.5], [4, 3], [64, 5]]\nRECORD")
	const long = "\nlong = [[\"one at 64\", \"refuted\", 4.25, \"a1\"]]\n"
	for _, c := range []struct{ what, record, want string }{
		{"a pass with a refuted long row", `verdict = "pass"` + long,
			`paper9-x.toml:32: checks.copy.verdict: is "pass", but long has "one at 64" as refuted; want "refuted"`},
		{"a long row in refuted", "verdict = \"refuted\"\nrefuted = [\"one at 64\"]" + long,
			`paper9-x.toml:33: checks.copy.refuted: has "one at 64"; the check's rows are "one at 1", "one at 4"`},
		{"a term of long rows only", "verdict = \"refuted\"\ndecided = [\"gaps\"]" + long,
			"paper9-x.toml:33: checks.copy.decided: belongs to the rows in refuted, and there are none; leave it out"},
		{"a refuted check without a refuted row",
			"verdict = \"refuted\"\nlong = [[\"one at 64\", \"pass\", 4.25, \"a1\"]]\n",
			"checks.copy.refuted: want rows that are refuted in brackets"},
	} {
		_, err := decodeFigure("paper9-x.toml", []byte(edit(t, text, "RECORD", c.record)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.what, err, c.want)
		}
	}
	for record, want := range map[string]string{
		"verdict = \"refuted\"" + long:                                    "one at 64",
		"verdict = \"refuted\"\nrefuted = [\"one at 4\"]" + long:          "one at 4, one at 64",
		"verdict = \"refuted\"\nrefuted = [\"one at 4\", \"one at 1\"]\n": "one at 4, one at 1",
	} {
		f, err := decodeFigure("paper9-x.toml", []byte(edit(t, text, "RECORD", record)))
		if err != nil {
			t.Error(err)
			continue
		}
		r := &f.Checks[0].Record
		if got := strings.Join(r.RefutedRows(), ", "); got != want || r.Verdict != Refuted || r.Overall() != Refuted {
			t.Errorf("%s: %s, refuted %s; want %s", record, r.Verdict, got, want)
		}
	}
}

// A row is a series, or a series at one of the values of x that a check uses.
func TestRows(t *testing.T) {
	f, err := decodeFigure("paper9-x.toml", []byte(edit(t, aFigure, "x = [1, 2, 4]", "x = [1, 2, 4, 2097152]")))
	if err != nil {
		t.Fatal(err)
	}
	if rows := f.rows(&f.Checks[0]); !slices.Equal(rows, []string{"one at 1", "one at 4"}) {
		t.Errorf("published at %v", rows)
	}
	if rows := f.rows(&f.Checks[1]); !slices.Equal(rows, []string{"one"}) {
		t.Errorf("as a whole: %v", rows)
	}
	c := f.Checks[1]
	c.Rule, c.X = Range, nil
	if rows := f.rows(&c); !slices.Equal(rows, []string{"one at 1", "one at 2", "one at 4", "one at 2097152"}) {
		t.Errorf("wherever it is run: %v", rows)
	}
}

// Results of long runs and of assumed constants are written and read back. A new record replaces
// the old one completely.
func TestLongRecords(t *testing.T) {
	text := edit(t, aFigure, "x = [1, 2, 4]", "x = [1, 2, 4]\nlong = [64]")
	text = edit(t, text, "published.one = [[1, 2.5], [4, 3]]", "published.one = [[1, 2.5], [4, 3], [64, 5]]")
	f, err := decodeFigure("paper9-x.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Record{Verdict: Refuted, SensitivityHash: "0f", Long: []LongResult{{"one at 64", Refuted, 4.25, "a1"}},
		Moves: []Move{{"remote.gap_s", 0.5, -0.125, false}, {"remote.gap_s", 2, 3, true}}}
	out, err := WriteRecords(&f, "paper9-x.toml", []byte(text), map[string]Record{"copy": want})
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeFigure("paper9-x.toml", out)
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Checks[0].Record; !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, want %+v", got, want)
	}
	if r := &back.Checks[0].Record; r.VerdictOf("one at 64") != Refuted || r.VerdictOf("one at 4") != Pass {
		t.Errorf("%+v: rows read back otherwise", r)
	}
	// A program without long runs, built before they were recorded, does not change them. The check
	// stays refuted by its long row. The same holds for sensitivities.
	out, err = WriteRecords(&f, "paper9-x.toml", out, map[string]Record{"copy": {Verdict: Pass}})
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := decodeFigure("paper9-x.toml", out); err != nil || !reflect.DeepEqual(kept.Checks[0].Record, want) {
		t.Errorf("%v: %+v is left, want %+v", err, kept.Checks[0].Record, want)
	}
	none := Record{Verdict: Pass, SensitivityHash: "0f", Moves: []Move{{"remote.gap_s", 2, math.NaN(), true}}}
	out, err = WriteRecords(&back, "paper9-x.toml", out, map[string]Record{"copy": none})
	if err != nil {
		t.Fatal(err)
	}
	back, err = decodeFigure("paper9-x.toml", out)
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Checks[0].Record; len(got.Long) > 0 || len(got.Moves) != 1 || !math.IsNaN(got.Moves[0].By) ||
		!got.Moves[0].Flips {
		t.Errorf("written over: %+v", got)
	}
	for _, c := range []struct{ text, want string }{
		{edit(t, aFigure, "x = [1, 2, 4]", "x = [1, 2, 4]\nlong = [4]"),
			"series.one.long: has 4, which is also in x; leave it out of one of them"},
		{edit(t, text, "[64, 5]", "[32, 5]"), "has x = 32, and one is not run there"},
	} {
		_, err := decodeFigure("paper9-x.toml", []byte(c.text))
		wantError(t, err, "paper9-x.toml:")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
