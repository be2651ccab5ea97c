package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/presets"
)

// The text of the papers' claims on the command line.
func TestClaims(t *testing.T) {
	if race.Enabled {
		t.Skip("minutes under the race detector; make test runs it without")
	}
	if testing.Short() {
		t.Skip("half a minute")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/claims",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"json": checkJSON},
	})
}

// One claim that fails refutes the report, with the term that decides.
func TestRefutedClaim(t *testing.T) {
	nan := math.NaN()
	r := &reproduce.Report{Rows: []reproduce.Row{
		{Claim: 4, Check: "gain", Series: "groups", X: 256, Quantity: "speedup", Unit: "1", Published: 1.33, Simulated: 1.1,
			Modelled: 1.2, Error: -.17, Null: -.25,
			Use: presets.UseCheck, Rule: presets.Within, Tolerance: .03, Note: "decides: remote accesses",
			Name: "groups at 256", Term: "remote accesses",
			Recorded: presets.Record{Verdict: presets.Refuted, Refuted: []string{"groups at 256"},
				Decided: []string{"remote accesses"}}},
		{Claim: 5, Check: "flat", Series: "groups", X: nan, Quantity: "departure", Unit: "1", Published: nan,
			Simulated: nan, Modelled: .01, Error: nan, Null: nan,
			Use: presets.UseExact, Rule: presets.Flat, Tolerance: .05, Failed: true, Note: "groups at 4 did not run: deadlock"},
	}}
	for _, c := range []struct {
		format format
		want   []string
	}{
		{format{}, []string{
			`(?m)^claim 4, predicted, `,
			`(?m)^groups +256 +1.33 +1.1 +1.2 +-17.00 % +refuted +null -25.00 %; decides: remote accesses$`,
			`(?m)^groups +all +in words +- +1 % +- +failed +groups at 4 did not run: deadlock$`,
			`\n\n1 exact \(1 failed to run\), 0 fitted, 1 predicted \(1 refuted\), 0 verified; all that ran as recorded\n$`,
		}},
		{format{json: true},
			[]string{`"null": -0.25,\n +"pass": false,`, `"simulated": null,`, `"x": null,`,
				`"verdict": "refuted",\n +"recorded": "refuted",`, `"verdict": "failed",\n +"recorded": null,`,
				`"as_recorded": false,`}},
		{format{csv: true},
			[]string{`(?m)^4,.*,-0.17,check,within,0.03,-0.25,false,decides: remote accesses,refuted,refuted$`,
				`(?m)^5,,flat,groups,,departure,1,,,0.01,,exact,flat,0.05,,false,groups at 4 did not run: deadlock,failed,$`}},
	} {
		var out, errs bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		if err := concludeReport(cmd, r, &c.format, true); err != status(1) {
			t.Errorf("error %v, want exit status 1", err)
		}
		for _, want := range c.want {
			if !regexp.MustCompile(want).Match(out.Bytes()) {
				t.Errorf("nothing like %s in\n%s", want, &out)
			}
		}
		if want := "hybridtop: claim 4, groups at 256: gain is refuted: decides: remote accesses\n" +
			"hybridtop: claim 5, groups: flat failed: groups at 4 did not run: deadlock\n"; errs.String() != want {
			t.Errorf("told %q, want %q", &errs, want)
		}
	}
}

// The exit status depends on changes of recorded verdicts; with --strict, on passing.
func TestReproduceStatus(t *testing.T) {
	refuted := presets.Record{Verdict: presets.Refuted, Refuted: []string{"a"}, Decided: []string{"gaps"}}
	passed := presets.Record{Verdict: presets.Pass}
	for _, c := range []struct {
		what           string
		row            reproduce.Row
		status, strict error
		text           string
	}{
		{"a pass as recorded", reproduce.Row{Pass: true, Recorded: passed}, nil, nil, ""},
		{"refuted as recorded", reproduce.Row{Term: "gaps", Recorded: refuted}, nil, status(1), ""},
		{"refuted now", reproduce.Row{Term: "gaps", Recorded: passed}, status(1), status(1),
			"c is refuted, recorded as pass: why"},
		{"passes now", reproduce.Row{Pass: true, Recorded: refuted}, status(1), nil, "c is pass, recorded as refuted: why"},
		{"by another term", reproduce.Row{Term: "bytes", Recorded: refuted}, status(1), status(1),
			"c is refuted, recorded as decided by gaps: why"},
		{"not recorded", reproduce.Row{Pass: true}, status(1), nil, "c is pass, not recorded: why"},
		{"failed", reproduce.Row{Failed: true, Recorded: refuted}, status(2), status(1), "c failed: why"},
	} {
		c.row.Name = "a"
		c.row.Series = "the a"
		c.row.X = math.NaN()
		c.row.Check = "c"
		c.row.Claim = 7
		c.row.Note = "why"
		c.row.Use = presets.UseCheck
		r := &reproduce.Report{Rows: []reproduce.Row{c.row}}
		for strict, want := range map[bool]error{false: c.status, true: c.strict} {
			var errs bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetOut(io.Discard)
			cmd.SetErr(&errs)
			if err := concludeReport(cmd, r, &format{}, strict); err != want {
				t.Errorf("%s, strict %v: error %v, want %v", c.what, strict, err, want)
			}
			if !strict && (c.text == "") != (errs.Len() == 0) || !strings.Contains(errs.String(), c.text) {
				t.Errorf("%s, strict %v: told %q, want %q", c.what, strict, &errs, c.text)
			}
		}
	}
}

// --record writes the verdicts into figure files, and the default compares with them.
func TestRecordVerdicts(t *testing.T) {
	was, err := os.ReadFile("../../presets/figures/paper2-eq14.toml")
	if err != nil {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`(?m)^verdict = .*\n`).ReplaceAll(was, nil)
	if bytes.Equal(bare, was) {
		t.Fatal("the file has no verdicts")
	}
	directory := t.TempDir()
	file := filepath.Join(directory, "paper2-eq14.toml")
	if err := os.WriteFile(file, bare, 0o644); err != nil {
		t.Fatal(err)
	}
	reproduce := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := command(append([]string{"reproduce", "paper2-eq14"}, args...), &out, &errs)
		if !strings.HasSuffix(out.String(), "\n3 exact, 0 fitted, 0 predicted, 0 verified; all as recorded\n") {
			t.Errorf("%v: the last line of\n%s", args, &out)
		}
		return code, errs.String()
	}
	if code, errs := reproduce("--record", directory); code != 0 || errs != "hybridtop: recorded "+file+"\n" {
		t.Errorf("exit status %d, %q", code, errs)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, was) {
		t.Errorf("%v: the file is\n%s\nwant\n%s", err, now, was)
	}
	if code, errs := reproduce("--record", directory); code != 0 || errs != "" {
		t.Errorf("written again: exit status %d, %q", code, errs)
	}
	if code, errs := reproduce("--record", t.TempDir()); code != 1 ||
		!strings.Contains(errs, "paper2-eq14.toml: no such file") {
		t.Errorf("no file: exit status %d, %q", code, errs)
	}
	if code, errs := reproduce(); code != 0 || errs != "" {
		t.Errorf("exit status %d, %q", code, errs)
	}
}

// The list has a check as refuted if any of its rows is, recorded long rows included, and names the
// rows.
func TestListedVerdicts(t *testing.T) {
	var out, errs bytes.Buffer
	if code := command([]string{"reproduce", "--json"}, &out, &errs); code != 0 {
		t.Fatalf("exit status %d, %s", code, &errs)
	}
	var list struct {
		Checks []struct {
			Figure, Check, Recorded string
			Refuted                 []string
		}
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range list.Checks {
		if (c.Recorded == "refuted") != (len(c.Refuted) > 0) {
			t.Errorf("%s: %s is recorded as %q, with %q refuted", c.Figure, c.Check, c.Recorded, c.Refuted)
		}
		if c.Figure == "paper5-fig18" && c.Check == "bound" {
			found = slices.Equal(c.Refuted, []string{"slabs at 32768"})
		}
	}
	if !found {
		t.Error("bound of paper5-fig18 is not listed with its refuted long row")
	}
}

// docs/json.md names every field of a report, of its rows and of what else it has.
func TestReproduceDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## `hybridtop reproduce --json`\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, v := range []any{reproduceResult{}, reproduceRow{}, figureResult{}, curveResult{}, constantValue{},
		useTally{}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%T: nothing about %s", v, name)
			}
		}
	}
}
