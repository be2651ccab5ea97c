package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/bench"
)

// In every format, a row without a limit has the reason, and no ratio.
func TestARowWithoutALimit(t *testing.T) {
	rows := []bench.Row{
		{Name: "mt2", Value: 9e6, Unit: "1/s", Kind: engine.Measured, LimitName: "one thread", Target: 1,
			LimitMissing: "it was parked"},
		{Name: "put8", Value: 2e-9, Unit: "s", Kind: engine.Measured, Limit: 1e-9, LimitName: "a store", Ratio: 2, Target: 3},
	}
	for _, c := range []struct {
		format    format
		has, lack string
	}{
		{format{}, "mt2 has no limit: it was parked", " yes "},
		{format{json: true}, `"limit_missing": "it was parked"`, `"ratio"`},
		{format{csv: true}, "mt2,9e+06,1/s,measured,,one thread,,1,it was parked", "0,one thread"},
	} {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		if err := writeRows(cmd, rows[:1], &c.format); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, c.has) || strings.Contains(got, c.lack) {
			t.Errorf("%+v: want %q and not %q in\n%s", c.format, c.has, c.lack, got)
		}
		out.Reset()
		if err := writeRows(cmd, rows[1:], &c.format); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, "no limit") || strings.Contains(got, "limit_missing\":") {
			t.Errorf("%+v: a row with its limit has\n%s", c.format, got)
		}
	}
}
