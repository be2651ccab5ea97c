package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hybridtop/hybridtop/cluster"
)

// Launch commands place ranks, groups and threads as the layout does.
func TestLaunchLines(t *testing.T) {
	datadriven.RunTest(t, "testdata/launchline.txt", func(t *testing.T, d *datadriven.TestData) string {
		l := cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}
		for name, to := range map[string]any{
			"nodes": &l.Nodes, "ranks": &l.RanksPerNode, "threads": &l.ThreadsPerRank, "group": &l.Group,
			"ranking": (*string)(&l.Ranking), "model": (*string)(&l.Model),
		} {
			if d.HasArg(name) {
				d.ScanArgs(t, name, to)
			}
		}
		switch d.Cmd {
		case "launch":
			return LaunchLine(&l, "myapp") + "\n"
		case "launch-full":
			return FullLaunchLine(&l, "myapp") + "\n"
		case "launchers":
			var b strings.Builder
			for _, c := range Launches(&l, "myapp") {
				fmt.Fprintf(&b, "%s: %s\n%s\n", c.Name, c.Title, c.Command)
			}
			return b.String()
		}
		d.Fatalf(t, "unknown command %s", d.Cmd)
		return ""
	})
}
