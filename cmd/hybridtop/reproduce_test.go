package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/presets"
)

// The papers' claims, as the command line tells them.
func TestClaims(t *testing.T) {
	if raced {
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
		{Claim: 4, Check: "gain", Series: "groups", X: 256, Quantity: "speedup", Unit: "1", Published: 1.33, Simulated: 1.1, Modelled: 1.2, Error: -.17, Null: -.25,
			Use: presets.UseCheck, Rule: presets.Within, Tolerance: .03, Note: "decides: remote accesses"},
		{Claim: 5, Check: "flat", Series: "groups", X: nan, Quantity: "departure", Unit: "1", Published: nan, Simulated: nan, Modelled: .01, Error: nan, Null: nan,
			Use: presets.UseExact, Rule: presets.Flat, Tolerance: .05, Note: "groups at 4 did not run: deadlock"},
	}}
	for _, c := range []struct {
		format format
		want   []string
	}{
		{format{}, []string{
			`(?m)^claim 4, predicted, `,
			`(?m)^groups +256 +1.33 +1.1 +1.2 +-17.00 % +refuted +null -25.00 %; decides: remote accesses$`,
			`(?m)^groups +all +in words +- +1 % +- +refuted +groups at 4 did not run: deadlock$`,
		}},
		{format{json: true}, []string{`"null": -0.25,\n +"pass": false,`, `"simulated": null,`, `"x": null,`}},
		{format{csv: true}, []string{`(?m)^4,.*,-0.17,check,within,0.03,-0.25,false,decides: remote accesses$`, `(?m)^5,,flat,groups,,departure,1,,,0.01,,exact,flat,0.05,,false,`}},
	} {
		var out, errs bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		if err := concludeReport(cmd, r, &c.format); err != status(1) {
			t.Errorf("error %v, want exit status 1", err)
		}
		for _, want := range c.want {
			if !regexp.MustCompile(want).Match(out.Bytes()) {
				t.Errorf("nothing like %s in\n%s", want, &out)
			}
		}
		if want := "hybridtop: claim 4, groups at 256: gain is refuted: decides: remote accesses\n" +
			"hybridtop: claim 5, groups: flat is refuted: groups at 4 did not run: deadlock\n"; errs.String() != want {
			t.Errorf("told %q, want %q", &errs, want)
		}
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
	for _, v := range []any{reproduceResult{}, reproduceRow{}, figureResult{}, curveResult{}, constantValue{}} {
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
