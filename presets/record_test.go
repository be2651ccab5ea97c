package presets

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every check has a recorded verdict, and the files are as WriteRecords writes them.
func TestEveryVerdictIsRecorded(t *testing.T) {
	all, err := Figures()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		f := &all[i]
		records := make(map[string]Record)
		for _, c := range f.Checks {
			if records[c.Name] = c.Record; c.Record.Verdict == "" {
				t.Errorf("%s: %s has no verdict; write it with hybridtop reproduce %s --record presets/figures", f.Name, c.Name, f.Name)
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

// Records are written at the end of their tables; what else the file has stays, comments
// and empty lines too.
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
	if r := &back.Checks[0].Record; r.Of("one at 4") != Refuted || r.Of("one at 1") != Pass || (&Record{}).Of("one at 1") != "" {
		t.Errorf("%+v: rows read back otherwise", r)
	}
	passed := write(got, map[string]Record{"copy": {Verdict: Pass}})
	if want := edit(t, text, "published.one = [[1, 2.5], [4, 3]]\n", "published.one = [[1, 2.5], [4, 3]]\nverdict = \"pass\"\n") + "verdict = \"pass\"\n"; passed != want {
		t.Errorf("written over:\n%s\nwant\n%s", passed, want)
	}
	unended := strings.TrimSuffix(text, "\n")
	if got := write(unended, map[string]Record{"flat": {Verdict: Pass}}); got != text+"verdict = \"pass\"\n" {
		t.Errorf("without an end of the last line:\n%s", got)
	}

	inline := edit(t, aFigure, aFigure[strings.Index(aFigure, "[checks.copy]"):],
		"[checks]\nflat = { claim = 11, says = \"stays\", quantity = \"time\", series = [\"one\"], use = \"check\", rule = \"rises\" }\n")
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
		{"refuted at a place of the series as a whole", "verdict = \"refuted\"\nrefuted = [\"one at 4\"]", `checks.flat.refuted: has "one at 4"; the check's rows are "one"`},
		{"rows of a pass", "verdict = \"pass\"\nrefuted = [\"one\"]", "checks.flat.refuted: is of a check that is refuted; leave it out"},
		{"a term of a pass", "verdict = \"pass\"\ndecided = [\"gaps\"]", "checks.flat.decided: is of a check that is refuted; leave it out"},
		{"a term of nothing", `decided = ["gaps"]`, "checks.flat.decided: is of a recorded verdict, and there is none; leave it out"},
		{"a term twice", "verdict = \"refuted\"\nrefuted = [\"one\"]\ndecided = [\"gaps\", \"gaps\"]", `checks.flat.decided: has "gaps" twice`},
	} {
		_, err := decodeFigure("paper9-x.toml", []byte(aFigure+c.add+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.what, err, c.want)
		}
	}
}

// A row is a series, or a series at one of the places that a check looks at.
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
